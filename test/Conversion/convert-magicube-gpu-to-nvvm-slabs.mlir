// RUN: magicube-opt %s --pass-pipeline="builtin.module(gpu.module(convert-magicube-gpu-to-nvvm),canonicalize,cse)" | FileCheck %s --implicit-check-not=magicube_gpu.

#w = #magicube.sr_bcrs<vector = 8>

!groups = !magicube_gpu.tile<rows = 1, row_bytes = 176, layout = <offset = 0, stage_bytes = 256, pitch = 176, swizzle_mask = 0, swizzle_shift = 0>>
!shares = !magicube_gpu.tile<rows = 1, row_bytes = 48, layout = <offset = 256, stage_bytes = 128, pitch = 48, swizzle_mask = 0, swizzle_shift = 0>>
!totals = !magicube_gpu.tile<rows = 7, row_bytes = 1024, layout = <offset = 384, stage_bytes = 7168, pitch = 1024, swizzle_mask = 0, swizzle_shift = 0>>

gpu.module @kernels {

// Groups end with padding, also in between: of u16 it is 0xFFFF, and no row.
// CHECK-LABEL: gpu.func @padding_of_u16(
// CHECK: scf.if
// CHECK: %[[NARROW:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i16
// CHECK: %[[INDEX:.*]] = arith.extui %[[NARROW]] : i16 to i32
// CHECK: %[[IS_PADDING:.*]] = arith.cmpi eq, %[[INDEX]], %c65535_i32
// CHECK: %[[FOUND:.*]] = arith.select %[[IS_PADDING]], %c-1_i32, %[[INDEX]]
// CHECK: scf.yield %[[FOUND]]
gpu.func @padding_of_u16(%idx: !llvm.ptr<1>, %i: i32, %out: !llvm.ptr<1>) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %k = magicube_gpu.load_indices %idx at %i to %i
      {encoding = #magicube.sr_bcrs<vector = 8, slab = 64, index = u16>, recipe = "transpose", row_bytes = 32 : i64} : i32
  llvm.store %k, %out : i32, !llvm.ptr<1>
  gpu.return
}

// What is needed first of the pointers, three pairs of 8 bytes a vector-row: the end of the last
// one, padded, and the start of part `thread`.
// CHECK-LABEL: gpu.func @block_rows(
// CHECK-SAME: %[[PTR:[^:]*]]: !llvm.ptr<1>, %[[ROWS:[^:]*]]: i32, %[[PART:[^:]*]]: i32, %[[PARTS:[^:]*]]: i32
// CHECK: %[[SCRATCH:.*]] = llvm.getelementptr %{{.*}}[256]
// CHECK: %[[LAST:.*]] = arith.addi %[[ROWS]], %c-1_i32
// CHECK: %[[PART_ROW:.*]] = arith.muli %[[T:.*]], %c5_i32
// CHECK: %[[LAST_WIDE:.*]] = arith.extui %[[LAST]] : i32 to i64
// CHECK: %[[LAST_BYTES:.*]] = arith.muli %[[LAST_WIDE]], %c24_i64
// CHECK: %[[LAST_PTR:.*]] = llvm.getelementptr %[[PTR]][%[[LAST_BYTES]]]
// CHECK: %[[LAST_END:.*]] = llvm.getelementptr %[[LAST_PTR]][20]
// CHECK: llvm.load %[[LAST_END]] {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: %[[STORED:.*]] = arith.andi %{{.*}}, %c-32_i32
// CHECK: arith.minui %[[PART_ROW]], %[[LAST]]
// CHECK: %[[OWN_START:.*]] = llvm.load
// Parts of five vector-rows are even if none starts further away than an eighth of a share.
// CHECK: %[[SHARE:.*]] = arith.ceildivui %[[STORED]], %[[PARTS]]
// CHECK: %[[MOST:.*]] = arith.shrui %[[SHARE]], %c3_i32
// CHECK: %[[IS_ANY_FAR:.*]] = scf.for unsigned %[[I:.*]] = %[[T]] to %[[PARTS]] step %c64_i32
// CHECK: %[[IS_OWN:.*]] = arith.cmpi eq, %[[I]], %[[T]]
// CHECK: scf.if %[[IS_OWN]]
// CHECK-NEXT: scf.yield %[[OWN_START]]
// CHECK: arith.muli %[[I]], %c5_i32
// CHECK: llvm.load
// CHECK: %[[IDEAL:.*]] = arith.muli %[[I]], %[[SHARE]]
// CHECK: %[[DISTANCE:.*]] = arith.subi
// CHECK: arith.cmpi ult, %[[MOST]], %[[DISTANCE]]
// CHECK: %[[ANY:.*]] = nvvm.barrier #nvvm.reduction<or> %[[IS_ANY_FAR]] -> i32
// CHECK: %[[IS_UNEVEN:.*]] = arith.cmpi ne, %[[ANY]], %c0_i32
// CHECK: scf.if %[[IS_UNEVEN]]
// Otherwise a vector-row costs what the mean one has, but all of them no more than fits 32 bits.
// CHECK: %[[MEAN:.*]] = arith.ceildivui %[[STORED]], %[[ROWS]]
// CHECK: %[[LIMIT:.*]] = arith.divui %c2013265920_i32, %[[ROWS]]
// CHECK: %[[COST:.*]] = arith.minui %[[MEAN]], %[[LIMIT]]
// CHECK: %[[COSTS:.*]] = arith.muli %[[COST]], %[[ROWS]]
// CHECK: %[[WORK:.*]] = arith.addi %[[STORED]], %[[COSTS]]
// CHECK: arith.ceildivui %[[WORK]], %[[PARTS]]
// One thread says where to be if no vector-row is found.
// CHECK: %[[IS_FIRST_THREAD:.*]] = arith.cmpi eq, %[[T]], %c0_i32
// CHECK: scf.if %[[IS_FIRST_THREAD]]
// CHECK-NEXT: llvm.store %[[ROWS]], %[[SCRATCH]]
// CHECK: gpu.barrier
// CHECK: scf.for unsigned %[[ROW:.*]] = %[[T]] to %[[ROWS]] step %c64_i32
// CHECK: llvm.store %[[ROW]], %[[SCRATCH]]
// CHECK: llvm.store %[[ROW]]
// CHECK: gpu.barrier
// CHECK: %[[FIRST:.*]] = llvm.load %[[SCRATCH]]
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %{{.*}}, %[[PARTS]]
// CHECK: %[[NEXT:.*]] = llvm.load
// CHECK: %[[END:.*]] = arith.select %[[IS_LAST]], %[[ROWS]], %[[NEXT]]
// CHECK: scf.yield %[[FIRST]], %[[END]]
// CHECK: } else {
// CHECK: %[[BY_NUMBER:.*]] = arith.muli %[[PART]], %c5_i32
// CHECK: %[[BOUND:.*]] = arith.minui %[[BY_NUMBER]], %[[ROWS]]
// CHECK: %[[BEHIND:.*]] = arith.addi %[[BOUND]], %c5_i32
// CHECK: %[[BOUND_END:.*]] = arith.minui %[[BEHIND]], %[[ROWS]]
// CHECK: scf.yield %[[BOUND]], %[[BOUND_END]]
gpu.func @block_rows(%ptr: !llvm.ptr<1>, %rows: i32, %part: i32, %parts: i32, %out: !llvm.ptr<1>) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %shares = magicube_gpu.alloc_tile : !shares
  %work = magicube_gpu.load_parts %ptr of %rows {encoding = #w, slabs = 3 : i64, rows = 5 : i64} : <2>
  %first, %end = magicube_gpu.block_rows %ptr of %rows, %work part %part of %parts with %shares
      {encoding = #w, slabs = 3 : i64, rows = 5 : i64} : <2> with !shares
  llvm.store %first, %out : i32, !llvm.ptr<1>
  llvm.store %end, %out : i32, !llvm.ptr<1>
  gpu.return
}

// 8 bytes a thread and round.
// CHECK-LABEL: gpu.func @copy_groups(
// CHECK-SAME: %[[PTR:[^:]*]]: !llvm.ptr<1>, %[[FIRST:[^:]*]]: i32, %[[COUNT:[^:]*]]: i32
// CHECK: %[[FIRST_WIDE:.*]] = arith.extui %[[FIRST]] : i32 to i64
// CHECK: %[[FIRST_BYTES:.*]] = arith.muli %[[FIRST_WIDE]], %c8_i64
// CHECK: %[[SOURCE:.*]] = llvm.getelementptr %[[PTR]][%[[FIRST_BYTES]]]
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[COUNT]] step %c64_i32
// CHECK: %[[BYTE:.*]] = arith.muli %[[I]], %c8_i32
// CHECK: %[[TO:.*]] = llvm.getelementptr %{{.*}}[%[[BYTE]]] : (!llvm.ptr<3>
// CHECK: %[[FROM:.*]] = llvm.getelementptr %[[SOURCE]][%[[BYTE]]]
// CHECK: nvvm.cp.async.shared.global %[[TO]], %[[FROM]], 8, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
gpu.func @copy_groups(%ptr: !llvm.ptr<1>, %first: i32, %count: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %groups = magicube_gpu.alloc_tile : !groups
  magicube_gpu.copy_groups %ptr from %first count %count into %groups : !groups
  gpu.return
}

// Thread w cuts for warp w.
// CHECK-LABEL: gpu.func @cut_shares(
// CHECK-SAME: %[[COUNT:[^:]*]]: i32
// CHECK: %[[GROUPS:.*]] = llvm.mlir.addressof @smem
// CHECK: %[[SHARES:.*]] = llvm.getelementptr %[[GROUPS]][256]
// CHECK: %[[IS_WARP:.*]] = arith.cmpi ult, %[[T:.*]], %c2_i32
// CHECK: %[[IS_ANY:.*]] = arith.cmpi ne, %[[COUNT]], %c0_i32
// CHECK: %[[IS_CUT:.*]] = arith.andi %[[IS_WARP]], %[[IS_ANY]]
// CHECK: scf.if %[[IS_CUT]]
// From the first group's start to the last one's padded end; half of that for each warp.
// CHECK: llvm.load %[[GROUPS]] {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: %[[POSITIONS:.*]] = arith.subi
// CHECK: %[[COSTS:.*]] = arith.muli %[[COUNT]], %c64_i32
// CHECK: %[[WORK:.*]] = arith.addi %[[POSITIONS]], %[[COSTS]]
// CHECK: %[[WORK_UP:.*]] = arith.addi %[[WORK]], %c1_i32
// CHECK: %[[SHARE:.*]] = arith.shrui %[[WORK_UP]], %c1_i32
// CHECK: %[[TARGET:.*]] = arith.muli %[[T]], %[[SHARE]]
// The vector-row in which that is.
// CHECK: %[[ROW:.*]]:2 = scf.while (%{{.*}} = %c0_i32, %{{.*}} = %[[COUNT]])
// CHECK: arith.cmpi ult, %[[TARGET]], %{{.*}}
// Its cost comes before its steps.
// CHECK: %[[INSIDE:.*]] = arith.subi %[[TARGET]]
// CHECK: %[[PAID:.*]] = arith.minui %[[INSIDE]], %c64_i32
// CHECK: %[[BEHIND:.*]] = arith.subi %[[INSIDE]], %[[PAID]]
// CHECK: %[[ALL:.*]] = arith.shrui %{{.*}}, %c5_i32
// CHECK: %[[BEHIND_STEPS:.*]] = arith.ceildivui %[[BEHIND]], %c32_i32
// CHECK: %[[DONE:.*]] = arith.minui %[[BEHIND_STEPS]], %[[ALL]]
// CHECK: %[[WARP_BYTES:.*]] = arith.muli %[[T]], %c16_i32
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[SHARES]][%[[WARP_BYTES]]]
// CHECK: llvm.store %[[ROW]]#0, %[[PLACE]]
// The same part of each of its three groups.
// CHECK: %[[STEPS:.*]] = arith.shrui %{{.*}}, %c5_i32
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[STEPS]], %[[DONE]]
// CHECK: %[[SOME:.*]] = arith.maxui %[[ALL]], %c1_i32
// CHECK: %[[DONE0:.*]] = arith.divui %[[PRODUCT]], %[[SOME]]
// CHECK: %[[POSITIONS0:.*]] = arith.muli %[[DONE0]], %c32_i32
// CHECK: %[[CUT0:.*]] = arith.addi %{{.*}}, %[[POSITIONS0]]
// CHECK: %[[FIELD1:.*]] = arith.addi %[[WARP_BYTES]], %c4_i32
// CHECK: %[[PLACE1:.*]] = llvm.getelementptr %[[SHARES]][%[[FIELD1]]]
// CHECK: llvm.store %[[CUT0]], %[[PLACE1]]
// CHECK: arith.addi %[[WARP_BYTES]], %c8_i32
// CHECK: llvm.store
// CHECK: arith.addi %[[WARP_BYTES]], %c12_i32
// CHECK: llvm.store
// The one behind the last warp starts behind the last vector-row; all do if there is none.
// CHECK: %[[IS_KNOWN:.*]] = arith.cmpi ult, %[[T]], %c3_i32
// CHECK: %[[IS_BEHIND:.*]] = arith.cmpi uge, %[[T]], %c2_i32
// CHECK: %[[IS_NONE:.*]] = arith.cmpi eq, %[[COUNT]], %c0_i32
// CHECK: %[[IS_EITHER:.*]] = arith.ori %[[IS_BEHIND]], %[[IS_NONE]]
// CHECK: %[[IS_OVER:.*]] = arith.andi %[[IS_KNOWN]], %[[IS_EITHER]]
// CHECK: scf.if %[[IS_OVER]]
// CHECK: llvm.store %[[COUNT]]
gpu.func @cut_shares(%count: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %groups = magicube_gpu.alloc_tile : !groups
  %shares = magicube_gpu.alloc_tile : !shares
  magicube_gpu.cut_shares %groups count %count into %shares {encoding = #w, row_cost = 64 : i64, slabs = 3 : i64}
      : !groups into !shares
  gpu.return
}

// CHECK-LABEL: gpu.func @loads(
// CHECK-SAME: %[[WARP:[^:]*]]: i32, %[[FIELD:[^:]*]]: i32, %[[GROUP:[^:]*]]: i32, %[[OUT:[^:]*]]: !llvm.ptr<1>
// CHECK: %[[GROUPS:.*]] = llvm.mlir.addressof @smem
// CHECK: %[[SHARES:.*]] = llvm.getelementptr %[[GROUPS]][256]
// CHECK: %[[HIDDEN:.*]] = llvm.inline_asm has_side_effects "mov.b32 $0, $1;", "=r,r" %[[WARP]]
// CHECK: %[[WARP_BYTES:.*]] = arith.muli %[[HIDDEN]], %c16_i32
// CHECK: %[[FIELD_BYTES:.*]] = arith.muli %[[FIELD]], %c4_i32
// CHECK: %[[BYTE:.*]] = arith.addi %[[WARP_BYTES]], %[[FIELD_BYTES]]
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[SHARES]][%[[BYTE]]]
// CHECK: %[[SHARE:.*]] = llvm.load %[[PLACE]] {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK: %[[GROUP_BYTES:.*]] = arith.muli %[[GROUP]], %c8_i32
// CHECK: %[[GROUP_PLACE:.*]] = llvm.getelementptr %[[GROUPS]][%[[GROUP_BYTES]]]
// CHECK: %[[PAIR:.*]] = llvm.load %[[GROUP_PLACE]] {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: %[[START:.*]] = llvm.extractelement %[[PAIR]][%c0_i32
// CHECK: %[[END:.*]] = llvm.extractelement %[[PAIR]][%c1_i32
// CHECK: llvm.store %[[SHARE]], %[[OUT]]
// CHECK: llvm.store %[[START]], %[[OUT]]
// CHECK: llvm.store %[[END]], %[[OUT]]
gpu.func @loads(%warp: i32, %field: i32, %group: i32, %out: !llvm.ptr<1>) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %groups = magicube_gpu.alloc_tile : !groups
  %shares = magicube_gpu.alloc_tile : !shares
  %share = magicube_gpu.load_share %shares[%warp, %field] {slabs = 3 : i64} : !shares
  %start, %end = magicube_gpu.load_group %groups[%group] : !groups
  llvm.store %share, %out : i32, !llvm.ptr<1>
  llvm.store %start, %out : i32, !llvm.ptr<1>
  llvm.store %end, %out : i32, !llvm.ptr<1>
  gpu.return
}

