// RUN: magicube-opt %s --pass-pipeline="builtin.module(gpu.module(convert-magicube-gpu-to-nvvm),canonicalize,cse)" | FileCheck %s --implicit-check-not=magicube_gpu.

// Operations of kernels with a stationary dense operand: sizes and caching of
// copies and loads, what the optimizer must not see through, loops, and the
// constants of layouts. That addresses are right is for the tests that run
// kernels.

#v8 = #magicube.sr_bcrs<vector = 8>
#v4 = #magicube.sr_bcrs<vector = 4, stride = 64, index = u16>
#interleaved_v4 = #magicube_gpu.step<layout = <form = interleaved>, vector = 4>

!slab = !magicube_gpu.tile<rows = 100, row_bytes = 48, layout = <offset = 0, stage_bytes = 4864, pitch = 48, swizzle_mask = 0, swizzle_shift = 0>>
!slabs = !magicube_gpu.tile<rows = 100, row_bytes = 48, stages = 2, layout = <offset = 0, stage_bytes = 4864, pitch = 48, swizzle_mask = 0, swizzle_shift = 0>>
!column = !magicube_gpu.tile<rows = 100, row_bytes = 16, layout = <offset = 0, stage_bytes = 1664, pitch = 16, swizzle_mask = 0, swizzle_shift = 0>>
!starts = !magicube_gpu.tile<rows = 1, row_bytes = 48, layout = <offset = 4864, stage_bytes = 128, pitch = 48, swizzle_mask = 0, swizzle_shift = 0>>

