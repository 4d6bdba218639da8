// RUN: magicube-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

func.func @dense_pattern(%a: tensor<16x32xi8>, %b: tensor<24x32xi8>, %p: tensor<16x24xi1>) {
  // expected-error@+1 {{expected pattern to be one tensor with a #magicube.sr_bcrs encoding, but got 'tensor<16x24xi1>'}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x32xi8>, tensor<24x32xi8>, tensor<16x24xi1>) -> tensor<16x24xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8, order = bank_aware>
func.func @bank_aware(%a: tensor<16x32xi8>, %b: tensor<24x32xi8>, %p: tensor<16x24xi8, #w>) {
  // expected-error@+2 {{'magicube.sddmm' op expected pattern in natural order, but got order = bank_aware}}
  // expected-note@+1 {{its padding carries columns that would count; pack it with order = natural}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x32xi8>, tensor<24x32xi8>, tensor<16x24xi8, #w>) -> tensor<16x24xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @twelve_bits(%a: tensor<16x32xi12>, %b: tensor<24x32xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+2 {{expected lhs elements of type i4, i8 or i16, but got 'i12'}}
  // expected-note@+1 {{extend or saturate them to one of these widths}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x32xi12>, tensor<24x32xi8>, tensor<16x24xi1, #w>) -> tensor<16x24xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @floats(%a: tensor<16x32xi8>, %b: tensor<24x32xf16>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+2 {{expected rhs elements of type i4, i8 or i16, but got 'f16'}}
  // expected-note@+1 {{extend or saturate them}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x32xi8>, tensor<24x32xf16>, tensor<16x24xi1, #w>) -> tensor<16x24xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!q = !quant.uniform<i8:f32, 0.5>
func.func @quantized(%a: tensor<16x32x!q>, %b: tensor<24x32x!q>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+2 {{expected lhs of integers, but got 'tensor<16x32x!quant.uniform<i8:f32, 5.000000e-01>>'}}
  // expected-note@+1 {{cast it to its storage type with 'quant.scast', and give the scales of both operands as 'scale'}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x32x!q>, tensor<24x32x!q>, tensor<16x24xi1, #w>) -> tensor<16x24xf32, #w>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
func.func @rows(%a: tensor<24x32xi8>, %b: tensor<24x32xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+2 {{expected lhs to have as many rows as pattern, 16, but got 24}}
  // expected-note@+1 {{the pattern is M x N for a lhs of M x K}}
  %c = magicube.sddmm %a, %b, %p : (tensor<24x32xi8>, tensor<24x32xi8>, tensor<16x24xi1, #w>) -> tensor<16x24xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @columns(%a: tensor<16x32xi8>, %b: tensor<32x24xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+2 {{expected rhs to have as many rows as pattern has columns, 24, but got 32}}
  // expected-note@+1 {{rhs is N x K}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x32xi8>, tensor<32x24xi8>, tensor<16x24xi1, #w>) -> tensor<16x24xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @inner(%a: tensor<16x32xi8>, %b: tensor<24x33xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+2 {{expected rhs to have as many columns as lhs, 32, but got 33}}
  // expected-note@+1 {{transpose a rhs of K x N}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x32xi8>, tensor<24x33xi8>, tensor<16x24xi1, #w>) -> tensor<16x24xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @no_columns(%a: tensor<16x0xi8>, %b: tensor<24x0xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+1 {{expected operands of at least 1 column, but got 0}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x0xi8>, tensor<24x0xi8>, tensor<16x24xi1, #w>) -> tensor<16x24xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @shared_pattern(%a: tensor<2x16x32xi8>, %b: tensor<2x24x32xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+2 {{expected lhs, rhs and pattern of the same rank, but got 'tensor<2x16x32xi8>', 'tensor<2x24x32xi8>' and}}
  // expected-note@+1 {{each with the same batch dimensions before}}
  %c = magicube.sddmm %a, %b, %p : (tensor<2x16x32xi8>, tensor<2x24x32xi8>, tensor<16x24xi1, #w>) -> tensor<16x24xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @batches(%a: tensor<2x16x32xi8>, %b: tensor<3x24x32xi8>, %p: tensor<2x16x24xi1, #w>) {
  // expected-error@+1 {{expected the batch dimensions of lhs, rhs and pattern to agree, but got}}
  %c = magicube.sddmm %a, %b, %p : (tensor<2x16x32xi8>, tensor<3x24x32xi8>, tensor<2x16x24xi1, #w>) -> tensor<2x16x24xi32, #w>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
func.func @dense_result(%a: tensor<16x32xi8>, %b: tensor<24x32xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+2 {{expected a result with the encoding of pattern, #magicube.sr_bcrs<vector = 8>, but got 'tensor<16x24xi32>'}}
  // expected-note@+1 {{the result has its pointers and indices}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x32xi8>, tensor<24x32xi8>, tensor<16x24xi1, #w>) -> tensor<16x24xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @shape(%a: tensor<16x32xi8>, %b: tensor<24x32xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+1 {{expected a result of the shape of pattern, 'tensor<16x24xi1, #magicube.sr_bcrs<vector = 8>>', but got 'tensor<16x32xi32, #magicube.sr_bcrs<vector = 8>>'}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x32xi8>, tensor<24x32xi8>, tensor<16x24xi1, #w>) -> tensor<16x32xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @narrow_result(%a: tensor<16x32xi8>, %b: tensor<24x32xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+2 {{expected the element type of the result to be i32 where there is no epilogue, but got 'i8'}}
  // expected-note@+1 {{give the product a scale}}
  %c = magicube.sddmm %a, %b, %p : (tensor<16x32xi8>, tensor<24x32xi8>, tensor<16x24xi1, #w>) -> tensor<16x24xi8, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @scale_shape(%a: tensor<16x32xi8>, %b: tensor<24x32xi8>, %p: tensor<16x24xi1, #w>, %s: tensor<24x1xf32>) {
  // expected-error@+2 {{expected a scale to be f32 of shape 16x1 or 1x24, but got 'tensor<24x1xf32>'}}
  // expected-note@+1 {{give one number per row of the result (M x 1) or per column (1 x N)}}
  %c = magicube.sddmm %a, %b, %p scale(%s) : (tensor<16x32xi8>, tensor<24x32xi8>, tensor<16x24xi1, #w>, tensor<24x1xf32>) -> tensor<16x24xf32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @compute(%a: tensor<16x32xi4>, %b: tensor<24x32xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+2 {{expected operands of type i4 for compute = i4, but got 'i4' and 'i8'}}
  // expected-note@+1 {{leave 'compute' out, or take i8}}
  %c = magicube.sddmm %a, %b, %p {compute = i4} : (tensor<16x32xi4>, tensor<24x32xi8>, tensor<16x24xi1, #w>) -> tensor<16x24xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @pattern_info(%a: tensor<16x32xi8>, %b: tensor<24x32xi8>, %p: tensor<16x24xi1, #w>) {
  // expected-error@+1 {{expected the pattern's longest vector-row to have at most one vector for each of the 24 columns of}}
  %c = magicube.sddmm %a, %b, %p {pattern_info = #magicube.pattern<vectors = 30, longest = 25>}
     : (tensor<16x32xi8>, tensor<24x32xi8>, tensor<16x24xi1, #w>) -> tensor<16x24xi32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @outs(%a: tensor<16x32xi8>, %b: tensor<24x32xi8>, %p: tensor<16x24xi1, #w>, %z: tensor<?xi32>) {
  // expected-error@+1 {{expected init to have the result's type}}
  %c = magicube.sddmm %a, %b, %p outs(%z) : (tensor<16x32xi8>, tensor<24x32xi8>, tensor<16x24xi1, #w>, tensor<?xi32>) -> tensor<16x24xi32, #w>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Storage form
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
func.func @values(%a: memref<16x32xi8>, %b: memref<24x32xi8>, %ptr: memref<2x2xi32>, %idx: memref<?xi32>, %c: memref<?xi32>) {
  // expected-error@+1 {{expected a pattern of i1 in storage form, but got 'tensor<16x24xi8, #magicube.sr_bcrs<vector = 8>>'}}
  magicube.sddmm %a, %b, storage(%ptr, %idx) as tensor<16x24xi8, #w> outs(%c) {overwrite}
    : (memref<16x32xi8>, memref<24x32xi8>, memref<2x2xi32>, memref<?xi32>, memref<?xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @no_overwrite(%a: memref<16x32xi8>, %b: memref<24x32xi8>, %ptr: memref<2x2xi32>, %idx: memref<?xi32>, %c: memref<?xi32>) {
  // expected-error@+1 {{expected 'overwrite' next to outs: nothing is added to}}
  magicube.sddmm %a, %b, storage(%ptr, %idx) as tensor<16x24xi1, #w> outs(%c)
    : (memref<16x32xi8>, memref<24x32xi8>, memref<2x2xi32>, memref<?xi32>, memref<?xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @destination(%a: memref<16x32xi8>, %b: memref<24x32xi8>, %ptr: memref<2x2xi32>, %idx: memref<?xi32>, %c: memref<16x24xi32>) {
  // expected-error@+1 {{expected outs for the values, of rank 1, but got 'memref<16x24xi32>'}}
  magicube.sddmm %a, %b, storage(%ptr, %idx) as tensor<16x24xi1, #w> outs(%c) {overwrite}
    : (memref<16x32xi8>, memref<24x32xi8>, memref<2x2xi32>, memref<?xi32>, memref<16x24xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @no_inner(%a: memref<16x16xi8>, %b: memref<24x32xi8>, %ptr: memref<2x2xi32>, %idx: memref<?xi32>, %c: memref<?xi32>) {
  // expected-error@+1 {{expected 'inner' next to packed operands, whose bytes do not tell K, and only there}}
  magicube.sddmm %a, %b, storage(%ptr, %idx) as tensor<16x24xi1, #w> outs(%c) {overwrite, packed_lhs = i4}
    : (memref<16x16xi8>, memref<24x32xi8>, memref<2x2xi32>, memref<?xi32>, memref<?xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @packed_bytes(%a: memref<16x15xi8>, %b: memref<24x32xi8>, %ptr: memref<2x2xi32>, %idx: memref<?xi32>, %c: memref<?xi32>, %k: index) {
  // expected-error@+1 {{expected a packed lhs of 16 bytes a row for 32 columns, but got 15}}
  magicube.sddmm %a, %b, storage(%ptr, %idx) as tensor<16x24xi1, #w> inner(%k) outs(%c) {overwrite, packed_lhs = i4}
    : (memref<16x15xi8>, memref<24x32xi8>, memref<2x2xi32>, memref<?xi32>, index, memref<?xi32>) -> ()
  return
}
