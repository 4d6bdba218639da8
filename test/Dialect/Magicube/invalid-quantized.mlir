// RUN: magicube-opt %s --split-input-file --verify-diagnostics

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+2 {{expected the zero point of a sparse tensor to be 0, but got -3}}
// expected-note@+1 {{a dropped vector stands for the number 0 and is read as the integer 0: quantize the tensor symmetrically}}
func.func private @zero_point_of_sparse_tensor(tensor<16x32x!quant.uniform<i8:f32, 0.5:-3>, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+2 {{expected the zero point of a sparse tensor to be 0, but got 7}}
// expected-note@+1 {{quantize the tensor symmetrically}}
func.func private @one_zero_point_of_sparse_tensor(tensor<16x2x!quant.uniform<i8:f32:1, {0.5, 0.5:7}>, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+1 {{expected an element type of 1 (pattern), 4, 8, 12, 16 or 32 bits, but got 7}}
func.func private @width_of_sparse_tensor(tensor<16x32x!quant.uniform<i7:f32, 0.5>, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
func.func @one_quantized_operand(%a: !a, %b: tensor<32x8xi8>) {
  // expected-error@+2 {{'magicube.spmm' op expected lhs and rhs to be both quantized or both integers, but got '!quant.uniform<i8:f32, 5.000000e-01>' and 'i8'}}
  // expected-note@+1 {{cast one of them with 'quant.scast'}}
  %c = magicube.spmm %a, %b : (!a, tensor<32x8xi8>) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!c = tensor<16x8x!quant.uniform<i8:f32, 0.5>>
func.func @quantized_result_of_integers(%a: tensor<16x32xi8, #w>, %b: tensor<32x8xi8>, %s: f32) {
  // expected-error@+2 {{'magicube.spmm' op expected no quantized result of integer operands, but got '!quant.uniform<i8:f32, 5.000000e-01>'}}
  // expected-note@+1 {{cast the operands to quantized types with 'quant.scast'}}
  %c = magicube.spmm %a, %b scale(%s) : (tensor<16x32xi8, #w>, tensor<32x8xi8>, f32) -> !c
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @integer_result(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected the result of quantized operands to be quantized, f32, f16 or bf16, but got 'i32'}}
  // expected-note@+1 {{for the bare sums cast the operands to their storage types with 'quant.scast'}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @result_of_16_bits(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected a quantized result to be stored as i4, i8 or i32, but got 'i16'}}
  // expected-note@+1 {{quantize the result to 4 or 8 bits, or take it as f32}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8x!quant.uniform<i16:f32, 0.5>>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f16, 0.5>>
func.func @expresses_f16(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected the rhs to express f32, but got '!quant.uniform<i8:f16, 5.000000e-01>'}}
  // expected-note@+1 {{write the type as !quant.uniform<i8:f32, ...>; the result may still be f16 or bf16}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf16>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>, #w>
!b = tensor<2x8x!quant.uniform<i8:f32, 0.5>>
func.func @lhs_by_columns(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected the scales of the lhs to go by axis 0, but got axis 1}}
  // expected-note@+1 {{a scale per index of K cannot be taken out of the sum over K}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x2x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<2x8x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
func.func @rhs_by_rows(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected the scales of the rhs to go by axis 1, but got axis 0}}
  // expected-note@+1 {{requantize the operand with one scale, or one per row of lhs or column of rhs}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<2x32x8x!quant.uniform<i8:f32, 0.5>>
func.func @result_by_batch(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected the scales of the result to go by axis 1 or 2, but got axis 0}}
  // expected-note@+1 {{scales go by rows or columns of the result}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<2x16x8x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32:0, {0.5, 0.25}>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @two_scales_for_16_rows(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected scales for 16 indices along axis 0 of the lhs, but got 2}}
  // expected-note@+1 {{give one scale for each index of the axis}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x?x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
func.func @dynamic_extent(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected axis 1 of the rhs, which its 2 scales go by, to have a static extent, but got 'tensor<32x?x!quant.uniform<}}
  // expected-note@+1 {{state the extent, 2, in the type}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x?xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<u8:f32, 0.5>>
func.func @sign_of_lhs(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op has 'unsigned_lhs', but the lhs is stored as signed integers: '!quant.uniform<i8:f32, 5.000000e-01>'}}
  // expected-note@+1 {{leave 'unsigned_lhs' out: the type has the sign}}
  %c = magicube.spmm %a, %b {unsigned_lhs} : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<u8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @sign_of_rhs(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op has 'unsigned_rhs', but the rhs is stored as signed integers: '!quant.uniform<i8:f32, 5.000000e-01>'}}
  // expected-note@+1 {{leave 'unsigned_rhs' out: the type has the sign}}
  %c = magicube.spmm %a, %b {unsigned_rhs} : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i12:f32, 0.5>>
