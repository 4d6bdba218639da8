// Every vector length and every sign, with its MMAs a warp and step.
// RUN: magicube-opt %s --pass-pipeline="builtin.module(magicube-compile{chip=sm_80},gpu-module-to-binary{format=isa})" \
// RUN:   | %{unescape-ptx} | FileCheck %s --implicit-check-not=satfinite

#v1 = #magicube.sr_bcrs<vector = 1>
#v2 = #magicube.sr_bcrs<vector = 2>
#v4 = #magicube.sr_bcrs<vector = 4>
#v8 = #magicube.sr_bcrs<vector = 8>
#v16 = #magicube.sr_bcrs<vector = 16>

// Short vectors: raw registers, zeros between the values (a permute for each).
// CHECK-LABEL: .visible .entry spmm_u8_i8_v1_align16(
// CHECK-COUNT-4: mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32
// CHECK-NOT: mma.sync
// CHECK: shfl.sync.bfly.b32
// CHECK-NOT: mma.sync
// CHECK: .visible .entry spmm_u8_i8_v1_align4(
// CHECK-LABEL: .visible .entry spmm_i8_u8_v2_align16(
// CHECK-COUNT-4: mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32
// CHECK-NOT: mma.sync
// CHECK: .visible .entry spmm_i8_u8_v2_align4(
// CHECK-LABEL: .visible .entry spmm_u8_u8_v4_align16(
// CHECK-COUNT-4: mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
// CHECK-NOT: mma.sync
// CHECK: .visible .entry spmm_u8_u8_v4_align4(

// Eight vectors fill an MMA's columns, sixteen take two.
// CHECK-LABEL: .visible .entry spmm_i8_i8_v8_align16(
// CHECK-COUNT-4: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK-NOT: mma.sync
// CHECK: .visible .entry spmm_i8_i8_v8_align4(
// CHECK-LABEL: .visible .entry spmm_i8_i8_v16_align16(
// CHECK-COUNT-8: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK-NOT: mma.sync
// CHECK: .visible .entry spmm_i8_i8_v16_align4(

func.func @vectors(%v1: tensor<16x32xi8, #v1>, %v2: tensor<16x32xi8, #v2>, %v4: tensor<16x32xi8, #v4>,
                   %v8: tensor<16x32xi8, #v8>, %v16: tensor<16x32xi8, #v16>, %b: tensor<32x256xi8>)
    -> (tensor<16x256xi32>, tensor<16x256xi32>, tensor<16x256xi32>, tensor<16x256xi32>, tensor<16x256xi32>) {
  %0 = magicube.spmm %v1, %b {unsigned_lhs} : (tensor<16x32xi8, #v1>, tensor<32x256xi8>) -> tensor<16x256xi32>
  %1 = magicube.spmm %v2, %b {unsigned_rhs} : (tensor<16x32xi8, #v2>, tensor<32x256xi8>) -> tensor<16x256xi32>
  %2 = magicube.spmm %v4, %b {unsigned_lhs, unsigned_rhs} : (tensor<16x32xi8, #v4>, tensor<32x256xi8>) -> tensor<16x256xi32>
  %3 = magicube.spmm %v8, %b : (tensor<16x32xi8, #v8>, tensor<32x256xi8>) -> tensor<16x256xi32>
  %4 = magicube.spmm %v16, %b : (tensor<16x32xi8, #v16>, tensor<32x256xi8>) -> tensor<16x256xi32>
  return %0, %1, %2, %3, %4
    : tensor<16x256xi32>, tensor<16x256xi32>, tensor<16x256xi32>, tensor<16x256xi32>, tensor<16x256xi32>
}
