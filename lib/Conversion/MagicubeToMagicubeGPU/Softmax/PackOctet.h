//===- PackOctet.h - Results of a softmax as words --------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_SOFTMAX_PACKOCTET_H
#define MAGICUBE_LIB_CONVERSION_SOFTMAX_PACKOCTET_H

#include "magicube/GPU/Utils/Arithmetic.h"

namespace mlir::magicube {

/// The low 4, 8 or 16 bits of words of which the next ones, up to the whole
/// byte at least, are zero, one after another.
SmallVector<Value> packIntegers(Arithmetic e, ArrayRef<Value> words,
                                int64_t bits);

/// Numbers of f32, rounded to `type`, f32 or f16.
SmallVector<Value> packFloats(Arithmetic e, ArrayRef<Value> values, Type type);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_SOFTMAX_PACKOCTET_H
