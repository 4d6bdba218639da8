// RUN: magicube-opt %s --magicube-select-schedule | FileCheck %s
// RUN: magicube-opt %s --magicube-select-schedule=chip=sm_120 | FileCheck %s --check-prefix=CHIP

#v1 = #magicube.sr_bcrs<vector = 1>
#v4 = #magicube.sr_bcrs<vector = 4>
#v8 = #magicube.sr_bcrs<vector = 8>

// CHECK: module attributes {magicube.chip = "sm_80"}
// CHIP: module attributes {magicube.chip = "sm_120"}

// Wide or unknown: tiles of 128 columns. Permutes are saved where the vectors are
// short.
// CHECK-LABEL: @wide
// CHECK: schedule = #magicube.schedule<tile_n = 128, warps = 2, stages = 2>
// CHECK: schedule = #magicube.schedule<tile_n = 128, warps = 2, stages = 2, recipe = "interleave">
func.func @wide(%a: tensor<16x32xi8, #v8>, %short: tensor<16x32xi8, #v4>, %b: tensor<32x?xi8>) {
  %0 = magicube.spmm %a, %b : (tensor<16x32xi8, #v8>, tensor<32x?xi8>) -> tensor<16x?xi32>
  %1 = magicube.spmm %short, %b : (tensor<16x32xi8, #v4>, tensor<32x?xi8>) -> tensor<16x?xi32>
  return
}

// The next power of two, at least one fragment, which is not enough to interleave.
// CHECK-LABEL: @narrow
// CHECK: schedule = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
// CHECK: schedule = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
// CHECK: schedule = #magicube.schedule<tile_n = 32, warps = 1, stages = 2, recipe = "interleave">
func.func @narrow(%a: tensor<16x32xi8, #v1>, %none: tensor<32x0xi8>, %one: tensor<32x1xi8>,
                  %seventeen: tensor<32x17xi8>) {
  %0 = magicube.spmm %a, %none : (tensor<16x32xi8, #v1>, tensor<32x0xi8>) -> tensor<16x0xi32>
  %1 = magicube.spmm %a, %one : (tensor<16x32xi8, #v1>, tensor<32x1xi8>) -> tensor<16x1xi32>
  %2 = magicube.spmm %a, %seventeen : (tensor<16x32xi8, #v1>, tensor<32x17xi8>) -> tensor<16x17xi32>
  return
}

// A choice that has been made is kept.
// CHECK-LABEL: @chosen
// CHECK: schedule = #magicube.schedule<tile_n = 64, warps = 4, stages = 7>
func.func @chosen(%a: tensor<16x32xi8, #v4>, %b: tensor<32x256xi8>) {
  %0 = magicube.spmm %a, %b {schedule = #magicube.schedule<tile_n = 64, warps = 4, stages = 7>}
     : (tensor<16x32xi8, #v4>, tensor<32x256xi8>) -> tensor<16x256xi32>
  return
}
