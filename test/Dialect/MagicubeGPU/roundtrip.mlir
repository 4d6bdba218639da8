// RUN: magicube-opt %s -o %t.text
// RUN: FileCheck %s --input-file=%t.text
// RUN: magicube-opt %t.text -o %t.again
// RUN: diff %t.text %t.again
// RUN: magicube-opt %s --mlir-print-op-generic | magicube-opt -o %t.generic
// RUN: diff %t.text %t.generic
// RUN: magicube-opt %s --emit-bytecode | magicube-opt -o %t.bytecode
// RUN: diff %t.text %t.bytecode

#w = #magicube.sr_bcrs<vector = 8>
#transposed = #magicube_gpu.step<layout = <form = transposed>>
#transposed_l16_v16 = #magicube_gpu.step<layout = <form = transposed>, sparse_bits = 16, vector = 16>

// Defaults are elided.
// CHECK-DAG: #[[STEP:step[0-9]*]] = #magicube_gpu.step<layout = <form = transposed>>
// CHECK-DAG: #[[WIDE:step[0-9]*]] = #magicube_gpu.step<layout = <form = transposed>, sparse_bits = 16, vector = 16>

// Every row of the MMA table and every sign. One stage and no layout are elided.
// CHECK-LABEL: @types
// CHECK-SAME: !magicube_gpu.fragment<"m16n8k32", a, si8>
// CHECK-SAME: !magicube_gpu.fragment<"m16n8k16", b, ui8>
// CHECK-SAME: !magicube_gpu.fragment<"m8n8k16", c, i32>
// CHECK-SAME: !magicube_gpu.fragment<"m16n8k64", a, ui4>
// CHECK-SAME: !magicube_gpu.fragment<"m16n8k32", b, si4>
// CHECK-SAME: !magicube_gpu.fragment<"m8n8k32", c, i32>
// CHECK-SAME: !magicube_gpu.registers<4>
// CHECK-SAME: !magicube_gpu.tile<rows = 32, row_bytes = 128>
// CHECK-SAME: !magicube_gpu.tile<rows = 32, row_bytes = 64, stages = 4, layout = <offset = 128, stage_bytes = 2048, pitch = 64, swizzle_mask = 3, swizzle_shift = 1>>
func.func private @types(
    !magicube_gpu.fragment<"m16n8k32", a, si8>, !magicube_gpu.fragment<"m16n8k16", b, ui8>,
    !magicube_gpu.fragment<"m8n8k16", c, i32>, !magicube_gpu.fragment<"m16n8k64", a, ui4>,
    !magicube_gpu.fragment<"m16n8k32", b, si4>, !magicube_gpu.fragment<"m8n8k32", c, i32>,
    !magicube_gpu.registers<4>, !magicube_gpu.tile<rows = 32, row_bytes = 128, stages = 1>,
    !magicube_gpu.tile<rows = 32, row_bytes = 64, stages = 4,
      layout = <offset = 128, stage_bytes = 2048, pitch = 64, swizzle_mask = 3, swizzle_shift = 1>>)

