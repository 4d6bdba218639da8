// RUN: magicube-opt %s -split-input-file -verify-diagnostics

func.func @fold_to_four(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected a result of 2 registers, but got}}
  %0 = magicube_gpu.exchange_lanes %c lane(%i) {fold_shift = 8 : i64} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<4>
  return
}

// -----

func.func @fold_too_far(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected fold_shift from 0 to 31, but got 32}}
  %0 = magicube_gpu.exchange_lanes %c lane(%i) {fold_shift = 32 : i64} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<2>
  return
}

// -----

func.func @fold_floats(%c: !magicube_gpu.fragment<"m16n8k32", c, f32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected a fragment of i32 next to fold_shift}}
  %0 = magicube_gpu.exchange_lanes %c lane(%i) {fold_shift = 8 : i64} : !magicube_gpu.fragment<"m16n8k32", c, f32> -> !magicube_gpu.registers<2>
  return
}

// -----

func.func @exchange_operand(%b: !magicube_gpu.fragment<"m16n8k32", b, si8>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected a fragment of operand c}}
  %0 = magicube_gpu.exchange_lanes %b lane(%i) {fold_shift = 8 : i64} : !magicube_gpu.fragment<"m16n8k32", b, si8> -> !magicube_gpu.registers<2>
  return
}

// -----

func.func @half_an_exchange(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected lane_bit and register_bit together, but got only lane_bit}}
  %0 = magicube_gpu.exchange_lanes %c lane(%i) {lane_bit = 0 : i64} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<4>
  return
}

// -----

func.func @lane_beyond_warp(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected lane_bit from 0 to 4, but got 5}}
  %0 = magicube_gpu.exchange_lanes %c lane(%i) {lane_bit = 5 : i64, register_bit = 0 : i64} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<4>
  return
}

// -----

func.func @register_beyond_fragment(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected register_bit to tell 4 registers apart, but got 2}}
  %0 = magicube_gpu.exchange_lanes %c lane(%i) {lane_bit = 0 : i64, register_bit = 2 : i64} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<4>
  return
}

// -----

