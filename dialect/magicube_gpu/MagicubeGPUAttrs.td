//===- MagicubeGPUAttrs.td - Attributes of the warp-level dialect ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations of a step agree on.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_ATTRS_TD
#define MAGICUBE_GPU_ATTRS_TD

include "dialect/magicube/MagicubeAttrs.td"
include "dialect/magicube_gpu/MagicubeGPUDialect.td"

def MagicubeGPU_StepAttr : AttrDef<MagicubeGPU_Dialect, "Step"> {
  let mnemonic = "step";
  let summary = "a step of 32 stored vectors on Tensor Cores";
  let description = [{
    Everything that lanes, registers and selectors of a step follow from
    (lib/Layout's StepLayout): the operand layout, the widths of the sparse and
    the dense operand, and the vector length. All operations of a kernel that
    take part in its steps have the same.

    Defaults are elided. Example:
    `#magicube_gpu.step<layout = <form = transposed>, dense_bits = 16, vector = 4>`.
  }];
  let parameters = (ins
    "::mlir::magicube::OperandLayoutAttr":$layout,
    DefaultValuedParameter<"int64_t", "8">:$sparse_bits,
    DefaultValuedParameter<"int64_t", "8">:$dense_bits,
    DefaultValuedParameter<"int64_t", "8">:$vector);
  let assemblyFormat = "`<` struct(params) `>`";
  let builders = [
    AttrBuilder<(ins "const ::mlir::magicube::StepLayout &":$step), [{
      return $_get($_ctxt,
                   ::mlir::magicube::OperandLayoutAttr::get($_ctxt, step.layout),
                   step.widths.sparse, step.widths.dense, step.vectorLength);
    }]>];
  // Printed as #step.
  let genMnemonicAlias = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::mlir::magicube::StepLayout getStepLayout() const;
  }];
}

def MagicubeGPU_ChunkAttr : AttrDef<MagicubeGPU_Dialect, "Chunk"> {
  let mnemonic = "chunk";
  let summary = "a chunk of K of a sampled product";
  let description = [{
    Everything that lanes, words and planes of a chunk follow from (lib/Layout's
    ChunkLayout): the widths of both operands and of the MMAs'.

    Defaults are elided. Example: `#magicube_gpu.chunk<rhs_bits = 16>`.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "8">:$lhs_bits,
    DefaultValuedParameter<"int64_t", "8">:$rhs_bits,
    DefaultValuedParameter<"int64_t", "8">:$compute_bits);
  let assemblyFormat = "`<` struct(params) `>`";
  let builders = [
    AttrBuilder<(ins "::mlir::magicube::ChunkWidths":$widths), [{
      return $_get($_ctxt, widths.lhs, widths.rhs, widths.compute);
    }]>];
  // Printed as #chunk.
  let genMnemonicAlias = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::mlir::magicube::ChunkLayout getChunkLayout() const;
  }];
}

#endif // MAGICUBE_GPU_ATTRS_TD