gpu.module @kernels {

// Chunk i of 99 rows of 3 chunks is thread i's, modulo 64.
// CHECK-LABEL: gpu.func @fill(
// CHECK-SAME: %[[B:[^:]*]]: !llvm.ptr<1>, %[[STRIDE:[^:]*]]: i32, %[[COLUMN:[^:]*]]: i32, %[[LIMIT:[^:]*]]: i32
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c297_i32 step %c64_i32
// CHECK: %[[ROW:.*]] = arith.divui %[[I]], %c3_i32
// CHECK: %[[BYTE:.*]] = arith.addi %[[COLUMN]]
// CHECK: arith.muli %[[ROW]], %c48_i32
// What lies behind the last column is zero.
// CHECK: %[[IS_INSIDE:.*]] = arith.cmpi ult, %[[BYTE]], %[[LIMIT]]
// CHECK: %[[SIZE:.*]] = arith.select %[[IS_INSIDE]], %c16_i32, %c0_i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[SIZE]]
gpu.func @fill(%b: !llvm.ptr<1>, %stride: i32, %column: i32, %limit: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %slab = magicube_gpu.alloc_tile : !slab
  %count = arith.constant 99 : i32
  magicube_gpu.cp_async_rows %b count %count stride %stride at %column to %limit into %slab {alignment = 16 : i64} : !slab
  gpu.return
}

// The slab of a few is the one that `slot` says; how many rows are copied is a number at run time.
// CHECK-LABEL: gpu.func @fill_slot(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: i32, %[[COUNT:[^:]*]]: i32, %[[SLOT:[^:]*]]: i32
// CHECK: %[[SLOT_BYTES:.*]] = arith.muli %[[SLOT]], %c4864_i32
// CHECK: %[[RING:.*]] = llvm.getelementptr %{{.*}}[%[[SLOT_BYTES]]]
// CHECK: %[[T:.*]] = llvm.inline_asm has_side_effects "mov.b32 $0, $1;"
// CHECK: %[[CHUNKS:.*]] = arith.muli %[[COUNT]], %c3_i32
// CHECK: scf.for %{{.*}} = %[[T]] to %[[CHUNKS]] step %c64_i32
// CHECK: %[[TO:.*]] = llvm.getelementptr %[[RING]]
// CHECK-COUNT-4: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca
// CHECK-NOT: nvvm.cp.async
gpu.func @fill_slot(%b: !llvm.ptr<1>, %stride: i32, %count: i32, %slot: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %slab = magicube_gpu.alloc_tile : !slabs
  magicube_gpu.cp_async_rows %b count %count stride %stride at %stride to %stride into %slab slot %slot {alignment = 4 : i64} : !slabs
  gpu.return
}

// Bytes of a slab of a few are loaded in a loop whose end is hidden, so that it stays one.
// CHECK-LABEL: gpu.func @fill_slot_bytes(
// CHECK: scf.for
// CHECK: %[[END:.*]] = llvm.inline_asm has_side_effects "mov.b32 $0, $1;", "=r,r" %c16_i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[END]] step %c4_i32
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<1> -> i8
// CHECK-NOT: llvm.load
// CHECK: llvm.store
gpu.func @fill_slot_bytes(%b: !llvm.ptr<1>, %i: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %slab = magicube_gpu.alloc_tile : !slabs
  magicube_gpu.cp_async_rows %b count %i stride %i at %i to %i into %slab slot %i {alignment = 1 : i64} : !slabs
  gpu.return
}

// Rows of one chunk of which no more than a word is inside: a word a row, four rows at once, and
// zeros behind it.
// CHECK-LABEL: gpu.func @fill_words(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: i32, %[[COUNT:[^:]*]]: i32, %[[COLUMN:[^:]*]]: i32, %[[LIMIT:[^:]*]]: i32
// CHECK: %[[BYTES:.*]] = arith.subi %[[LIMIT]], %[[COLUMN]]
// CHECK: %[[IS_NARROW:.*]] = arith.cmpi ult, %[[BYTES]], %c5_i32
// CHECK: scf.if %[[IS_NARROW]] {
// CHECK: %[[LAST:.*]] = arith.addi %[[COUNT]], %c-1_i32
// CHECK: scf.for %[[FIRST:.*]] = %{{.*}} to %[[COUNT]] step %c256_i32
// CHECK: arith.minui %[[FIRST]], %[[LAST]]
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<1> -> i8
// CHECK-NOT: llvm.load
// CHECK: arith.cmpi ult, %[[FIRST]], %[[COUNT]]
// CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK: } else {
// CHECK: scf.for %{{.*}} to %[[COUNT]] step %c64_i32
gpu.func @fill_words(%b: !llvm.ptr<1>, %stride: i32, %count: i32, %column: i32, %limit: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %slab = magicube_gpu.alloc_tile : !column
  magicube_gpu.cp_async_rows %b count %count stride %stride at %column to %limit into %slab {alignment = 1 : i64} : !column
  gpu.return
}

// Tables: words of one access, each thread its own.
// CHECK-LABEL: gpu.func @words(
// CHECK-SAME: %[[G:[^:]*]]: !llvm.ptr<1>, %[[BYTE:[^:]*]]: i32
// CHECK: %[[TABLE:.*]] = llvm.getelementptr %{{.*}}[4864]
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[TABLE]][%[[BYTE]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: %[[WORDS:.*]] = llvm.load %[[PLACE]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: %[[SECOND:.*]] = llvm.extractelement %[[WORDS]][%c1_i32
// CHECK: llvm.load %[[PLACE]] {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK: llvm.insertelement %[[SECOND]], %{{.*}}[%c0_i32
// CHECK: llvm.store %{{.*}}, %[[PLACE]] {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
// CHECK: %[[FROM:.*]] = llvm.getelementptr %[[G]][%[[BYTE]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
// CHECK: nvvm.cp.async.shared.global %[[PLACE]], %[[FROM]], 8, cache = ca
// CHECK: nvvm.cp.async.shared.global %[[PLACE]], %[[FROM]], 16, cache = cg
gpu.func @words(%g: !llvm.ptr<1>, %byte: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %starts = magicube_gpu.alloc_tile : !starts
  %words:4 = magicube_gpu.lds_words %starts[%byte] : !starts -> i32, i32, i32, i32
  %word = magicube_gpu.lds_words %starts[%byte] : !starts -> i32
  magicube_gpu.sts_words %words#1, %word into %starts[%byte] : !starts
  magicube_gpu.cp_async_words %g[%byte] into %starts[%byte] {bytes = 8 : i64} : !starts
  magicube_gpu.cp_async_words %g[%byte] into %starts[%byte] {bytes = 16 : i64} : !starts
  gpu.return
}

// Two neighbouring u16 at once; the values of a lane in a stride of 64, of which the step may
// be the second half. Rows of the slab are where the indices say.
// CHECK-LABEL: gpu.func @load_ahead(
// CHECK-SAME: %[[IDX:[^:]*]]: !llvm.ptr<1>, %[[VAL:[^:]*]]: !llvm.ptr<1>, %[[WARP:[^:]*]]: i32
// CHECK: %[[HIDDEN:.*]] = llvm.inline_asm has_side_effects "mov.b32 $0, $1;", "=r,r" %[[WARP]]
// CHECK: llvm.getelementptr %{{.*}}[%[[HIDDEN]]]
// CHECK: %[[START:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: %[[INSIDE:.*]] = llvm.extractelement %[[START]][%c1_i32
// CHECK: %[[POSITION:.*]] = llvm.extractelement %[[START]][%c2_i32
// CHECK: llvm.getelementptr %[[IDX]][%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
// CHECK: %[[WIDE:.*]] = arith.extui %[[POSITION]] : i32 to i64
// CHECK: llvm.getelementptr %{{.*}}[%[[WIDE]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xi16>
// CHECK: llvm.getelementptr %[[VAL]]
// CHECK: %[[HALF:.*]] = arith.andi %[[POSITION]], %c63_i32
// CHECK: arith.subi %[[POSITION]], %[[HALF]]
// CHECK: %[[WORDS:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: %[[W0:.*]] = llvm.extractelement %[[WORDS]][%c0_i32
// CHECK: %[[W1:.*]] = llvm.extractelement %[[WORDS]][%c1_i32
// CHECK: %[[B0:.*]] = nvvm.prmt <default> %[[SELECTOR:.*]], %[[W0]], %c0_i32
// CHECK: %[[B1:.*]] = nvvm.prmt <default> %[[SELECTOR]], %[[W1]], %c0_i32
// CHECK: arith.muli %{{.*}}, %c48_i32
// CHECK: nvvm.ldmatrix
// CHECK: nvvm.mma.sync {{.*}}B[%[[B0]], %[[B1]]]
// Two fragments of four registers, each for all lanes.
// CHECK: %[[LANE_BYTES:.*]] = arith.muli %{{.*}}, %c4_i32
// CHECK: %[[LANE_SUMS:.*]] = llvm.getelementptr %{{.*}}[%[[LANE_BYTES]]]
// CHECK: %[[SLOT:.*]] = arith.muli %[[WARP]], %c1024_i32
// CHECK: %[[SUMS:.*]] = llvm.getelementptr %[[LANE_SUMS]][%[[SLOT]]]
// CHECK: llvm.store %{{.*}}, %[[SUMS]] {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK: llvm.getelementptr %[[SUMS]][128]
// CHECK: llvm.getelementptr %[[SUMS]][896]
// CHECK: llvm.store %c0_i32
gpu.func @load_ahead(%idx: !llvm.ptr<1>, %val: !llvm.ptr<1>, %warp: i32, %out: !llvm.ptr<1>) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %starts = magicube_gpu.alloc_tile : !starts
  %hidden = magicube_gpu.optimization_barrier %warp
  %row, %inside, %position, %gap = magicube_gpu.lds_words %starts[%hidden] : !starts -> i32, i32, i32, i32
  %columns:2 = magicube_gpu.ldg_indices %idx at %position {encoding = #v4, step = #interleaved_v4} : i32, i32
  %words = magicube_gpu.ldg_values %val at %position {encoding = #v4, step = #interleaved_v4} : <2>
  %lhs:2 = magicube_gpu.split_values %words {encoding = #v4, step = #interleaved_v4} : <2> -> !magicube_gpu.fragment<"m16n8k32", b, si8>, !magicube_gpu.fragment<"m16n8k32", b, si8>
  %slab = magicube_gpu.alloc_tile : !slab
  %raw = magicube_gpu.lds_rows %slab chunk %inside row %columns#0 {step = #interleaved_v4} : !slab -> <4>
  %rhs = magicube_gpu.transpose %raw {step = #interleaved_v4} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs, %lhs#0, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  magicube_gpu.sts_fragments %sum, %zero into %slab[%warp] : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32> into !slab
  gpu.return
}

// Fragments that a condition chooses are chosen by register.
// CHECK-LABEL: gpu.func @exchange(
// CHECK-SAME: %[[WARP:[^:]*]]: i32, %[[P:[^:]*]]: i1
// CHECK: %[[SLOT:.*]] = arith.muli %[[WARP]], %c1024_i32
// CHECK: %[[SUMS:.*]] = llvm.getelementptr %{{.*}}[%[[SLOT]]]
// CHECK: %[[A0:.*]] = llvm.load %[[SUMS]] {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[SUMS]][512]
// CHECK: %[[B0:.*]] = llvm.load %[[PLACE]]
// CHECK: %[[C0:.*]] = arith.select %[[P]], %[[A0]], %[[B0]] : i32
// CHECK: arith.muli %[[WARP]], %c512_i32
// CHECK: llvm.store %[[C0]]
gpu.func @exchange(%warp: i32, %p: i1) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %slab = magicube_gpu.alloc_tile : !slab
  %sums:2 = magicube_gpu.lds_fragments %slab[%warp] : !slab -> !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32>
  %one = arith.select %p, %sums#0, %sums#1 : !magicube_gpu.fragment<"m16n8k32", c, i32>
  magicube_gpu.sts_fragments %one into %slab[%warp] : !magicube_gpu.fragment<"m16n8k32", c, i32> into !slab
  gpu.return
}
}
