//===- MagicubeQuantization.h - Quantized element types -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the dialect reads out of upstream's `!quant.uniform` types: a stored
// integer q stands for the number scale * (q - zero point).
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_DIALECT_MAGICUBE_MAGICUBEQUANTIZATION_H
#define MAGICUBE_DIALECT_MAGICUBE_MAGICUBEQUANTIZATION_H

#include "dialect/magicube/MagicubeDialect.h"

namespace mlir::magicube {

/// A `!quant.uniform` type: per tensor, per axis, or with blocks along one
/// axis.
struct Quantization {
  /// The axis that scales and zero points go by; none: there is one of each.
  std::optional<int64_t> axis;
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  /// Neighbouring indices of the axis with one scale and zero point.
  int64_t block = 1;

  /// The extent of the axis.
  int64_t extent() const { return scales.size() * block; }
  /// The same with a scale and a zero point for each index of the axis.
  Quantization expand() const;
  bool hasZeroPoint() const {
    return llvm::any_of(zeroPoints, [](int64_t point) { return point != 0; });
  }
};

/// The quantization that an element type states; nothing for other types, for
/// other kinds of quantization and for blocks along several axes.
std::optional<Quantization> getQuantization(Type elementType);

/// The type that stores elements of type `elementType`: that of a quantized
/// type, any other type itself. So is a quantized type that has none.
Type getStorageElementType(Type elementType);

/// Whether `type` is quantized or has a quantized type inside.
bool hasQuantizedType(Type type);

/// Whether a product has quantized types: those of its operands, as its
/// verifier demands, and maybe its result's.
bool isQuantized(SpmmOp op);
/// A sampled product has none.
inline bool isQuantized(SddmmOp) { return false; }

/// Checks that a sparse tensor's zero point, if its type has one, is 0.
LogicalResult
verifySparseZeroPoint(Type elementType,
                      function_ref<InFlightDiagnostic()> emitError);

/// Checks the quantized types of a product against each other, its shapes and
/// its signs.
LogicalResult verifyQuantization(SpmmOp op);

} // namespace mlir::magicube

#endif // MAGICUBE_DIALECT_MAGICUBE_MAGICUBEQUANTIZATION_H
