//===- MagicubeGPUTypes.td - Types of the warp-level dialect ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments and raw registers of a warp, tiles in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_TYPES_TD
#define MAGICUBE_GPU_TYPES_TD

include "dialect/magicube_gpu/MagicubeGPUDialect.td"
include "dialect/magicube_gpu/MagicubeGPUEnums.td"
include "mlir/IR/AttrTypeBase.td"

class MagicubeGPU_Type<string name, string typeMnemonic>
    : TypeDef<MagicubeGPU_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def MagicubeGPU_FragmentType : MagicubeGPU_Type<"Fragment", "fragment"> {
  let summary = "what a warp holds of one MMA operand";
  let description = [{
    Operand `a`, `b` or `c` of the instruction `mma`, a row of lib/Layout's
    MmaTable, which gives the number of 32-bit registers and the map
    (lane, register, element) to (row, column). Elements carry the sign of the
    operand (`si8`, `ui8`, `si4`, `ui4`); accumulators are `i32`, or `f32` once
    they have been converted.

    Example: `!magicube_gpu.fragment<"m16n8k32", a, ui8>`.
  }];
  let parameters = (ins StringRefParameter<"name of the MMA instruction">:$mma,
                        EnumParameter<MagicubeGPU_MmaOperand>:$operand,
                        "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $mma `,` $operand `,` $elementType `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The instruction's row in the MmaTable; never null in verified IR.
    const ::mlir::magicube::MmaInstruction *getInstruction() const;
    /// 32-bit registers of a lane.
    int64_t getNumRegisters() const;
  }];
}

def MagicubeGPU_RegistersType : MagicubeGPU_Type<"Registers", "registers"> {
  let summary = "raw 32-bit registers of every lane";
  let description = [{
    What `ldmatrix` delivered, before a transpose makes a fragment of it, or
    stored words of sparse values, before split_values makes fragments of them.
    Example: `!magicube_gpu.registers<4>`.
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

def MagicubeGPU_SharedLayoutAttr
    : AttrDef<MagicubeGPU_Dialect, "SharedLayout"> {
  let mnemonic = "shared_layout";
  let summary = "where a tile lies in shared memory";
  let description = [{
    The first tile of the ring starts `offset` bytes into the kernel's shared
    memory, the next ones `stage_bytes` apart. Byte `b` of chunk `c` (16 bytes) of row `r` is at
    `r * pitch + 16 * (c ^ ((r >> swizzle_shift) & swizzle_mask)) + b`.
  }];
  let parameters = (ins "int64_t":$offset, "int64_t":$stage_bytes,
                        "int64_t":$pitch, "int64_t":$swizzle_mask,
                        "int64_t":$swizzle_shift);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def MagicubeGPU_TileType : MagicubeGPU_Type<"Tile", "tile"> {
  let summary = "a ring of equal tiles in shared memory";
  let description = [{
    `stages` tiles of `rows` rows of `row_bytes` bytes. Where they lie and how
    their chunks are swizzled is fixed by `magicube-gpu-assign-shared-memory`.

    Example: `!magicube_gpu.tile<rows = 32, row_bytes = 128, stages = 4>`.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$row_bytes,
                        DefaultValuedParameter<"int64_t", "1">:$stages,
                        OptionalParameter<"SharedLayoutAttr">:$layout);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // MAGICUBE_GPU_TYPES_TD
