// RUN: magicube-opt %s --pass-pipeline="builtin.module(gpu.module(convert-magicube-gpu-to-nvvm),canonicalize,cse)" | FileCheck %s --implicit-check-not=magicube_gpu.

// Warp-level operations as nvvm and llvm ones: which loads, permutes and MMAs
// there are and how data goes from one to the next; constants that come from a
// layout (selectors, swizzle, lane bits); vectors and alignments of loads and
// stores. That addresses are right is for the tests that run kernels.

#v2 = #magicube.sr_bcrs<vector = 2>
#v4 = #magicube.sr_bcrs<vector = 4>
#v8 = #magicube.sr_bcrs<vector = 8>
#v16 = #magicube.sr_bcrs<vector = 16>
#transposed = #magicube_gpu.step<layout = <form = transposed>>
#transposed_paired = #magicube_gpu.step<layout = <form = transposed, order = paired>>
#transposed_v2 = #magicube_gpu.step<layout = <form = transposed>, vector = 2>
#transposed_v16 = #magicube_gpu.step<layout = <form = transposed>, vector = 16>
#interleaved_v2 = #magicube_gpu.step<layout = <form = interleaved>, vector = 2>
#transposed_digits_l16_v4 = #magicube_gpu.step<layout = <form = transposed, idle_columns = digits>, sparse_bits = 16, vector = 4>
#interleaved_r4_v2 = #magicube_gpu.step<layout = <form = interleaved>, dense_bits = 4, vector = 2>

!rows = !magicube_gpu.tile<rows = 32, row_bytes = 128, stages = 2, layout = <offset = 0, stage_bytes = 4096, pitch = 128, swizzle_mask = 7, swizzle_shift = 0>>
!two = !magicube_gpu.tile<rows = 1, row_bytes = 64, layout = <offset = 8192, stage_bytes = 128, pitch = 64, swizzle_mask = 0, swizzle_shift = 0>>
!four16 = !magicube_gpu.tile<rows = 1, row_bytes = 256, layout = <offset = 8192, stage_bytes = 256, pitch = 256, swizzle_mask = 0, swizzle_shift = 0>>
!eight = !magicube_gpu.tile<rows = 1, row_bytes = 256, layout = <offset = 8192, stage_bytes = 256, pitch = 256, swizzle_mask = 0, swizzle_shift = 0>>
!sixteen = !magicube_gpu.tile<rows = 1, row_bytes = 512, layout = <offset = 8192, stage_bytes = 512, pitch = 512, swizzle_mask = 0, swizzle_shift = 0>>
!a = !magicube_gpu.fragment<"m16n8k32", a, si8>
!b = !magicube_gpu.fragment<"m16n8k32", b, si8>
!c = !magicube_gpu.fragment<"m16n8k32", c, i32>

