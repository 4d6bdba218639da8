//===- MatrixTypes.h - Plain types of a function's values -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From ranked tensor types to Format/MatrixType.h, for tools and bundles.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SERIALIZE_MATRIXTYPES_H
#define MAGICUBE_SERIALIZE_MATRIXTYPES_H

#include "magicube/Format/MatrixType.h"

#include "mlir/IR/Value.h"

namespace mlir::magicube {

/// The type of a function's argument; its sign is the one that the products of
/// the function give it. An Error for what is neither a matrix of integers or
/// f32 nor an f32.
Result<MatrixType> getMatrixType(BlockArgument argument);

/// The type itself, with the sign given; `what` names the value in the Error.
Result<MatrixType> getMatrixType(Type type, bool isSigned,
                                 const std::string &what);

} // namespace mlir::magicube

#endif // MAGICUBE_SERIALIZE_MATRIXTYPES_H