func.func @missing_operand(%s: i32) {
  // expected-error@+1 {{expected 1 operands for #magicube.epilogue<scale none -> f32>, but got 0}}
  %0 = magicube_gpu.epilogue %s {epilogue = #magicube.epilogue<scale none -> f32>} : i32 -> f32
  return
}

// -----

func.func @pointer_as_number(%s: i32, %g: !llvm.ptr<1>) {
  // expected-error@+1 {{expected a number as 'scale none', but got '!llvm.ptr<1>'}}
  %0 = magicube_gpu.epilogue %s (%g : !llvm.ptr<1>) {epilogue = #magicube.epilogue<scale none -> f32>} : i32 -> f32
  return
}

// -----

func.func @number_by_row(%s: i32, %f: f32) {
  // expected-error@+1 {{expected a pointer as 'bias row', but got 'f32'}}
  %0 = magicube_gpu.epilogue %s (%f : f32) {epilogue = #magicube.epilogue<bias row -> f32>} : i32 -> f32
  return
}

// -----

func.func @no_row(%s: i32, %g: !llvm.ptr<1>) {
  // expected-error@+1 {{expected a row and a column for 'bias row'}}
  %0 = magicube_gpu.epilogue %s (%g : !llvm.ptr<1>) {epilogue = #magicube.epilogue<bias row -> f32>} : i32 -> f32
  return
}

// -----

func.func @row_of_fragment(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %i: i32) {
  // expected-error@+1 {{expected no row and column next to a fragment}}
  %0 = magicube_gpu.epilogue %c[%i, %i] {epilogue = #magicube.epilogue<relu -> f32>} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.fragment<"m16n8k32", c, f32>
  return
}

// -----

func.func @halves_in_registers(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
  // expected-error@+1 {{expected elements of 32 bits, or integers, of a fragment}}
  %0 = magicube_gpu.epilogue %c {epilogue = #magicube.epilogue<relu -> f16>} : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.fragment<"m16n8k32", c, f32>
  return
}

// -----

func.func @float_sums(%s: i32) {
  // expected-error@+1 {{expected sums of f32 for}}
  %0 = magicube_gpu.epilogue %s {epilogue = #magicube.epilogue<float_sums, relu -> f32>} : i32 -> f32
  return
}

// -----

func.func @wrong_result(%s: i32) {
  // expected-error@+1 {{expected a result of type 'i32' for #magicube.epilogue<relu -> i8>, but got 'f32'}}
  %0 = magicube_gpu.epilogue %s {epilogue = #magicube.epilogue<relu -> i8>} : i32 -> f32
  return
}

// -----

func.func @component_inside_fragment(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected component to be a multiple of 8 below the vector length 16, but got 4}}
  magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%i)
      {component = 4 : i64, encoding = #magicube.sr_bcrs<vector = 16>, result_type = i32, step = #magicube_gpu.step<layout = <form = transposed>, vector = 16>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}

// -----

func.func @component_beyond_vector(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected component to be a multiple of 8 below the vector length 8, but got 8}}
  magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%i)
      {component = 8 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = i32, step = #magicube_gpu.step<layout = <form = transposed>>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}

// -----

func.func @store_of_operand(%b: !magicube_gpu.fragment<"m16n8k32", b, si8>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected a fragment of operand c of 8-bit m16n8k32 for operand layout 'transposed'}}
  magicube_gpu.store_result %b into %g[%i, %i] stride %i to %i lane(%i)
      {component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = i32, step = #magicube_gpu.step<layout = <form = transposed>>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", b, si8>
  return
}

// -----

func.func @store_before_exchange(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected results of exchange_lanes, each of 2 registers, for operand layout 'transposed,digits'}}
  magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%i)
      {component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 4>, result_type = i32, step = #magicube_gpu.step<layout = <form = transposed, idle_columns = digits>, sparse_bits = 16, vector = 4>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}

// -----

func.func @accumulate_floats(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32, %h: f16) {
  // expected-error@+1 {{expected result_type i32 next to 'accumulate', but got 'f16'}}
  magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%i)
      {component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = f16, accumulate, step = #magicube_gpu.step<layout = <form = transposed>>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32> {
  ^bb0(%s: i32, %r: i32, %k: i32):
    magicube_gpu.yield %h : f16
  }
  return
}

// -----

func.func @floats_without_body(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected a body that makes a result of type 'f32' of the sums}}
  magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%i)
      {component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = f32, step = #magicube_gpu.step<layout = <form = transposed>>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}

// -----

func.func @floats_as_integers(%c: !magicube_gpu.fragment<"m16n8k32", c, f32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected fragments of 'i32', which the body takes}}
  magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%i)
      {component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = i32, step = #magicube_gpu.step<layout = <form = transposed>>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, f32>
  return
}

// -----

func.func @two_arguments(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected a body with 3 arguments, a sum, its row and its column, but got 2}}
  magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%i)
      {component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = i32, step = #magicube_gpu.step<layout = <form = transposed>>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32> {
  ^bb0(%s: i32, %r: i32):
    magicube_gpu.yield %s : i32
  }
  return
}

// -----

func.func @row_of_index(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected a body with arguments i32 or f32, i32 and i32}}
  magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%i)
      {component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = i32, step = #magicube_gpu.step<layout = <form = transposed>>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32> {
  ^bb0(%s: i32, %r: index, %k: i32):
    magicube_gpu.yield %s : i32
  }
  return
}

// -----

func.func @yield_of_sum(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected the body to end with magicube_gpu.yield of 'f16' for result_type 'f16', but got 'i32'}}
  magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i lane(%i)
      {component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = f16, step = #magicube_gpu.step<layout = <form = transposed>>, map = #magicube_gpu.result_map<order = row_major, alignment = 4>} : !magicube_gpu.fragment<"m16n8k32", c, i32> {
  ^bb0(%s: i32, %r: i32, %k: i32):
    magicube_gpu.yield %s : i32
  }
  return
}

// -----

// expected-error@+1 {{expected alignment to be 16, 4 or 1, but got 8}}
func.func private @alignment() attributes {a = #magicube_gpu.result_map<order = row_major, alignment = 8>}
