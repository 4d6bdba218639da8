// RUN: magicube-opt %s --pass-pipeline="builtin.module(gpu.module(convert-magicube-gpu-to-nvvm),canonicalize,cse)" | FileCheck %s --implicit-check-not=magicube_gpu.

// Loads of indices and copies to shared memory: sizes and caching of copies,
// what is zero-filled or left out, loops, and the constants of layouts. That
// addresses are right is for the tests that run kernels.

#w = #magicube.sr_bcrs<vector = 8>
#u16 = #magicube.sr_bcrs<vector = 8, index = u16>
#transposed = #magicube_gpu.step<layout = <form = transposed>>

// Two rings of two tiles: rows of two chunks, swizzled; values of a step.
!rows = !magicube_gpu.tile<rows = 32, row_bytes = 32, stages = 2, layout = <offset = 256, stage_bytes = 1024, pitch = 32, swizzle_mask = 1, swizzle_shift = 2>>
!values = !magicube_gpu.tile<rows = 1, row_bytes = 256, stages = 2, layout = <offset = 0, stage_bytes = 256, pitch = 256, swizzle_mask = 0, swizzle_shift = 0>>
!short = !magicube_gpu.tile<rows = 1, row_bytes = 32, layout = <offset = 0, stage_bytes = 128, pitch = 32, swizzle_mask = 0, swizzle_shift = 0>>

