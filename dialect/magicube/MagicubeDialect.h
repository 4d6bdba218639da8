//===- MagicubeDialect.h - The tensor-level dialect -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the magicube dialect: see MagicubeDialect.td and its
// neighbours.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_DIALECT_MAGICUBE_MAGICUBEDIALECT_H
#define MAGICUBE_DIALECT_MAGICUBE_MAGICUBEDIALECT_H

#include "magicube/Format/Epilogue.h"
#include "magicube/Format/StorageLayout.h"
#include "magicube/Layout/OperandLayout.h"
#include "magicube/Layout/SharedMemoryLayout.h"
#include "magicube/Support/Result.h"
#include "magicube/Target/GpuTarget.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/magicube/MagicubeDialect.h.inc"
#include "dialect/magicube/MagicubeEnums.h.inc"

namespace mlir::magicube {
/// Parameters of attributes are uniqued.
inline bool operator==(const EpilogueOperand<BroadcastAxis> &lhs,
                       const EpilogueOperand<BroadcastAxis> &rhs) {
  return lhs.role == rhs.role && lhs.ref == rhs.ref;
}
/// A tile's form in IR and in lib/Layout.
inline SharedMemoryForm getSharedMemoryForm(SharedForm form) {
  switch (form) {
  case SharedForm::ConflictFree:
    return SharedMemoryForm::conflictFree;
  case SharedForm::Padded:
    return SharedMemoryForm::padded;
  case SharedForm::Plain:
    return SharedMemoryForm::plain;
  }
}
inline SharedForm getSharedForm(SharedMemoryForm form) {
  switch (form) {
  case SharedMemoryForm::conflictFree:
    return SharedForm::ConflictFree;
  case SharedMemoryForm::padded:
    return SharedForm::Padded;
  case SharedMemoryForm::plain:
    return SharedForm::Plain;
  }
}

inline llvm::hash_code hash_value(const EpilogueOperand<BroadcastAxis> &value) {
  return llvm::hash_combine(value.role, value.ref);
}
} // namespace mlir::magicube

#define GET_ATTRDEF_CLASSES
#include "dialect/magicube/MagicubeAttrs.h.inc"

namespace mlir::magicube {

/// The `#magicube.sr_bcrs` encoding of a ranked tensor type, or null.
SRBCRSAttr getSparseEncoding(Type type);

/// How a tensor of `type`'s shape and element type is stored. Integers are
/// taken as signed; the sign does not change the layout.
Result<StorageLayout> getStorageLayout(RankedTensorType type,
                                       const SRBCRSEncoding &encoding);

/// Types of the components that store a sparse tensor (see SRBCRSAttr):
/// pointers, indices and, unless it is a pattern, values.
SmallVector<RankedTensorType> getComponentTypes(RankedTensorType sparseType);

/// Whether `type` is a dense tensor of i4, which is stored two to a byte.
bool isPackedDense(Type type);

/// The tensor of bytes that stores a dense tensor of i4: each row starts on a
/// byte, ceil(N / 2) bytes.
RankedTensorType getPackedType(RankedTensorType type);

/// `type` with its encoding dropped.
RankedTensorType getDenseType(RankedTensorType type);

/// The format of a type of floats; nothing for other types.
std::optional<FloatFormat> getFloatFormat(Type type);

/// The elements of a result of type `type`, a float or a signless integer.
ResultElement getResultElement(Type type, bool isUnsigned);

/// The inverse, without the sign.
Type getElementType(MLIRContext *context, const ResultElement &element);

/// The chip of that name, or an error at `op`, also if the module `op` has been
/// compiled for another one.
FailureOr<const GpuTarget *> getTarget(Operation *op, StringRef chip);

/// Emits `error` and its note through `emitError`.
LogicalResult emit(function_ref<InFlightDiagnostic()> emitError,
                   const Error &error);

} // namespace mlir::magicube

namespace mlir::magicube {

/// What an operand is to a SparseComputeOpInterface. A mask is sparse and has
/// the pattern of the sparse operand.
enum class OperandRole { Sparse, Dense, Init, Epilogue, Mask };

/// An operand of a SparseComputeOpInterface.
struct ComputeOperand {
  OperandRole role;
  /// Its name in messages and launch plans, such as "lhs" and "scale_0".
  std::string name;
  /// One value; in storage form the components of a sparse one.
  ValueRange values;
  /// Its integers are taken as unsigned.
  bool isUnsigned = false;
  /// Of an init: its contents do not matter.
  bool isOverwritten = false;

  bool contains(Value value) const { return llvm::is_contained(values, value); }
};

/// What a SpmmOp is built of, see there. Absent: null, or nothing.
struct SpmmFields {
  ValueRange lhs;
  Value rhs;
  Value sumBias = {};
  ValueRange scales = {};
  Value bias = {};
  Value columns = {};
  Value init = {};
  TypeAttr storage = {}, packedRhs = {}, packedResult = {};
  TypeAttr compute = {};
  bool unsignedLhs = false, unsignedRhs = false, unsignedResult = false;
  bool overwrite = false;
  TypeAttr accumulate = {};
  ActivationAttr activation = {};
  PatternAttr pattern = {};
  ScheduleAttr schedule = {};
};

/// What a SddmmOp is built of, see there. Absent: null, or nothing.
struct SddmmFields {
  Value lhs, rhs;
  ValueRange pattern;
  Value sumBias = {};
  ValueRange scales = {};
  Value bias = {};
  Value inner = {};
  Value init = {};
  TypeAttr storage = {}, packedLhs = {}, packedRhs = {}, packedResult = {};
  TypeAttr compute = {};
  bool unsignedLhs = false, unsignedRhs = false, unsignedResult = false;
  bool overwrite = false;
  TypeAttr accumulate = {};
  ActivationAttr activation = {};
  PatternAttr patternInfo = {};
  SddmmTilingAttr tiling = {};
};

/// What a SoftmaxOp is built of, see there. Absent: null, or nothing.
struct SoftmaxFields {
  ValueRange scores;
  Value scale = {};
  Value valueScale = {};
  Value mask = {};
  ValueRange inits = {};
  TypeAttr storage = {}, packedResult = {};
  bool unsignedResult = false;
  bool overwrite = false;
};

} // namespace mlir::magicube

#include "dialect/magicube/MagicubeInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialect/magicube/MagicubeOps.h.inc"

#endif // MAGICUBE_DIALECT_MAGICUBE_MAGICUBEDIALECT_H
