//===- SampledStore.h - Results of a sampled product ------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_SAMPLEDSTORE_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_SAMPLEDSTORE_H

#include "Epilogue.h"

namespace mlir::magicube_gpu {

using StoreVectorsAdaptor =
    StoreVectorsOp::GenericAdaptor<ArrayRef<ValueRange>>;

/// Finishes and stores a step's sums as values of a sparse matrix.
void emitSampledStore(Emitter &e, StoreVectorsOp op,
                      StoreVectorsAdaptor adaptor);

} // namespace mlir::magicube_gpu

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_SAMPLEDSTORE_H
