//===- MagicubeGPUOps.td - Operations of the warp-level dialect ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies into shared memory, fragments, the MMA and the result.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_OPS_TD
#define MAGICUBE_GPU_OPS_TD

include "dialect/magicube_gpu/MagicubeGPUAttrs.td"
include "dialect/magicube_gpu/MagicubeGPUInterfaces.td"
include "dialect/magicube_gpu/MagicubeGPUTypes.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MagicubeGPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<MagicubeGPU_Dialect, mnemonic, traits>;

/// Global memory: `!llvm.ptr<1>`.
def MagicubeGPU_GlobalPointer : LLVM_PointerInAddressSpace<1>;
def MagicubeGPU_SharedMemory : Resource<"::mlir::magicube_gpu::SharedMemoryResource">;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def MagicubeGPU_AllocTileOp : MagicubeGPU_Op<"alloc_tile", [
    MemoryEffects<[MemAlloc<MagicubeGPU_SharedMemory>]>]> {
  let summary = "a range of the block's shared memory";
  let description = [{
    Lives as long as the block. `magicube-gpu-pipeline-loads` turns it into a
    ring, `magicube-gpu-assign-shared-memory` gives it its place. `form` is how
    its rows avoid bank conflicts (`#magicube.schedule`).

    ```mlir
    %t = magicube_gpu.alloc_tile : !magicube_gpu.tile<rows = 32, row_bytes = 128>
    ```
  }];
  let arguments = (ins DefaultValuedAttr<Magicube_SharedFormAttr,
                       "::mlir::magicube::SharedForm::ConflictFree">:$form);
  let results = (outs MagicubeGPU_TileType:$tile);
  let assemblyFormat = "attr-dict `:` type($tile)";
}


