// RUN: magicube-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

func.func @other_vectors(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected an encoding with vectors of the step's length 4, but got #magicube.sr_bcrs<vector = 8>}}
  %0 = magicube_gpu.ldg_gather_indices %g at %i to %i
      {encoding = #magicube.sr_bcrs<vector = 8>, step = #magicube_gpu.step<layout = <form = transposed>, vector = 4>, row_bytes = 32 : i64} : i32
  return
}

// -----

func.func @no_index(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected at least one result}}
  "magicube_gpu.ldg_gather_indices"(%g, %i, %i) {encoding = #magicube.sr_bcrs<vector = 8>,
      step = #magicube_gpu.step<layout = <form = transposed>>, row_bytes = 32 : i64} : (!llvm.ptr<1>, i32, i32) -> ()
  return
}

// -----

func.func @row_no_power_of_two(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected row_bytes to be a power of two of at least 16, but got 48}}
  %0 = magicube_gpu.ldg_gather_indices %g at %i to %i
      {encoding = #magicube.sr_bcrs<vector = 8>, step = #magicube_gpu.step<layout = <form = transposed>>, row_bytes = 48 : i64} : i32
  return
}

// -----

func.func @indices_in_shared_memory(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{must be LLVM pointer in address space 1, but got '!llvm.ptr<3>'}}
  "magicube_gpu.ldg_gather_indices"(%s, %i, %i) {encoding = #magicube.sr_bcrs<vector = 8>,
      step = #magicube_gpu.step<layout = <form = transposed>>, row_bytes = 32 : i64} : (!llvm.ptr<3>, i32, i32) -> (i32)
  return
}

// -----

func.func @alignment_of_eight(%g: !llvm.ptr<1>, %i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 32>
  // expected-error@+1 {{expected alignment to be 16, 4 or 1, but got 8}}
  magicube_gpu.cp_async_gathered_rows %g[%i] stride %i at %i to %i into %t {alignment = 8 : i64}
      : <rows = 32, row_bytes = 32>
  return
}

// -----

func.func @gather_into_few_rows(%g: !llvm.ptr<1>, %i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 16, row_bytes = 32>
  // expected-error@+1 {{expected a tile of 32 rows, but got '!magicube_gpu.tile<rows = 16, row_bytes = 32>'}}
  magicube_gpu.cp_async_gathered_rows %g[%i] stride %i at %i to %i into %t {alignment = 4 : i64}
      : <rows = 16, row_bytes = 32>
  return
}

// -----

func.func @gather_into_odd_rows(%g: !llvm.ptr<1>, %i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 48>
  // expected-error@+1 {{expected row_bytes to be a power of two of at least 16, but got 48}}
  magicube_gpu.cp_async_gathered_rows %g[%i] stride %i at %i to %i into %t {alignment = 4 : i64}
      : <rows = 32, row_bytes = 48>
  return
}

// -----