gpu.module @kernels {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

// Lane l reads the tile's row l, whose chunk c is at c ^ (l & 7).
// CHECK-LABEL: gpu.func @transpose(
// CHECK-SAME: %[[CHUNK:[^:]*]]: i32, %[[SLOT:[^:]*]]: i32
// CHECK: arith.muli %[[SLOT]], %c4096_i32
// CHECK: %[[SWIZZLE:.*]] = arith.andi %{{.*}}, %c7_i32
// CHECK: arith.xori %[[CHUNK]], %[[SWIZZLE]]
// CHECK: %[[RAW:.*]] = nvvm.ldmatrix {{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK: %[[R0:.*]] = llvm.extractvalue %[[RAW]][0]
// CHECK: %[[R1:.*]] = llvm.extractvalue %[[RAW]][1]
// CHECK: %[[R2:.*]] = llvm.extractvalue %[[RAW]][2]
// CHECK: %[[R3:.*]] = llvm.extractvalue %[[RAW]][3]
// The selectors 0x6240 (even bytes) and 0x7351 (odd ones).
// CHECK: %[[A0:.*]] = nvvm.prmt <default> %c25152_i32, %[[R0]], %[[R1]]
// CHECK: %[[A1:.*]] = nvvm.prmt <default> %c29521_i32, %[[R0]], %[[R1]]
// CHECK: %[[A2:.*]] = nvvm.prmt <default> %c25152_i32, %[[R2]], %[[R3]]
// CHECK: %[[A3:.*]] = nvvm.prmt <default> %c29521_i32, %[[R2]], %[[R3]]
// CHECK: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]]
gpu.func @transpose(%chunk: i32, %slot: i32, %b: i32, %out: !llvm.ptr<1>) kernel {
  %rows = magicube_gpu.alloc_tile : !rows
  %raw = magicube_gpu.lds_rows %rows chunk %chunk slot %slot {step = #transposed} : !rows -> <4>
  %rhs = magicube_gpu.transpose %raw {step = #transposed} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
  %lhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", b, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs, %lhs, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %lane1 = magicube_gpu.lane_id
  magicube_gpu.store_result %sum into %out[%slot, %slot] stride %slot to %b lane(%lane1)
      {component = 0 : i64, encoding = #v8, step = #transposed, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  gpu.return
}

// The other pair: 0x6420 and 0x7531.
// CHECK-LABEL: gpu.func @transpose_paired(
// CHECK: nvvm.prmt <default> %c25632_i32
// CHECK: nvvm.prmt <default> %c30001_i32
gpu.func @transpose_paired(%i: i32, %end: i32, %out: !llvm.ptr<1>) kernel {
  %rows = magicube_gpu.alloc_tile : !rows
  %raw = magicube_gpu.lds_rows %rows chunk %i {step = #transposed_paired} : !rows -> <4>
  %rhs = magicube_gpu.transpose %raw {step = #transposed_paired} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
  %lhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", b, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs, %lhs, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %lane2 = magicube_gpu.lane_id
  magicube_gpu.store_result %sum into %out[%i, %i] stride %i to %end lane(%lane2)
      {component = 0 : i64, encoding = #v8, step = #transposed_paired, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  gpu.return
}

// Lane 4g + t: 8 values of component g from position 8t on, in storage order.
// CHECK-LABEL: gpu.func @values(
// CHECK: llvm.getelementptr %{{.*}}[8192]
// CHECK: %[[T:.*]] = arith.andi %{{.*}}, %c3_i32
// CHECK: arith.shli %[[T]], %c3_i32
// CHECK: arith.muli %{{.*}}, %c32_i32
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK-NOT: arith.select
// CHECK: nvvm.mma.sync
gpu.func @values(%i: i32, %end: i32, %out: !llvm.ptr<1>) kernel {
  %values = magicube_gpu.alloc_tile : !eight
  %lhs = magicube_gpu.lds_values %values {encoding = #v8, step = #transposed} : !eight -> !b
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs, %lhs, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %lane3 = magicube_gpu.lane_id
  magicube_gpu.store_result %sum into %out[%i, %i] stride %i to %end lane(%lane3)
      {component = 0 : i64, encoding = #v8, step = #transposed, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  gpu.return
}

// Lanes of components that the vector does not have read one that it has.
// CHECK-LABEL: gpu.func @values_of_short_vector(
// CHECK: %[[G:.*]] = arith.shrui
// CHECK: arith.andi %[[G]], %c1_i32
// CHECK: %[[WORDS:.*]] = llvm.load {{.*}} -> vector<2xi32>
// CHECK: %[[B0:.*]] = llvm.extractelement %[[WORDS]][%c0_i32
// CHECK: %[[B1:.*]] = llvm.extractelement %[[WORDS]][%c1_i32
// CHECK: nvvm.mma.sync A[{{.*}}] B[%[[B0]], %[[B1]]]
// Only two of the eight rows are stored.
// CHECK: arith.cmpi ult, %{{.*}}, %c2_i32
// CHECK: llvm.store
gpu.func @values_of_short_vector(%i: i32, %end: i32, %out: !llvm.ptr<1>) kernel {
  %values = magicube_gpu.alloc_tile : !two
  %lhs = magicube_gpu.lds_values %values {encoding = #v2, step = #transposed_v2} : !two -> !b
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs, %lhs, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %lane4 = magicube_gpu.lane_id
  magicube_gpu.store_result %sum into %out[%i, %i] stride %i to %end lane(%lane4)
      {component = 0 : i64, encoding = #v2, step = #transposed_v2, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  gpu.return
}

// Two fragments: components 0 to 7 and 8 to 15.
// CHECK-LABEL: gpu.func @values_of_long_vector(
// CHECK: %[[G:.*]] = arith.shrui
// CHECK: llvm.load {{.*}} -> vector<2xi32>
// CHECK: arith.addi %[[G]], %c8_i32
// CHECK: llvm.load {{.*}} -> vector<2xi32>
// CHECK-COUNT-2: nvvm.mma.sync
gpu.func @values_of_long_vector(%i: i32, %end: i32, %out: !llvm.ptr<1>) kernel {
  %values = magicube_gpu.alloc_tile : !sixteen
  %lhs:2 = magicube_gpu.lds_values %values {encoding = #v16, step = #transposed_v16} : !sixteen -> !b, !b
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %low = magicube_gpu.mma %rhs, %lhs#0, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %high = magicube_gpu.mma %rhs, %lhs#1, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %lane5 = magicube_gpu.lane_id
  magicube_gpu.store_result %low into %out[%i, %i] stride %i to %end lane(%lane5)
      {component = 0 : i64, encoding = #v16, step = #transposed_v16, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %lane6 = magicube_gpu.lane_id
  magicube_gpu.store_result %high into %out[%i, %i] stride %i to %end lane(%lane6)
      {component = 8 : i64, encoding = #v16, step = #transposed_v16, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  gpu.return
}

// Interleaved: two calls of two chunks, raw registers are A, and the zeros in B do
// the transposing: 0x4240 / 0x2404 for even positions, 0x4341 / 0x3414 for odd.
// CHECK-LABEL: gpu.func @interleave(
// CHECK: %[[LOW:.*]] = nvvm.ldmatrix
// CHECK: %[[L0:.*]] = llvm.extractvalue %[[LOW]][0]
// CHECK: %[[HIGH:.*]] = nvvm.ldmatrix
// CHECK: %[[H0:.*]] = llvm.extractvalue %[[HIGH]][0]
// CHECK: arith.andi %{{.*}}, %c16_i32
// CHECK: %[[SELECTOR0:.*]] = arith.select %{{.*}}, %c16960_i32, %c9220_i32
// CHECK-COUNT-2: nvvm.prmt <default> %[[SELECTOR0]], %{{.*}}, %c0_i32
// CHECK: arith.select %{{.*}}, %c17217_i32, %c13332_i32
// CHECK: nvvm.mma.sync A[%[[L0]],
// CHECK: nvvm.mma.sync A[%[[H0]],
// Lanes that differ in bit 1 trade registers, so that columns are neighbours.
// CHECK-COUNT-2: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c2_i32, %c31_i32
// CHECK: llvm.store
gpu.func @interleave(%i: i32, %end: i32, %out: !llvm.ptr<1>) kernel {
  %rows = magicube_gpu.alloc_tile : !rows
  %values = magicube_gpu.alloc_tile : !two
  %raw0 = magicube_gpu.lds_rows %rows chunk %i {step = #interleaved_v2} : !rows -> <4>
  %raw1 = magicube_gpu.lds_rows %rows chunk %i {step = #interleaved_v2, call = 1 : i64} : !rows -> <4>
  %rhs0 = magicube_gpu.transpose %raw0 {step = #interleaved_v2} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
  %rhs1 = magicube_gpu.transpose %raw1 {step = #interleaved_v2} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
  %lhs:2 = magicube_gpu.lds_values %values {encoding = #v2, step = #interleaved_v2} : !two -> !b, !b
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %some = magicube_gpu.mma %rhs0, %lhs#0, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs1, %lhs#1, %some : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %lane7 = magicube_gpu.lane_id
  %sum_x = magicube_gpu.exchange_lanes %sum lane(%lane7) {lane_bit = 1 : i64, register_bit = 1 : i64} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<4>
  magicube_gpu.store_result %sum_x into %out[%i, %i] stride %i to %end lane(%lane7)
      {component = 0 : i64, encoding = #v2, step = #interleaved_v2, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.registers<4>
  gpu.return
}

// Two digits of a vector in lanes that differ in bit 2; their sums, in neighbouring
// registers of a lane, are added: r0 + r1 * 256, r2 + r3 * 256.
// CHECK-LABEL: gpu.func @stacked(
// CHECK: llvm.load {{.*}} -> vector<4xi32>
// CHECK: %[[DIGIT:.*]] = arith.andi %{{.*}}, %c4_i32
// CHECK: %[[IS_LOW:.*]] = arith.cmpi eq, %[[DIGIT]], %c0_i32
// CHECK: %[[SELECTOR:.*]] = arith.select %[[IS_LOW]], %c25632_i32, %c30001_i32
// CHECK: nvvm.prmt <default> %[[SELECTOR]]
// CHECK: %[[SUM:.*]] = nvvm.mma.sync
// CHECK: %[[S0:.*]] = llvm.extractvalue %[[SUM]][0]
// CHECK: %[[S1:.*]] = llvm.extractvalue %[[SUM]][1]
// CHECK: %[[HIGH:.*]] = arith.shli %[[S1]], %c8_i32
// CHECK: arith.addi %[[S0]], %[[HIGH]]
// CHECK-COUNT-1: llvm.store
// CHECK-NOT: llvm.store
gpu.func @stacked(%i: i32, %end: i32, %out: !llvm.ptr<1>) kernel {
  %values = magicube_gpu.alloc_tile : !four16
  %lhs = magicube_gpu.lds_values %values {encoding = #v4, step = #transposed_digits_l16_v4} : !four16 -> !magicube_gpu.fragment<"m16n8k32", b, ui8>
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs, %lhs, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, ui8>, <"m16n8k32", c, i32>
  %lane8 = magicube_gpu.lane_id
  %sum_x = magicube_gpu.exchange_lanes %sum lane(%lane8) {fold_shift = 8 : i64} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<2>
  magicube_gpu.store_result %sum_x into %out[%i, %i] stride %i to %end lane(%lane8)
      {component = 0 : i64, encoding = #v4, step = #transposed_digits_l16_v4, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.registers<2>
  gpu.return
}

// 4-bit dense values: low ones biased in one instruction, high ones as 16 times
// their value; what that makes of a sum is shifted off again, by its sign.
// CHECK-LABEL: gpu.func @scaled_nibbles(
// CHECK: %[[LOW:.*]] = llvm.inline_asm "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,r,r" %[[RAW:.*]], %c252645135_i32, %c134744072_i32
// CHECK: %[[HIGH:.*]] = arith.andi %[[RAW]], %c-252645136_i32
// CHECK: nvvm.mma.sync A[%[[LOW]],
// CHECK: %[[SUM:.*]] = nvvm.mma.sync A[%[[HIGH]],
// CHECK: %[[S0:.*]] = llvm.extractvalue %[[SUM]][0]
// CHECK: arith.shrsi %[[S0]], %c4_i32
// CHECK: arith.shrui %[[S0]], %c4_i32
gpu.func @scaled_nibbles(%i: i32, %end: i32, %out: !llvm.ptr<1>) kernel {
  %rows = magicube_gpu.alloc_tile : !rows
  %raw = magicube_gpu.lds_rows %rows chunk %i {step = #interleaved_v2} : !rows -> <4>
  %low, %high = magicube_gpu.transpose %raw {biased, step = #interleaved_r4_v2, scaled}
      : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, ui8>, !magicube_gpu.fragment<"m16n8k32", a, si8>
  %lhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", b, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %even = magicube_gpu.mma %low, %lhs, %zero : <"m16n8k32", a, ui8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %odd = magicube_gpu.mma %high, %lhs, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %signed = magicube_gpu.combine %odd {shifts = array<i64: -4>, negate = array<i1: false>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %unsigned = magicube_gpu.combine %odd {logical, shifts = array<i64: -4>, negate = array<i1: false>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %lane9 = magicube_gpu.lane_id
  %even_x = magicube_gpu.exchange_lanes %even lane(%lane9) {lane_bit = 1 : i64, register_bit = 1 : i64} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<4>
  %signed_x = magicube_gpu.exchange_lanes %signed lane(%lane9) {lane_bit = 1 : i64, register_bit = 1 : i64} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<4>
  magicube_gpu.store_result %even_x, %signed_x into %out[%i, %i] stride %i to %end lane(%lane9)
      {component = 0 : i64, encoding = #v2, step = #interleaved_r4_v2, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>}
      : !magicube_gpu.registers<4>, !magicube_gpu.registers<4>
  %lane10 = magicube_gpu.lane_id
  %unsigned_x = magicube_gpu.exchange_lanes %unsigned lane(%lane10) {lane_bit = 1 : i64, register_bit = 1 : i64} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<4>
  magicube_gpu.store_result %even_x, %unsigned_x into %out[%i, %i] stride %i to %end lane(%lane10)
      {component = 0 : i64, encoding = #v2, step = #interleaved_r4_v2, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>}
      : !magicube_gpu.registers<4>, !magicube_gpu.registers<4>
  gpu.return
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

// Register r of lane 4g + t: row 2t + (r & 1), column 2g + (r >> 1). Two columns
// are one store; offsets have 64 bits.
// CHECK-LABEL: gpu.func @store(
// CHECK-SAME: %[[LIMIT:[^:]*]]: i32)
// CHECK: %[[SUM:.*]] = nvvm.mma.sync
// CHECK: %[[S0:.*]] = llvm.extractvalue %[[SUM]][0]
// CHECK: %[[S1:.*]] = llvm.extractvalue %[[SUM]][1]
// CHECK: %[[S2:.*]] = llvm.extractvalue %[[SUM]][2]
// CHECK: %[[S3:.*]] = llvm.extractvalue %[[SUM]][3]
// CHECK: %[[IS_INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %[[LIMIT]]
// CHECK: scf.if %[[IS_INSIDE]]
// CHECK: %[[ROW_OFFSET:.*]] = arith.muli {{.*}} : i64
// CHECK: arith.addi %[[ROW_OFFSET]], {{.*}} : i64
// CHECK: %[[LEFT:.*]] = llvm.insertelement %[[S0]], %{{.*}}[%c0_i32
// CHECK: %[[BOTH:.*]] = llvm.insertelement %[[S2]], %[[LEFT]][%c1_i32
// CHECK: llvm.store %[[BOTH]], {{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK: scf.if %[[IS_INSIDE]]
// CHECK: %[[LEFT:.*]] = llvm.insertelement %[[S1]], %{{.*}}[%c0_i32
// CHECK: %[[BOTH:.*]] = llvm.insertelement %[[S3]], %[[LEFT]][%c1_i32
// CHECK: llvm.store %[[BOTH]], {{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
gpu.func @store(%out: !llvm.ptr<1>, %row: i32, %column: i32, %stride: i32, %limit: i32) kernel {
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %lhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", b, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs, %lhs, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %lane11 = magicube_gpu.lane_id
  magicube_gpu.store_result %sum into %out[%row, %column] stride %stride to %limit lane(%lane11)
      {component = 0 : i64, encoding = #v8, step = #transposed, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 16>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  gpu.return
}

// One column at a time, each with its own test; what is there is added to.
// CHECK-LABEL: gpu.func @accumulate(
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NOT: llvm.load
gpu.func @accumulate(%out: !llvm.ptr<1>, %row: i32, %column: i32, %stride: i32, %limit: i32) kernel {
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %lane12 = magicube_gpu.lane_id
  magicube_gpu.store_result %zero into %out[%row, %column] stride %stride to %limit lane(%lane12)
      {accumulate, component = 0 : i64, encoding = #v8, step = #transposed, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 1>}
      : !magicube_gpu.fragment<"m16n8k32", c, i32>
  gpu.return
}

// The epilogue step by step; scales by number, row and column, the bias by column.
// CHECK-LABEL: gpu.func @epilogue(
// CHECK-SAME: %[[SCALE:[^:]*]]: f32, %[[BY_ROW:[^:]*]]: !llvm.ptr<1>, %[[BY_COLUMN:[^:]*]]: !llvm.ptr<1>
// CHECK: scf.if
// CHECK: %[[SUM:.*]] = arith.sitofp %{{.*}} : i32 to f32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[SCALE]] : f32
// CHECK: llvm.getelementptr %[[BY_ROW]]
// CHECK: %[[TWICE:.*]] = arith.mulf %[[SCALED]], %{{.*}} : f32
// CHECK: llvm.getelementptr %[[BY_COLUMN]]
// CHECK: %[[BIASED:.*]] = arith.addf %[[TWICE]], %{{.*}} : f32
// CHECK: %[[RELU:.*]] = arith.select %{{.*}}, %[[BIASED]], %{{.*}} : f32
// CHECK: arith.truncf %[[RELU]] : f32 to f16
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
gpu.func @epilogue(%scale: f32, %by_row: !llvm.ptr<1>, %by_column: !llvm.ptr<1>, %out: !llvm.ptr<1>,
                   %row: i32, %column: i32, %stride: i32, %limit: i32) kernel {
  %values = magicube_gpu.alloc_tile : !eight
  %lhs = magicube_gpu.lds_values %values {encoding = #v8, step = #transposed} : !eight -> !b
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs, %lhs, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %lane = magicube_gpu.lane_id
  magicube_gpu.store_result %sum into %out[%row, %column] stride %stride to %limit lane(%lane)
      {component = 0 : i64, encoding = #v8, step = #transposed, result_type = f16,
       map = #magicube_gpu.result_map<order = row_major, alignment = 16>} : !magicube_gpu.fragment<"m16n8k32", c, i32> {
  ^bb0(%s: i32, %i: i32, %j: i32):
    %x = magicube_gpu.epilogue %s[%i, %j] (%scale, %by_row, %by_column : f32, !llvm.ptr<1>, !llvm.ptr<1>)
        {epilogue = #magicube.epilogue<scale none, scale row, bias column, relu -> f16>} : i32 -> f16
    magicube_gpu.yield %x : f16
  }
  gpu.return
}

// The epilogue of all registers of an accumulator, without a store.
// CHECK-LABEL: gpu.func @epilogue_of_fragment(
// CHECK-SAME: %[[SCALE:[^:]*]]: f32
// CHECK: %[[SUM:.*]] = nvvm.mma.sync
// CHECK: %[[S0:.*]] = llvm.extractvalue %[[SUM]][0]
// CHECK: %[[F0:.*]] = arith.sitofp %[[S0]] : i32 to f32
// CHECK: %[[X0:.*]] = arith.mulf %[[F0]], %[[SCALE]] : f32
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT: arith.mulf
gpu.func @epilogue_of_fragment(%scale: f32, %out: !llvm.ptr<1>, %i: i32) kernel {
  %values = magicube_gpu.alloc_tile : !eight
  %lhs = magicube_gpu.lds_values %values {encoding = #v8, step = #transposed} : !eight -> !b
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs, %lhs, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %x = magicube_gpu.epilogue %sum (%scale : f32) {epilogue = #magicube.epilogue<scale none -> f32>}
      : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.fragment<"m16n8k32", c, f32>
  %lane = magicube_gpu.lane_id
  magicube_gpu.store_result %x into %out[%i, %i] stride %i to %i lane(%lane)
      {component = 0 : i64, encoding = #v8, step = #transposed, result_type = f32,
       map = #magicube_gpu.result_map<order = row_major, alignment = 16>} : !magicube_gpu.fragment<"m16n8k32", c, f32> {
  ^bb0(%s: f32, %r: i32, %c: i32):
    magicube_gpu.yield %s : f32
  }
  gpu.return
}

// Registers 2i + 1 are digits of weight 2^8; then lanes that differ in bit 2
// swap a register. What is opaque stays a copy.
// CHECK-LABEL: gpu.func @exchange(
// CHECK: %[[LANE:.*]] = llvm.inline_asm has_side_effects "mov.b32 $0, $1;", "=r,r"
// CHECK: %[[SUM:.*]] = nvvm.mma.sync
// CHECK: %[[S1:.*]] = llvm.extractvalue %[[SUM]][1]
// CHECK: %[[DIGIT:.*]] = arith.shli %[[S1]], %c8_i32
// CHECK: arith.addi %{{.*}}, %[[DIGIT]]
// CHECK: arith.andi %[[LANE]], %c4_i32
// CHECK: %[[SENT:.*]] = arith.select
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %[[SENT]], %c4_i32, %c31_i32
// CHECK-NOT: nvvm.shfl
gpu.func @exchange(%out: !llvm.ptr<1>, %i: i32) kernel {
  %id = magicube_gpu.lane_id
  %lane = magicube_gpu.optimization_barrier %id
  %values = magicube_gpu.alloc_tile : !eight
  %lhs = magicube_gpu.lds_values %values {encoding = #v8, step = #transposed} : !eight -> !b
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.mma %rhs, %lhs, %zero : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
  %r = magicube_gpu.exchange_lanes %sum lane(%lane) {fold_shift = 8 : i64, lane_bit = 2 : i64, register_bit = 0 : i64}
      : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<2>
  gpu.return
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

// Accumulators pass through a loop as four registers. What the passes told each
// other is gone at the end.
// CHECK-LABEL: gpu.func @loop(
// CHECK-NOT: magicube_gpu
// CHECK: scf.for {{.*}} -> (i32, i32, i32, i32)
// CHECK: scf.if {{.*}} -> (i32, i32, i32, i32)
gpu.func @loop(%n: i32, %p: i1, %a: i32, %out: !llvm.ptr<1>)
    kernel attributes {magicube_gpu.stages = 2 : i64, magicube_gpu.shared_memory = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %values = magicube_gpu.alloc_tile : !eight
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %lhs = magicube_gpu.lds_values %values {encoding = #v8, step = #transposed} : !eight -> !b
    %chosen = scf.if %p -> !c {
      %next = magicube_gpu.mma %rhs, %lhs, %acc : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
      scf.yield %next : !c
    } else {
      scf.yield %acc : !c
    }
    scf.yield %chosen : !c
  }
  %lane13 = magicube_gpu.lane_id
  magicube_gpu.store_result %sum into %out[%n, %n] stride %n to %a lane(%lane13)
      {component = 0 : i64, encoding = #v8, step = #transposed, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  gpu.return
}
}
