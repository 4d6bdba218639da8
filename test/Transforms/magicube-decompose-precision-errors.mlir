// RUN: split-file %s %t
// RUN: not magicube-opt %t/int4.mlir --magicube-decompose-precision=chip=sm_90 2>&1 | FileCheck %s
// RUN: not magicube-opt %t/int4.mlir --magicube-decompose-precision=chip=sm_120 2>&1 | FileCheck %s --check-prefix=NEW
// RUN: magicube-opt %t/int4.mlir --magicube-decompose-precision=chip=sm_80 | FileCheck %s --check-prefix=KEPT
// RUN: not magicube-opt %t/int4.mlir --magicube-decompose-precision=chip=sm_75 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not magicube-opt %t/layout.mlir --magicube-decompose-precision=chip=sm_90 2>&1 | FileCheck %s
// RUN: not magicube-opt %t/chip.mlir --magicube-decompose-precision=chip=sm_90 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not magicube-opt %t/chip.mlir --magicube-select-schedule=chip=sm_90 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not magicube-compile %t/chip.mlir --chip=sm_80,sm_90 --emit=bundle 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: magicube-opt %t/chip.mlir --magicube-decompose-precision=chip=sm_86 --magicube-select-schedule=chip=sm_86 | FileCheck %s --check-prefix=SAME

// CHECK: error: 'magicube.spmm' op computes in 'i4', for which sm_90 has no MMA: ptxas expands each to 48 to 216 instructions
// CHECK: note: leave 'compute' and an operand layout for it out, or take i8
// NEW: error: 'magicube.spmm' op computes in 'i4', for which sm_120 has no MMA
// KEPT: compute = i4
// OLD: error: chip sm_75 is below the minimum sm_80
// CHIP: error: expected chip "sm_86", which 'magicube.chip' names, but got "sm_{{[89]}}0"
// CHIP: note: take chip=sm_86, or remove the attribute to compile for sm_{{[89]}}0
// SAME: magicube.chip = "sm_86"

//--- int4.mlir
#w = #magicube.sr_bcrs<vector = 8>
func.func @f(%a: tensor<16x32xi4, #w>, %b: tensor<32x64xi4>) -> tensor<16x64xi32> {
  %c = magicube.spmm %a, %b {compute = i4} : (tensor<16x32xi4, #w>, tensor<32x64xi4>) -> tensor<16x64xi32>
  return %c : tensor<16x64xi32>
}

//--- layout.mlir
#w = #magicube.sr_bcrs<vector = 8>
func.func @f(%a: tensor<16x32xi4, #w>, %b: tensor<32x64xi4>) -> tensor<16x64xi32> {
  %c = magicube.spmm %a, %b
     {schedule = #magicube.schedule<tile_n = 64, warps = 1, layout = <form = merged>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi4, #w>, tensor<32x64xi4>) -> tensor<16x64xi32>
  return %c : tensor<16x64xi32>
}

//--- chip.mlir
#w = #magicube.sr_bcrs<vector = 8>
module attributes {magicube.chip = "sm_86"} {
  func.func @f(%a: tensor<16x32xi8, #w>, %b: tensor<32x64xi8>) -> tensor<16x64xi32> {
    %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x64xi8>) -> tensor<16x64xi32>
    return %c : tensor<16x64xi32>
  }
}