// CHECK: gpu.module @kernels
// CHECK: llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
gpu.module @kernels {

// A thread's row, thread / 2 with two chunks a row, stands for a position: of its
// bits 0 to 4 position bit 1, 3, 4, 0, 2 (kernel-forms, T form). The next pass is
// 16 rows on: position bit 2.
// CHECK-LABEL: gpu.func @ldg_gather_indices(
// CHECK-SAME: %[[IDX:[^:]*]]: !llvm.ptr<1>, %[[POSITION:[^:]*]]: i32, %[[END:[^:]*]]: i32
// CHECK: %[[ROW:.*]] = arith.shrui %{{.*}}, %c1_i32
// CHECK-DAG: %[[B0:.*]] = arith.andi %[[ROW]], %c1_i32
// CHECK-DAG: arith.shli %[[B0]], %c1_i32
// CHECK-DAG: %[[B12:.*]] = arith.andi %[[ROW]], %c6_i32
// CHECK-DAG: arith.shli %[[B12]], %c2_i32
// CHECK-DAG: %[[B3:.*]] = arith.andi %[[ROW]], %c8_i32
// CHECK-DAG: arith.shrui %[[B3]], %c3_i32
// CHECK-DAG: %[[B4:.*]] = arith.andi %[[ROW]], %c16_i32
// CHECK-DAG: arith.shrui %[[B4]], %c2_i32
// CHECK: %[[FIRST:.*]] = arith.addi %[[POSITION]]
// CHECK: %[[HAS_FIRST:.*]] = arith.cmpi ult, %[[FIRST]], %[[END]]
// CHECK: scf.if %[[HAS_FIRST]]
// CHECK: llvm.getelementptr %[[IDX]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK: else
// CHECK: scf.yield %c-1_i32
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c4_i32
// CHECK: %[[HAS_SECOND:.*]] = arith.cmpi ult, %[[SECOND]], %[[END]]
// CHECK: scf.if %[[HAS_SECOND]]
gpu.func @ldg_gather_indices(%idx: !llvm.ptr<1>, %position: i32, %end: i32, %out: !llvm.ptr<1>)
    kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %k:2 = magicube_gpu.ldg_gather_indices %idx at %position to %end
      {encoding = #w, step = #transposed, row_bytes = 32 : i64} : i32, i32
  llvm.store %k#0, %out : i32, !llvm.ptr<1>
  llvm.store %k#1, %out : i32, !llvm.ptr<1>
  gpu.return
}

// CHECK-LABEL: gpu.func @load_narrow_indices(
// CHECK-SAME: %[[P:[^:]*]]: i1
// CHECK: %[[IS_STORED:.*]] = arith.cmpi ult
// CHECK: %[[BOTH:.*]] = arith.andi %[[IS_STORED]], %[[P]]
// CHECK: scf.if %[[BOTH]]
// CHECK: llvm.getelementptr %{{.*}} : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
// CHECK: %[[NARROW:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i16
// CHECK: arith.extui %[[NARROW]] : i16 to i32
gpu.func @load_narrow_indices(%p: i1, %idx: !llvm.ptr<1>, %position: i32, %end: i32, %out: !llvm.ptr<1>)
    kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %k = magicube_gpu.ldg_gather_indices %idx at %position to %end if %p
      {encoding = #u16, step = #transposed, row_bytes = 16 : i64} : i32
  llvm.store %k, %out : i32, !llvm.ptr<1>
  gpu.return
}

// The chunk of row r is chunk ^ (r >> 2 & 1) of the tile's row r.
// CHECK-LABEL: gpu.func @gather(
// CHECK-SAME: %[[P:[^:]*]]: i1, %[[B:[^:]*]]: !llvm.ptr<1>, %[[K0:[^:]*]]: i32, %[[K1:[^:]*]]: i32, %[[STRIDE:[^:]*]]: i32, %[[COLUMN:[^:]*]]: i32, %[[LIMIT:[^:]*]]: i32, %[[SLOT:[^:]*]]: i32
// CHECK: scf.if %[[P]]
// CHECK: arith.muli %[[SLOT]], %c1024_i32
// CHECK: %[[CHUNK:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[FROM:.*]] = arith.addi %[[COLUMN]]
// CHECK: %[[SWIZZLE:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: arith.xori %[[CHUNK]], %[[SWIZZLE]]
// Padding, and columns behind the matrix, read nothing: the copy writes zeros.
// CHECK: %[[IS_STORED:.*]] = arith.cmpi sge, %[[K0]], %c0_i32
// CHECK: %[[IS_INSIDE:.*]] = arith.cmpi ult, %[[FROM]], %[[LIMIT]]
// CHECK: %[[IS_VALID:.*]] = arith.andi %[[IS_STORED]], %[[IS_INSIDE]]
// CHECK: %[[SAFE:.*]] = arith.select %[[IS_VALID]], %{{.*}}, %c0_i64
// CHECK: %[[FROM_PTR:.*]] = llvm.getelementptr %[[B]][%[[SAFE]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[SIZE:.*]] = arith.select %[[IS_VALID]], %c16_i32, %c0_i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %[[FROM_PTR]], 16, cache = cg, %[[SIZE]]
// CHECK: arith.cmpi sge, %[[K1]], %c0_i32
// CHECK: nvvm.cp.async.shared.global
// CHECK-NOT: nvvm.cp.async.shared.global
gpu.func @gather(%p: i1, %b: !llvm.ptr<1>, %k0: i32, %k1: i32, %stride: i32, %column: i32,
    %limit: i32, %slot: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %t = magicube_gpu.alloc_tile : !rows
  magicube_gpu.cp_async_gathered_rows %b[%k0, %k1] stride %stride at %column to %limit into %t slot %slot
      if %p {alignment = 16 : i64} : !rows
  gpu.return
}

// Four copies of 4 bytes a chunk, each with its own test against the limit.
// CHECK-LABEL: gpu.func @gather_words(
// CHECK-COUNT-8: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca, %{{.*}}
// CHECK-NOT: nvvm.cp.async.shared.global
gpu.func @gather_words(%b: !llvm.ptr<1>, %k: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %t = magicube_gpu.alloc_tile : !rows
  magicube_gpu.cp_async_gathered_rows %b[%k, %k] stride %k at %k to %k into %t {alignment = 4 : i64} : !rows
  gpu.return
}

// Bytes are loaded one by one, each if it is inside, and stored as words.
// CHECK-LABEL: gpu.func @gather_bytes(
// CHECK-NOT: nvvm.cp.async
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32 step %c4_i32
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<1> -> i8
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK: scf.for
// CHECK-NOT: nvvm.cp.async
gpu.func @gather_bytes(%b: !llvm.ptr<1>, %k: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %t = magicube_gpu.alloc_tile : !rows
  magicube_gpu.cp_async_gathered_rows %b[%k, %k] stride %k at %k to %k into %t {alignment = 1 : i64} : !rows
  gpu.return
}

// 16 threads take 16 bytes each of 8 x 32 values.
// CHECK-LABEL: gpu.func @values(
// CHECK-SAME: %[[VAL:[^:]*]]: !llvm.ptr<1>, %[[POSITION:[^:]*]]: i32, %[[END:[^:]*]]: i32, %[[SLOT:[^:]*]]: i32)
// CHECK: %[[IS_COPIER:.*]] = arith.cmpi ult, %{{.*}}, %c16_i32
// CHECK: scf.if %[[IS_COPIER]]
// CHECK: %[[POSITION_WIDE:.*]] = arith.extui %[[POSITION]] : i32 to i64
// CHECK: arith.muli %[[POSITION_WIDE]], %c8_i64
// CHECK: arith.muli %[[SLOT]], %c256_i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
gpu.func @values(%val: !llvm.ptr<1>, %position: i32, %end: i32, %slot: i32)
    kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %t = magicube_gpu.alloc_tile : !values
  magicube_gpu.cp_async_values %val at %position to %end into %t slot %slot {encoding = #w} : !values
  gpu.return
}

// A piece must not reach into the next stride: 8 bytes where a stride has no more.
// CHECK-LABEL: gpu.func @values_of_short_stride(
// CHECK: arith.cmpi ult, %{{.*}}, %c4_i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 8, cache = ca
gpu.func @values_of_short_stride(%val: !llvm.ptr<1>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %t = magicube_gpu.alloc_tile : !short
  magicube_gpu.cp_async_values %val at %i to %i into %t {encoding = #magicube.sr_bcrs<vector = 1, stride = 8>} : !short
  gpu.return
}

// Half a stride of 64: each component's 32 positions are a run, 64 apart.
// CHECK-LABEL: gpu.func @values_of_long_stride(
// CHECK-SAME: %[[POSITION:[^:]*]]: i32
// CHECK: %[[IN_STRIDE:.*]] = arith.andi %[[POSITION]], %c63_i32
// CHECK: %[[STRIDE_START:.*]] = arith.subi %[[POSITION]], %[[IN_STRIDE]]
// CHECK: %[[COMPONENT:.*]] = arith.shrui %[[BYTE:.*]], %c5_i32
// CHECK: %[[REST:.*]] = arith.andi %[[BYTE]], %c31_i32
// CHECK: arith.muli %[[COMPONENT]], %c64_i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
gpu.func @values_of_long_stride(%position: i32, %end: i32, %val: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %t = magicube_gpu.alloc_tile : !values
  magicube_gpu.cp_async_values %val at %position to %end into %t
      {encoding = #magicube.sr_bcrs<vector = 8, stride = 64>} : !values
  gpu.return
}
}