func.func @values_of_other_vector(%g: !llvm.ptr<1>, %i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
  // expected-error@+1 {{expected a tile of 1 row of 128 bytes for vectors of length 4, but got '!magicube_gpu.tile<rows = 1, row_bytes = 256>'}}
  magicube_gpu.cp_async_values %g at %i to %i into %t {encoding = #magicube.sr_bcrs<vector = 4>}
      : <rows = 1, row_bytes = 256>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

func.func @two_matrices(%i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 32>
  // expected-error@+1 {{expected 4 registers, but got '!magicube_gpu.registers<2>'}}
  %0 = magicube_gpu.lds_rows %t chunk %i {step = #magicube_gpu.step<layout = <form = transposed>, vector = 16>}
      : <rows = 32, row_bytes = 32> -> <2>
  return
}

// -----

func.func @second_call_of_one(%i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 32>
  // expected-error@+1 {{expected call to be below 1 for operand layout 'transposed', but got 1}}
  %0 = magicube_gpu.lds_rows %t chunk %i {step = #magicube_gpu.step<layout = <form = transposed>, vector = 16>, call = 1 : i64}
      : <rows = 32, row_bytes = 32> -> <4>
  return
}

// -----

func.func @transpose_to_other_operand(%raw: !magicube_gpu.registers<4>) {
  // expected-error@+1 {{expected a fragment of operand a of 8-bit m16n8k32 for operand layout 'transposed', but got '!magicube_gpu.fragment<"m16n8k32", b, si8>'}}
  %0 = magicube_gpu.transpose %raw {step = #magicube_gpu.step<layout = <form = transposed>, vector = 16>} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", b, si8>
  return
}

// -----

func.func @transpose_to_other_width(%raw: !magicube_gpu.registers<4>) {
  // expected-error@+1 {{expected a fragment of operand a of 8-bit m16n8k32 for operand layout 'transposed', but got '!magicube_gpu.fragment<"m16n8k32", a, si4>'}}
  %0 = magicube_gpu.transpose %raw {step = #magicube_gpu.step<layout = <form = transposed>, vector = 16>} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si4>
  return
}

// -----

func.func @one_fragment_for_sixteen() {
  %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 512>
  // expected-error@+1 {{expected 2 fragments for operand layout 'transposed' and vectors of length 16, but got 1}}
  %0 = magicube_gpu.lds_values %t {encoding = #magicube.sr_bcrs<vector = 16>, step = #magicube_gpu.step<layout = <form = transposed>, vector = 16>}
      : <rows = 1, row_bytes = 512> -> !magicube_gpu.fragment<"m16n8k32", b, si8>
  return
}

// -----

func.func @mma_operands_swapped(%a: !magicube_gpu.fragment<"m16n8k32", a, si8>,
    %b: !magicube_gpu.fragment<"m16n8k32", b, si8>, %c: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
  // expected-error@+1 {{expected operand #0 to be a fragment of operand a, but got '!magicube_gpu.fragment<"m16n8k32", b, si8>'}}
  %0 = magicube_gpu.mma %b, %a, %c
     : <"m16n8k32", b, si8>, <"m16n8k32", a, si8>, <"m16n8k32", c, i32>
  return
}

// -----

func.func @mma_of_two_instructions(%a: !magicube_gpu.fragment<"m16n8k32", a, si8>,
    %b: !magicube_gpu.fragment<"m16n8k16", b, si8>, %c: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
  // expected-error@+1 {{expected fragments of one instruction, 'm16n8k32', but got '!magicube_gpu.fragment<"m16n8k16", b, si8>'}}
  %0 = magicube_gpu.mma %a, %b, %c
     : <"m16n8k32", a, si8>, <"m16n8k16", b, si8>, <"m16n8k32", c, i32>
  return
}

// -----

func.func @mma_of_two_widths(%a: !magicube_gpu.fragment<"m16n8k32", a, si8>,
    %b: !magicube_gpu.fragment<"m16n8k32", b, si4>, %c: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
  // expected-error@+1 {{expected a and b of the same width, but got '!magicube_gpu.fragment<"m16n8k32", a, si8>' and '!magicube_gpu.fragment<"m16n8k32", b, si4>'}}
  %0 = magicube_gpu.mma %a, %b, %c
     : <"m16n8k32", a, si8>, <"m16n8k32", b, si4>, <"m16n8k32", c, i32>
  return
}

// -----

func.func @combine_count(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
  // expected-error@+1 {{expected one of shifts and of negate per accumulator, that is 2, but got 1 and 2}}
  %0 = magicube_gpu.combine %c, %c {shifts = array<i64: 0>, negate = array<i1: false, false>}
     : !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// A stationary dense operand
//===----------------------------------------------------------------------===//

func.func @fill_with_alignment_of_two(%g: !llvm.ptr<1>, %i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 8, row_bytes = 48>
  %count = arith.constant 8 : i32
  // expected-error@+1 {{expected alignment to be 16, 4 or 1, but got 2}}
  magicube_gpu.cp_async_rows %g count %count stride %i at %i to %i into %t {alignment = 2 : i64}
      : <rows = 8, row_bytes = 48>
  return
}

// -----

func.func @fill_more_rows_than_there_are(%g: !llvm.ptr<1>, %i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 8, row_bytes = 48>
  %count = arith.constant 9 : i32
  // expected-error@+1 {{expected count to be from 0 to the tile's 8 rows, but got 9}}
  magicube_gpu.cp_async_rows %g count %count stride %i at %i to %i into %t {alignment = 4 : i64}
      : <rows = 8, row_bytes = 48>
  return
}

// -----

func.func @combine_shift(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
  // expected-error@+1 {{expected shifts from -31 to 31, but got -32}}
  %0 = magicube_gpu.combine %c {shifts = array<i64: -32>, negate = array<i1: false>}
     : !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}

// -----

func.func @fill_less_than_nothing(%g: !llvm.ptr<1>, %i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 8, row_bytes = 48>
  %count = arith.constant -1 : i32
  // expected-error@+1 {{expected count to be from 0 to the tile's 8 rows, but got -1}}
  magicube_gpu.cp_async_rows %g count %count stride %i at %i to %i into %t {alignment = 4 : i64}
      : <rows = 8, row_bytes = 48>
  return
}

// -----

func.func @scaled_bytes(%r: !magicube_gpu.registers<4>) {
  // expected-error@+1 {{expected 'biased' and 'scaled' for 4 bits only, but got 8 bits}}
  %0 = magicube_gpu.transpose %r {step = #magicube_gpu.step<layout = <form = transposed>>, scaled}
     : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
  return
}

// -----

func.func @fetch_indices_of_short_strides(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected a stride that is a multiple of 32, but got 8}}
  %0 = magicube_gpu.ldg_indices %g at %i
      {encoding = #magicube.sr_bcrs<vector = 8, stride = 8>, step = #magicube_gpu.step<layout = <form = transposed>>} : i32
  return
}

// -----

func.func @mma_on_floats(%a: !magicube_gpu.fragment<"m16n8k32", a, si8>, %b: !magicube_gpu.fragment<"m16n8k32", b, si8>,
                         %c: !magicube_gpu.fragment<"m16n8k32", c, f32>) {
  // expected-error@+1 {{expected fragments of integers, but got}}
  %d = magicube_gpu.mma %a, %b, %c : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, f32>
  return
}

// -----

func.func @fetch_indices_of_one_call(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected 2 results for operand layout 'interleaved', but got 1}}
  %0 = magicube_gpu.ldg_indices %g at %i
      {encoding = #magicube.sr_bcrs<vector = 4>, step = #magicube_gpu.step<layout = <form = interleaved>, vector = 4>} : i32
  return
}

// -----

func.func @shifts_of_float_sums(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
  // expected-error@+1 {{expected one of shifts per accumulator, that is 1, but got 2}}
  %d = magicube_gpu.combine_float %c {shifts = array<i64: 0, 8>}
      : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.fragment<"m16n8k32", c, f32>
  return
}

// -----

// expected-error@+1 {{operand layout 'interleaved' takes vectors of length up to 4, but got 8}}
#step_of_long_vectors = #magicube_gpu.step<layout = <form = interleaved>>

// -----

func.func @order_of_float_sums(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
  // expected-error@+1 {{expected ascending shifts from 0 to 31, but got 0 at #1}}
  %d = magicube_gpu.combine_float %c, %c {shifts = array<i64: 8, 0>}
      : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32>
     -> !magicube_gpu.fragment<"m16n8k32", c, f32>
  return
}

// -----

func.func @fetch_values_of_short_strides(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected a stride that is a multiple of 32, but got 16}}
  %0 = magicube_gpu.ldg_values %g at %i
      {encoding = #magicube.sr_bcrs<vector = 8, stride = 16>, step = #magicube_gpu.step<layout = <form = transposed>>} : <2>
  return
}

// -----

func.func @result_of_float_sums(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
  // expected-error@+1 {{expected a result of f32 accumulators, but got}}
  %d = magicube_gpu.combine_float %c {shifts = array<i64: 0>}
      : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}

// -----

func.func @fetch_values_of_other_width(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected 4 registers for 16-bit values of vectors of length 8, but got '!magicube_gpu.registers<2>'}}
  %0 = magicube_gpu.ldg_values %g at %i
      {encoding = #magicube.sr_bcrs<vector = 8>, step = #magicube_gpu.step<layout = <form = transposed>, sparse_bits = 16>} : <2>
  return
}

// -----

func.func @operands_of_float_sums(%c: !magicube_gpu.fragment<"m16n8k32", c, f32>) {
  // expected-error@+1 {{expected accumulators of type '!magicube_gpu.fragment<"m16n8k32", c, i32>', but got}}
  %d = magicube_gpu.combine_float %c {shifts = array<i64: 0>}
      : !magicube_gpu.fragment<"m16n8k32", c, f32> -> !magicube_gpu.fragment<"m16n8k32", c, f32>
  return
}

// -----

// expected-error@+2 {{operand layout 'transposed,paired' takes a sparse operand of 8, 12 or 16 bits, but got 4}}
// expected-note@+1 {{layouts for it: transposed; transposed,stored; raw}}
#step_of_no_width = #magicube_gpu.step<layout = <form = transposed, order = paired>, sparse_bits = 4>

// -----

// expected-error@+1 {{expected dense_bits to be from 1 to 32, but got 4294967304}}
#step_of_huge_width = #magicube_gpu.step<layout = <form = transposed>, dense_bits = 4294967304>

// -----

func.func @split_other_words(%w: !magicube_gpu.registers<4>) {
  // expected-error@+1 {{expected 2 registers for 8-bit values of vectors of length 8, but got '!magicube_gpu.registers<4>'}}
  %0 = magicube_gpu.split_values %w {encoding = #magicube.sr_bcrs<vector = 8>, step = #magicube_gpu.step<layout = <form = transposed>>}
      : <4> -> !magicube_gpu.fragment<"m16n8k32", b, si8>
  return
}

// -----

func.func @split_to_more_fragments(%w: !magicube_gpu.registers<2>) {
  // expected-error@+1 {{expected 1 fragments for operand layout 'transposed' and vectors of length 8, but got 2}}
  %0:2 = magicube_gpu.split_values %w {encoding = #magicube.sr_bcrs<vector = 8>, step = #magicube_gpu.step<layout = <form = transposed>>}
      : <2> -> !magicube_gpu.fragment<"m16n8k32", b, si8>, !magicube_gpu.fragment<"m16n8k32", b, si8>
  return
}

// -----

func.func @split_to_other_operand(%w: !magicube_gpu.registers<2>) {
  // expected-error@+1 {{expected a fragment of operand b of 8-bit m16n8k32 for operand layout 'transposed', but got '!magicube_gpu.fragment<"m16n8k32", a, si8>'}}
  %0 = magicube_gpu.split_values %w {encoding = #magicube.sr_bcrs<vector = 8>, step = #magicube_gpu.step<layout = <form = transposed>>}
      : <2> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
  return
}

// -----

func.func @zero_of_a_tile() {
  // expected-error@+1 {{result #0 must be}}
  %0 = magicube_gpu.zero : !magicube_gpu.tile<rows = 1, row_bytes = 16>
  return
}

// -----

func.func @add_floats(%i: i32, %c: !magicube_gpu.fragment<"m16n8k32", c, f32>) {
  %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 32>
  // expected-error@+1 {{expected fragments of i32, but got '!magicube_gpu.fragment<"m16n8k32", c, f32>'}}
  magicube_gpu.add_fragments %c to %t[%i] : !magicube_gpu.fragment<"m16n8k32", c, f32> to <rows = 1, row_bytes = 32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Tables in shared memory
//===----------------------------------------------------------------------===//

func.func @load_no_words(%i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 32>
  // expected-error@+1 {{expected 4, 8 or 16 bytes, but got 0}}
  "magicube_gpu.lds_words"(%t, %i) : (!magicube_gpu.tile<rows = 1, row_bytes = 32>, i32) -> ()
  return
}

// -----

func.func @load_three_words(%i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 32>
  // expected-error@+1 {{expected 4, 8 or 16 bytes, but got 12}}
  %0:3 = magicube_gpu.lds_words %t[%i] : <rows = 1, row_bytes = 32> -> i32, i32, i32
  return
}

// -----

func.func @load_words_of_two_rows(%i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 2, row_bytes = 32>
  // expected-error@+1 {{expected a tile of 1 row of at least 4 bytes, but got '!magicube_gpu.tile<rows = 2, row_bytes = 32>'}}
  %0 = magicube_gpu.lds_words %t[%i] : <rows = 2, row_bytes = 32> -> i32
  return
}

// -----

func.func @store_words_to_a_ring(%i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 32, stages = 2>
  // expected-error@+1 {{expected a tile of 1 row of at least 8 bytes, but got}}
  magicube_gpu.sts_words %i, %i into %t[%i] : <rows = 1, row_bytes = 32, stages = 2>
  return
}

// -----

func.func @store_words_behind_the_tile(%i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 32>
  %byte = arith.constant 32 : i32
  // expected-error@+1 {{expected byte to be a multiple of 8 from 0 to 24, but got 32}}
  magicube_gpu.sts_words %i, %i into %t[%byte] : <rows = 1, row_bytes = 32>
  return
}

// -----

func.func @load_words_across_words(%i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 32>
  %byte = arith.constant 4 : i32
  // expected-error@+1 {{expected byte to be a multiple of 8 from 0 to 24, but got 4}}
  %0:2 = magicube_gpu.lds_words %t[%byte] : <rows = 1, row_bytes = 32> -> i32, i32
  return
}

// -----

func.func @copy_two_bytes(%g: !llvm.ptr<1>, %i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 32>
  // expected-error@+1 {{expected 4, 8 or 16 bytes, but got 2}}
  magicube_gpu.cp_async_words %g[%i] into %t[%i] {bytes = 2 : i64} : <rows = 1, row_bytes = 32>
  return
}

// -----

func.func @copy_words_from_shared_memory(%s: !llvm.ptr<3>, %i: i32) {
  %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 32>
  // expected-error@+1 {{must be LLVM pointer in address space 1, but got '!llvm.ptr<3>'}}
  "magicube_gpu.cp_async_words"(%s, %i, %t, %i) {bytes = 8 : i64}
     : (!llvm.ptr<3>, i32, !magicube_gpu.tile<rows = 1, row_bytes = 32>, i32) -> ()
  return
}
