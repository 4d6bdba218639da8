// Rows of K to MMA operands and sums to values of a sparse matrix: round trip.

// RUN: magicube-opt %s | magicube-opt | FileCheck %s

#w = #magicube.sr_bcrs<vector = 4>

// CHECK-LABEL: @words
// CHECK: magicube_gpu.ldg_words %{{.+}} {alignment = 16 : i64, offset = 64 : i64} : <4>
// CHECK: magicube_gpu.ldg_words %{{.+}} below %{{.+}} {alignment = 1 : i64, offset = 0 : i64} : <16>
// CHECK: magicube_gpu.mask_words %{{.+}} to %{{.+}} {bits = 4 : i64} : <4>
func.func @words(%p: !llvm.ptr<1>, %n: i32)
    -> (!magicube_gpu.registers<4>, !magicube_gpu.registers<16>) {
  %a = magicube_gpu.ldg_words %p {offset = 64 : i64, alignment = 16 : i64} : <4>
  %b = magicube_gpu.ldg_words %p below %n {offset = 0 : i64, alignment = 1 : i64} : <16>
  %c = magicube_gpu.mask_words %a to %n {bits = 4 : i64} : <4>
  return %c, %b : !magicube_gpu.registers<4>, !magicube_gpu.registers<16>
}

// CHECK-LABEL: @split
// CHECK: split_chunk {{.+}} {biased, chunk = #chunk}
func.func @split(%r: !magicube_gpu.registers<4>) -> !magicube_gpu.fragment<"m16n8k32", a, ui8> {
  %a:4 = magicube_gpu.split_chunk %r, %r {chunk = #magicube_gpu.chunk<lhs_bits = 4, rhs_bits = 4>, biased}
    : !magicube_gpu.registers<4>, !magicube_gpu.registers<4>
    -> !magicube_gpu.fragment<"m16n8k32", a, ui8>, !magicube_gpu.fragment<"m16n8k32", a, ui8>,
       !magicube_gpu.fragment<"m16n8k32", a, ui8>, !magicube_gpu.fragment<"m16n8k32", a, ui8>
  return %a#0 : !magicube_gpu.fragment<"m16n8k32", a, ui8>
}

// CHECK-LABEL: @store
// CHECK: store_vectors {{.+}} result_type = i32}
// CHECK: store_vectors {{.+}} columns({{.+}}) into {{.+}} to
// CHECK: yield
func.func @store(%c: !magicube_gpu.fragment<"m16n8k32", c, i32>, %i: i32, %p: !llvm.ptr<1>, %s: f32) {
  magicube_gpu.store_vectors %c, %c columns(%i, %i, %i, %i) into %p[%i, %i] to %i
    {component = 0 : i64, encoding = #w, result_type = i32}
    : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32>
  magicube_gpu.store_vectors %c, %c columns(%i, %i, %i, %i) into %p[%i, %i] to %i
    {component = 0 : i64, encoding = #w, result_type = f16}
    : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32> {
  ^bb0(%sum: i32, %row: i32, %column: i32):
    %x = magicube_gpu.epilogue %sum (%s : f32) {epilogue = #magicube.epilogue<scale none -> f16>} : i32 -> f16
    magicube_gpu.yield %x : f16
  }
  return
}
