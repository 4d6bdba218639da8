// Results of 8 and 4 bits as PTX: rounded by cvt, clamped, packed, traded between lanes (one
// shuffle for 8 bits, two for 4) and stored as words, or byte by byte where rows are not
// aligned. gelu and accumulate = f32: nothing approximate, nothing that the devices do not
// round alike.
// RUN: magicube-opt %s --pass-pipeline="builtin.module(magicube-compile{chip=sm_80},gpu-module-to-binary{format=isa})" \
// RUN:   | %{unescape-ptx} | FileCheck %s --implicit-check-not=.ftz --implicit-check-not=.approx \
// RUN:     --implicit-check-not=call --implicit-check-not=div. --implicit-check-not=mad.rn

#w = #magicube.sr_bcrs<vector = 8>

// CHECK: .visible .entry spmm_i8_i8_i8_v8_align16(
// CHECK: mul.rn.f32
// CHECK: cvt.rni.s32.f32 [[I:%r[0-9]+]],
// CHECK-NEXT: max.s32 [[M:%r[0-9]+]], [[I]], -128;
// CHECK-NEXT: min.s32 %{{.*}}, [[M]], 127;
// CHECK: shfl.sync.bfly.b32 [[OTHER:%r[0-9]+]], [[OWN:%r[0-9]+]], 4, 31, -1;
// CHECK-NOT: shfl.sync
// CHECK: prmt.b32 [[WORD:%r[0-9]+]], [[OWN]], [[OTHER]],
// CHECK: st.global.b32 [%{{.*}}], [[WORD]];
// CHECK: st.global.b8
// CHECK: .visible .entry spmm_i8_i8_i8_v8_align1(
// CHECK: st.global.b32
func.func @i8(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %scale: f32) -> tensor<16x16xi8> {
  %c = magicube.spmm %a, %b scale(%scale)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, f32) -> tensor<16x16xi8>
  return %c : tensor<16x16xi8>
}

// CHECK: .visible .entry spmm_i8_i8_u4_v8_align16(
// CHECK: cvt.rni.s32.f32 [[I:%r[0-9]+]],
// CHECK-NEXT: max.s32 [[M:%r[0-9]+]], [[I]], 0;
// CHECK-NEXT: min.s32 %{{.*}}, [[M]], 15;
// CHECK: shfl.sync.bfly.b32 %{{.*}}, %{{.*}}, 4, 31, -1;
// CHECK: shfl.sync.bfly.b32 %{{.*}}, %{{.*}}, 8, 31, -1;
// CHECK-NOT: shfl.sync
// CHECK: st.global.b32
func.func @u4(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %scale: f32) -> tensor<16x16xi4> {
  %c = magicube.spmm %a, %b scale(%scale) {unsigned_result}
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, f32) -> tensor<16x16xi4>
  return %c : tensor<16x16xi4>
}

// CHECK: .visible .entry spmm_i8_i8_f32_v8_align16(
// CHECK: mul.rn.f32
// CHECK: fma.rn.f32
// CHECK: st.global.v2.b32
func.func @gelu(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %scale: f32) -> tensor<16x16xf32> {
  %c = magicube.spmm %a, %b scale(%scale) {activation = #magicube.activation<gelu>}
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, f32) -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}

// 2^8 = 0x43800000.
// CHECK: .visible .entry spmm_i16_i16_f32_v8_align16(
// CHECK: cvt.rn.f32.s32 [[HIGH:%r[0-9]+]],
// CHECK: fma.rn.f32 %{{.*}}, %{{.*}}, 0f43800000, %{{.*}};
// CHECK: fma.rn.f32 %{{.*}}, %{{.*}}, 0f43800000, %{{.*}};
func.func @float_sums(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi16>) -> tensor<16x16xf32> {
  %c = magicube.spmm %a, %b {accumulate = f32}
     : (tensor<16x32xi16, #w>, tensor<32x16xi16>) -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}
