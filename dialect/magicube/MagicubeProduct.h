//===- MagicubeProduct.h - What products have in common -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands and epilogues of magicube.spmm and magicube.sddmm, which have the
// same clauses.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_DIALECT_MAGICUBE_MAGICUBEPRODUCT_H
#define MAGICUBE_DIALECT_MAGICUBE_MAGICUBEPRODUCT_H

#include "dialect/magicube/MagicubeDialect.h"

namespace mlir::magicube {

/// Whether two extents may be equal at run time.
inline bool areCompatible(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// Whether an integer type is signless and of one of `widths` bits.
bool isOperandType(Type type, ArrayRef<unsigned> widths);

/// An extent in messages.
std::string extentName(int64_t extent);

/// What a row of `columns` elements of 4 bits takes.
int64_t getPackedBytes(int64_t columns);

/// What indexes an epilogue operand of type `type` over a `matrix` of two
/// extents. A 1 x 1 operand goes by row if M is 1 or N is known not to be, else
/// by column.
BroadcastAxis getBroadcastAxis(Type type, ArrayRef<int64_t> matrix);

/// The components of a sparse operand in storage form against the type that
/// they store.
LogicalResult verifyStorageComponents(Operation *op, RankedTensorType storage,
                                      TypeRange components);

/// Whether padding says that it is padding: natural order. `name` is the
/// operand's.
LogicalResult verifyNaturalOrder(Operation *op, StringRef name,
                                 SRBCRSAttr encoding);

/// The destination of values in storage form: as many containers as there may
/// be, of `element` or, if `isPacked`, bytes.
LogicalResult verifyValuesDestination(Operation *op, Type destination,
                                      bool isPacked);

/// A sparse result in the pattern of a sparse operand of type `sparse`.
LogicalResult verifySparseResult(Operation *op, Type result, StringRef name,
                                 RankedTensorType sparse);

/// Operands and results of either form: tensors where there are results, else
/// memrefs, one of `inits` for each result, in storage form always.
LogicalResult verifyForm(SparseComputeOpInterface op, ValueRange inits,
                         bool isOverwritten);

/// An epilogue and the element type of its result, over an M x N result.
template <typename ProductOp>
LogicalResult verifyProductEpilogue(ProductOp op, int64_t m, int64_t n);

/// Numbers of a pattern against static extents of the sparse operand's type.
LogicalResult verifyPatternNumbers(Operation *op, PatternAttr pattern,
                                   RankedTensorType sparse);

/// The steps of the epilogue of a product.
template <typename ProductOp>
Epilogue<Value> getProductEpilogue(ProductOp op) {
  Epilogue<Value> epilogue;
  epilogue.hasFloatSums = op.getAccumulate().has_value();
  if (Value bias = op.getSumBias())
    epilogue.operands.push_back({EpilogueRole::SumBias, bias});
  for (Value scale : op.getScales())
    epilogue.operands.push_back({EpilogueRole::Scale, scale});
  if (Value bias = op.getBias())
    epilogue.operands.push_back({EpilogueRole::Bias, bias});
  epilogue.activation = op.getActivation();
  epilogue.element =
      getResultElement(op.getOutputElementType(), op.getUnsignedResult());
  return epilogue;
}

/// Adds the operands of the epilogue of a product.
template <typename ProductOp>
void addEpilogueOperands(ProductOp op,
                         SmallVectorImpl<ComputeOperand> &operands) {
  auto add = [&](std::string name, OperandRange values) {
    operands.push_back({OperandRole::Epilogue, std::move(name), values});
  };
  if (op.getSumBias())
    add("sum_bias", op.getSumBiasMutable());
  for (unsigned i = 0; i < op.getScales().size(); ++i)
    add("scale_" + std::to_string(i), op.getScales().slice(i, 1));
  if (op.getBias())
    add("bias", op.getBiasMutable());
}

} // namespace mlir::magicube

#endif // MAGICUBE_DIALECT_MAGICUBE_MAGICUBEPRODUCT_H
