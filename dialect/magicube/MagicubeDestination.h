//===- MagicubeDestination.h - Inits of operations with kernels -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last operands of a SparseComputeOpInterface are its inits, one for each
// result or none: what effects and bufferization follow from.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_DIALECT_MAGICUBE_MAGICUBEDESTINATION_H
#define MAGICUBE_DIALECT_MAGICUBE_MAGICUBEDESTINATION_H

#include "dialect/magicube/MagicubeDialect.h"

namespace mlir::magicube {

/// Which init an operand is, or nothing.
std::optional<unsigned> getInitNumber(SparseComputeOpInterface op,
                                      OpOperand &operand);

/// Whether the contents of an operand matter.
bool readsOperand(SparseComputeOpInterface op, OpOperand &operand);

/// Reads and writes of the operands that are memrefs.
void getDestinationEffects(
    SparseComputeOpInterface op,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects);

/// The result that an operand's buffer becomes.
bufferization::AliasingValueList getAliasingResults(SparseComputeOpInterface op,
                                                    OpOperand &operand);

/// Replaces the storage form on tensors by that on memrefs.
LogicalResult
bufferizeDestinations(SparseComputeOpInterface op, RewriterBase &rewriter,
                      const bufferization::BufferizationOptions &options,
                      bufferization::BufferizationState &state);

} // namespace mlir::magicube

#endif // MAGICUBE_DIALECT_MAGICUBE_MAGICUBEDESTINATION_H
