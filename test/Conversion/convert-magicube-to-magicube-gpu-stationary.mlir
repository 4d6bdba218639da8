// RUN: magicube-opt %s --convert-magicube-to-magicube-gpu --canonicalize --split-input-file | FileCheck %s

// Kernels that keep all dense rows in shared memory: their tiles, what is asked
// for before what, waits and barriers, steps loaded ahead, which sums are stored
// at once and which go through shared memory, and the launch. Work partitions
// have a test of their own (work-partition.mlir).

#w = #magicube.sr_bcrs<vector = 8>

// K is part of the kernel and of its name.
// CHECK: gpu.module @magicube_kernels attributes {magicube_gpu.launch_plans = [
// CHECK-SAME: grid = ["min(vector_rows, max(1, 132 floordiv max(1, columns ceildiv 16)))", "min(columns ceildiv 16, 65535)", "columns ceildiv 16 ceildiv 65535"]
// CHECK: gpu.func @spmm_i8_i8_v8_stationary100_align16(
// CHECK-SAME: %[[PTR:[^:]*]]: !llvm.ptr<1> {{[^:]*}}, %[[IDX:[^:]*]]: !llvm.ptr<1> {{[^:]*}}, %[[VAL:[^:]*]]: !llvm.ptr<1> {{[^:]*}}, %[[B:[^:]*]]: !llvm.ptr<1> {{[^:]*}}, %[[C:[^:]*]]: !llvm.ptr<1> {llvm.noalias}, %[[N:[^:]*]]: i32, %[[B_STRIDE:[^:]*]]: i32, %[[C_STRIDE:[^:]*]]: i32, %[[ROWS:[^:]*]]: i32)
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c16_i32
// CHECK: scf.if
// All rows of a tile of columns, and where the two warps and the next block start.
// CHECK: %[[TILE:.*]] = magicube_gpu.alloc_tile {form = #magicube.shared_form<padded>} : <rows = 100, row_bytes = 16>
// CHECK: %[[STARTS:.*]] = magicube_gpu.alloc_tile {form = #magicube.shared_form<plain>} : <rows = 1, row_bytes = 48>
// The work is partitioned (work-partition.mlir) while the dense rows are copied, of pointers that are asked for before.
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> i32
// CHECK: magicube_gpu.cp_async_rows %[[B]] count %c100_i32 stride %[[B_STRIDE]] at %[[COLUMN]] to %[[N]] into %[[TILE]] {alignment = 16 : i64}
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK: magicube_gpu.sts_words {{.*}} into %[[STARTS]]
// CHECK: gpu.barrier
// CHECK: magicube_gpu.lds_words %[[STARTS]]
// CHECK: magicube_gpu.sts_words {{.*}} into %[[STARTS]]
// CHECK: gpu.barrier
// CHECK: %[[START:.*]]:4 = magicube_gpu.lds_words %[[STARTS]]
// CHECK: %[[NEXT:.*]]:4 = magicube_gpu.lds_words %[[STARTS]]
// CHECK: %[[LAST:.*]] = arith.addi %[[NEXT]]#2, %c-32_i32
// CHECK: %[[LIMIT:.*]] = arith.addi %[[NEXT]]#0, %[[NEXT]]#1
// The first step is fetched, unless there is none, before the dense rows are there.
// CHECK: %[[IS_EMPTY:.*]] = arith.cmpi eq, %[[START]]#2, %[[NEXT]]#2
// CHECK: %[[FIRST:.*]]:2 = scf.if %[[IS_EMPTY]]
// CHECK: else
// CHECK: magicube_gpu.ldg_indices %[[IDX]]
// CHECK: magicube_gpu.ldg_values %[[VAL]]
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// Vector-rows, and in each rounds of two steps; never past the last step of the warp's range.
// CHECK: %[[PARTIAL:.*]]:6 = scf.for %[[ROW:.*]] = %[[START]]#0 to %[[LIMIT]] step %c1_i32 iter_args(%{{.*}} = %[[START]]#2, %{{.*}} = %[[FIRST]]#0, %{{.*}} = %[[FIRST]]#1
// CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %{{.*}}, %[[COLUMNS:.*]] = %{{.*}}, %[[WORDS:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}})
// CHECK: %[[AHEAD:.*]] = arith.addi %[[AT]], %c32_i32
// CHECK: %[[BOUND:.*]] = arith.minui %[[AHEAD]], %[[LAST]]
// CHECK: %[[COLUMNS1:.*]] = magicube_gpu.ldg_indices %[[IDX]] at %[[BOUND]]
// CHECK: %[[WORDS1:.*]] = magicube_gpu.ldg_values %[[VAL]] at %[[BOUND]]
// Padding reads the last row.
// CHECK: %[[K:.*]] = arith.minui %[[COLUMNS]], %c99_i32
// CHECK: magicube_gpu.split_values %[[WORDS]]
// CHECK: magicube_gpu.lds_rows %[[TILE]] chunk %c0_i32 row %[[K]]
// CHECK: %[[SUM1:.*]] = magicube_gpu.mma %{{.*}}, %{{.*}}, %[[SUM]]
// CHECK: magicube_gpu.split_values %[[WORDS1]]
// CHECK: magicube_gpu.mma {{.*}}, %[[SUM1]]
// CHECK: scf.yield
// The odd step.
// CHECK: scf.if
// CHECK: magicube_gpu.mma
// A vector-row is stored at once unless other warps have a part of it. Where ranges start has not been in registers
// meanwhile.
// CHECK: magicube_gpu.optimization_barrier
// CHECK: magicube_gpu.lds_words %[[STARTS]]
// CHECK: magicube_gpu.lds_words %[[STARTS]]
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: } else {
// CHECK: magicube_gpu.store_result %{{.*}} into %[[C]][%{{.*}}, %[[COLUMN]]] stride %[[C_STRIDE]] to %[[N]]
// Partial sums go where the dense rows were, once nobody reads it; the warp in whose range the vector-row begins adds them.
// CHECK: gpu.barrier
// CHECK: magicube_gpu.lds_words %[[STARTS]]
// CHECK: scf.if
// CHECK-NEXT: magicube_gpu.sts_fragments %[[PARTIAL]]#4 into %[[TILE]]
// CHECK: gpu.barrier
// CHECK: scf.while
// CHECK: magicube_gpu.lds_words %[[STARTS]]
// CHECK: scf.condition
// CHECK: magicube_gpu.lds_fragments %[[TILE]]
// CHECK: magicube_gpu.combine
// CHECK: magicube_gpu.store_result
// CHECK: gpu.return

// CHECK: gpu.func @spmm_i8_i8_v8_stationary100_align4(
// CHECK: magicube_gpu.cp_async_rows {{.*}} count %c100_i32 {{.*}} {alignment = 4 : i64}
// CHECK: gpu.func @spmm_i8_i8_v8_stationary100_align1(
// CHECK: magicube_gpu.cp_async_rows {{.*}} count %c100_i32 {{.*}} {alignment = 1 : i64}

// 132 blocks over the tiles of columns, at least one and at most one a vector-row.
// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[VECTOR_ROWS:.*]] = arith.divui %{{.*}}, %c8
// CHECK: %[[TILES:.*]] = arith.ceildivui %{{.*}}, %c16
// CHECK: %[[SOME:.*]] = arith.maxui %[[TILES]], %c1
// CHECK: %[[SHARE:.*]] = arith.divui %c132, %[[SOME]]
// CHECK: %[[LEAST:.*]] = arith.maxui %[[SHARE]], %c1
// CHECK: %[[X:.*]] = arith.minui %[[VECTOR_ROWS]], %[[LEAST]]
// CHECK: %[[ROWS_I32:.*]] = arith.index_cast %[[VECTOR_ROWS]] : index to i32
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_stationary100_align16 blocks in (%[[X]], %{{.*}}, %{{.*}}) threads in (%c64, %c1, %c1) args({{.*}}, %[[ROWS_I32]] : i32)
func.func @dynamic(%b: memref<100x?xi8>, %c: memref<?x?xi32>, %ptr: memref<?x2xi32>,
                   %idx: memref<?xi32>, %val: memref<?xi8>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<?x100xi8, #w>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 2, shared = padded, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 132>>}
    : (memref<?x2xi32>, memref<?xi32>, memref<?xi8>, memref<100x?xi8>, memref<?x?xi32>) -> ()
  return
}

// -----

// Without prefetch a step fetches its own operands. Few rows leave less room than the partial sums
// of 32 warps take: 32 warps x 3 fragments x 4 registers x 128 bytes.
// CHECK: gpu.func @spmm_i8_i8_v8_stationary32_align16(
// CHECK-SAME: known_block_size = array<i32: 1024, 1, 1>
// CHECK: magicube_gpu.alloc_tile : <rows = 1024, row_bytes = 48>
// CHECK: magicube_gpu.cp_async_rows {{.*}} count %c32_i32
// CHECK-NOT: magicube_gpu.ldg_
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[COLUMNS:.*]] = magicube_gpu.ldg_indices
// CHECK: %[[WORDS:.*]] = magicube_gpu.ldg_values
// CHECK: arith.minui %[[COLUMNS]], %c31_i32
// CHECK: magicube_gpu.split_values %[[WORDS]]
// CHECK-COUNT-3: magicube_gpu.mma
// CHECK-NOT: magicube_gpu.mma
// CHECK: magicube_gpu.sts_fragments
// CHECK: gpu.func @
#w = #magicube.sr_bcrs<vector = 8>
func.func @no_prefetch(%b: memref<32x?xi8>, %c: memref<?x?xi32>, %ptr: memref<?x2xi32>,
                       %idx: memref<?xi32>, %val: memref<?xi8>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<?x32xi8, #w>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 48, warps = 32, placement = #magicube.stationary<prefetch_stages = 1, num_ctas = 132>>}
    : (memref<?x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x?xi8>, memref<?x?xi32>) -> ()
  return
}

// -----

// Products with different K or blocks share no kernel.
// CHECK-COUNT-1: gpu.func @spmm_i8_i8_v8_stationary32_align16(
// CHECK: gpu.func @spmm_i8_i8_v8_stationary64_align16(
// CHECK: gpu.func @spmm_i8_i8_v8_stationary64_align16_0(
// CHECK-LABEL: func.func @sharing
#w = #magicube.sr_bcrs<vector = 8>
#one = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.stationary<prefetch_stages = 1, num_ctas = 1>>
#two = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.stationary<prefetch_stages = 1, num_ctas = 2>>
func.func @sharing(%b: memref<32x16xi8>, %d: memref<64x16xi8>, %c: memref<16x16xi32>, %ptr: memref<2x2xi32>,
                   %idx: memref<?xi32>, %val: memref<?xi8>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {overwrite, schedule = #one}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x64xi8, #w>, %d outs(%c) {overwrite, schedule = #one}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<64x16xi8>, memref<16x16xi32>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x64xi8, #w>, %d outs(%c) {overwrite, schedule = #two}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<64x16xi8>, memref<16x16xi32>) -> ()
  return
}