// Eight registers, where save_fragments has put them: all lanes' of each side by side.
// CHECK-LABEL: gpu.func @add_fragments(
// CHECK-SAME: %[[ROW:[^:]*]]: i32
// CHECK: %[[LANE_BYTES:.*]] = arith.muli %{{.*}}, %c4_i32
// CHECK: %[[LANE:.*]] = llvm.getelementptr %{{.*}}[%[[LANE_BYTES]]]
// CHECK: %[[ROW_BYTES:.*]] = arith.muli %[[ROW]], %c1024_i32
// CHECK: %[[SUMS:.*]] = llvm.getelementptr %[[LANE]][%[[ROW_BYTES]]]
// CHECK: llvm.atomicrmw add %[[SUMS]], %{{.*}} syncscope("block") monotonic {alignment = 4 : i64} : !llvm.ptr<3>, i32
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[SUMS]][128]
// CHECK: llvm.atomicrmw add %[[SECOND]]
// CHECK-COUNT-5: llvm.atomicrmw add
// CHECK: %[[EIGHTH:.*]] = llvm.getelementptr %[[SUMS]][896]
// CHECK: llvm.atomicrmw add %[[EIGHTH]]
// CHECK-NOT: llvm.atomicrmw
gpu.func @add_fragments(%row: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %totals = magicube_gpu.alloc_tile : !totals
  %sum = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  magicube_gpu.add_fragments %sum, %sum to %totals[%row]
      : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32> to !totals
  gpu.return
}
}
