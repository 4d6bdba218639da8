// Quantized types end in the first stage, also sub-channel types whose blocks lie
// along one axis.
// RUN: magicube-compile %s --emit=mlir --stop-after=schedule | FileCheck %s
// RUN: magicube-compile %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX

#w = #magicube.sr_bcrs<vector = 2>
!a = tensor<4x32x!quant.uniform<i8:f32:{0:2}, {{0.5}, {0.25}}>, #w>
!b = tensor<32x16x!quant.uniform<u8:f32:{}, {{0.5:128}}>>

// CHECK: func.func @layer(%[[A:.*]]: tensor<4x32xi8, #{{.*}}>, %[[B:.*]]: tensor<32x16xi8>) -> tensor<4x16xf32>
// CHECK-DAG: %[[SCALES:.*]] = arith.constant dense<{{\[\[}}2.500000e-01], [2.500000e-01], [1.250000e-01], [1.250000e-01]]> : tensor<4x1xf32>
// CHECK-DAG: %[[COLUMN:.*]] = arith.constant dense<-128> : tensor<32x1xi8>
// CHECK: %[[CORRECTION:.*]] = magicube.spmm %[[A]], %[[COLUMN]] {compute = i8, schedule
// CHECK: magicube.spmm %[[A]], %[[B]] sum_bias(%[[CORRECTION]]) scale(%[[SCALES]]) {compute = i8, schedule = {{.*}}, unsigned_rhs}
// PTX: .entry
func.func @layer(%a: !a, %b: !b) -> tensor<4x16xf32> {
  %c = magicube.spmm %a, %b : (!a, !b) -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}
