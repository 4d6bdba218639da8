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
  // expected-error@+2 {{expected the element type of the result to be i32 where there is no epilogue, but got 'i64'}}
  // expected-note@+1 {{give the product a scale, which makes a float of the sum}}
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
  // expected-error@+1 {{operand layout 'interleaved' takes vectors of length up to 4, but got 8}}
  %c = magicube.spmm %a, %b
       {schedule = #magicube.schedule<tile_n = 64, warps = 1, layout = <form = interleaved>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi8, #w>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 4>
func.func @interleave_narrow_warp(%a: tensor<16x32xi8, #w>, %b: tensor<32x64xi8>) {
  // expected-error@+1 {{32 columns a warp for operand layout 'interleaved', but tile_n / warps is 16}}
  %c = magicube.spmm %a, %b
       {schedule = #magicube.schedule<tile_n = 64, warps = 4, layout = <form = interleaved>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi8, #w>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 2>
func.func @interleave_wide_rhs(%a: tensor<16x32xi8, #w>, %b: tensor<32x64xi16>) {
  // expected-error@+2 {{operand layout 'interleaved' takes a dense operand of 4 or 8 bits, but got 16}}
  // expected-note@+1 {{layouts for it: transposed; transposed,digits; transposed,paired; transposed,stored; raw; raw,digits}}
  %c = magicube.spmm %a, %b
       {schedule = #magicube.schedule<tile_n = 64, warps = 1, layout = <form = interleaved>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi8, #w>, tensor<32x64xi16>) -> tensor<16x64xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 2>
func.func @stacked_signed_lhs(%a: tensor<16x32xi16, #w>, %b: tensor<32x64xi8>) {
  // expected-error@+2 {{operand layout 'interleaved,paired,digits' takes an unsigned sparse operand, but got a signed one}}
  // expected-note@+1 {{the digits of a signed value have different signs; use operand layout 'transposed'}}
  %c = magicube.spmm %a, %b {unsigned_rhs,
       schedule = #magicube.schedule<tile_n = 64, warps = 1, layout = <form = interleaved, order = paired, idle_columns = digits>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi16, #w>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 2>
func.func @stacked_signed_rhs(%a: tensor<16x32xi8, #w>, %b: tensor<32x64xi16>) {
  // expected-error@+2 {{operand layout 'raw,digits' takes an unsigned dense operand, but got a signed one}}
  // expected-note@+1 {{the digits of a signed value}}
  %c = magicube.spmm %a, %b {unsigned_lhs,
       schedule = #magicube.schedule<tile_n = 64, warps = 1, layout = <form = raw, idle_columns = digits>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi8, #w>, tensor<32x64xi16>) -> tensor<16x64xi32>
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
  // expected-error@+2 {{expected the result of an epilogue to be f32, f16, bf16, i8 or i4, but got 'i32'}}
  // expected-note@+1 {{scale, bias and activation work in f32; an i32 result takes a sum_bias alone}}
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
  // expected-error@+2 {{expected at most two scales, but got 3}}
  // expected-note@+1 {{multiply factors of the same shape before}}
  %c = magicube.spmm %a, %b scale(%s, %s, %s)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, f32, f32, f32) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @shape_of_scale(%a: tensor<16x?xi8, #w>, %b: tensor<?x?xi8>, %s: tensor<8x1xf32>) {
  // expected-error@+2 {{expected a scale to be f32 of shape 16x1 or 1x?, but got 'tensor<8x1xf32>'}}
  // expected-note@+1 {{give one number per row of the result (M x 1) or per column (1 x N)}}
  %c = magicube.spmm %a, %b scale(%s)
     : (tensor<16x?xi8, #w>, tensor<?x?xi8>, tensor<8x1xf32>) -> tensor<16x?xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @type_of_bias(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %bias: tensor<16x1xf16>) {
  // expected-error@+2 {{expected bias to be f32 of shape 16x1 or 1x16, but got 'tensor<16x1xf16>'}}
  // expected-note@+1 {{give one number per row of the result (M x 1) or per column (1 x N)}}
  %c = magicube.spmm %a, %b bias(%bias)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x1xf16>) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @type_of_sum_bias(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %bias: tensor<16x1xf32>) {
  // expected-error@+2 {{expected sum_bias to be i32 of shape 16x1 or 1x16, but got 'tensor<16x1xf32>'}}
  // expected-note@+1 {{give one number per row of the result (M x 1) or per column (1 x N)}}
  %c = magicube.spmm %a, %b sum_bias(%bias)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x1xf32>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @shape_of_sum_bias(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %bias: tensor<16xi32>) {
  // expected-error@+2 {{expected sum_bias to be i32 of shape 16x1 or 1x16, but got 'tensor<16xi32>'}}
  // expected-note@+1 {{give one number per row of the result (M x 1) or per column (1 x N)}}
  %c = magicube.spmm %a, %b sum_bias(%bias)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16xi32>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @accumulate_in_f32(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+2 {{expected the element type of the result to be f32, f16 or bf16 next to accumulate = f32, but got 'i32'}}
  // expected-note@+1 {{give a scale for an i8 or i4 result; leave accumulate out for an i32 result}}
  %c = magicube.spmm %a, %b {accumulate = f32} : (tensor<16x32xi16, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @accumulate_of_bytes(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi4>) {
  // expected-error@+2 {{expected an operand of more than 8 bits next to accumulate = f32, but got 'i8' and 'i4'}}
  // expected-note@+1 {{leave accumulate out: there is one i32 sum, with nothing to combine}}
  %c = magicube.spmm %a, %b {accumulate = f32} : (tensor<16x32xi8, #w>, tensor<32x16xi4>) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @accumulate_on_nibbles(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi4>) {
  // expected-error@+2 {{expected compute = i8 next to accumulate = f32, but got 'i4'}}
  // expected-note@+1 {{accumulate = f32 is defined by digits of 8 bits}}
  %c = magicube.spmm %a, %b {accumulate = f32, compute = i4}
     : (tensor<16x32xi16, #w>, tensor<32x16xi4>) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @accumulate_next_to_sum_bias(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi8>, %z: tensor<1x16xi32>) {
  // expected-error@+2 {{expected no sum_bias next to accumulate = f32}}
  // expected-note@+1 {{add it as an f32 bias: there is no i32 sum to add it to}}
  %c = magicube.spmm %a, %b sum_bias(%z) {accumulate = f32} : (tensor<16x32xi16, #w>, tensor<32x16xi8>, tensor<1x16xi32>) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @accumulate_next_to_init(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error@+2 {{expected no init that is read next to accumulate = f32}}
  // expected-note@+1 {{add the init after the product, or mark it with 'overwrite'}}
  %d = magicube.spmm %a, %b outs(%c) {accumulate = f32} : (tensor<16x32xi16, #w>, tensor<32x16xi8>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @unsigned_float(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi8>, %s: f32) {
  // expected-error@+2 {{expected unsigned_result on a result of i8 or i4, but got 'f32'}}
  // expected-note@+1 {{leave it out: i32 sums have no sign of their own, and floats have theirs}}
  %c = magicube.spmm %a, %b scale(%s) {unsigned_result} : (tensor<16x32xi16, #w>, tensor<32x16xi8>, f32) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @narrow_without_epilogue(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+2 {{expected the element type of the result to be i32 where there is no epilogue, but got 'i8'}}
  // expected-note@+1 {{give the product a scale, which makes a float of the sum}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi16, #w>, tensor<32x16xi8>) -> tensor<16x16xi8>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @type_of_scale(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi8>, %s: tensor<16x1xi32>) {
  // expected-error@+2 {{expected a scale to be f32 of shape 16x1 or 1x16, but got 'tensor<16x1xi32>'}}
  // expected-note@+1 {{give one number per row of the result (M x 1) or per column (1 x N)}}
  %c = magicube.spmm %a, %b scale(%s) : (tensor<16x32xi16, #w>, tensor<32x16xi8>, tensor<16x1xi32>) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @number_as_bias(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi8>, %s: f32) {
  // expected-error@+1 {{operand #2 must be dense tensor or memref, but got 'f32'}}
  %c = magicube.spmm %a, %b bias(%s) : (tensor<16x32xi16, #w>, tensor<32x16xi8>, f32) -> tensor<16x16xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @packed_result_on_tensors(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi8>, %n: index, %s: f32) {
  // expected-error@+1 {{expected packed_result in storage form only}}
  %c = magicube.spmm %a, %b scale(%s) columns(%n) {packed_result = i4} : (tensor<16x32xi16, #w>, tensor<32x16xi8>, f32, index) -> tensor<16x16xi8>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @packed_result_of_words(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>, %b: tensor<32x16xi8>, %s: f32, %n: index, %c: tensor<16x8xi16>) {
  // expected-error@+1 {{expected the bytes of a packed result to be i8, but got 'i16'}}
  %d = magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b scale(%s) columns(%n) outs(%c) {overwrite, packed_result = i4}
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, f32, index, tensor<16x8xi16>) -> tensor<16x8xi16>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @unpacked_result(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>, %b: tensor<32x16xi8>, %s: f32, %c: tensor<16x16xi4>) {
  // expected-error@+1 {{expected bytes and packed_result for a result of i4 in storage form, but got 'tensor<16x16xi4>'}}
  %d = magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b scale(%s) outs(%c) {overwrite}
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, f32, tensor<16x16xi4>) -> tensor<16x16xi4>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @packed_result_without_columns(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>, %b: tensor<32x16xi8>, %s: f32, %c: tensor<16x8xi8>) {
  // expected-error@+1 {{expected 'columns' and packed_result together, but got only packed_result}}
  %d = magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b scale(%s) outs(%c) {overwrite, packed_result = i4}
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, f32, tensor<16x8xi8>) -> tensor<16x8xi8>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @columns_without_packed_result(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>, %b: tensor<32x16xi8>, %s: f32, %n: index, %c: tensor<16x16xi8>) {
  // expected-error@+1 {{expected 'columns' and packed_result together, but got only 'columns'}}
  %d = magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b scale(%s) columns(%n) outs(%c) {overwrite}
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, f32, index, tensor<16x16xi8>) -> tensor<16x16xi8>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @packed_result_of_wrong_width(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>, %b: tensor<32x16xi8>, %s: f32, %n: index, %c: tensor<16x9xi8>) {
  // expected-error@+1 {{expected a result of shape 16x8, but got 'tensor<16x9xi8>'}}
  %d = magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b scale(%s) columns(%n) outs(%c) {overwrite, packed_result = i4}
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, f32, index, tensor<16x9xi8>) -> tensor<16x9xi8>
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

// -----

func.func @int4_of_bytes(%a: tensor<16x32xi4, #magicube.sr_bcrs<vector = 8>>, %b: tensor<32x64xi8>) {
  // expected-error@+2 {{expected rhs elements of type i4 for compute = i4, but got 'i8'}}
  // expected-note@+1 {{leave 'compute' out, or take i8}}
  %0 = magicube.spmm %a, %b {compute = i4}
     : (tensor<16x32xi4, #magicube.sr_bcrs<vector = 8>>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

func.func @int4_of_words(%a: tensor<16x32xi16, #magicube.sr_bcrs<vector = 8>>, %b: tensor<32x64xi16>) {
  // expected-error@+2 {{expected rhs elements of type i4 for compute = i4, but got 'i16'}}
  // expected-note@+1 {{leave 'compute' out, or take i8}}
  %0 = magicube.spmm %a, %b {compute = i4}
     : (tensor<16x32xi16, #magicube.sr_bcrs<vector = 8>>, tensor<32x64xi16>) -> tensor<16x64xi32>
  return
}

// -----

func.func @layout_of_other_mma(%a: tensor<16x32xi4, #magicube.sr_bcrs<vector = 8>>, %b: tensor<32x64xi4>) {
  // expected-error@+1 {{expected an operand layout for MMAs on 'i4', the type in 'compute', but got 'transposed' for MMAs on i8}}
  %0 = magicube.spmm %a, %b
     {compute = i4, schedule = #magicube.schedule<tile_n = 64, warps = 1, layout = <form = transposed>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi4, #magicube.sr_bcrs<vector = 8>>, tensor<32x64xi4>) -> tensor<16x64xi32>
  return
}

// -----

func.func @layout_of_nibbles(%a: tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>, %b: tensor<32x64xi4>) {
  // expected-error@+2 {{operand layout 'merged,stored' takes a sparse operand of 4 bits, but got 8}}
  // expected-note@+1 {{layouts for it: transposed; transposed,paired; raw; spread; merged}}
  %0 = magicube.spmm %a, %b
     {schedule = #magicube.schedule<tile_n = 64, warps = 1, layout = <form = merged, order = stored>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>, tensor<32x64xi4>) -> tensor<16x64xi32>
  return
}

// -----

func.func @int4_layout_of_bytes(%a: tensor<16x32xi4, #magicube.sr_bcrs<vector = 8>>, %b: tensor<32x64xi8>) {
  // expected-error@+2 {{operand layout 'spread' takes a dense operand of 4 bits, but got 8}}
  // expected-note@+1 {{layouts for it: transposed; transposed,paired; transposed,stored}}
  %0 = magicube.spmm %a, %b
     {schedule = #magicube.schedule<tile_n = 64, warps = 1, layout = <form = spread>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi4, #magicube.sr_bcrs<vector = 8>>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

func.func @int4_columns(%a: tensor<16x32xi4, #magicube.sr_bcrs<vector = 8>>, %b: tensor<32x64xi4>) {
  // expected-error@+1 {{expected a multiple of 32 columns a warp for operand layout 'spread', but tile_n / warps is 16}}
  %0 = magicube.spmm %a, %b
     {schedule = #magicube.schedule<tile_n = 64, warps = 4, layout = <form = spread>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi4, #magicube.sr_bcrs<vector = 8>>, tensor<32x64xi4>) -> tensor<16x64xi32>
  return
}

// -----

func.func @blocks_with_slabs(%a: tensor<16x32xi8, #magicube.sr_bcrs<vector = 8, slab = 16>>, %b: tensor<32x64xi8>) {
  // expected-error@+2 {{expected placement to be #magicube.stationary_k_tiles on storage with slabs, but got #magicube.stationary<prefetch_stages = 2, num_ctas = 108>}}
  // expected-note@+1 {{say how many vector-rows a block has, or encode the operand without 'slab'}}
  %0 = magicube.spmm %a, %b
     {schedule = #magicube.schedule<tile_n = 64, warps = 4, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 108>>}
     : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 8, slab = 16>>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

func.func @rows_without_slabs(%a: tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>, %b: tensor<32x64xi8>) {
  // expected-error@+2 {{expected placement to be #magicube.stationary on storage without slabs, but got #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 8>}}
  // expected-note@+1 {{say how many blocks there are, or encode the operand with 'slab'}}
  %0 = magicube.spmm %a, %b
     {schedule = #magicube.schedule<tile_n = 64, warps = 4, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 8>>}
     : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @lhs_of_sums(%a: tensor<16x32xi32, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+2 {{expected lhs elements of type i4, i8, i12 or i16, but got 'i32'}}
  // expected-note@+1 {{make integers of at most 16 bits of it: with magicube.softmax, or as a result of magicube.sddmm with a scale}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi32, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @lhs_of_floats(%a: tensor<16x32xf32, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+2 {{expected lhs elements of type i4, i8, i12 or i16, but got 'f32'}}
  // expected-note@+1 {{with magicube.softmax}}
  %c = magicube.spmm %a, %b : (tensor<16x32xf32, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}
