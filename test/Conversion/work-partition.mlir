// RUN: magicube-opt %s --convert-magicube-to-magicube-gpu --canonicalize --cse | FileCheck %s

// What work partition emits, of kernels for 16-byte alignment: what is loaded
// before the copies, the loops of threads over vector-rows, what is written to
// which table, barriers, and constants that bound costs. What comes of it is for
// test/unit/Conversion.

// Balanced ranges. The end of everything, padded, and of the thread's first vector-row start, end and where the one
// before starts: before the copies.
// CHECK-LABEL: gpu.func @spmm_i8_i8_v8_stationary100_align16(
// CHECK-SAME: %[[PTR:[^:]*]]: !llvm.ptr<1>
// CHECK-SAME: %[[ROWS:[^:, ]*]]: i32)
// CHECK: %[[LAST:.*]] = arith.addi %[[ROWS]], %c-1_i32
// CHECK: llvm.load
// CHECK: %[[STORED:.*]] = arith.andi %{{.*}}, %c-32_i32
// CHECK: arith.minui %[[T:.*]], %[[LAST]]
// CHECK: %[[FIRST_START:.*]] = llvm.load
// CHECK: llvm.load
// CHECK: %[[FIRST_END:.*]] = arith.andi %{{.*}}, %c-32_i32
// CHECK: %[[PREVIOUS:.*]] = llvm.load
// CHECK: magicube_gpu.cp_async_rows
// A vector-row costs nothing where all of them would cost more than 2^30. All work is what is stored and the costs.
// CHECK: %[[IS_CHEAP:.*]] = arith.cmpi ult, %[[ROWS]], %c16777216_i32
// CHECK: %[[COST:.*]] = arith.select %[[IS_CHEAP]], %c64_i32, %c0_i32
// CHECK: %[[COSTS:.*]] = arith.muli %[[COST]], %[[ROWS]]
// CHECK: %[[WORK:.*]] = arith.addi %[[STORED]], %[[COSTS]]
// CHECK: %[[SHARE:.*]] = arith.ceildivui %[[WORK]], %[[CTAS:.*]] : i32
// The last range ends behind the last vector-row.
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %[[NEXT:.*]], %[[CTAS]]
// CHECK: %[[END:.*]] = arith.muli %[[NEXT]], %[[SHARE]]
// CHECK: arith.select %[[IS_LAST]], %c-1_i32, %[[END]]
// The first vector-row of a thread is in registers, others are loaded.
// CHECK: scf.for unsigned %[[ROW:.*]] = %[[T]] to %[[ROWS]] step %c64_i32
// CHECK: %[[IS_LOADED:.*]] = arith.cmpi ult, %[[ROW]], %c64_i32
// CHECK: scf.if %[[IS_LOADED]]
// CHECK-NEXT: scf.yield %[[FIRST_START]], %[[FIRST_END]], %[[PREVIOUS]]
// CHECK: } else {
// CHECK-COUNT-3: llvm.load
// CHECK: magicube_gpu.sts_words {{.*}} into %[[STARTS:.*]][%c0_i32] : <rows = 1, row_bytes = 48>
// CHECK: magicube_gpu.sts_words {{.*}} into %[[STARTS]][%c32_i32]
// CHECK: gpu.barrier
// CHECK: %[[FIRST:.*]]:4 = magicube_gpu.lds_words %[[STARTS]][%c0_i32]
// CHECK: %[[BEHIND:.*]]:4 = magicube_gpu.lds_words %[[STARTS]][%c32_i32]
// A warp's range is at least one position. Warps without work start at the block's end.
// CHECK: arith.maxui %{{.*}}, %c1_i32
// CHECK: scf.if
// CHECK: magicube_gpu.sts_words %[[BEHIND]]#0, %c0_i32, %[[BEHIND]]#2, %[[BEHIND]]#2 into %[[STARTS]]
// A thread's vector-rows are the same as before.
// CHECK: arith.maxui %[[FIRST]]#0, %[[T]] : i32
// CHECK: scf.for unsigned %[[AT:.*]] = %{{.*}} to %[[BEHIND]]#0 step %c64_i32
// CHECK: arith.cmpi ult, %[[AT]], %c64_i32
// CHECK: scf.for
// CHECK: magicube_gpu.sts_words
// CHECK: gpu.barrier
// CHECK: magicube_gpu.ldg_indices

