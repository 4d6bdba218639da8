//===- SpmmStep.cpp - What a k-step of spmm does --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MMAs of all planes of both operands, and what their accumulators become.
//
//===----------------------------------------------------------------------===//

#include "SpmmStep.h"

#include "FloatSums.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

static int64_t getChunksPerWarp(const SpmmKernelSpec &spec) {
  constexpr int64_t byteBits = 8;
  return spec.schedule.getWarpColumns() * spec.rhsBits / byteBits / kChunkBytes;
}

SpmmStep SpmmStep::get(const SpmmKernelSpec &spec) {
  return {KernelOperands::get(spec), getChunksPerWarp(spec),
          spec.epilogue.hasFloatSums};
}

FragmentType SpmmStep::getSumType(MLIRContext *context) const {
  return FragmentType::get(context, getLayout().mma->name, MmaOperand::C,
                           IntegerType::get(context, 32));
}

/// Operand A (dense) or B (sparse) for a plane.
static FragmentType getPlaneType(MLIRContext *context, const SpmmStep &step,
                                 const OperandPlane &plane,
                                 MmaOperand operand) {
  // Operands are swapped: A is the dense side, B the sparse one.
  bool isUnsigned = step.operands.isUnsigned(plane, operand == MmaOperand::A);
  const MmaInstruction &mma = *step.getLayout().mma;
  Type element = IntegerType::get(context, mma.operandBits,
                                  isUnsigned ? IntegerType::Unsigned
                                             : IntegerType::Signed);
  return FragmentType::get(context, mma.name, operand, element);
}

SmallVector<Type> SpmmStep::getSparseTypes(MLIRContext *context) const {
  SmallVector<Type> types;
  for (int64_t call = 0; call < getLayout().calls(); ++call)
    for (const OperandPlane &plane : operands.sparse.planes)
      types.append(getLayout().fragments(),
                   getPlaneType(context, *this, plane, MmaOperand::B));
  return types;
}

static SmallVector<Value> createZeroFragments(Arithmetic e, FragmentType type,
                                              int64_t count) {
  SmallVector<Value> zeros;
  for (int64_t i = 0; i < count; ++i)
    zeros.push_back(ZeroOp::create(e.b, e.loc, type));
  return zeros;
}

SmallVector<Value> SpmmStep::createZeroSums(Arithmetic e) const {
  return createZeroFragments(e, getSumType(e.b.getContext()), numSums());
}