def MagicubeGPU_LdgGatherIndicesOp : MagicubeGPU_Op<"ldg_gather_indices", [
    MagicubeGPU_PredicatedOpInterface,
    DeclareOpInterfaceMethods<MagicubeGPU_CtaOpInterface, ["verifyThreads"]>,
    MemoryEffects<[MemRead]>]> {
  let summary = "column indices of the rows that a thread gathers";
  let description = [{
    The block gathers 32 dense rows a step, `row_bytes` bytes of each in chunks
    of 16; a thread fetches one or more chunks, of different rows and, as the
    chunks of a row are dealt to neighbouring threads, the same chunk column.
    Result j is the column index of the thread's j-th row, or -1 if that row's
    stored position, `position` + its place in the step, is `end` or beyond, or
    `predicate` is false. Index loads are 4 or 2 bytes (`encoding`).

    ```mlir
    %c:2 = magicube_gpu.ldg_gather_indices %indices at %position to %end
      {encoding = #w, step = #step, row_bytes = 128 : i64} : i32, i32
    ```
  }];
  let arguments = (ins MagicubeGPU_GlobalPointer:$indices, I32:$position,
                       I32:$end, Optional<I1>:$predicate,
                       Magicube_SRBCRSAttr:$encoding, MagicubeGPU_StepAttr:$step,
                       I64Attr:$row_bytes);
  let results = (outs Variadic<I32>:$columns);
  let assemblyFormat = [{
    $indices `at` $position `to` $end (`if` $predicate^)? attr-dict
    `:` type($columns)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_CpAsyncGatheredRowsOp : MagicubeGPU_Op<"cp_async_gathered_rows", [
    AttrSizedOperandSegments, MagicubeGPU_AsyncCopyOpInterface,
    MagicubeGPU_PredicatedOpInterface, MagicubeGPU_RingUserOpInterface,
    DeclareOpInterfaceMethods<MagicubeGPU_CtaOpInterface, ["verifyThreads"]>,
    MemoryEffects<[MemRead, MemWrite<MagicubeGPU_SharedMemory>]>]> {
  let summary = "copy gathered dense rows to a tile, asynchronously";
  let description = [{
    Copies, for every column index c of `columns` (from `ldg_gather_indices` with the
    same tile), a 16-byte chunk of dense row c: the tile holds bytes
    [`column`, `column` + row_bytes) of each of 32 rows, of `limit` bytes that a
    row has. Row c starts `c * stride` bytes after `rows`. Chunks of rows with
    c = -1, and bytes from `limit` on, are zero.

    Row starts, `limit` and `rows` are multiples of `alignment`: 16 and 4 copy
    with `cp.async` of that many bytes, 1 with plain loads and stores.
  }];
  let arguments = (ins MagicubeGPU_GlobalPointer:$rows, Variadic<I32>:$columns,
                       I32:$stride, I32:$column, I32:$limit,
                       MagicubeGPU_TileType:$tile, Optional<I32>:$slot,
                       Optional<I1>:$predicate, I64Attr:$alignment);
  let assemblyFormat = [{
    $rows `[` $columns `]` `stride` $stride `at` $column `to` $limit
    `into` $tile (`slot` $slot^)? (`if` $predicate^)? attr-dict `:` type($tile)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_CpAsyncValuesOp : MagicubeGPU_Op<"cp_async_values", [
    AttrSizedOperandSegments, MagicubeGPU_AsyncCopyOpInterface,
    MagicubeGPU_PredicatedOpInterface, MagicubeGPU_RingUserOpInterface,
    MagicubeGPU_CtaOpInterface,
    MemoryEffects<[MemRead, MemWrite<MagicubeGPU_SharedMemory>]>]> {
  let summary = "copy the values of one step to a tile, asynchronously";
  let description = [{
    Copies the values of the 32 stored positions from `position` on, in stored
    order; a value has `bits` bits in storage. Positions at or beyond the padded end that `end` implies are zero:
    the kernel may step past a row's last stride.
  }];
  let arguments = (ins MagicubeGPU_GlobalPointer:$values, I32:$position,
                       I32:$end, MagicubeGPU_TileType:$tile,
                       Optional<I32>:$slot, Optional<I1>:$predicate,
                       Magicube_SRBCRSAttr:$encoding,
                       DefaultValuedAttr<I64Attr, "8">:$bits);
  let assemblyFormat = [{
    $values `at` $position `to` $end `into` $tile (`slot` $slot^)?
    (`if` $predicate^)? attr-dict `:` type($tile)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_AwaitCopiesOp : MagicubeGPU_Op<"await_copies", [
    MemoryEffects<[MemRead<MagicubeGPU_SharedMemory>,
                   MemWrite<MagicubeGPU_SharedMemory>]>]> {
  let summary = "wait until the block's copies of this iteration are visible";
  let description = [{
    Separates the copies of a loop body from the reads of what they wrote.
    `magicube-gpu-pipeline-loads` replaces it by commit groups, waits and
    barriers.
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Tables in shared memory, and registers
//===----------------------------------------------------------------------===//

def MagicubeGPU_LdsWordsOp : MagicubeGPU_Op<"lds_words", [
    MemoryEffects<[MemRead<MagicubeGPU_SharedMemory>]>]> {
  let summary = "load words of a table in shared memory";
  let description = [{
    1, 2 or 4 words of 32 bits from byte `byte` of a tile of one row, a multiple
    of the bytes that are loaded. Every thread loads its own.

    ```mlir
    %row, %inside = magicube_gpu.lds_words %starts[%byte] : <rows = 1, row_bytes = 48> -> i32, i32
    ```
  }];
  let arguments = (ins MagicubeGPU_TileType:$tile, I32:$byte);
  let results = (outs Variadic<I32>:$words);
  let assemblyFormat = [{
    $tile `[` $byte `]` attr-dict `:` type($tile) `->` type($words)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_StsWordsOp : MagicubeGPU_Op<"sts_words", [
    MemoryEffects<[MemWrite<MagicubeGPU_SharedMemory>]>]> {
  let summary = "store words to a table in shared memory";
  let description = [{
    The words that `lds_words` of the same byte loads. Threads that load what
    others have stored meet them at a barrier first.
  }];
  let arguments = (ins Variadic<I32>:$words, MagicubeGPU_TileType:$tile,
                       I32:$byte);
  let assemblyFormat = [{
    $words `into` $tile `[` $byte `]` attr-dict `:` type($tile)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_CpAsyncWordsOp : MagicubeGPU_Op<"cp_async_words", [
    MagicubeGPU_AsyncCopyOpInterface,
    MemoryEffects<[MemRead, MemWrite<MagicubeGPU_SharedMemory>]>]> {
  let summary = "copy words to a table in shared memory, asynchronously";
  let description = [{
    `bytes` (4, 8 or 16: PTX ISA "cp.async") bytes from byte `offset` of `source`
    on to byte `byte` of a tile of one row, both multiples of that. Every thread
    copies its own; the threads commit, wait and meet at a barrier before they
    read.
  }];
  let arguments = (ins MagicubeGPU_GlobalPointer:$source, I32:$offset,
                       MagicubeGPU_TileType:$tile, I32:$byte, I64Attr:$bytes);
  let assemblyFormat = [{
    $source `[` $offset `]` `into` $tile `[` $byte `]` attr-dict `:` type($tile)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_OptimizationBarrierOp
    : MagicubeGPU_Op<"optimization_barrier"> {
  let summary = "a copy of a register that the optimizer cannot look into";
  let description = [{
    What is computed of the result stays where it is, instead of being held in
    registers from before a loop on.
  }];
  let arguments = (ins I32:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "$value attr-dict";
}

//===----------------------------------------------------------------------===//
// Stationary dense rows
//===----------------------------------------------------------------------===//

def MagicubeGPU_CpAsyncRowsOp : MagicubeGPU_Op<"cp_async_rows", [
    MagicubeGPU_AsyncCopyOpInterface, MagicubeGPU_RingUserOpInterface,
    MagicubeGPU_CtaOpInterface,
    MemoryEffects<[MemRead, MemWrite<MagicubeGPU_SharedMemory>]>]> {
  let summary = "copy rows of the dense operand to a tile, asynchronously";
  let description = [{
    Copies bytes [`column`, `column` + row_bytes) of dense rows 0 to `count` - 1
    to the rows of the tile (in a ring: of tile `slot`): row r starts
    `r * stride` bytes after `rows`. Bytes from `limit` on are zero. `alignment`
    is that of cp_async_gathered_rows. The threads of the block share the work; they commit,
    wait and meet at a barrier before they read.
  }];
  let arguments = (ins MagicubeGPU_GlobalPointer:$rows, I32:$count, I32:$stride,
                       I32:$column, I32:$limit, MagicubeGPU_TileType:$tile,
                       Optional<I32>:$slot, I64Attr:$alignment);
  let assemblyFormat = [{
    $rows `count` $count `stride` $stride `at` $column `to` $limit `into` $tile
    (`slot` $slot^)? attr-dict `:` type($tile)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The sparse operand in registers
//===----------------------------------------------------------------------===//

def MagicubeGPU_LdgIndicesOp : MagicubeGPU_Op<"ldg_indices", [
    MemoryEffects<[MemRead]>]> {
  let summary = "column indices of one step, for a lane's ldmatrix rows";
  let description = [{
    Result j is the column index at the position whose row the lane supplies to
    `ldmatrix` call j of the step that starts at `position`.
    Padding is -1, as u16 0xFFFF. The stride is a multiple of 32.
  }];
  let arguments = (ins MagicubeGPU_GlobalPointer:$indices, I32:$position,
                       Magicube_SRBCRSAttr:$encoding, MagicubeGPU_StepAttr:$step);
  let results = (outs Variadic<I32>:$columns);
  let assemblyFormat = "$indices `at` $position attr-dict `:` type($columns)";
  let hasVerifier = 1;
}

def MagicubeGPU_LdgValuesOp : MagicubeGPU_Op<"ldg_values", [
    MemoryEffects<[MemRead]>]> {
  let summary = "words of sparse values of one step, from global memory";
  let description = [{
    What each lane needs of the values of the step that starts at `position`, as
    stored: the words of its first fragment, then those of its second.
    `split_values` makes MMA operands of them. The stride is a multiple of 32.
  }];
  let arguments = (ins MagicubeGPU_GlobalPointer:$values, I32:$position,
                       Magicube_SRBCRSAttr:$encoding, MagicubeGPU_StepAttr:$step);
  let results = (outs MagicubeGPU_RegistersType:$words);
  let assemblyFormat = "$values `at` $position attr-dict `:` type($words)";
  let hasVerifier = 1;
}

def MagicubeGPU_SplitValuesOp : MagicubeGPU_Op<"split_values", [Pure]> {
  let summary = "stored words of one step as MMA operands";
  let description = [{
    The fragments of lds_values, of words that are in registers already.
  }];
  let arguments = (ins MagicubeGPU_RegistersType:$words,
                       Magicube_SRBCRSAttr:$encoding, MagicubeGPU_StepAttr:$step);
  let results = (outs Variadic<MagicubeGPU_FragmentType>:$fragments);
  let assemblyFormat = [{
    $words attr-dict `:` type($words) `->` type($fragments)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_StsFragmentsOp : MagicubeGPU_Op<"sts_fragments", [
    MemoryEffects<[MemWrite<MagicubeGPU_SharedMemory>]>]> {
  let summary = "put a warp's fragments into shared memory";
  let description = [{
    Writes the registers of a warp to place `slot` of the tile's memory, in the
    order that `lds_fragments` of as many fragments reads them in; rows and
    swizzle of the tile do not matter. What was there is lost.
  }];
  let arguments = (ins Variadic<MagicubeGPU_FragmentType>:$fragments, I32:$slot,
                       MagicubeGPU_TileType:$tile);
  let assemblyFormat = [{
    $fragments `into` $tile `[` $slot `]` attr-dict
    `:` type($fragments) `into` type($tile)
  }];
}

def MagicubeGPU_AddFragmentsOp : MagicubeGPU_Op<"add_fragments", [
    MemoryEffects<[MemRead<MagicubeGPU_SharedMemory>,
                   MemWrite<MagicubeGPU_SharedMemory>]>]> {
  let summary = "add a warp's accumulators to those in shared memory";
  let description = [{
    Adds the registers (i32) of a warp to what `sts_fragments` of as many
    fragments has put into place `slot`. Several warps may add to one place at
    the same time: `atom.shared.add` (PTX ISA "atom"); sums modulo 2^32 are the
    same in any order.
  }];
  let arguments = (ins Variadic<MagicubeGPU_FragmentType>:$fragments, I32:$slot,
                       MagicubeGPU_TileType:$tile);
  let assemblyFormat = [{
    $fragments `to` $tile `[` $slot `]` attr-dict
    `:` type($fragments) `to` type($tile)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_LdsFragmentsOp : MagicubeGPU_Op<"lds_fragments", [
    MemoryEffects<[MemRead<MagicubeGPU_SharedMemory>]>]> {
  let summary = "what sts_fragments has put into shared memory";
  let arguments = (ins I32:$slot, MagicubeGPU_TileType:$tile);
  let results = (outs Variadic<MagicubeGPU_FragmentType>:$fragments);
  let assemblyFormat = [{
    $tile `[` $slot `]` attr-dict `:` type($tile) `->` type($fragments)
  }];
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

def MagicubeGPU_LdsRowsOp : MagicubeGPU_Op<"lds_rows", [
    AttrSizedOperandSegments, MagicubeGPU_RingUserOpInterface,
    MemoryEffects<[MemRead<MagicubeGPU_SharedMemory>]>]> {
  let summary = "transposing read of one chunk of 32 rows";
  let description = [{
    `ldmatrix.x4.trans` (PTX ISA "ldmatrix") number `call` of the step's, of the
    group of chunks from `chunk` on, in the order that the operand layout wants. The
    tile holds the rows of one step, unless `row` says which row the lane
    supplies the address of.
  }];
  let arguments = (ins MagicubeGPU_TileType:$tile, I32:$chunk,
                       Optional<I32>:$row, Optional<I32>:$slot, MagicubeGPU_StepAttr:$step,
                       DefaultValuedAttr<I64Attr, "0">:$call);
  let results = (outs MagicubeGPU_RegistersType:$registers);
  let assemblyFormat = [{
    $tile `chunk` $chunk (`row` $row^)? (`slot` $slot^)? attr-dict `:`
    type($tile) `->` type($registers)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_TransposeOp : MagicubeGPU_Op<"transpose", [Pure]> {
  let summary = "make an MMA operand of raw registers with byte permutes";
  let description = [{
    The raw registers of a group of chunks become one fragment per plane of a
    dense operand (lib/Layout's DenseOperand): a register is `prmt`
    of two raw ones, or one of them as it is; for MMAs on 4 bits that merge, nibbles
    of two such registers. In MMAs on 8 bits, 4-bit values are `biased` by 8 where they
    are signed: n becomes the unsigned n + 8. With `scaled`, odd columns of 4
    bits are 16 times their value, and not biased (lib/Layout's NibbleForm).

    ```mlir
    %lo, %hi = magicube_gpu.transpose %r0, %r1 {step = #step}
      : !magicube_gpu.registers<4>, !magicube_gpu.registers<4>
      -> !magicube_gpu.fragment<"m16n8k32", a, ui8>, !magicube_gpu.fragment<"m16n8k32", a, si8>
    ```
  }];
  let arguments = (ins Variadic<MagicubeGPU_RegistersType>:$registers,
                       MagicubeGPU_StepAttr:$step,
                       UnitAttr:$biased, UnitAttr:$scaled);
  let results = (outs Variadic<MagicubeGPU_FragmentType>:$fragments);
  let assemblyFormat = [{
    $registers attr-dict `:` type($registers) `->` type($fragments)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_LdsValuesOp : MagicubeGPU_Op<"lds_values", [
    MagicubeGPU_RingUserOpInterface,
    MemoryEffects<[MemRead<MagicubeGPU_SharedMemory>]>]> {
  let summary = "sparse values of one step as MMA operands";
  let description = [{
    From a tile that cp_async_values has filled. For each `ldmatrix` call of the step
    and each plane of a sparse operand (lib/Layout's SparseOperand; 12 bits
    are stored in 16) one fragment per 8 vector components (fastest). Lanes of
    components that the vector length does not reach hold any values: store_result
    drops theirs. The k slots that a layout leaves out hold zeros.
  }];
  let arguments = (ins MagicubeGPU_TileType:$tile, Optional<I32>:$slot,
                       Magicube_SRBCRSAttr:$encoding, MagicubeGPU_StepAttr:$step);
  let results = (outs Variadic<MagicubeGPU_FragmentType>:$fragments);
  let assemblyFormat = [{
    $tile (`slot` $slot^)? attr-dict `:` type($tile) `->` type($fragments)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_ZeroOp : MagicubeGPU_Op<"zero", [Pure]> {
  let summary = "registers of zeros";
  let results = (outs AnyTypeOf<[MagicubeGPU_FragmentType,
                                 MagicubeGPU_RegistersType]>:$registers);
  let assemblyFormat = "attr-dict `:` type($registers)";
}

def MagicubeGPU_SplatOp : MagicubeGPU_Op<"splat", [Pure]> {
  let summary = "a fragment whose registers all hold one word";
  let arguments = (ins I32Attr:$word);
  let results = (outs MagicubeGPU_FragmentType:$fragment);
  let assemblyFormat = "$word attr-dict `:` type($fragment)";
}

def MagicubeGPU_CombineOp : MagicubeGPU_Op<"combine", [
    Pure, SameOperandsAndResultType]> {
  let summary = "weighted sum of accumulators";
  let description = [{
    Sum of the accumulators, each shifted left by its entry of `shifts` and, where
    `negate` says so, subtracted: the digits of wide operands recombined, modulo
    2^32. A negative shift is one to the right, of a signed number or, with
    `logical`, of an unsigned one.
  }];
  let arguments = (ins Variadic<MagicubeGPU_FragmentType>:$accumulators,
                       DenseI64ArrayAttr:$shifts, DenseBoolArrayAttr:$negate,
                       UnitAttr:$logical);
  let results = (outs MagicubeGPU_FragmentType:$result);
  let assemblyFormat = "$accumulators attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def MagicubeGPU_CombineFloatOp : MagicubeGPU_Op<"combine_float", [Pure]> {
  let summary = "weighted sum of accumulators in f32";
  let description = [{
    The accumulators, i32, by ascending `shifts`, each converted to f32 and
    combined from the last down: with r the sum so far and d the difference to
    the next shift, r = fma(r, 2^d, f32(next)). Conversions and fma round to
    nearest even.

    ```mlir
    %r = magicube_gpu.combine_float %lo, %hi {shifts = array<i64: 0, 8>}
       : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32>
      -> !magicube_gpu.fragment<"m16n8k32", c, f32>
    ```
  }];
  let arguments = (ins Variadic<MagicubeGPU_FragmentType>:$accumulators,
                       DenseI64ArrayAttr:$shifts);
  let results = (outs MagicubeGPU_FragmentType:$result);
  let assemblyFormat = [{
    $accumulators attr-dict `:` type($accumulators) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_MmaOp : MagicubeGPU_Op<"mma", [
    Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "warp-wide integer matrix multiply-accumulate";
  let description = [{
    `c + a * b`, wrapping (PTX ISA "mma.sync", without `.satfinite`). The
    fragments' `mma` is the instruction.
  }];
  let arguments = (ins MagicubeGPU_FragmentType:$a, MagicubeGPU_FragmentType:$b,
                       MagicubeGPU_FragmentType:$c);
  let results = (outs MagicubeGPU_FragmentType:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
}

include "dialect/magicube_gpu/MagicubeGPUResultOps.td"
include "dialect/magicube_gpu/MagicubeGPUSampledOps.td"

#endif // MAGICUBE_GPU_OPS_TD
