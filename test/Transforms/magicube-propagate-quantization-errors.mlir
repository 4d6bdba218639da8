// RUN: magicube-opt %s --magicube-propagate-quantization --split-input-file --verify-diagnostics

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x3x!quant.uniform<u8:f32:1, {0.5:1, 0.5:1, 0.25:2}>>
func.func @zero_points_by_column(%a: !a, %b: !b) -> tensor<16x3xf32> {
  // expected-error@+2 {{'magicube.spmm' op expected the columns of rhs to have one zero point, but got 1 and 2}}
  // expected-note@+1 {{scales may differ from column to column; a zero point for each would need a correction as large as the result}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x3xf32>
  return %c : tensor<16x3xf32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
!c = tensor<16x8x!quant.uniform<i8<-127:127>:f32, 0.5>>
func.func @narrow_result(%a: !a, %b: !b) -> !c {
  // expected-error@+2 {{'magicube.spmm' op expected a quantized result to have the whole range of its storage type, but got -127 to 127}}
  // expected-note@+1 {{leave the bounds out: results saturate at those of the storage type}}
  %c = magicube.spmm %a, %b : (!a, !b) -> !c
  return %c : !c
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @scales(%a: !a, %b: !b, %s: f32) -> tensor<16x8xf32> {
  // expected-error@+2 {{'magicube.spmm' op has scales next to quantized operands}}
  // expected-note@+1 {{the types have the scales: multiply those of lhs or divide those of a quantized result}}
  %c = magicube.spmm %a, %b scale(%s) : (!a, !b, f32) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
func.func @init(%a: !a, %b: !b, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error@+2 {{'magicube.spmm' op expected no init that is read next to quantized operands}}
  // expected-note@+1 {{add the init after the product, or mark it with 'overwrite'}}
  %0 = magicube.spmm %a, %b outs(%c) : (!a, !b, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 1.0e-30>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 1.0e-30>>
func.func @tiny_scale(%a: !a, %b: !b) -> tensor<16x8xf32> {
  // expected-error@+2 {{'magicube.spmm' op expected the product of the scales to be in the range of f32, but got 1.000000e-60}}
  // expected-note@+1 {{choose scales of operands and result that are closer to each other}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// -----

#w = #magicube.sr_bcrs<vector = 1>
!a = tensor<2x32x!quant.uniform<i8:f32:0, {1.0, 1.0e20}>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 1.0e20>>
func.func @huge_scale(%a: !a, %b: !b) -> tensor<2x8xf32> {
  // expected-error@+2 {{'magicube.spmm' op expected the product of the scales to be in the range of f32, but got 1.000000e+40}}
  // expected-note@+1 {{choose scales}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<2x8xf32>
  return %c : tensor<2x8xf32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<2x16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<2x32x8x!quant.uniform<u8:f32, 0.5:128>>
func.func @zero_point_of_batch(%a: !a, %b: !b) -> tensor<2x16x8xf32> {
  // expected-error@+2 {{'magicube.spmm' op expected the zero point of rhs to be 0 where lhs has a batch, but got 128}}
  // expected-note@+1 {{quantize rhs symmetrically, or share a lhs of rank 2}}
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<2x16x8xf32>
  return %c : tensor<2x16x8xf32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i16:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<u16:f32, 0.5:128>>
func.func @zero_point_of_f32_sums(%a: !a, %b: !b) -> tensor<16x8xf32> {
  // expected-error@+2 {{'magicube.spmm' op expected the zero point of rhs to be 0 next to 'accumulate', but got 128}}
  // expected-note@+1 {{quantize rhs symmetrically, or leave 'accumulate' out}}
  %c = magicube.spmm %a, %b {accumulate = f32} : (!a, !b) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<u8:f32, 0.5:128>>
func.func @bias_by_column_and_zero_point(%a: !a, %b: !b, %z: tensor<1x8xi32>) -> tensor<16x8xf32> {
  // expected-error@+2 {{'magicube.spmm' op expected a sum_bias per row next to the zero point of rhs, but got one per column}}
  // expected-note@+1 {{the correction for the zero point goes by rows: quantize rhs symmetrically, or add the bias in f32}}
  %c = magicube.spmm %a, %b sum_bias(%z) : (!a, !b, tensor<1x8xi32>) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x2x!quant.uniform<i8:f32, 0.5>>
!c = tensor<16x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
func.func @bias_across_scales(%a: !a, %b: !b, %z: tensor<16x1xf32>) -> !c {
  // expected-error@+2 {{'magicube.spmm' op expected the bias to go by the axis that the scales of the result go by, 1}}
  // expected-note@+1 {{quantize the result with one scale, or take it as f32}}
  %c = magicube.spmm %a, %b bias(%z) : (!a, !b, tensor<16x1xf32>) -> !c
  return %c : !c
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
!c = tensor<16x8x!quant.uniform<i8:f32, 0.5>>
func.func @gelu_before_quantization(%a: !a, %b: !b) -> !c {
  // expected-error@+2 {{'magicube.spmm' op expected no activation but relu before quantization, but got gelu}}
  // expected-note@+1 {{take the result as f32 and quantize it afterwards}}
  %c = magicube.spmm %a, %b {activation = #magicube.activation<gelu>} : (!a, !b) -> !c
  return %c : !c
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
!c = tensor<16x8x!quant.uniform<i8:f32, 0.5:-3>>
func.func @relu_and_zero_point(%a: !a, %b: !b) -> !c {
  // expected-error@+2 {{'magicube.spmm' op expected the zero point of the result of relu to be 0 or -128, the least integer, but got -3}}
  // expected-note@+1 {{with the least integer as zero point the result has the finest scale}}
  %c = magicube.spmm %a, %b {activation = #magicube.activation<relu>} : (!a, !b) -> !c
  return %c : !c
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
!c = tensor<16x8x!quant.uniform<i32:f32, 0.5>>
func.func @scale_of_sums(%a: !a, %b: !b) -> !c {
  // expected-error@+2 {{'magicube.spmm' op expected the scale of a result that is stored as i32 to be the product of those of lhs and rhs, but that is 5.000000e-01 times it}}
  // expected-note@+1 {{state the product, or quantize the result to 8 or 4 bits}}
  %c = magicube.spmm %a, %b : (!a, !b) -> !c
  return %c : !c
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
!c = tensor<16x8x!quant.uniform<i32:f32, 0.25:1>>
func.func @zero_point_of_sums(%a: !a, %b: !b) -> !c {
  // expected-error@+2 {{'magicube.spmm' op expected a result that is stored as i32 to have no zero point, but got 1}}
  // expected-note@+1 {{give it a sum_bias}}
  %c = magicube.spmm %a, %b : (!a, !b) -> !c
  return %c : !c
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
!c = tensor<16x8x!quant.uniform<u32:f32, 0.25>>
func.func @unsigned_sums(%a: !a, %b: !b) -> !c {
  // expected-error@+2 {{'magicube.spmm' op expected sums to be signed, but the result is stored as unsigned i32}}
  // expected-note@+1 {{store the result as i32 in place of u32}}
  %c = magicube.spmm %a, %b : (!a, !b) -> !c
  return %c : !c
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
!c = tensor<16x8x!quant.uniform<i32:f32, 0.25>>
func.func @activation_of_sums(%a: !a, %b: !b) -> !c {
  // expected-error@+2 {{'magicube.spmm' op expected neither bias, activation nor 'accumulate' next to a result that is stored as i32}}
  // expected-note@+1 {{take the result as f32, or quantize it to 8 or 4 bits}}
  %c = magicube.spmm %a, %b {activation = #magicube.activation<relu>} : (!a, !b) -> !c
  return %c : !c
}

// -----

!q = tensor<4x8x!quant.uniform<i8:f32, 0.5>>
func.func @quantization_of_other_numbers(%x: tensor<4x8xf32>) -> !q {
  // expected-error@+2 {{'quant.qcast' op quantizes numbers that are not the f32 result of a product}}
  // expected-note@+1 {{pass integers to the function; 'lower-quant-ops' rounds toward zero and does not saturate, run it first if that will do}}
  %q = quant.qcast %x : tensor<4x8xf32> to !q
  return %q : !q
}

// -----

!q = tensor<4x8x!quant.uniform<i8:f32, 0.5>>
func.func @other_operation(%q: !q) -> !q {
  // expected-error@+2 {{'tosa.add' op would calculate with the stored integers of a quantized type}}
  // expected-note@+1 {{make them floats with 'quant.dcast', or integers with 'quant.scast'}}
  %0 = tosa.add %q, %q : (!q, !q) -> !q
  return %0 : !q
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
func.func @dequantization_of_a_sparse_tensor(%a: !a) -> tensor<16x32xf32> {
  // expected-error@+2 {{'quant.dcast' op dequantizes a sparse tensor}}
  // expected-note@+1 {{multiply it, or make it dense with magicube.unpack}}
  %0 = "quant.dcast"(%a) : (!a) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
!c = tensor<16x8x!quant.uniform<i8:f32, 0.5>>
func.func @quantization_of_a_product_with_other_uses(%a: !a, %b: !b) -> (tensor<16x8xf32>, !c) {
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<16x8xf32>
  // expected-error@+2 {{'quant.qcast' op quantizes the result of a product that has other uses, which want the numbers in floats}}
  // expected-note@+1 {{use the quantized result there, made floats by 'quant.dcast', or multiply a second time}}
  %q = quant.qcast %c : tensor<16x8xf32> to !c
  return %c, %q : tensor<16x8xf32>, !c
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!c = tensor<16x8x!quant.uniform<i8:f32, 0.5>>
func.func @quantization_of_a_product_of_integers(%a: tensor<16x32xi8, #w>, %b: tensor<32x8xi8>, %s: f32) -> !c {
  %c = magicube.spmm %a, %b scale(%s) : (tensor<16x32xi8, #w>, tensor<32x8xi8>, f32) -> tensor<16x8xf32>
  // expected-error@+2 {{'quant.qcast' op quantizes the result of a product of integers}}
  // expected-note@+1 {{cast the operands to quantized types with 'quant.scast', or give the product a result of i8 or i4 and put the quantization into its scale and bias}}
  %q = quant.qcast %c : tensor<16x8xf32> to !c
  return %q : !c
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>
!b = tensor<32x8x!quant.uniform<i8:f32, 0.5>>
!c = tensor<16x8x!quant.uniform<i8:f32, 0.5>>
func.func @quantization_of_a_product_with_outs(%a: !a, %b: !b, %d: tensor<16x8xf32>) -> !c {
  %c = magicube.spmm %a, %b outs(%d) {overwrite} : (!a, !b, tensor<16x8xf32>) -> tensor<16x8xf32>
  // expected-error@+2 {{'quant.qcast' op quantizes the result of a product that has outs}}
  // expected-note@+1 {{leave outs away: the quantized result is of another type than the init}}
  %q = quant.qcast %c : tensor<16x8xf32> to !c
  return %q : !c
}

// -----

// Upstream would make a constant of i8 of it, -128.

!q = tensor<4x8x!quant.uniform<i8:f32, 0.5:128>>
func.func @issue_10_dequantization_with_a_zero_point_outside_of_the_storage(%a: !q) -> tensor<4x8xf32> {
  // expected-error@+2 {{'quant.dcast' op expected a zero point among the integers of the storage type, -128 to 127, but got 128}}
  // expected-note@+1 {{quantize with a zero point in that range}}
  %c = quant.dcast %a : !q to tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

!q = tensor<2x8x!quant.uniform<u8:f32:0, {0.5:255, 0.5:-1}>>
func.func @issue_10_dequantization_by_row(%a: !q) -> tensor<2x8xf32> {
  // expected-error@+2 {{expected a zero point among the integers of the storage type, 0 to 255, but got -1}}
  // expected-note@+1 {{quantize with a zero point in that range}}
  %c = quant.dcast %a : !q to tensor<2x8xf32>
  return %c : tensor<2x8xf32>
}

// -----

!q = tensor<4x8x!quant.calibrated<f32<-1.0:1.0>>>
func.func @issue_10_dequantization_without_integers(%a: !q) -> tensor<4x8xf32> {
  // expected-error@+2 {{'quant.dcast' op expected a !quant.uniform type, but got '!quant.calibrated<f32<-1.000000e+00:1.000000e+00>>'}}
  // expected-note@+1 {{only its scales and zero points say what the integers stand for}}
  %c = quant.dcast %a : !q to tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

!q = tensor<4x8x!quant.calibrated<f32<-1.0:1.0>>>
// expected-error@+2 {{'func.func' op has a quantized type that no integers store: 'tensor<4x8x!quant.calibrated<f32<-1.000000e+00:1.000000e+00>>>'}}
// expected-note@+1 {{quantize the numbers: write the type as !quant.uniform}}
func.func private @issue_10_no_integers(%a: !q)
