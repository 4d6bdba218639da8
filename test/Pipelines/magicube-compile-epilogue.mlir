// An epilogue as PTX: every operation rounds. The rounding modifier also keeps ptxas from
// fusing a multiplication and an addition (PTX ISA, "add").
// RUN: magicube-opt %s --pass-pipeline="builtin.module(magicube-compile{chip=sm_80},gpu-module-to-binary{format=isa})" \
// RUN:   | %{unescape-ptx} | FileCheck %s --implicit-check-not=fma. --implicit-check-not=mad.rn \
// RUN:     --implicit-check-not=.ftz

#w = #magicube.sr_bcrs<vector = 8>

// The number is a parameter, rows and columns are pointers, after the product's own.
// CHECK: .target sm_80
// CHECK: .visible .entry spmm_i8_i8_f16_v8_align16(
// CHECK: .param .f32 spmm_i8_i8_f16_v8_align16_param_9,
// CHECK-NEXT: .param .u64 .ptr .global {{.*}}spmm_i8_i8_f16_v8_align16_param_10,
// CHECK-NEXT: .param .u64 .ptr .global {{.*}}spmm_i8_i8_f16_v8_align16_param_11
// CHECK: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK: cvt.rn.f32.s32
// CHECK: mul.rn.f32
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
// CHECK: max.f32 %{{[^,]*}}, %{{[^,]*}}, 0f00000000
// Neighbours are rounded and stored together where rows are aligned.
// CHECK: cvt.rn.f16x2.f32 [[PAIR:%r[0-9]+]],
// CHECK-NEXT: st.global.b32 [%{{.*}}], [[PAIR]];
// CHECK: .visible .entry spmm_i8_i8_f16_v8_align1(
// CHECK: cvt.rn.f16.f32 [[ONE:%rs[0-9]+]],
// CHECK-NEXT: st.global.b16 [%{{.*}}], [[ONE]];
func.func @f16(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %scale: f32, %rows: tensor<16x1xf32>,
               %columns: tensor<1x16xf32>) -> tensor<16x16xf16> {
  %c = magicube.spmm %a, %b scale(%scale, %rows) bias(%columns) {activation = #magicube.activation<relu>}
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, f32, tensor<16x1xf32>, tensor<1x16xf32>) -> tensor<16x16xf16>
  return %c : tensor<16x16xf16>
}

// CHECK: .visible .entry spmm_i8_i8_bf16_v8_align16(
// CHECK: cvt.rn.f32.s32
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
// CHECK: cvt.rn.bf16x2.f32
func.func @bf16(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %columns: tensor<1x16xf32>,
                %rows: tensor<16x1xf32>) -> tensor<16x16xbf16> {
  %c = magicube.spmm %a, %b scale(%columns) bias(%rows)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<1x16xf32>, tensor<16x1xf32>) -> tensor<16x16xbf16>
  return %c : tensor<16x16xbf16>
}

// CHECK: .visible .entry spmm_i8_i8_f32_v8_align16(
// CHECK: cvt.rn.f32.s32
// CHECK: add.rn.f32
// CHECK: st.global.v2.b32
func.func @f32(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %columns: tensor<1x16xf32>) -> tensor<16x16xf32> {
  %c = magicube.spmm %a, %b bias(%columns)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<1x16xf32>) -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}
