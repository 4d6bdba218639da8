// The kernels of sampled products: a warp per part of a vector-row, loads with
// immediate offsets along K, one store of four positions per component.

// RUN: magicube-opt %s -split-input-file --convert-magicube-to-magicube-gpu --canonicalize --cse | FileCheck %s

#w = #magicube.sr_bcrs<vector = 8>

// One kernel for each alignment of the addresses; the grid comes of the sizes.
// CHECK: gpu.module @magicube_kernels
// CHECK-SAME: name = "mean_steps", value = "max(1, pattern.stored ceildiv 32 ceildiv max(1, vector_rows))"
// CHECK: gpu.func @sddmm_i8_i8_v8_k128_align16(
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// The lhs stays in registers.
// CHECK: ldg_words [[LHS:%.+]] {alignment = 16 : i64, offset = 0 : i64} : <4>
// CHECK: ldg_words [[LHS]] {alignment = 16 : i64, offset = 64 : i64} : <4>
// CHECK: scf.for
// Two chunks of four rows before the first product.
// CHECK-COUNT-4: ldg_words {{.+}} offset = 0 : i64} : <4>
// CHECK-COUNT-4: ldg_words {{.+}} offset = 64 : i64} : <4>
// CHECK-NOT: ldg_words
// CHECK-COUNT-8: magicube_gpu.mma
// CHECK-NOT: magicube_gpu.mma
// CHECK: store_vectors {{.+}} result_type = i32}
// CHECK: gpu.func @sddmm_i8_i8_v8_k128_align4(
// CHECK: gpu.func @sddmm_i8_i8_v8_k128_align1(
// CHECK-LABEL: func.func @static(
func.func @static(%a: memref<64x128xi8>, %b: memref<96x128xi8>, %p: memref<8x2xi32>, %i: memref<?xi32>,
                  %v: memref<?xi32>) {
  magicube.sddmm %a, %b, storage(%p, %i) as tensor<64x96xi1, #w> outs(%v) {overwrite}
    : (memref<64x128xi8>, memref<96x128xi8>, memref<8x2xi32>, memref<?xi32>, memref<?xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 16, stride = 8, index = u16>

// K is not known: loops over chunks, four at a time, then one, then what is left,
// which is masked. 16 rows of the lhs are two operands.
// CHECK: gpu.func @sddmm_u16_i16_f16_v16_align16(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: mask_words
// CHECK: scf.for
// CHECK: scf.if
// CHECK-COUNT-2: mask_words {{.+}} {bits = 16 : i64} : <4>
// CHECK: combine {{.+}} {negate = array<i1: false, false, false>, shifts = array<i64: 0, 8, 16>}
// CHECK: store_vectors {{.+}}{component = 0 : i64
// CHECK: epilogue
// CHECK: store_vectors {{.+}}{component = 8 : i64
func.func @dynamic(%a: memref<?x?xi16>, %b: memref<?x?xi16>, %p: memref<?x2xi32>, %i: memref<?xi16>, %s: f32,
                   %v: memref<?xf16>) {
  magicube.sddmm %a, %b, storage(%p, %i) as tensor<?x?xi1, #w> scale(%s) outs(%v) {overwrite, unsigned_lhs}
    : (memref<?x?xi16>, memref<?x?xi16>, memref<?x2xi32>, memref<?xi16>, f32, memref<?xf16>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 2>

// Signed nibbles in MMAs of 8 bits are biased; what that adds is computed of the
// lhs, outside of the steps.
// CHECK: gpu.func @sddmm_i4_i4_v2_k128_align16(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK: splat 134744072
// CHECK: scf.for
// CHECK-NOT: splat
// CHECK: split_chunk {{.+}} {biased, chunk = #chunk}
// CHECK: combine {{.+}} {negate = array<i1: false, true>, shifts = array<i64: 0, 0>}
func.func @nibbles(%a: memref<16x64xi8>, %b: memref<96x64xi8>, %p: memref<8x2xi32>, %i: memref<?xi32>,
                   %v: memref<?xi32>) {
  %k = arith.constant 128 : index
  magicube.sddmm %a, %b, storage(%p, %i) as tensor<16x96xi1, #w> inner(%k) outs(%v)
    {overwrite, packed_lhs = i4, packed_rhs = i4, tiling = #magicube.sddmm_tiling<warps = 8>}
    : (memref<16x64xi8>, memref<96x64xi8>, memref<8x2xi32>, memref<?xi32>, index, memref<?xi32>) -> ()
  return
}
