// RUN: not magicube-opt %s --magicube-decompose-precision=chip=sm_90 2>&1 | FileCheck %s
// RUN: magicube-opt %s --magicube-decompose-precision=chip=sm_80 | FileCheck %s --check-prefix=KEPT
// RUN: not magicube-opt %s --magicube-decompose-precision=chip=sm_75 2>&1 | FileCheck %s --check-prefix=OLD

// CHECK: error: 'magicube.spmm' op computes in 'i4', for which sm_90 has no MMA
// CHECK: note: leave 'compute' out, or take i8
// KEPT: compute = i4
// OLD: error: chip sm_75 is below the minimum sm_80

#w = #magicube.sr_bcrs<vector = 8>
func.func @f(%a: tensor<16x32xi4, #w>, %b: tensor<32x64xi4>) -> tensor<16x64xi32> {
  %c = magicube.spmm %a, %b {compute = i4} : (tensor<16x32xi4, #w>, tensor<32x64xi4>) -> tensor<16x64xi32>
  return %c : tensor<16x64xi32>
}
