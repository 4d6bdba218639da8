// RUN: magicube-opt %s --magicube-decompose-precision | FileCheck %s
// RUN: magicube-opt %s --magicube-decompose-precision=chip=sm_120 | FileCheck %s

#w = #magicube.sr_bcrs<vector = 8>

// Every width is computed on bytes, on every chip.
// CHECK-LABEL: @widths
// CHECK: magicube.spmm {{.*}}compute = i8
// CHECK: magicube.spmm {{.*}}compute = i8
func.func @widths(%a: tensor<16x32xi4, #w>, %wide: tensor<16x32xi16, #w>, %b: tensor<32x64xi4>,
                  %c: tensor<32x64xi16>) {
  %0 = magicube.spmm %a, %b : (tensor<16x32xi4, #w>, tensor<32x64xi4>) -> tensor<16x64xi32>
  %1 = magicube.spmm %wide, %c : (tensor<16x32xi16, #w>, tensor<32x64xi16>) -> tensor<16x64xi32>
  return
}