func.func @rhs_of_12_bits(%a: !a, %b: !b) {
  // expected-error@+1 {{'magicube.spmm' op expected rhs elements of type i4, i8 or i16, but got 'i12'}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @storage_form(%p: tensor<2x2xi32>, %i: tensor<?xi32>, %v: tensor<?xi8>, %b: !b, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{'magicube.spmm' op expected no quantized types in storage form, but got '!quant.uniform<i8:f32, 5.000000e-01>'}}
  %0 = magicube.spmm storage(%p, %i, %v) as !a, %b outs(%c) {overwrite}
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, !b, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+2 {{expected the zero point of a sparse tensor to be 0, but got -1}}
// expected-note@+1 {{quantize the tensor symmetrically}}
func.func private @zero_point_of_a_block(tensor<16x32x!quant.uniform<i8:f32:{0:8}, {{0.5}, {0.25:-1}}>, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.any<i8:f32>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @any_type(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected the lhs to be of a !quant.uniform type with scales by at most one axis, but got '!quant.any<i8:f32>'}}
  // expected-note@+1 {{requantize it with one scale, or one per index of an axis}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32:{0:16, 1:4}, {{0.5, 0.25}, {2.0, 1.0}}>>
func.func @sub_channel_type(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected the rhs to be of a !quant.uniform type with scales by at most one axis, but got '!quant.uniform<i8:f32:{0:16, 1:4}}}
  // expected-note@+1 {{requantize it with one scale}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32:{0:4}, {{0.5}, {0.25}}>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @blocks_of_8_rows(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected scales for 16 indices along axis 0 of the lhs, but got 2 for blocks of 4}}
  // expected-note@+1 {{give one scale for each index of the axis}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x2147483648x!quant.uniform<i8:f32:{1:1073741824}, {{0.5, 0.25}}>>
func.func @large_blocks(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected blocks along an axis of at most 16777216 indices, but got 2147483648}}
  // expected-note@+1 {{take one scale for the tensor}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x2147483648xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @sign_of_result(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op has 'unsigned_result', but the result is stored as signed integers: '!quant.uniform<i8:f32, 5.000000e-01>'}}
  // expected-note@+1 {{leave 'unsigned_result' out: the type has the sign}}
  %c = magicube.spmm %a, %b {unsigned_result} : (!a, !b) -> tensor<16x8x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @sign_of_float_result(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected unsigned_result on a quantized result, but got 'f32'}}
  // expected-note@+1 {{leave it out: a quantized type has the sign, a float its own}}
  %c = magicube.spmm %a, %b {unsigned_result} : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

// A zero point far outside of the storage type would take more products than
// anyone wants to wait for.

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5:100000000>>
func.func @issue_10_zero_point_of_rhs(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected zero points of the rhs from -65535 to 65535, but got 100000000}}
  // expected-note@+1 {{quantize it with a zero point that is among the integers of its storage type}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x2x!quant.uniform<i8:f32:1, {0.5:7, 0.5:-9000000000000}>>
func.func @issue_10_zero_points_of_columns(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected zero points of the rhs from -65535 to 65535, but got -9000000000000}}
  // expected-note@+1 {{quantize it with a zero point}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x2xf32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @issue_10_zero_point_of_result(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected zero points of the result from -65535 to 65535, but got 65536}}
  // expected-note@+1 {{quantize it with a zero point}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8x!quant.uniform<i8:f32, 0.5:65536>>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @issue_10_schedule_and_result_without_width(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected the result of quantized operands to be quantized, f32, f16 or bf16, but got 'index'}}
  // expected-note@+1 {{quant.scast}}
  %c = magicube.spmm %a, %b {schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
     : (!a, !b) -> tensor<16x8xindex>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @issue_10_result_without_integers(%a: !a, %b: !b) {
  // expected-error@+2 {{'magicube.spmm' op expected a quantized result to be stored as i4, i8 or i32, but got '!quant.calibrated<f32<-1.000000e+00:1.000000e+00>>'}}
  // expected-note@+1 {{quantize the result to 4 or 8 bits, or take it as f32}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8x!quant.calibrated<f32<-1.0:1.0>>>
  return
}
