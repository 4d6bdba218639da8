//===- MagicubeGPUSampledOps.td - Products at the places of a pattern ------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows with K contiguous from global memory to MMA operands, and sums to the
// values of a sparse matrix.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_SAMPLED_OPS_TD
#define MAGICUBE_GPU_SAMPLED_OPS_TD

// Included by MagicubeGPUOps.td, which has the classes of operations.
include "dialect/magicube_gpu/MagicubeGPUTypes.td"

def MagicubeGPU_LdgWordsOp : MagicubeGPU_Op<"ldg_words", [
    MemoryEffects<[MemRead]>]> {
  let summary = "load words of a lane's own from global memory";
  let description = [{
    Words from byte `offset` behind the lane's pointer on. The pointer and all
    rows of the operand that it points into are multiples of `alignment` (16, 4
    or 1), which loads are no wider than.

    With `below`, so many bytes follow the pointer in its row, which may be
    fewer, even negative: loads that would pass the row's end take the last ones
    inside of it instead. The row has at least one load's bytes.

    ```mlir
    %w = magicube_gpu.ldg_words %p {offset = 64 : i64, alignment = 16 : i64}
       : !magicube_gpu.registers<4>
    ```
  }];
  let arguments = (ins MagicubeGPU_GlobalPointer:$pointer, Optional<I32>:$limit,
                       I64Attr:$offset, I64Attr:$alignment);
  let results = (outs MagicubeGPU_RegistersType:$words);
  let assemblyFormat = [{
    $pointer (`below` $limit^)? attr-dict `:` type($words)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_MaskWordsOp : MagicubeGPU_Op<"mask_words", [
    Pure, AllTypesMatch<["words", "result"]>]> {
  let summary = "zero the elements of words from one on";
  let description = [{
    Of the elements of `bits` bits that the words hold, those from `count` on (a
    signed number) become zero.
  }];
  let arguments = (ins MagicubeGPU_RegistersType:$words, I32:$count,
                       I64Attr:$bits);
  let results = (outs MagicubeGPU_RegistersType:$result);
  let assemblyFormat = "$words `to` $count attr-dict `:` type($words)";
  let hasVerifier = 1;
}

def MagicubeGPU_SplitChunkOp : MagicubeGPU_Op<"split_chunk", [Pure]> {
  let summary = "words of a chunk of K as MMA operands";
  let description = [{
    What a lane has loaded of a chunk (lib/Layout's ChunkLayout) of one row of
    the lhs, as operands B, or of two rows of the rhs, as operands A: for each
    slice of the chunk one per plane (fastest). Nibbles of the rhs in MMAs on 8
    bits are `biased` where they are signed: n becomes the unsigned n + 8.

    ```mlir
    %b:2 = magicube_gpu.split_chunk %w {chunk = #chunk} : !magicube_gpu.registers<4>
      -> !magicube_gpu.fragment<"m16n8k32", b, si8>, !magicube_gpu.fragment<"m16n8k32", b, si8>
    ```
  }];
  let arguments = (ins Variadic<MagicubeGPU_RegistersType>:$rows,
                       MagicubeGPU_ChunkAttr:$chunk, UnitAttr:$biased);
  let results = (outs Variadic<MagicubeGPU_FragmentType>:$fragments);
  let assemblyFormat = [{
    $rows attr-dict `:` type($rows) `->` type($fragments)
  }];
  let hasVerifier = 1;
}

def MagicubeGPU_StoreVectorsOp : MagicubeGPU_Op<"store_vectors", [
    AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "store a step's results as values of a sparse matrix";
  let description = [{
    The sums of 32 stored positions from `position` on, a fragment for 16 each
    (lib/Layout's sampledOutput), of the components of the vectors from
    `component` on: to where storage has them (`encoding`), behind `base`.
    `columns` are the column indices of the lane's four positions; where one is
    -1, padding, zero is stored. Nothing is stored for positions from `end` on
    and for components that vectors do not have.

    The body makes the element that is stored, of type `result_type`, of a sum,
    its row (`row` is that of component 0) and its column, as in `store_result`;
    for padding it is run with column 0.
  }];
  let arguments = (ins Variadic<MagicubeGPU_FragmentType>:$fragments,
                       Variadic<I32>:$columns, MagicubeGPU_GlobalPointer:$base,
                       I32:$row, I32:$position, I32:$end,
                       Magicube_SRBCRSAttr:$encoding, I64Attr:$component,
                       TypeAttrOf<AnyTypeOf<[I32, F32, F16, BF16, I<8>, I<4>]>>:$result_type);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    $fragments `columns` `(` $columns `)` `into` $base `[` $row `,` $position `]`
    `to` $end attr-dict `:` type($fragments) ($body^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Type of the sums: i32, or f32 as the body says.
    ::mlir::Type getSumType();
  }];
}

#endif // MAGICUBE_GPU_SAMPLED_OPS_TD
