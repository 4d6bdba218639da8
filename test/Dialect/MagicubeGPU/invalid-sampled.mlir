// RUN: magicube-opt %s -split-input-file -verify-diagnostics

func.func @unknown_alignment(%p: !llvm.ptr<1>) {
  // expected-error@+1 {{expected alignment to be 16, 4 or 1, but got 8}}
  %a = magicube_gpu.ldg_words %p {offset = 0 : i64, alignment = 8 : i64} : <4>
  return
}

// -----

func.func @unaligned_offset(%p: !llvm.ptr<1>) {
  // expected-error@+1 {{expected offset to be a multiple of 16 from 0 to 2147483647, but got 4}}
  %a = magicube_gpu.ldg_words %p {offset = 4 : i64, alignment = 16 : i64} : <4>
  return
}

// -----

func.func @unknown_width(%r: !magicube_gpu.registers<4>, %n: i32) {
  // expected-error@+1 {{expected bits to be 4, 8 or 16, but got 12}}
  %a = magicube_gpu.mask_words %r to %n {bits = 12 : i64} : <4>
  return
}

// -----

// expected-error@+1 {{expected operands of 4 bits for MMAs of 4 bits, but got 8 and 4}}
func.func private @unknown_chunk() attributes {x = #magicube_gpu.chunk<rhs_bits = 4, compute_bits = 4>}

// -----

func.func @three_rows(%r: !magicube_gpu.registers<4>) {
  // expected-error@+1 {{expected words of 1 row of the lhs or of 2 of the rhs, but got 3}}
  %a = magicube_gpu.split_chunk %r, %r, %r {chunk = #magicube_gpu.chunk<>}
    : !magicube_gpu.registers<4>, !magicube_gpu.registers<4>, !magicube_gpu.registers<4>
    -> !magicube_gpu.fragment<"m16n8k32", a, si8>
  return
}

// -----

func.func @too_few_fragments(%r: !magicube_gpu.registers<4>) {
  // expected-error@+1 {{expected 2 fragments for 8 bits, but got 1}}
  %a = magicube_gpu.split_chunk %r {chunk = #magicube_gpu.chunk<>}
    : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", b, si8>
  return
}

// -----

func.func @wrong_words(%r: !magicube_gpu.registers<2>) {
  // expected-error@+1 {{expected 4 registers for 8 bits, but got '!magicube_gpu.registers<2>'}}
  %a:2 = magicube_gpu.split_chunk %r {chunk = #magicube_gpu.chunk<>}
    : !magicube_gpu.registers<2>
    -> !magicube_gpu.fragment<"m16n8k32", b, si8>, !magicube_gpu.fragment<"m16n8k32", b, si8>
  return
}

// -----

func.func @biased_bytes(%r: !magicube_gpu.registers<4>) {
  // expected-error@+1 {{expected 'biased' for rows of the rhs of 4 bits in 8-bit MMAs only}}
  %a:2 = magicube_gpu.split_chunk %r {chunk = #magicube_gpu.chunk<>, biased}
    : !magicube_gpu.registers<4>
    -> !magicube_gpu.fragment<"m16n8k32", b, si8>, !magicube_gpu.fragment<"m16n8k32", b, si8>
  return
}

// -----

func.func @one_fragment(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %i: i32, %p: !llvm.ptr<1>) {
  // expected-error@+1 {{expected 2 fragments and 4 columns, but got 1 and 4}}
  magicube_gpu.store_vectors %c columns(%i, %i, %i, %i) into %p[%i, %i] to %i
    {component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = i32}
    : !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}

// -----

func.func @no_such_component(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %i: i32, %p: !llvm.ptr<1>) {
  // expected-error@+1 {{expected component to be a multiple of 8 below the vector length 8, but got 8}}
  magicube_gpu.store_vectors %c, %c columns(%i, %i, %i, %i) into %p[%i, %i] to %i
    {component = 8 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = i32}
    : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}

// -----

func.func @no_body(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %i: i32, %p: !llvm.ptr<1>) {
  // expected-error@+1 {{expected a body that makes a result of type 'f16' of the sums}}
  magicube_gpu.store_vectors %c, %c columns(%i, %i, %i, %i) into %p[%i, %i] to %i
    {component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, result_type = f16}
    : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32>
  return
}
