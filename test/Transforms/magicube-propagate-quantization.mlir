// RUN: magicube-opt %s --magicube-propagate-quantization --canonicalize --split-input-file | FileCheck %s

// What quantized types say becomes signs, scales, biases and result types of
// products of integers, by kind of type; types vanish from everything else.

#w = #magicube.sr_bcrs<vector = 2, stride = 8>

!i8 = !quant.uniform<i8:f32, 0.5>
!narrow = !quant.uniform<i8<-127:127>:f32, 0.5>
!rows = !quant.uniform<i8:f32:0, {0.5, 0.25, 0.125, 1.0}>
!u8 = !quant.uniform<u8:f32, 0.25>
!u8z = !quant.uniform<u8:f32, 0.25:3>
!columns = !quant.uniform<i8:f32:1, {0.25, 0.5}>
!result = !quant.uniform<i8:f32, 0.1>
!resultz = !quant.uniform<i8:f32, 0.1:-4>

// CHECK-LABEL: func.func @per_tensor
// CHECK-SAME: (%[[A:.*]]: tensor<4x32xi8, #{{.*}}>, %[[B:.*]]: tensor<32x2xi8>) -> tensor<4x2xf32>
// CHECK: %[[SCALE:.*]] = arith.constant 1.250000e-01 : f32
// CHECK: %[[C:.*]] = magicube.spmm %[[A]], %[[B]] scale(%[[SCALE]]) {unsigned_rhs}
// CHECK: return %[[C]] : tensor<4x2xf32>
func.func @per_tensor(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!u8>) -> tensor<4x2xf32> {
  %c = magicube.spmm %a, %b : (tensor<4x32x!i8, #w>, tensor<32x2x!u8>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// A narrow range is a promise about operands, that no product needs. What the
// operation says besides stays.
// CHECK-LABEL: func.func @attributes
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%{{.*}}) {activation = #magicube.activation<relu>, {{.*}}note = 1 : i64, schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 3>>, unsigned_lhs}
func.func @attributes(%a: tensor<4x32x!u8, #w>, %b: tensor<32x2x!narrow>) -> tensor<4x2xf16> {
  %c = magicube.spmm %a, %b {activation = #magicube.activation<relu>, note = 1,
                             schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 3>>}
     : (tensor<4x32x!u8, #w>, tensor<32x2x!narrow>) -> tensor<4x2xf16>
  return %c : tensor<4x2xf16>
}

// CHECK-LABEL: func.func @unsigned_result
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%{{.*}}) {unsigned_result, unsigned_rhs} : {{.*}} -> tensor<4x2xi4>
func.func @unsigned_result(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!u8>) -> tensor<4x2x!quant.uniform<u4:f32, 0.5>> {
  %c = magicube.spmm %a, %b : (tensor<4x32x!i8, #w>, tensor<32x2x!u8>) -> tensor<4x2x!quant.uniform<u4:f32, 0.5>>
  return %c : tensor<4x2x!quant.uniform<u4:f32, 0.5>>
}

// CHECK-LABEL: func.func @f32_sums
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%{{.*}}) {accumulate = f32, unsigned_lhs} : {{.*}} -> tensor<4x2xf32>
func.func @f32_sums(%a: tensor<4x32x!quant.uniform<u16:f32, 0.5>, #w>, %b: tensor<32x2x!quant.uniform<i16:f32, 0.5>>) -> tensor<4x2xf32> {
  %c = magicube.spmm %a, %b {accumulate = f32}
     : (tensor<4x32x!quant.uniform<u16:f32, 0.5>, #w>, tensor<32x2x!quant.uniform<i16:f32, 0.5>>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// Rows take the numbers: 0.5 * 0.25, ...
// CHECK-LABEL: func.func @by_row
// CHECK: %[[ROWS:.*]] = arith.constant dense<{{\[\[}}1.250000e-01], [6.250000e-02], [3.125000e-02], [2.500000e-01]]> : tensor<4x1xf32>
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%[[ROWS]]) {unsigned_rhs}
func.func @by_row(%a: tensor<4x32x!rows, #w>, %b: tensor<32x2x!u8>) -> tensor<4x2xf32> {
  %c = magicube.spmm %a, %b : (tensor<4x32x!rows, #w>, tensor<32x2x!u8>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @by_column
// CHECK: %[[COLUMNS:.*]] = arith.constant dense<{{\[\[}}1.250000e-01, 2.500000e-01]]> : tensor<1x2xf32>
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%[[COLUMNS]]) :
func.func @by_column(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!columns>) -> tensor<4x2xf32> {
  %c = magicube.spmm %a, %b : (tensor<4x32x!i8, #w>, tensor<32x2x!columns>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// The result's scale is divided out, its zero point is a bias.
// CHECK-LABEL: func.func @by_both
// CHECK-SAME: -> tensor<4x2xi8>
// CHECK-DAG: %[[ROWS:.*]] = arith.constant dense<{{\[\[}}5.000000e+00], [2.500000e+00], [1.250000e+00], [1.000000e+01]]> : tensor<4x1xf32>
// CHECK-DAG: %[[COLUMNS:.*]] = arith.constant dense<{{\[\[}}2.500000e-01, 5.000000e-01]]> : tensor<1x2xf32>
// CHECK-DAG: %[[ZERO_POINT:.*]] = arith.constant dense<-4.000000e+00> : tensor<4x1xf32>
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%[[ROWS]], %[[COLUMNS]]) bias(%[[ZERO_POINT]]) :
func.func @by_both(%a: tensor<4x32x!rows, #w>, %b: tensor<32x2x!columns>) -> tensor<4x2x!resultz> {
  %c = magicube.spmm %a, %b : (tensor<4x32x!rows, #w>, tensor<32x2x!columns>) -> tensor<4x2x!resultz>
  return %c : tensor<4x2x!resultz>
}

// CHECK-LABEL: func.func @result_by_column
// CHECK-DAG: %[[SCALES:.*]] = arith.constant dense<{{\[\[}}1.250000e-01, 6.250000e-02]]> : tensor<1x2xf32>
// CHECK-DAG: %[[ZERO_POINTS:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, -2.000000e+00]]> : tensor<1x2xf32>
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%[[SCALES]]) bias(%[[ZERO_POINTS]]) {unsigned_rhs}
func.func @result_by_column(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!u8>)
    -> tensor<4x2x!quant.uniform<i8:f32:1, {1.0:1, 2.0:-2}>> {
  %c = magicube.spmm %a, %b : (tensor<4x32x!i8, #w>, tensor<32x2x!u8>)
     -> tensor<4x2x!quant.uniform<i8:f32:1, {1.0:1, 2.0:-2}>>
  return %c : tensor<4x2x!quant.uniform<i8:f32:1, {1.0:1, 2.0:-2}>>
}

// CHECK-LABEL: func.func @result_by_row
// CHECK-DAG: %[[SCALES:.*]] = arith.constant dense<{{\[\[}}1.250000e-01], [6.250000e-02]]> : tensor<2x1xf32>
// CHECK-DAG: %[[ZERO_POINTS:.*]] = arith.constant dense<{{\[\[}}1.000000e+00], [-2.000000e+00]]> : tensor<2x1xf32>
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%[[SCALES]]) bias(%[[ZERO_POINTS]]) {unsigned_rhs}
func.func @result_by_row(%a: tensor<2x32x!i8, #w>, %b: tensor<32x2x!u8>)
    -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0:1, 2.0:-2}>> {
  %c = magicube.spmm %a, %b : (tensor<2x32x!i8, #w>, tensor<32x2x!u8>)
     -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0:1, 2.0:-2}>>
  return %c : tensor<2x2x!quant.uniform<i8:f32:0, {1.0:1, 2.0:-2}>>
}

// The sums are corrected by the product with a column of -3.
// CHECK-LABEL: func.func @zero_point
// CHECK-SAME: (%[[A:.*]]: tensor<4x32xi8, #{{.*}}>, %[[B:.*]]: tensor<32x2xi8>)
// CHECK-DAG: %[[COLUMN:.*]] = arith.constant dense<-3> : tensor<32x1xi8>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 6.250000e-02 : f32
// CHECK: %[[CORRECTION:.*]] = magicube.spmm %[[A]], %[[COLUMN]] {unsigned_lhs} : (tensor<4x32xi8, #{{.*}}>, tensor<32x1xi8>) -> tensor<4x1xi32>
// CHECK: magicube.spmm %[[A]], %[[B]] sum_bias(%[[CORRECTION]]) scale(%[[SCALE]]) {unsigned_lhs, unsigned_rhs}
func.func @zero_point(%a: tensor<4x32x!u8, #w>, %b: tensor<32x2x!u8z>) -> tensor<4x2xbf16> {
  %c = magicube.spmm %a, %b : (tensor<4x32x!u8, #w>, tensor<32x2x!u8z>) -> tensor<4x2xbf16>
  return %c : tensor<4x2xbf16>
}

// -200 is no i8; -40000 is two i16.
// CHECK-LABEL: func.func @wide_zero_points
// CHECK-DAG: %[[WORDS:.*]] = arith.constant dense<-200> : tensor<32x1xi16>
// CHECK-DAG: %[[LEAST:.*]] = arith.constant dense<-32768> : tensor<32x1xi16>
// CHECK-DAG: %[[REST:.*]] = arith.constant dense<-7232> : tensor<32x1xi16>
// CHECK: magicube.spmm %{{.*}}, %[[WORDS]] :
// CHECK: %[[SUM:.*]] = magicube.spmm %{{.*}}, %[[LEAST]] :
// CHECK: %[[BOTH:.*]] = magicube.spmm %{{.*}}, %[[REST]] outs(%[[SUM]]) :
// CHECK: magicube.spmm %{{.*}}, %{{.*}} sum_bias(%[[BOTH]])
func.func @wide_zero_points(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!quant.uniform<u8:f32, 0.5:200>>,
                            %b16: tensor<32x2x!quant.uniform<u16:f32, 0.5:40000>>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %c = magicube.spmm %a, %b : (tensor<4x32x!i8, #w>, tensor<32x2x!quant.uniform<u8:f32, 0.5:200>>) -> tensor<4x2xf32>
  %d = magicube.spmm %a, %b16 : (tensor<4x32x!i8, #w>, tensor<32x2x!quant.uniform<u16:f32, 0.5:40000>>) -> tensor<4x2xf32>
  return %c, %d : tensor<4x2xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[A:.*]]: tensor<?x?xi8, #{{.*}}>, %[[B:.*]]: tensor<?x?xi8>) -> tensor<?x?xi8>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[MINUS_3:.*]] = arith.constant -3 : i8
// CHECK-DAG: %[[MINUS_4:.*]] = arith.constant -4.000000e+00 : f32
// CHECK: %[[K:.*]] = tensor.dim %[[B]], %[[C0]]
// CHECK: %[[COLUMN:.*]] = tensor.splat %[[MINUS_3]][%[[K]]] : tensor<?x1xi8>
// CHECK: magicube.spmm %[[A]], %[[COLUMN]]
// CHECK: %[[M:.*]] = tensor.dim %[[A]], %[[C0]]
// CHECK: %[[BIAS:.*]] = tensor.splat %[[MINUS_4]][%[[M]]] : tensor<?x1xf32>
// CHECK: magicube.spmm %[[A]], %[[B]] {{.*}} bias(%[[BIAS]])
func.func @dynamic(%a: tensor<?x?x!i8, #w>, %b: tensor<?x?x!u8z>) -> tensor<?x?x!resultz> {
  %c = magicube.spmm %a, %b : (tensor<?x?x!i8, #w>, tensor<?x?x!u8z>) -> tensor<?x?x!resultz>
  return %c : tensor<?x?x!resultz>
}

// A bias of integers counts in products of the scales.
// CHECK-LABEL: func.func @sum_bias
// CHECK-SAME: %[[BIAS:[a-z0-9]*]]: tensor<4x1xi32>)
// CHECK: %[[CORRECTION:.*]] = magicube.spmm %{{.*}}, %{{.*}} sum_bias(%[[BIAS]]) :
// CHECK: magicube.spmm %{{.*}}, %{{.*}} sum_bias(%[[CORRECTION]]) scale(
func.func @sum_bias(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!u8z>, %z: tensor<4x1xi32>) -> tensor<4x2xf32> {
  %c = magicube.spmm %a, %b sum_bias(%z) : (tensor<4x32x!i8, #w>, tensor<32x2x!u8z>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @bias_of_float_result
// CHECK-SAME: %[[BIAS:[a-z0-9]*]]: tensor<1x2xf32>)
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%{{.*}}) bias(%[[BIAS]])
func.func @bias_of_float_result(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!u8>, %z: tensor<1x2xf32>) -> tensor<4x2xf32> {
  %c = magicube.spmm %a, %b bias(%z) : (tensor<4x32x!i8, #w>, tensor<32x2x!u8>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @bias_of_quantized_result
// CHECK-SAME: %[[BIAS:[a-z0-9]*]]: tensor<?x1xf32>)
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 1.000000e-01 : f32
// CHECK-DAG: %[[ZERO_POINT:.*]] = arith.constant -4.000000e+00 : f32
// CHECK: %[[SCALES:.*]] = tensor.splat %[[SCALE]]
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[BIAS]], %[[SCALES]] : tensor<?x1xf32>
// CHECK: %[[ZERO_POINTS:.*]] = tensor.splat %[[ZERO_POINT]]
// CHECK: %[[SUM:.*]] = arith.addf %[[QUOTIENT]], %[[ZERO_POINTS]] : tensor<?x1xf32>
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%{{.*}}) bias(%[[SUM]])
func.func @bias_of_quantized_result(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!u8>, %z: tensor<?x1xf32>) -> tensor<4x2x!resultz> {
  %c = magicube.spmm %a, %b bias(%z) : (tensor<4x32x!i8, #w>, tensor<32x2x!u8>, tensor<?x1xf32>) -> tensor<4x2x!resultz>
  return %c : tensor<4x2x!resultz>
}

// A constant bias is folded: 2 / 0.5 + 1, ...
// CHECK-LABEL: func.func @constant_bias
// CHECK: %[[BIAS:.*]] = arith.constant dense<{{\[\[}}5.000000e+00, 0.000000e+00]]> : tensor<1x2xf32>
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%{{.*}}) bias(%[[BIAS]])
func.func @constant_bias(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!u8>) -> tensor<4x2x!quant.uniform<i8:f32:1, {0.5:1, 0.25}>> {
  %z = arith.constant dense<[[2.0, 0.0]]> : tensor<1x2xf32>
  %c = magicube.spmm %a, %b bias(%z) : (tensor<4x32x!i8, #w>, tensor<32x2x!u8>, tensor<1x2xf32>)
     -> tensor<4x2x!quant.uniform<i8:f32:1, {0.5:1, 0.25}>>
  return %c : tensor<4x2x!quant.uniform<i8:f32:1, {0.5:1, 0.25}>>
}

// Relu is kept where the zero point is 0; saturation does it where that is the
// least integer.
// CHECK-LABEL: func.func @relu
// CHECK: magicube.spmm {{.*}} {activation = #magicube.activation<relu>,
// CHECK-NOT: activation
// CHECK: return
func.func @relu(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!u8>)
    -> (tensor<4x2x!result>, tensor<4x2x!quant.uniform<i8:f32, 0.5:-128>>) {
  %c = magicube.spmm %a, %b {activation = #magicube.activation<relu>} : (tensor<4x32x!i8, #w>, tensor<32x2x!u8>) -> tensor<4x2x!result>
  %d = magicube.spmm %a, %b {activation = #magicube.activation<relu>} : (tensor<4x32x!i8, #w>, tensor<32x2x!u8>)
     -> tensor<4x2x!quant.uniform<i8:f32, 0.5:-128>>
  return %c, %d : tensor<4x2x!result>, tensor<4x2x!quant.uniform<i8:f32, 0.5:-128>>
}

// CHECK-LABEL: func.func @sums
// CHECK-SAME: -> tensor<4x2xi32>
// CHECK: magicube.spmm %{{.*}}, %{{.*}} outs(%{{.*}}) {unsigned_rhs} :
func.func @sums(%a: tensor<4x32x!i8, #w>, %b: tensor<32x2x!u8>, %c: tensor<4x2x!quant.uniform<i32:f32, 0.125>>)
    -> tensor<4x2x!quant.uniform<i32:f32, 0.125>> {
  %d = magicube.spmm %a, %b outs(%c) : (tensor<4x32x!i8, #w>, tensor<32x2x!u8>, tensor<4x2x!quant.uniform<i32:f32, 0.125>>)
     -> tensor<4x2x!quant.uniform<i32:f32, 0.125>>
  return %d : tensor<4x2x!quant.uniform<i32:f32, 0.125>>
}

// One row: a number, not a vector that could be a column's.
// CHECK-LABEL: func.func @one_scale_by_row
// CHECK: %[[SCALE:.*]] = arith.constant 1.250000e-01 : f32
// CHECK: magicube.spmm %{{.*}}, %{{.*}} scale(%[[SCALE]])
func.func @one_scale_by_row(%a: tensor<1x32x!quant.uniform<i8:f32:0, {0.5}>, #magicube.sr_bcrs<vector = 1>>,
                            %b: tensor<32x2x!u8>) -> tensor<1x2xf32> {
  %c = magicube.spmm %a, %b : (tensor<1x32x!quant.uniform<i8:f32:0, {0.5}>, #magicube.sr_bcrs<vector = 1>>, tensor<32x2x!u8>) -> tensor<1x2xf32>
  return %c : tensor<1x2xf32>
}

// Axes count from the batch dimensions on.
// CHECK-LABEL: func.func @batch
// CHECK: arith.constant dense<{{.*}}> : tensor<2x1xf32>
// CHECK: arith.constant dense<{{.*}}> : tensor<1x3xf32>
// CHECK: magicube.spmm
func.func @batch(%a: tensor<5x2x32x!quant.uniform<i8:f32:1, {0.5, 0.25}>, #w>,
                 %b: tensor<5x32x3x!quant.uniform<i4:f32:2, {0.5, 0.25, 1.0}>>) -> tensor<5x2x3xf32> {
  %c = magicube.spmm %a, %b : (tensor<5x2x32x!quant.uniform<i8:f32:1, {0.5, 0.25}>, #w>,
                               tensor<5x32x3x!quant.uniform<i4:f32:2, {0.5, 0.25, 1.0}>>) -> tensor<5x2x3xf32>
  return %c : tensor<5x2x3xf32>
}

// -----

#w = #magicube.sr_bcrs<vector = 2, stride = 8>
!a = tensor<4x32x!quant.uniform<i16:f32, 0.5>, #w>
!b = tensor<32x2x!quant.uniform<u8:f32, 0.25>>
!c = tensor<4x2x!quant.uniform<i8:f32, 0.125>>

// Casts vanish, dequantization is arithmetic, quantization goes into the product.
// CHECK-LABEL: func.func @casts
// CHECK-SAME: (%[[A:.*]]: tensor<4x32xi16, #{{.*}}>, %[[B:.*]]: tensor<32x2xi8>)
// CHECK: %[[SCALE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C:.*]] = magicube.spmm %[[A]], %[[B]] scale(%[[SCALE]]) {unsigned_rhs} : {{.*}} -> tensor<4x2xi8>
// CHECK: %[[FLOATS:.*]] = arith.sitofp %[[C]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf
// CHECK-NOT: quant.
// CHECK: return %[[C]], %[[PRODUCT]] : tensor<4x2xi8>, tensor<4x2xf32>
func.func @casts(%a: tensor<4x32xi16, #w>, %b: tensor<32x2xi8>) -> (tensor<4x2xi8>, tensor<4x2xf32>) {
  %qa = quant.scast %a : tensor<4x32xi16, #w> to !a
  %qb = quant.scast %b : tensor<32x2xi8> to !b
  %c = magicube.spmm %qa, %qb : (!a, !b) -> tensor<4x2xf32>
  %qc = quant.qcast %c : tensor<4x2xf32> to !c
  %d = quant.dcast %qc : !c to tensor<4x2xf32>
  %i = quant.scast %qc : !c to tensor<4x2xi8>
  return %i, %d : tensor<4x2xi8>, tensor<4x2xf32>
}

// Types vanish from calls, control flow and components too.
// CHECK-LABEL: func.func private @callee(tensor<32x2xi8>) -> tensor<32x2xi8>
func.func private @callee(!b) -> !b

// CHECK-LABEL: func.func @structure
// CHECK: magicube.assemble {{.*}} -> tensor<4x32xi16, #{{.*}}>
// CHECK: call @callee(%{{.*}}) : (tensor<32x2xi8>) -> tensor<32x2xi8>
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (tensor<32x2xi8>)
// CHECK: arith.select {{.*}} : tensor<32x2xi8>
// CHECK: magicube.spmm {{.*}} {unsigned_rhs}
// CHECK-NOT: quant
func.func @structure(%p: tensor<2x2xi32>, %i: tensor<?xi32>, %v: tensor<?xi16>, %b: !b, %f: i1, %n: index) -> tensor<4x2xf32> {
  %a = magicube.assemble %p, %i, %v : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi16>) -> !a
  %called = call @callee(%b) : (!b) -> !b
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %looped = scf.for %j = %c0 to %n step %c1 iter_args(%x = %called) -> !b {
    %y = func.call @callee(%x) : (!b) -> !b
    scf.yield %y : !b
  }
  %selected = arith.select %f, %looped, %called : !b
  %c = magicube.spmm %a, %selected : (!a, !b) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @components
// CHECK: magicube.disassemble %{{.*}} : tensor<4x32xi16, #{{.*}}> -> tensor<2x2xi32>, tensor<?xi32>, tensor<?xi16>
// CHECK: magicube.pack %{{.*}} : tensor<4x32xi16> -> tensor<4x32xi16, #{{.*}}>
func.func @components(%a: !a, %d: tensor<4x32x!quant.uniform<i16:f32, 0.5>>) -> (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi16>, !a) {
  %p, %i, %v = magicube.disassemble %a : !a -> tensor<2x2xi32>, tensor<?xi32>, tensor<?xi16>
  %s = magicube.pack %d : tensor<4x32x!quant.uniform<i16:f32, 0.5>> -> !a
  return %p, %i, %v, %s : tensor<2x2xi32>, tensor<?xi32>, tensor<?xi16>, !a
}
