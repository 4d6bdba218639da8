// RUN: magicube-opt %s --convert-magicube-storage --split-input-file --verify-diagnostics

#w = #magicube.sr_bcrs<vector = 8>
func.func @dense_product(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  // expected-error@+2 {{'linalg.matmul' op does not know the encoding of its sparse tensor and would treat it as dense}}
  // expected-note@+1 {{make it dense with magicube.unpack, or take it apart with magicube.disassemble}}
  %d = linalg.matmul ins(%a, %b : tensor<16x32xi8, #w>, tensor<32x16xi8>)
                     outs(%c : tensor<16x16xi32>) -> tensor<16x16xi32>
  return %d : tensor<16x16xi32>
}

// -----

// Each is reported, not only the first.
#w = #magicube.sr_bcrs<vector = 8>
func.func @sparse_results(%i: index) -> i8 {
  // expected-error@+2 {{'tensor.empty' op does not know the encoding}}
  // expected-note@+1 {{make it dense}}
  %0 = tensor.empty() : tensor<16x32xi8, #w>
  // expected-error@+2 {{'arith.constant' op does not know the encoding}}
  // expected-note@+1 {{make it dense}}
  %1 = arith.constant dense<1> : tensor<16x32xi8, #w>
  // expected-error@+2 {{'tensor.extract' op does not know the encoding}}
  // expected-note@+1 {{make it dense}}
  %2 = tensor.extract %1[%i, %i] : tensor<16x32xi8, #w>
  return %2 : i8
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @cast_to_dense(%a: tensor<16x32xi8, #w>) -> tensor<16x32xi8> {
  // expected-error@+2 {{'tensor.cast' op does not know the encoding}}
  // expected-note@+1 {{make it dense}}
  %0 = tensor.cast %a : tensor<16x32xi8, #w> to tensor<16x32xi8>
  return %0 : tensor<16x32xi8>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#v = #magicube.sr_bcrs<vector = 4>
func.func @cast_to_other_encoding(%a: tensor<16x32xi8, #w>) -> tensor<16x32xi8, #v> {
  // expected-error@+2 {{'tensor.cast' op does not know the encoding}}
  // expected-note@+1 {{make it dense}}
  %0 = tensor.cast %a : tensor<16x32xi8, #w> to tensor<16x32xi8, #v>
  return %0 : tensor<16x32xi8, #v>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @branch(%p: i1, %a: tensor<16x32xi8, #w>, %b: tensor<16x32xi8, #w>) -> tensor<16x32xi8, #w> {
  // expected-error@+2 {{'cf.cond_br' op hands on a sparse tensor from block to block}}
  // expected-note@+1 {{run magicube-lift-control-flow first}}
  cf.cond_br %p, ^end(%a : tensor<16x32xi8, #w>), ^end(%b : tensor<16x32xi8, #w>)
^end(%r: tensor<16x32xi8, #w>):
  return %r : tensor<16x32xi8, #w>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @select_by_element(%p: tensor<16x32xi1, #w>, %a: tensor<16x32xi8, #w>, %b: tensor<16x32xi8, #w>) -> tensor<16x32xi8, #w> {
  // expected-error@+2 {{'arith.select' op does not know the encoding}}
  // expected-note@+1 {{make it dense}}
  %r = arith.select %p, %a, %b : tensor<16x32xi1, #w>, tensor<16x32xi8, #w>
  return %r : tensor<16x32xi8, #w>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @dim_at_run_time(%a: tensor<16x32xi8, #w>, %i: index) -> index {
  // expected-error@+1 {{expected a constant dimension below 2 of a sparse tensor}}
  %0 = tensor.dim %a, %i : tensor<16x32xi8, #w>
  return %0 : index
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @dim_beyond_rank(%a: tensor<16x32xi8, #w>) -> index {
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{expected a constant dimension below 2 of a sparse tensor}}
  %0 = tensor.dim %a, %c2 : tensor<16x32xi8, #w>
  return %0 : index
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @pack(%d: tensor<16x32xi8>) -> tensor<16x32xi8> {
  // expected-error@+2 {{'magicube.pack' op runs on the host, for which there is no lowering yet}}
  // expected-note@+1 {{pass the sparse tensor to the function as an argument}}
  %0 = magicube.pack %d : tensor<16x32xi8> -> tensor<16x32xi8, #w>
  // expected-error@+2 {{'magicube.unpack' op runs on the host, for which there is no lowering yet}}
  // expected-note@+1 {{pass the sparse tensor to the function as an argument}}
  %1 = magicube.unpack %0 : tensor<16x32xi8, #w> -> tensor<16x32xi8>
  return %1 : tensor<16x32xi8>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+2 {{'func.func' op has a sparse tensor inside 'tuple<i32, tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>>'}}
// expected-note@+1 {{pass the sparse tensor on its own}}
func.func private @inside_tuple(tuple<i32, tensor<16x32xi8, #w>>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func private @callee(tensor<16x32xi8, #w>)
func.func @function_value() -> i32 {
  // expected-error@+2 {{'func.constant' op has a sparse tensor inside '(tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>) -> ()'}}
  // expected-note@+1 {{pass the sparse tensor on its own}}
  %0 = func.constant @callee : (tensor<16x32xi8, #w>) -> ()
  %1 = arith.constant 0 : i32
  return %1 : i32
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
// expected-error@+2 {{'func.func' op has quantized types, which have no storage yet}}
// expected-note@+1 {{run magicube-propagate-quantization first}}
func.func private @quantized(!a)

// -----

#w = #magicube.sr_bcrs<vector = 8>
module {
  module @inner {
    func.func @nested(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
      // expected-error@+2 {{'magicube.spmm' op is in a nested module, and nested modules are not compiled}}
      // expected-note@+1 {{move its function to the outer module}}
      %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
      return %c : tensor<16x16xi32>
    }
  }
}