// CHECK-LABEL: gpu.func @operations
gpu.module @kernels {
  gpu.func @operations(%g: !llvm.ptr<1>, %i: i32, %p: i1, %f: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, magicube_gpu.stages = 2 : i64} {
    // CHECK: %[[ROWS:.*]] = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 32, stages = 2>
    // CHECK: %[[VALUES:.*]] = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
    %rows = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 32, stages = 2>
    %values = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>

    // With and without what is optional.
    // CHECK: magicube_gpu.ldg_gather_indices %{{.*}} at %{{.*}} to %{{.*}} {encoding = #magicube.sr_bcrs<vector = 8>, row_bytes = 32 : i64, step = #[[STEP]]} : i32, i32
    // CHECK: magicube_gpu.ldg_gather_indices %{{.*}} at %{{.*}} to %{{.*}} if %{{.*}} {encoding
    %columns:2 = magicube_gpu.ldg_gather_indices %g at %i to %i
        {encoding = #w, step = #transposed, row_bytes = 32 : i64} : i32, i32
    %more:2 = magicube_gpu.ldg_gather_indices %g at %i to %i if %p
        {encoding = #w, step = #transposed, row_bytes = 32 : i64} : i32, i32

    // CHECK: magicube_gpu.cp_async_gathered_rows %{{.*}}[%{{.*}}, %{{.*}}] stride %{{.*}} at %{{.*}} to %{{.*}} into %[[ROWS]] {alignment = 16 : i64} : <rows = 32, row_bytes = 32, stages = 2>
    // CHECK: magicube_gpu.cp_async_gathered_rows %{{.*}}[%{{.*}}, %{{.*}}] stride %{{.*}} at %{{.*}} to %{{.*}} into %[[ROWS]] slot %{{.*}} if %{{.*}} {alignment = 1 : i64}
    magicube_gpu.cp_async_gathered_rows %g[%columns#0, %columns#1] stride %i at %i to %i into %rows
        {alignment = 16 : i64} : <rows = 32, row_bytes = 32, stages = 2>
    magicube_gpu.cp_async_gathered_rows %g[%more#0, %more#1] stride %i at %i to %i into %rows slot %i if %p
        {alignment = 1 : i64} : <rows = 32, row_bytes = 32, stages = 2>

    // CHECK: magicube_gpu.cp_async_values %{{.*}} at %{{.*}} to %{{.*}} into %[[VALUES]] {encoding = #magicube.sr_bcrs<vector = 8>} : <rows = 1, row_bytes = 256>
    // CHECK: magicube_gpu.cp_async_values %{{.*}} at %{{.*}} to %{{.*}} into %[[VALUES]] slot %{{.*}} if %{{.*}} {encoding
    magicube_gpu.cp_async_values %g at %i to %i into %values {encoding = #w} : <rows = 1, row_bytes = 256>
    magicube_gpu.cp_async_values %g at %i to %i into %values slot %i if %p {encoding = #w}
        : <rows = 1, row_bytes = 256>
    // CHECK: magicube_gpu.await_copies
    magicube_gpu.await_copies

    // CHECK: %[[RAW:.*]] = magicube_gpu.lds_rows %[[ROWS]] chunk %{{.*}} {step = #[[STEP]]} : <rows = 32, row_bytes = 32, stages = 2> -> <4>
    // CHECK: magicube_gpu.lds_rows %[[ROWS]] chunk %{{.*}} slot %{{.*}} {step = #[[STEP]]}
    %raw = magicube_gpu.lds_rows %rows chunk %i {step = #transposed}
        : <rows = 32, row_bytes = 32, stages = 2> -> <4>
    %raw_slot = magicube_gpu.lds_rows %rows chunk %i slot %i {step = #transposed}
        : <rows = 32, row_bytes = 32, stages = 2> -> <4>
    // CHECK: %[[A:.*]] = magicube_gpu.transpose %[[RAW]] {step = #[[STEP]]} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
    %a = magicube_gpu.transpose %raw {step = #transposed} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
    // CHECK: %[[B:.*]] = magicube_gpu.lds_values %[[VALUES]] slot %{{.*}} {encoding = #magicube.sr_bcrs<vector = 8>, step = #[[STEP]]} : <rows = 1, row_bytes = 256> -> !magicube_gpu.fragment<"m16n8k32", b, ui8>
    %b = magicube_gpu.lds_values %values slot %i {encoding = #w, step = #transposed}
        : <rows = 1, row_bytes = 256> -> !magicube_gpu.fragment<"m16n8k32", b, ui8>
    // CHECK: %[[ZERO:.*]] = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
    %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
    // CHECK: %[[C:.*]] = magicube_gpu.mma %[[A]], %[[B]], %[[ZERO]] : <"m16n8k32", a, si8>, <"m16n8k32", b, ui8>, <"m16n8k32", c, i32>
    %c = magicube_gpu.mma %a, %b, %zero
        : <"m16n8k32", a, si8>, <"m16n8k32", b, ui8>, <"m16n8k32", c, i32>
    // CHECK: %[[ID:.*]] = magicube_gpu.lane_id
    // CHECK: %[[LANE:.*]] = magicube_gpu.optimization_barrier %[[ID]]
    %id = magicube_gpu.lane_id
    %lane = magicube_gpu.optimization_barrier %id
    // CHECK: magicube_gpu.store_result %[[C]] into %{{.*}}[%{{.*}}, %{{.*}}] stride %{{.*}} to %{{.*}} lane(%[[LANE]]) {accumulate, component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>, result_type = i32, step = #[[STEP]]} : !magicube_gpu.fragment<"m16n8k32", c, i32>{{$}}
    magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%lane)
        {accumulate, component = 0 : i64, encoding = #w, step = #transposed, result_type = i32,
         map = #magicube_gpu.result_map<order = row_major, alignment = 4>}
        : !magicube_gpu.fragment<"m16n8k32", c, i32>
    // CHECK: magicube_gpu.store_result %[[C]] {{.*}}map = #magicube_gpu.result_map<order = row_major, alignment = 16, streaming = true>{{.*}}result_type = i4, step = #[[STEP]]} {{.*}} {
    // CHECK-NEXT: ^bb0(%[[S:.*]]: i32, %[[ROW:.*]]: i32, %[[COLUMN:.*]]: i32):
    // CHECK-NEXT: %[[X:.*]] = magicube_gpu.epilogue %[[S]][%[[ROW]], %[[COLUMN]]] (%{{.*}}, %{{.*}} : f32, !llvm.ptr<1>) {epilogue = #magicube.epilogue<scale none, bias column, relu -> ui4>} : i32 -> i32
    // CHECK-NEXT: magicube_gpu.yield %[[X]] : i32
    magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%lane)
        {component = 0 : i64, encoding = #w, step = #transposed, result_type = i4,
         map = #magicube_gpu.result_map<order = row_major, alignment = 16, streaming = true>}
        : !magicube_gpu.fragment<"m16n8k32", c, i32> {
    ^bb0(%s: i32, %row: i32, %column: i32):
      %x = magicube_gpu.epilogue %s[%row, %column] (%f, %g : f32, !llvm.ptr<1>)
          {epilogue = #magicube.epilogue<scale none, bias column, relu -> ui4>} : i32 -> i32
      magicube_gpu.yield %x : i32
    }
    // CHECK: %[[SUM:.*]] = magicube_gpu.combine_float %[[C]], %[[C]] {shifts = array<i64: 0, 8>} : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32> -> <"m16n8k32", c, f32>
    // CHECK: magicube_gpu.epilogue %[[SUM]] {epilogue = #magicube.epilogue<float_sums, gelu -> f32>} : !magicube_gpu.fragment<"m16n8k32", c, f32> -> !magicube_gpu.fragment<"m16n8k32", c, f32>
    %sum = magicube_gpu.combine_float %c, %c {shifts = array<i64: 0, 8>}
        : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32>
       -> !magicube_gpu.fragment<"m16n8k32", c, f32>
    %gelu = magicube_gpu.epilogue %sum {epilogue = #magicube.epilogue<float_sums, gelu -> f32>}
        : !magicube_gpu.fragment<"m16n8k32", c, f32> -> !magicube_gpu.fragment<"m16n8k32", c, f32>
    // CHECK: magicube_gpu.exchange_lanes %[[C]] lane(%[[LANE]]) {fold_shift = 8 : i64, lane_bit = 4 : i64, register_bit = 0 : i64} : <"m16n8k32", c, i32> -> <2>
    %two = magicube_gpu.exchange_lanes %c lane(%lane) {fold_shift = 8 : i64, lane_bit = 4 : i64, register_bit = 0 : i64}
        : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<2>
    gpu.return
  }
}

// A stationary dense operand.
// CHECK-LABEL: gpu.func @stationary
gpu.module @stationary_kernels {
  gpu.func @stationary(%g: !llvm.ptr<1>, %i: i32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    // The default form is elided.
    // CHECK: %[[SLAB:.*]] = magicube_gpu.alloc_tile {form = #magicube.shared_form<padded>} : <rows = 100, row_bytes = 48>
    // CHECK: magicube_gpu.alloc_tile {form = #magicube.shared_form<plain>} : <rows = 2, row_bytes = 16>
    // CHECK: %[[STARTS:.*]] = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 32>
    %slab = magicube_gpu.alloc_tile {form = #magicube.shared_form<padded>} : <rows = 100, row_bytes = 48>
    %plain = magicube_gpu.alloc_tile {form = #magicube.shared_form<plain>} : <rows = 2, row_bytes = 16>
    %starts = magicube_gpu.alloc_tile {form = #magicube.shared_form<conflict_free>} : <rows = 1, row_bytes = 32>
    %count = arith.constant 99 : i32
    // CHECK: magicube_gpu.cp_async_rows %{{.*}} count %c99_i32 stride %{{.*}} at %{{.*}} to %{{.*}} into %[[SLAB]] {alignment = 16 : i64} : <rows = 100, row_bytes = 48>
    magicube_gpu.cp_async_rows %g count %count stride %i at %i to %i into %slab {alignment = 16 : i64}
        : <rows = 100, row_bytes = 48>
    // CHECK: %[[WARP:.*]] = magicube_gpu.optimization_barrier %{{.*}}
    // CHECK: %[[ROW:.*]]:4 = magicube_gpu.lds_words %[[STARTS]][%[[WARP]]] : <rows = 1, row_bytes = 32> -> i32, i32, i32, i32
    // CHECK: magicube_gpu.sts_words %[[ROW]]#1, %[[ROW]]#0 into %[[STARTS]][%{{.*}}] : <rows = 1, row_bytes = 32>
    // CHECK: magicube_gpu.cp_async_words %{{.*}}[%{{.*}}] into %[[STARTS]][%{{.*}}] {bytes = 8 : i64} : <rows = 1, row_bytes = 32>
    %warp = magicube_gpu.optimization_barrier %i
    %row:4 = magicube_gpu.lds_words %starts[%warp] : <rows = 1, row_bytes = 32> -> i32, i32, i32, i32
    magicube_gpu.sts_words %row#1, %row#0 into %starts[%i] : <rows = 1, row_bytes = 32>
    magicube_gpu.cp_async_words %g[%i] into %starts[%i] {bytes = 8 : i64} : <rows = 1, row_bytes = 32>
    %position = magicube_gpu.lds_words %starts[%i] : <rows = 1, row_bytes = 32> -> i32
    // CHECK: %[[COLUMN:.*]] = magicube_gpu.ldg_indices %{{.*}} at %{{.*}} {encoding = #magicube.sr_bcrs<vector = 8>, step = #[[STEP]]} : i32
    %column = magicube_gpu.ldg_indices %g at %position {encoding = #w, step = #transposed} : i32
    // CHECK: %[[WORDS:.*]] = magicube_gpu.ldg_values %{{.*}} at %{{.*}} {encoding = #magicube.sr_bcrs<vector = 8>, step = #[[STEP]]} : <2>
    // CHECK: magicube_gpu.ldg_values %{{.*}} at %{{.*}} {encoding = #magicube.sr_bcrs<vector = 16>, step = #[[WIDE]]} : <8>
    %words = magicube_gpu.ldg_values %g at %position {encoding = #w, step = #transposed} : <2>
    %wide = magicube_gpu.ldg_values %g at %position
        {encoding = #magicube.sr_bcrs<vector = 16>, step = #transposed_l16_v16} : <8>
    // CHECK: %[[B:.*]] = magicube_gpu.split_values %[[WORDS]] {encoding = #magicube.sr_bcrs<vector = 8>, step = #[[STEP]]} : <2> -> !magicube_gpu.fragment<"m16n8k32", b, si8>
    %b = magicube_gpu.split_values %words {encoding = #w, step = #transposed}
        : <2> -> !magicube_gpu.fragment<"m16n8k32", b, si8>
    // CHECK: magicube_gpu.lds_rows %[[SLAB]] chunk %{{.*}} row %[[COLUMN]] {step = #[[STEP]]} : <rows = 100, row_bytes = 48> -> <4>
    // CHECK: magicube_gpu.lds_rows %[[SLAB]] chunk %{{.*}} row %[[COLUMN]] slot %{{.*}} {step
    %raw = magicube_gpu.lds_rows %slab chunk %i row %column {step = #transposed}
        : <rows = 100, row_bytes = 48> -> <4>
    %raw_slot = magicube_gpu.lds_rows %slab chunk %i row %column slot %i {step = #transposed}
        : <rows = 100, row_bytes = 48> -> <4>
    // CHECK: magicube_gpu.zero : !magicube_gpu.registers<2>
    %none = magicube_gpu.zero : !magicube_gpu.registers<2>
    // CHECK: %[[SUM:.*]] = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
    %sum = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
    // CHECK: magicube_gpu.sts_fragments %[[SUM]], %[[SUM]] into %[[SLAB]][%{{.*}}] : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32> into <rows = 100, row_bytes = 48>
    // CHECK: magicube_gpu.lds_fragments %[[SLAB]][%{{.*}}] : <rows = 100, row_bytes = 48> -> !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32>
    magicube_gpu.sts_fragments %sum, %sum into %slab[%i]
        : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32> into <rows = 100, row_bytes = 48>
    %heads:2 = magicube_gpu.lds_fragments %slab[%i]
        : <rows = 100, row_bytes = 48> -> !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32>
    gpu.return
  }
}

// Slabs of a stationary dense operand.
// CHECK-LABEL: gpu.func @slabs
gpu.module @slab_kernels {
  gpu.func @slabs(%g: !llvm.ptr<1>, %i: i32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    // CHECK: %[[SLAB:.*]] = magicube_gpu.alloc_tile : <rows = 100, row_bytes = 48, stages = 2>
    // CHECK: %[[TOTALS:.*]] = magicube_gpu.alloc_tile {form = #magicube.shared_form<plain>} : <rows = 7, row_bytes = 512>
    %slab = magicube_gpu.alloc_tile : <rows = 100, row_bytes = 48, stages = 2>
    %totals = magicube_gpu.alloc_tile {form = #magicube.shared_form<plain>} : <rows = 7, row_bytes = 512>
    // With what is optional; as many rows as there are at run time.
    // CHECK: magicube_gpu.cp_async_rows %{{.*}} count %{{.*}} stride %{{.*}} at %{{.*}} to %{{.*}} into %[[SLAB]] slot %{{.*}} {alignment = 1 : i64} : <rows = 100, row_bytes = 48, stages = 2>
    magicube_gpu.cp_async_rows %g count %i stride %i at %i to %i into %slab slot %i {alignment = 1 : i64}
        : <rows = 100, row_bytes = 48, stages = 2>
    // CHECK: %[[SUM:.*]] = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
    // CHECK: magicube_gpu.add_fragments %[[SUM]], %[[SUM]] to %[[TOTALS]][%{{.*}}] : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32> to <rows = 7, row_bytes = 512>
    %sum = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
    magicube_gpu.add_fragments %sum, %sum to %totals[%i]
        : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32> to <rows = 7, row_bytes = 512>
    gpu.return
  }
}

// CHECK: #magicube_gpu.shared_layout<offset = 0, stage_bytes = 512, pitch = 16, swizzle_mask = 0, swizzle_shift = 0>
func.func private @shared_layout() attributes {
    here = #magicube_gpu.shared_layout<offset = 0, stage_bytes = 512, pitch = 16, swizzle_mask = 0, swizzle_shift = 0>}

// Words that fill fragments, and sums of accumulators.
// CHECK-LABEL: @combined
// CHECK: %[[word:.*]] = magicube_gpu.splat -8 : <"m16n8k32", c, i32>
// CHECK: magicube_gpu.combine %[[word]], %{{.*}} {logical, negate = array<i1: false, true>, shifts = array<i64: 0, -4>} : <"m16n8k32", c, i32>
func.func @combined(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
  %word = magicube_gpu.splat -8 : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = magicube_gpu.combine %word, %c {logical, shifts = array<i64: 0, -4>, negate = array<i1: false, true>}
       : !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}