// Vector-rows of a block that holds their sums. Three pairs of 8 bytes a vector-row: the end of the last one, padded,
// and the start of range `thread`.
// CHECK-LABEL: gpu.func @spmm_i8_i8_v8_stationary96_slab32_align16(
// CHECK-SAME: %[[PTR:[^:]*]]: !llvm.ptr<1>
// CHECK-SAME: %[[ROWS:[^:, ]*]]: i32)
// CHECK: %[[PAIRS:.*]] = magicube_gpu.alloc_tile {{.*}} : <rows = 1, row_bytes = 336>
// CHECK: %[[STARTS:.*]] = magicube_gpu.alloc_tile {{.*}} : <rows = 1, row_bytes = 48>
// CHECK: %[[LAST:.*]] = arith.addi %[[ROWS]], %c-1_i32
// CHECK: %[[RANGE_ROW:.*]] = arith.muli %[[T:.*]], %c5_i32
// CHECK: llvm.getelementptr %{{.*}}[20]
// CHECK: %[[STORED:.*]] = arith.andi %{{.*}}, %c-32_i32
// CHECK: arith.minui %[[RANGE_ROW]], %[[LAST]]
// CHECK: %[[RANGE_START:.*]] = llvm.load
// A pair at a time, of those vector-rows that are likely.
// CHECK: scf.for %[[PAIR:.*]] = %[[T]] to %{{.*}} step %c64_i32
// CHECK: %[[PLACE:.*]] = arith.muli %[[PAIR]], %c8_i32
// CHECK: magicube_gpu.cp_async_words %{{.*}}[%[[PLACE]]] into %[[PAIRS]][%[[PLACE]]] {bytes = 8 : i64}
// Whether a range of equal numbers of rows starts further from where it should than an eighth of a range.
// CHECK: %[[SHARE:.*]] = arith.ceildivui %[[STORED]], %[[CTAS:.*]] : i32
// CHECK: %[[MOST:.*]] = arith.shrui %[[SHARE]], %c3_i32
// CHECK: scf.for unsigned %{{.*}} = %[[T]] to %[[CTAS]] step %c64_i32
// CHECK: scf.yield %[[RANGE_START]]
// CHECK: arith.cmpi ult, %[[MOST]]
// CHECK: %[[ANY:.*]] = nvvm.barrier #nvvm.reduction<or>
// CHECK: %[[IS_UNEVEN:.*]] = arith.cmpi ne, %[[ANY]], %c0_i32
// CHECK: %[[BLOCK:.*]]:2 = scf.if %[[IS_UNEVEN]]
// A vector-row costs what the mean one has, but all together no more than 2^31 - 2^27.
// CHECK: %[[MEAN:.*]] = arith.ceildivui %[[STORED]], %[[ROWS]]
// CHECK: %[[BOUND:.*]] = arith.divui %c2013265920_i32, %[[ROWS]]
// CHECK: arith.minui %[[MEAN]], %[[BOUND]]
// CHECK: magicube_gpu.sts_words %[[ROWS]] into %[[STARTS]][%c0_i32]
// CHECK: magicube_gpu.sts_words %[[ROWS]] into %[[STARTS]][%c4_i32]
// CHECK: gpu.barrier
// CHECK: scf.for unsigned %{{.*}} = %[[T]] to %[[ROWS]] step %c64_i32
// CHECK: gpu.barrier
// CHECK: magicube_gpu.lds_words %[[STARTS]][%c0_i32]
// CHECK: magicube_gpu.lds_words %[[STARTS]][%c4_i32]
// CHECK: } else {
// Ranges across segments: thread w cuts for warp w, by a search for the vector-row.
// CHECK: %[[COUNT:.*]] = arith.subi %[[BLOCK]]#1, %[[BLOCK]]#0
// CHECK: arith.cmpi ult, %[[T]], %c2_i32
// CHECK: arith.cmpi ne, %[[COUNT]], %c0_i32
// CHECK: scf.if
// CHECK: %[[FOUND:.*]]:2 = scf.while (%{{.*}} = %c0_i32, %{{.*}} = %[[COUNT]])
// CHECK: magicube_gpu.sts_words %[[FOUND]]#0 into %[[STARTS]]
// Of each of three segments the same part; a vector-row without steps has none.
// CHECK: arith.maxui %{{.*}}, %c1_i32
// CHECK-COUNT-3: magicube_gpu.sts_words
// Behind the last warp, and where there is nothing to cut: at the end.
// CHECK: scf.if
// CHECK: magicube_gpu.sts_words %[[COUNT]] into %[[STARTS]]
// CHECK: gpu.barrier
// CHECK: magicube_gpu.ldg_indices
#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.sr_bcrs<vector = 8, slab = 32>
func.func @partitions(%b: memref<100x16xi8>, %d: memref<96x16xi8>, %c: memref<?x16xi32>, %ptr: memref<?x2xi32>,
                      %segments: memref<?x3x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<?x100xi8, #w>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 2, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 132>>}
    : (memref<?x2xi32>, memref<?xi32>, memref<?xi8>, memref<100x16xi8>, memref<?x16xi32>) -> ()
  magicube.spmm storage(%segments, %idx, %val) as tensor<?x96xi8, #s>, %d outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 2, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 5, smem_stages = 2>>}
    : (memref<?x3x2xi32>, memref<?xi32>, memref<?xi8>, memref<96x16xi8>, memref<?x16xi32>) -> ()
  return
}
