// RUN: magicube-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Element types and shapes
//===----------------------------------------------------------------------===//

func.func @dense_lhs(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>) {
  // expected-error@+1 {{expected lhs to be one tensor with a #magicube.sr_bcrs encoding, but got 'tensor<16x32xi8>'}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @sparse_rhs(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8, #w>) {
  // expected-error@+1 {{operand #1 must be dense tensor or memref, but got 'tensor<32x16xi8, #magicube.sr_bcrs<vector = 8>>'}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8, #w>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @lhs_pattern(%a: tensor<16x32xi1, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+1 {{expected lhs elements of type i4, i8, i12 or i16, but got 'i1'}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi1, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @rhs_twelve_bits(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi12>) {
  // expected-error@+1 {{expected rhs elements of type i4, i8 or i16, but got 'i12'}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi12>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @rhs_with_sign(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xui8>) {
  // expected-error@+1 {{expected rhs elements of type i4, i8 or i16, but got 'ui8'}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xui8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @result_of_64_bits(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+1 {{expected the element type of the result to be i32 where there is no epilogue, but got 'i64'}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi64>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @rows_of_rhs(%a: tensor<16x32xi8, #w>, %b: tensor<31x16xi8>) {
  // expected-error@+1 {{expected rhs to have as many rows as lhs has columns, 32, but got 31}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<31x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @shape_of_result(%a: tensor<16x?xi8, #w>, %b: tensor<32x?xi8>) {
  // expected-error@+1 {{expected a result of shape 16x?, but got 'tensor<8x4xi32>'}}
  %c = magicube.spmm %a, %b : (tensor<16x?xi8, #w>, tensor<32x?xi8>) -> tensor<8x4xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @rank_of_result(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+1 {{expected rhs and result of the same rank of 2 or more, but got 'tensor<32x16xi8>' and 'tensor<1x16x16xi32>'}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<1x16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @rank_of_lhs(%a: tensor<2x16x32xi8, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+1 {{expected lhs of rank 2 or of rhs's rank 2, but got rank 3}}
  %c = magicube.spmm %a, %b : (tensor<2x16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @batch_of_rhs(%a: tensor<2x16x32xi8, #w>, %b: tensor<3x32x16xi8>) {
  // expected-error@+1 {{expected the batch dimensions of lhs and rhs to agree, but got 'tensor<2x16x32xi8, #magicube.sr_bcrs<vector = 8>>' and 'tensor<3x32x16xi8>'}}
  %c = magicube.spmm %a, %b : (tensor<2x16x32xi8, #w>, tensor<3x32x16xi8>) -> tensor<3x16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @batch_of_result(%a: tensor<2x16x32xi8, #w>, %b: tensor<?x32x16xi8>) {
  // expected-error@+1 {{expected a result of shape 2x16x16, but got 'tensor<3x16x16xi32>'}}
  %c = magicube.spmm %a, %b : (tensor<2x16x32xi8, #w>, tensor<?x32x16xi8>) -> tensor<3x16x16xi32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Pattern
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
func.func @pattern_too_long(%a: tensor<16x32xi8, #w>, %b: tensor<32x64xi8>) {
  // expected-error@+1 {{expected the pattern's longest vector-row to have at most one vector for each of the 32 columns of 'tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>', but got 33}}
  %c = magicube.spmm %a, %b {pattern = #magicube.pattern<vectors = 40, longest = 33>}
     : (tensor<16x32xi8, #w>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @pattern_too_many(%a: tensor<16x?xi8, #w>, %b: tensor<?x64xi8>) {
  // expected-error@+1 {{expected the pattern's longest vector-row to have at least 21 of its 41 vectors, which are spread over 2 vector-rows, but got 20}}
  %c = magicube.spmm %a, %b {pattern = #magicube.pattern<vectors = 41, longest = 20>}
     : (tensor<16x?xi8, #w>, tensor<?x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
func.func @interleave_long_vector(%a: tensor<16x32xi8, #w>, %b: tensor<32x64xi8>) {
  // expected-error@+1 {{recipe 'interleave' takes vectors of length up to 4, but got 8}}
  %c = magicube.spmm %a, %b
       {schedule = #magicube.schedule<tile_n = 64, warps = 1, stages = 2, recipe = "interleave">}
     : (tensor<16x32xi8, #w>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 4>
func.func @interleave_narrow_warp(%a: tensor<16x32xi8, #w>, %b: tensor<32x64xi8>) {
  // expected-error@+1 {{32 columns a warp for recipe 'interleave', but tile_n / warps is 16}}
  %c = magicube.spmm %a, %b
       {schedule = #magicube.schedule<tile_n = 64, warps = 4, stages = 2, recipe = "interleave">}
     : (tensor<16x32xi8, #w>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Destination and epilogue
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
func.func @type_of_init(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %c: tensor<16x?xi32>) {
  // expected-error@+1 {{expected init to have the result's type 'tensor<16x16xi32>', but got 'tensor<16x?xi32>'}}
  %d = magicube.spmm %a, %b outs(%c)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x?xi32>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @overwrite_without_init(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+1 {{expected outs next to 'overwrite'}}
  %c = magicube.spmm %a, %b {overwrite} : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @result_of_epilogue(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %s: f32) {
  // expected-error@+1 {{expected the result of an epilogue to be f32, f16, bf16, i8 or i4, but got 'i32'}}
  %c = magicube.spmm %a, %b scale(%s) : (tensor<16x32xi8, #w>, tensor<32x16xi8>, f32) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @init_next_to_epilogue(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %s: f32, %c: tensor<16x16xf32>) {
  // expected-error@+2 {{expected no init that is read next to an epilogue}}
  // expected-note@+1 {{add the init after the product, or mark it with 'overwrite'}}
  %d = magicube.spmm %a, %b scale(%s) outs(%c)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, f32, tensor<16x16xf32>) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @three_scales(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %s: f32) {
  // expected-error@+1 {{expected at most two scales, but got 3}}
  %c = magicube.spmm %a, %b scale(%s, %s, %s)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, f32, f32, f32) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @shape_of_scale(%a: tensor<16x?xi8, #w>, %b: tensor<?x?xi8>, %s: tensor<8x1xf32>) {
  // expected-error@+1 {{expected a scale to be f32 of shape 16x1 or 1x?, but got 'tensor<8x1xf32>'}}
  %c = magicube.spmm %a, %b scale(%s)
     : (tensor<16x?xi8, #w>, tensor<?x?xi8>, tensor<8x1xf32>) -> tensor<16x?xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @type_of_bias(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %bias: tensor<16x1xf16>) {
  // expected-error@+1 {{expected bias to be f32 of shape 16x1 or 1x16, but got 'tensor<16x1xf16>'}}
  %c = magicube.spmm %a, %b bias(%bias)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x1xf16>) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @accumulate_in_f32(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+1 {{expected the element type of the result to be f32 where there is no epilogue, but got 'i32'}}
  %c = magicube.spmm %a, %b {accumulate = f32} : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Tensors and memrefs, storage form
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
func.func @no_result(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %c: tensor<16x16xi32>) {
  // expected-error@+1 {{expected a result, or storage form where there is none}}
  magicube.spmm %a, %b outs(%c) : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @neither_result_nor_outs(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+1 {{expected outs where there is no result}}
  magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @memref_next_to_result(%a: tensor<16x32xi8, #w>, %b: memref<32x16xi8>) {
  // expected-error@+1 {{expected tensors alone where there is a result, but got 'memref<32x16xi8>'}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, memref<32x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @tensor_without_result(%ptr: memref<2x2xi32>, %idx: memref<?xi32>,
    %val: memref<?xi8>, %b: memref<32x16xi8>, %c: tensor<16x16xi32>) {
  // expected-error@+1 {{expected memrefs alone where there is no result, but got 'tensor<16x16xi32>'}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, tensor<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @unranked_memref(%ptr: memref<2x2xi32>, %idx: memref<?xi32>,
    %val: memref<*xi8>, %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+1 {{operand #2 must be variadic of ranked tensor of any type values or memref of any type values, but got 'memref<*xi8>'}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
    : (memref<2x2xi32>, memref<?xi32>, memref<*xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @storage_without_outs(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>,
    %val: tensor<?xi8>, %b: tensor<32x16xi8>) {
  // expected-error@+1 {{expected outs in storage form}}
  %c = magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @storage_without_values(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>,
    %b: tensor<32x16xi8>, %c: tensor<16x16xi32>) {
  // expected-error@+1 {{expected 3 storage components, but got 2}}
  %d = magicube.spmm storage(%ptr, %idx) as tensor<16x32xi8, #w>, %b outs(%c)
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<32x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @storage_wrong_rows(%ptr: tensor<3x2xi32>, %idx: tensor<?xi32>,
    %val: tensor<?xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xi32>) {
  // expected-error@+1 {{expected a storage component compatible with 'tensor<2x2xi32>', but got 'tensor<3x2xi32>'}}
  %d = magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
     : (tensor<3x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>,
        tensor<16x16xi32>) -> tensor<16x16xi32>
  return
}

// -----

func.func @storage_of_dense(%ptr: tensor<2x2xi32>, %b: tensor<32x16xi8>, %c: tensor<16x16xi32>) {
  // expected-error@+1 {{attribute 'storage' failed to satisfy constraint: type attribute of tensor with a #magicube.sr_bcrs encoding}}
  %d = magicube.spmm storage(%ptr) as tensor<16x32xi8>, %b outs(%c)
     : (tensor<2x2xi32>, tensor<32x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
  return
}
