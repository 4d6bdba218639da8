//===- MagicubeComponents.cpp - Sparse tensors and their components -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folders of assemble, disassemble, pack and unpack.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::magicube;

/// Checks that the components of `sparseType` may have the types `actual`:
/// the documented element types and, where both are static, extents.
static LogicalResult
verifyComponents(Operation *op, RankedTensorType sparseType, TypeRange actual) {
  static constexpr StringLiteral names[] = {"pointers", "indices", "values"};
  SmallVector<RankedTensorType> expected = getComponentTypes(sparseType);
  if (actual.size() != expected.size())
    return op->emitOpError("expected ")
           << expected.size() << " components for " << sparseType
           << ", but got " << actual.size();
  for (auto [name, want, got] : llvm::zip(names, expected, actual)) {
    auto type = cast<RankedTensorType>(got);
    if (type.getElementType() != want.getElementType() ||
        failed(verifyCompatibleShape(type, want)))
      return op->emitOpError("expected ") << name << " to be compatible with "
                                          << want << ", but got " << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// AssembleOp and DisassembleOp
//===----------------------------------------------------------------------===//

LogicalResult AssembleOp::verify() {
  RankedTensorType type = getType();
  if (failed(verifyComponents(*this, type, getComponents().getTypes())))
    return failure();
  if (getDims().size() != static_cast<size_t>(type.getNumDynamicDims()))
    return emitOpError("expected one of dims per dynamic dimension of ")
           << type << ", that is " << type.getNumDynamicDims() << ", but got "
           << getDims().size();
  return success();
}

OpFoldResult AssembleOp::fold(FoldAdaptor) {
  // assemble(disassemble(x)) of one type is x; the extents are x's own.
  auto disassemble = getComponents().front().getDefiningOp<DisassembleOp>();
  if (disassemble && disassemble.getSource().getType() == getType() &&
      llvm::equal(disassemble.getComponents(), getComponents()))
    return disassemble.getSource();
  return {};
}

LogicalResult DisassembleOp::verify() {
  return verifyComponents(*this, getSource().getType(),
                          getComponents().getTypes());
}

LogicalResult DisassembleOp::fold(FoldAdaptor,
                                  SmallVectorImpl<OpFoldResult> &results) {
  // disassemble(assemble(xs)) is xs where the types agree exactly.
  auto assemble = getSource().getDefiningOp<AssembleOp>();
  if (!assemble || assemble.getComponents().getTypes() != getResultTypes())
    return failure();
  llvm::append_range(results, assemble.getComponents());
  return success();
}

//===----------------------------------------------------------------------===//
// PackOp and UnpackOp
//===----------------------------------------------------------------------===//

/// Checks that a dense and a sparse tensor differ in their encoding alone.
static LogicalResult verifySameDense(Operation *op, RankedTensorType sparse,
                                     RankedTensorType dense) {
  if (getDenseType(sparse) != dense)
    return op->emitOpError("expected the dense tensor to have the shape and "
                           "element type of the sparse one, ")
           << getDenseType(sparse) << ", but got " << dense;
  return success();
}

LogicalResult PackOp::verify() {
  return verifySameDense(*this, getType(), getSource().getType());
}

LogicalResult UnpackOp::verify() {
  return verifySameDense(*this, getSource().getType(), getType());
}

OpFoldResult UnpackOp::fold(FoldAdaptor) {
  // unpack(pack(x)) is x. The reverse is not folded: packing again would drop
  // stored zeros, which a pattern's user can see.
  if (auto pack = getSource().getDefiningOp<PackOp>())
    return pack.getSource();
  return {};
}