SmallVector<Value> SpmmStep::createZeros(Arithmetic e) const {
  return createZeroFragments(e, getSumType(e.b.getContext()),
                             operands.numSums(numGroups()) +
                                 operands.numCorrections());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Adds the products of one call's planes of one group to `sums`.
static void createGroupProducts(Arithmetic e, const SpmmStep &step,
                                int64_t group, int64_t call, ValueRange sparse,
                                MutableArrayRef<Value> sums,
                                SpmmStep::ReadRows readRows) {
  const KernelOperands &operands = step.operands;
  const StepLayout &layout = step.getLayout();
  SmallVector<Value> raw;
  for (int64_t chunk = 0; chunk < operands.chunksPerTranspose(); ++chunk)
    raw.push_back(readRows(group * operands.dense.chunks + chunk, call));
  SmallVector<Type> rhsTypes;
  for (const OperandPlane &plane : operands.dense.planes)
    rhsTypes.push_back(
        getPlaneType(e.b.getContext(), step, plane, MmaOperand::A));
  auto rhs = TransposeOp::create(
      e.b, e.loc, rhsTypes, raw, StepAttr::get(e.b.getContext(), layout),
      operands.isBiased() ? e.b.getUnitAttr() : UnitAttr(),
      operands.hasHalves() && operands.shortRows ? e.b.getUnitAttr()
                                                 : UnitAttr());

  size_t planes = operands.sparse.planes.size();
  for (auto [dense, rhsFragment] :
       llvm::zip_equal(operands.dense.planes, rhs.getFragments()))
    for (auto [p, plane] : llvm::enumerate(operands.sparse.planes)) {
      std::optional<int32_t> columnSet = operands.getColumnSet(dense, plane);
      for (int32_t i = 0; columnSet && i < layout.fragments(); ++i) {
        Value sparseFragment =
            sparse[(call * planes + p) * layout.fragments() + i];
        Value &sum = sums[operands.sumIndex(group, *columnSet,
                                            dense.shift + plane.shift, i)];
        sum = MmaOp::create(e.b, e.loc, rhsFragment, sparseFragment, sum);
      }
    }
}

/// Adds 8 times the sparse values to the corrections, the last of `sums`.
static void createCorrections(Arithmetic e, const SpmmStep &step,
                              ValueRange sparse, MutableArrayRef<Value> sums) {
  const KernelOperands &operands = step.operands;
  if (!operands.isBiased())
    return;
  // The first plane is biased in every form.
  Value bias = SplatOp::create(e.b, e.loc,
                               getPlaneType(e.b.getContext(), step,
                                            operands.dense.planes.front(),
                                            MmaOperand::A),
                               e.b.getI32IntegerAttr(kNibbleBias));
  // By plane and fragment of every call.
  MutableArrayRef<Value> corrections =
      sums.take_back(operands.numCorrections());
  for (auto [i, fragment] : llvm::enumerate(sparse)) {
    Value &sum = corrections[i % corrections.size()];
    sum = MmaOp::create(e.b, e.loc, bias, fragment, sum);
  }
}

SmallVector<Value> SpmmStep::createProducts(Arithmetic e, ValueRange sparse,
                                            ValueRange accumulators,
                                            ReadRows readRows) const {
  SmallVector<Value> sums = llvm::to_vector(accumulators);
  for (int64_t group = 0; group < numGroups(); ++group)
    for (int64_t call = 0; call < getLayout().calls(); ++call)
      createGroupProducts(e, *this, group, call, sparse, sums, readRows);
  createCorrections(e, *this, sparse, sums);
  return sums;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The sums of a column set, of all weights.
static Value createCombined(Arithmetic e, const SpmmStep &step,
                            ValueRange accumulators, int64_t group,
                            int32_t columnSet, int32_t fragment) {
  const KernelOperands &operands = step.operands;
  const OperandPlane &plane = operands.getDensePlane(columnSet);
  SmallVector<Value> terms;
  SmallVector<int64_t> shifts;
  for (int32_t shift : operands.shifts) {
    Value sum =
        accumulators[operands.sumIndex(group, columnSet, shift, fragment)];
    if (plane.includesLow) {
      Value low = accumulators[operands.sumIndex(group, /*columnSet=*/0, shift,
                                                 fragment)];
      sum = CombineOp::create(e.b, e.loc, ValueRange{sum, low},
                              ArrayRef<int64_t>{0, 0},
                              ArrayRef<bool>{false, true});
    }
    terms.push_back(sum);
    shifts.push_back(shift - plane.scale);
  }
  SmallVector<bool> negate(terms.size(), false);
  if (operands.isBiased(plane)) {
    ValueRange corrections = accumulators.take_back(operands.numCorrections());
    for (auto [p, plane] : llvm::enumerate(operands.sparse.planes)) {
      terms.push_back(corrections[p * step.getLayout().fragments() + fragment]);
      shifts.push_back(plane.shift);
      negate.push_back(true);
    }
  }
  if (step.hasFloatSums)
    return combineInFloat(e.b, e.loc, terms, shifts, negate);
  if (terms.size() == 1 && shifts.front() == 0)
    return terms.front();
  // A scaled sum of the lowest digit is divided: by its sign.
  bool isLogical =
      operands.unsignedRhs &&
      operands.isUnsigned(operands.sparse.planes.front(), /*isDense=*/false);
  bool isScaled = shifts.front() < 0;
  return CombineOp::create(e.b, e.loc, terms, shifts, negate,
                           isScaled && isLogical);
}

SmallVector<Value> SpmmStep::createSums(Arithmetic e,
                                        ValueRange accumulators) const {
  SmallVector<Value> sums;
  for (int64_t group = 0; group < numGroups(); ++group)
    for (int64_t fragment = 0; fragment < getLayout().fragments(); ++fragment)
      for (int32_t set = 0; set < operands.dense.columnSets(); ++set)
        sums.push_back(
            createCombined(e, *this, accumulators, group, set, fragment));
  return sums;
}
