// RUN: magicube-opt %s --magicube-decompose-precision | FileCheck %s --check-prefixes=CHECK,INT4
// RUN: magicube-opt %s --magicube-decompose-precision=chip=sm_89 | FileCheck %s --check-prefixes=CHECK,INT4
// RUN: magicube-opt %s --magicube-decompose-precision=chip=sm_90 | FileCheck %s --check-prefixes=CHECK,INT8
// RUN: magicube-opt %s --magicube-decompose-precision=chip=sm_120 | FileCheck %s --check-prefixes=CHECK,INT8

#w = #magicube.sr_bcrs<vector = 8>

// int4 MMAs pay for dense operands of 4 bits and sparse ones of up to 12, where
// the chip has them.
// CHECK-LABEL: @narrow
// INT4-COUNT-3: magicube.spmm {{.*}}compute = i4
// INT8-COUNT-3: magicube.spmm {{.*}}compute = i8
// CHECK: return
func.func @narrow(%l4: tensor<16x32xi4, #w>, %l8: tensor<16x32xi8, #w>, %l12: tensor<16x32xi12, #w>,
                  %b: tensor<32x64xi4>) {
  %0 = magicube.spmm %l4, %b : (tensor<16x32xi4, #w>, tensor<32x64xi4>) -> tensor<16x64xi32>
  %1 = magicube.spmm %l8, %b : (tensor<16x32xi8, #w>, tensor<32x64xi4>) -> tensor<16x64xi32>
  %2 = magicube.spmm %l12, %b : (tensor<16x32xi12, #w>, tensor<32x64xi4>) -> tensor<16x64xi32>
  return
}

// All else is computed on bytes, on every chip.
// CHECK-LABEL: @wide
// CHECK-COUNT-4: magicube.spmm {{.*}}compute = i8
func.func @wide(%l4: tensor<16x32xi4, #w>, %l12: tensor<16x32xi12, #w>, %l16: tensor<16x32xi16, #w>, %b: tensor<32x64xi4>,
                %c: tensor<32x64xi16>) {
  %0 = magicube.spmm %l16, %b : (tensor<16x32xi16, #w>, tensor<32x64xi4>) -> tensor<16x64xi32>
  %1 = magicube.spmm %l16, %c : (tensor<16x32xi16, #w>, tensor<32x64xi16>) -> tensor<16x64xi32>
  %2 = magicube.spmm %l4, %c : (tensor<16x32xi4, #w>, tensor<32x64xi16>) -> tensor<16x64xi32>
  // f32 sums recombine digits of 8 bits.
  %3 = magicube.spmm %l12, %b {accumulate = f32} : (tensor<16x32xi12, #w>, tensor<32x64xi4>) -> tensor<16x64xf32>
  return
}

// A schedule's operand layout is one for an MMA; what has been chosen is kept.
// CHECK-LABEL: @chosen
// CHECK: magicube.spmm {{.*}}compute = i8
// CHECK: magicube.spmm {{.*}}compute = i8
func.func @chosen(%a: tensor<16x32xi4, #w>, %b: tensor<32x64xi4>) {
  %0 = magicube.spmm %a, %b
     {schedule = #magicube.schedule<tile_n = 64, warps = 1, layout = <form = transposed>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi4, #w>, tensor<32x64xi4>) -> tensor<16x64xi32>
  %1 = magicube.spmm %a, %b {compute = i8} : (tensor<16x32xi4, #w>, tensor<32x64xi4>) -> tensor<16x64xi32>
  return
}
