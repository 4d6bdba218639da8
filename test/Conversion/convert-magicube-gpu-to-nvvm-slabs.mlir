// RUN: magicube-opt %s --pass-pipeline="builtin.module(gpu.module(convert-magicube-gpu-to-nvvm),canonicalize,cse)" | FileCheck %s --implicit-check-not=magicube_gpu.

#transposed = #magicube_gpu.step<layout = <form = transposed>>
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
  %k = magicube_gpu.ldg_gather_indices %idx at %i to %i
      {encoding = #magicube.sr_bcrs<vector = 8, slab = 64, index = u16>, step = #transposed, row_bytes = 32 : i64} : i32
  llvm.store %k, %out : i32, !llvm.ptr<1>
  gpu.return
}

// Eight registers, where sts_fragments has put them: all lanes' of each side by side.
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
