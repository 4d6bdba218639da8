// Products that differ in one thing that the code depends on: a kernel each.
// Rows of 17 bytes rule out all alignments but 1.
// RUN: magicube-opt %s --convert-magicube-to-magicube-gpu 2>%t.remarks | FileCheck %s

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
!rhs = memref<32x16xi8, strided<[17, 1]>>

// CHECK: gpu.module @magicube_kernels
// CHECK: gpu.func @spmm_i8_i8_v8_align1(
// CHECK: gpu.func @spmm_i8_i8_v8_align1_accumulate(
// CHECK: gpu.func @spmm_u8_i8_v8_align1(
// CHECK: gpu.func @spmm_i8_u8_v8_align1(
// CHECK: gpu.func @spmm_i8_i8_v4_align1(
// CHECK: gpu.func @spmm_i8_i8_v8_align1_0(
// CHECK: gpu.func @spmm_i8_i8_v8_align1_1(
// CHECK: gpu.func @spmm_i8_i8_v8_align1_2(
// CHECK: gpu.func @spmm_i8_i8_v8_align1_3(
// CHECK: gpu.func @spmm_i8_i8_v8_align1_4(
// CHECK: gpu.func @spmm_i8_i8_f32_v8_align1(
// CHECK: gpu.func @spmm_i8_i8_f16_v8_align1(
// CHECK: gpu.func @spmm_i8_i8_f32_v8_align1_0(
// CHECK: gpu.func @spmm_i8_i8_f32_v8_align1_1(
// CHECK: gpu.func @spmm_i8_i8_f32_v8_align1_2(
// CHECK: gpu.func @spmm_i8_i8_f32_v8_align1_3(
// CHECK: gpu.func @spmm_i8_i8_f32_v8_align1_4(
// CHECK-NOT: gpu.func @
// CHECK: func.func @products
// CHECK-COUNT-17: gpu.launch_func
func.func @products(%ptr: memref<2x2xi32>, %ptr4: memref<4x2xi32>, %idx: memref<?xi32>,
    %narrow: memref<?xi16>, %val: memref<?xi8>, %b: !rhs, %c: memref<16x16xi32>,
    %f: memref<16x16xf32>, %h: memref<16x16xf16>, %scale: f32, %rows: memref<16x1xf32>,
    %columns: memref<1x16xf32>) {

  // the one that the others differ from
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
      {overwrite, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x16xi32>) -> ()

  // adds to the destination
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
      {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x16xi32>) -> ()

  // signs
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
      {overwrite, unsigned_lhs, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x16xi32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
      {overwrite, unsigned_rhs, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x16xi32>) -> ()

  // storage
  magicube.spmm storage(%ptr4, %idx, %val) as tensor<16x32xi8, #magicube.sr_bcrs<vector = 4>>, %b outs(%c)
      {overwrite, schedule = #s}
    : (memref<4x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x16xi32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #magicube.sr_bcrs<vector = 8, stride = 16>>, %b outs(%c)
      {overwrite, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x16xi32>) -> ()
  magicube.spmm storage(%ptr, %narrow, %val) as tensor<16x32xi8, #magicube.sr_bcrs<vector = 8, index = u16>>, %b outs(%c)
      {overwrite, schedule = #s}
    : (memref<2x2xi32>, memref<?xi16>, memref<?xi8>, !rhs, memref<16x16xi32>) -> ()

  // schedule
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 32, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x16xi32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 3>>}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x16xi32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 1, layout = <form = transposed, order = paired>, placement = #magicube.gathered<smem_stages = 2>>}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x16xi32>) -> ()

  // epilogue
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b scale(%scale) outs(%f)
      {overwrite, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, f32, memref<16x16xf32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b scale(%scale) outs(%h)
      {overwrite, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, f32, memref<16x16xf16>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b scale(%rows) outs(%f)
      {overwrite, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x1xf32>, memref<16x16xf32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b scale(%columns) outs(%f)
      {overwrite, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<1x16xf32>, memref<16x16xf32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b bias(%rows) outs(%f)
      {overwrite, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<16x1xf32>, memref<16x16xf32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b bias(%columns) outs(%f)
      {overwrite, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, memref<1x16xf32>, memref<16x16xf32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b scale(%scale) outs(%f)
      {overwrite, activation = #magicube.activation<relu>, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, !rhs, f32, memref<16x16xf32>) -> ()
  return
}
