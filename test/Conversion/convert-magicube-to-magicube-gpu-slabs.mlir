// RUN: magicube-opt %s --convert-magicube-to-magicube-gpu --canonicalize --cse --split-input-file | FileCheck %s

// Kernels on storage with K segments: their tiles in shared memory, what is
// asked for before what, waits and barriers, which K-tile a step reads and when
// its place is filled again, and the launch. Work partitions have a test of
// their own (work-partition.mlir).

#w = #magicube.sr_bcrs<vector = 8, slab = 32>

// K and the slab are part of the kernel and of its name. A block has 5 vector-rows, or at most 14.
// CHECK: gpu.module @magicube_kernels attributes {magicube_gpu.launch_plans = [
// CHECK-SAME: grid = ["vector_rows ceildiv 5", "min(columns ceildiv 16, 65535)", "columns ceildiv 16 ceildiv 65535"]
// CHECK: gpu.func @spmm_i8_i8_v8_stationary100_slab32_align16(
// CHECK-SAME: %[[PTR:[^:]*]]: !llvm.ptr<1> {{[^:]*}}, %[[IDX:[^:]*]]: !llvm.ptr<1> {{[^:]*}}, %[[VAL:[^:]*]]: !llvm.ptr<1> {{[^:]*}}, %[[B:[^:]*]]: !llvm.ptr<1> {{[^:]*}}, %[[C:[^:]*]]: !llvm.ptr<1> 
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// Two K-tiles, sums, pointers of four segments of each vector-row, and the ranges of two warps.
// CHECK: %[[RING:.*]] = magicube_gpu.alloc_tile {form = #magicube.shared_form<padded>} : <rows = 32, row_bytes = 16, stages = 2>
// CHECK: %[[TOTALS:.*]] = magicube_gpu.alloc_tile {form = #magicube.shared_form<plain>} : <rows = 14, row_bytes = 512>
// CHECK: %[[PAIRS:.*]] = magicube_gpu.alloc_tile {form = #magicube.shared_form<plain>} : <rows = 1, row_bytes = 448>
// CHECK: %[[STARTS:.*]] = magicube_gpu.alloc_tile {form = #magicube.shared_form<plain>} : <rows = 1, row_bytes = 64>
// Pointers are asked for before the K-tiles, those that the block most likely needs too.
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK: magicube_gpu.cp_async_words %{{.*}} into %[[PAIRS]]
// CHECK: nvvm.cp.async.commit.group
// CHECK: magicube_gpu.cp_async_rows %[[B]] count %c32_i32 {{.*}} into %[[RING]] slot %c0_i32 {alignment = 16 : i64}
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK: magicube_gpu.cp_async_rows %{{.*}} count %c32_i32 {{.*}} into %[[RING]] slot %c1_i32
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NOT: cp_async_rows
// Meanwhile: no sums yet, in all places.
// CHECK: scf.for %[[PLACE:.*]] = %[[WARP:.*]] to %c14_i32 step %c2_i32
// CHECK: magicube_gpu.sts_fragments %{{.*}} into %[[TOTALS]][%[[PLACE]]]
// The block's vector-rows, other ones than expected perhaps.
// CHECK: nvvm.barrier
// CHECK: %[[BLOCK:.*]]:2 = scf.if
// CHECK: %[[BLOCK_ROWS:.*]] = arith.subi %[[BLOCK]]#1, %[[BLOCK]]#0
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK: magicube_gpu.cp_async_words %{{.*}} into %[[PAIRS]]
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: } else {
// Both K-tiles may be under way.
// CHECK-NEXT: nvvm.cp.async.wait.group 2
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// The ranges of its warps.
// CHECK: magicube_gpu.lds_words %[[PAIRS]]
// CHECK: magicube_gpu.sts_words %{{.*}} into %[[STARTS]]
// CHECK: gpu.barrier
// CHECK-COUNT-2: magicube_gpu.lds_words %[[STARTS]]
// The cursor enters the first segment with steps; the first step is fetched, unless there is none.
// CHECK: scf.while
// CHECK: scf.if
// CHECK: } else {
// CHECK: magicube_gpu.ldg_indices %[[IDX]]
// CHECK: magicube_gpu.ldg_values %[[VAL]]
// K-tiles. All but the one after this are there.
// CHECK: scf.for %[[INDEX:.*]] = %c0_i32 to %c4_i32 step %c1_i32 iter_args(
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK: %[[FIRST_COLUMN:.*]] = arith.muli %[[INDEX]], %c32_i32
// CHECK: %[[SLOT:.*]] = arith.remui %[[INDEX]], %c2_i32
// The warp's vector-rows, and rounds of two steps.
// CHECK: scf.for %[[ROW:.*]] = {{.*}} iter_args(
// CHECK: scf.for
// CHECK: magicube_gpu.ldg_indices %[[IDX]]
// CHECK: magicube_gpu.ldg_values %[[VAL]]
// Rows count from the K-tile's first. Padding reads the last.
// CHECK: %[[K:.*]] = arith.subi %{{.*}}, %[[FIRST_COLUMN]]
// CHECK: %[[K_INSIDE:.*]] = arith.minui %[[K]]
// CHECK: magicube_gpu.lds_rows %[[RING]] chunk %c0_i32 row %[[K_INSIDE]] slot %[[SLOT]]
// CHECK-COUNT-3: magicube_gpu.mma
// CHECK-NOT: magicube_gpu.mma
// CHECK: scf.if
// CHECK-NEXT: magicube_gpu.add_fragments %{{.*}} to %[[TOTALS]][%[[ROW]]]
// The K-tile's place is for the one two further, if there is one. Each has a group of copies.
// CHECK: gpu.barrier
// CHECK-NEXT: %[[AHEAD:.*]] = arith.addi %[[INDEX]], %c2_i32
// CHECK: scf.if
// CHECK: %[[AHEAD_SLOT:.*]] = arith.remui %[[AHEAD]], %c2_i32
// CHECK: magicube_gpu.cp_async_rows {{.*}} into %[[RING]] slot %[[AHEAD_SLOT]]{{.*}}stages = 2>
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: scf.yield
// Sums are finished and stored once.
// CHECK: scf.for %[[OUT:.*]] = %[[WARP]] to %[[BLOCK_ROWS]] step %c2_i32
// CHECK: %[[TOTAL:.*]] = magicube_gpu.lds_fragments %[[TOTALS]][%[[OUT]]]
// CHECK: magicube_gpu.store_result %[[TOTAL]] into %[[C]]
// CHECK: gpu.return

// CHECK: gpu.func @spmm_i8_i8_v8_stationary100_slab32_align4(
// CHECK: magicube_gpu.cp_async_rows {{.*}} {alignment = 4 : i64}
// CHECK: gpu.func @spmm_i8_i8_v8_stationary100_slab32_align1(
// CHECK: magicube_gpu.cp_async_rows {{.*}} {alignment = 1 : i64}

// A block for every 5 vector-rows and tile of columns.
// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[VECTOR_ROWS:.*]] = arith.divui %{{.*}}, %c8
// CHECK: %[[X:.*]] = arith.ceildivui %[[VECTOR_ROWS]], %c5
// CHECK: %[[TILES:.*]] = arith.ceildivui %{{.*}}, %c16
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_stationary100_slab32_align16 blocks in (%[[X]], %{{.*}}, %{{.*}}) threads in (%c64, %c1, %c1)
func.func @dynamic(%b: memref<100x?xi8>, %c: memref<?x?xi32>, %ptr: memref<?x4x2xi32>,
                   %idx: memref<?xi32>, %val: memref<?xi8>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<?x100xi8, #w>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 2, shared = padded, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 5, smem_stages = 2>>}
    : (memref<?x4x2xi32>, memref<?xi32>, memref<?xi8>, memref<100x?xi8>, memref<?x?xi32>) -> ()
  return
}

// -----

// One K-tile at a time; without prefetch a step fetches its own operands.
// CHECK: gpu.func @spmm_i8_i8_v16_stationary100_slab64_align16_accumulate(
// CHECK: magicube_gpu.alloc_tile : <rows = 64, row_bytes = 32>
// CHECK: magicube_gpu.alloc_tile {form = #magicube.shared_form<plain>} : <rows = 5, row_bytes = 2048>
// CHECK: magicube_gpu.cp_async_rows %{{.*}} count %c64_i32 {{.*}} slot %c0_i32
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NOT: magicube_gpu.cp_async_rows
// CHECK: nvvm.barrier
// CHECK: } else {
// CHECK: } else {
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NOT: magicube_gpu.ldg_
// CHECK: scf.for %[[INDEX:.*]] = %c0_i32 to %c2_i32 step %c1_i32
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK: magicube_gpu.ldg_indices
// CHECK: magicube_gpu.ldg_values
// CHECK-COUNT-4: magicube_gpu.mma
// CHECK-NOT: magicube_gpu.mma
// CHECK: magicube_gpu.add_fragments %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to
// CHECK: gpu.barrier
// CHECK-NEXT: arith.addi %[[INDEX]], %c1_i32
// CHECK: magicube_gpu.cp_async_rows {{.*}}row_bytes = 32>
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK: magicube_gpu.lds_fragments
// CHECK: magicube_gpu.store_result {{.*}} {accumulate
// CHECK: gpu.func @
#w = #magicube.sr_bcrs<vector = 16, slab = 64>
func.func @one_stage(%b: memref<100x?xi8>, %c: memref<?x?xi32>, %ptr: memref<?x2x2xi32>,
                      %idx: memref<?xi32>, %val: memref<?xi8>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<?x100xi8, #w>, %b outs(%c)
      {schedule = #magicube.schedule<tile_n = 32, warps = 4, placement = #magicube.stationary_k_tiles<prefetch_stages = 1, rows_per_cta = 1>>}
    : (memref<?x2x2xi32>, memref<?xi32>, memref<?xi8>, memref<100x?xi8>, memref<?x?xi32>) -> ()
  return
}

// -----

// A slab of all rows and more has as many rows as there are; two places, one K-tile.
// CHECK: gpu.func @spmm_i8_i8_v8_stationary100_slab1000_align16(
// CHECK: magicube_gpu.alloc_tile : <rows = 100, row_bytes = 16, stages = 2>
// CHECK: magicube_gpu.cp_async_rows %{{.*}} count %c100_i32 {{.*}} slot %c0_i32
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NOT: magicube_gpu.cp_async_rows
// CHECK: gpu.func @
#w = #magicube.sr_bcrs<vector = 8, slab = 1000>
func.func @one_slab(%b: memref<100x?xi8>, %c: memref<?x?xi32>, %ptr: memref<?x1x2xi32>,
                    %idx: memref<?xi32>, %val: memref<?xi8>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<?x100xi8, #w>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 4, placement = #magicube.stationary_k_tiles<prefetch_stages = 1, rows_per_cta = 1, smem_stages = 2>>}
    : (memref<?x1x2xi32>, memref<?xi32>, memref<?xi8>, memref<100x?xi8>, memref<?x?xi32>) -> ()
  return
}

// -----

// Gathered, from the start of a vector-row's first segment to the end of its last. Four segments are not three: no kernel is shared.
// CHECK: gpu.func @spmm_i8_i8_v8_slab32_align16(
// CHECK-SAME: %[[PTR:[^:]*]]: !llvm.ptr<1>
// CHECK: %[[FIRST:.*]] = arith.muli %[[ROW:.*]], %c4_i32
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %c3_i32
// CHECK: %[[FIRST_WIDE:.*]] = arith.extui %[[FIRST]] : i32 to i64
// CHECK: llvm.getelementptr %[[PTR]][%[[FIRST_WIDE]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<2xi32>
// CHECK: %[[LAST_WIDE:.*]] = arith.extui %[[LAST]] : i32 to i64
// CHECK: llvm.getelementptr %[[PTR]][%[[LAST_WIDE]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<2xi32>
// CHECK: magicube_gpu.ldg_gather_indices
// CHECK: gpu.func @spmm_i8_i8_v8_slab32_align16_0(
// CHECK: arith.muli %{{.*}}, %c3_i32
// CHECK-LABEL: func.func @gathered(
#w = #magicube.sr_bcrs<vector = 8, slab = 32>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @gathered(%b: memref<100x16xi8>, %d: memref<96x16xi8>, %c: memref<16x16xi32>, %ptr: memref<2x4x2xi32>,
                    %other: memref<2x3x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x100xi8, #w>, %b outs(%c) {overwrite, schedule = #s}
    : (memref<2x4x2xi32>, memref<?xi32>, memref<?xi8>, memref<100x16xi8>, memref<16x16xi32>) -> ()
  magicube.spmm storage(%other, %idx, %val) as tensor<16x96xi8, #w>, %d outs(%c) {overwrite, schedule = #s}
    : (memref<2x3x2xi32>, memref<?xi32>, memref<?xi8>, memref<96x16xi8>, memref<16x16xi32>) -> ()
  return
}
