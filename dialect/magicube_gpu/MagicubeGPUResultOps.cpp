//===- MagicubeGPUResultOps.cpp - From sums to memory ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders and verifiers of the exchange, the epilogue and the store.
//
//===----------------------------------------------------------------------===//

#include "MagicubeGPUVerify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::magicube_gpu;
using magicube::BroadcastAxis;
using magicube::DenseOperand;
using magicube::StepLayout;

/// Whether `type` is the accumulator of an MMA.
static bool isAccumulator(FragmentType type) {
  return type.getOperand() == MmaOperand::C;
}

//===----------------------------------------------------------------------===//
// ExchangeLanesOp
//===----------------------------------------------------------------------===//

LogicalResult ExchangeLanesOp::verify() {
  FragmentType type = getFragment().getType();
  if (!isAccumulator(type))
    return emitOpError("expected a fragment of operand c, but got ") << type;
  int64_t shift = getFoldShiftAttr().getInt();
  constexpr int64_t registerBits = 32;
  if (shift < 0 || shift >= registerBits)
    return emitOpError("expected fold_shift from 0 to ")
           << registerBits - 1 << ", but got " << shift;
  if (shift != 0 && !type.getElementType().isInteger(32))
    return emitOpError(
               "expected a fragment of i32 next to fold_shift, but got ")
           << type;
  int64_t count = type.getNumRegisters() / (shift == 0 ? 1 : 2);
  if (getRegisters().getType().getCount() != count)
    return emitOpError("expected a result of ")
           << count << " registers, but got " << getRegisters().getType();
  if (getLaneBit().has_value() != getRegisterBit().has_value())
    return emitOpError("expected lane_bit and register_bit together, but got "
                       "only ")
           << (getLaneBit() ? "lane_bit" : "register_bit");
  if (!getLaneBit())
    return success();
  constexpr uint64_t laneBits = 5;
  if (*getLaneBit() >= laneBits)
    return emitOpError("expected lane_bit from 0 to ")
           << laneBits - 1 << ", but got " << int64_t(*getLaneBit());
  if (*getRegisterBit() >= llvm::Log2_64_Ceil(count))
    return emitOpError("expected register_bit to tell ")
           << count << " registers apart, but got "
           << int64_t(*getRegisterBit());
  return success();
}

//===----------------------------------------------------------------------===//
// EpilogueOp
//===----------------------------------------------------------------------===//

void EpilogueOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getInputsMutable())
    if (!operand.get().getType().isF32())
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
}

/// The type that elements come in: integers as i32.
static Type getRegisterType(Type element) {
  return element.isInteger() ? IntegerType::get(element.getContext(), 32)
                             : element;
}

/// The operands against what the description says of them.
static LogicalResult verifyOperands(EpilogueOp op) {
  auto described = op.getEpilogue().getOperands();
  if (op.getInputs().size() != described.size())
    return op.emitOpError("expected ")
           << described.size() << " operands for " << op.getEpilogue()
           << ", but got " << op.getInputs().size();
  for (auto [operand, value] : llvm::zip_equal(described, op.getInputs())) {
    bool isNumber = operand.ref == BroadcastAxis::None;
    if (isNumber != value.getType().isF32())
      return op.emitOpError("expected ")
             << (isNumber ? "a number" : "a pointer") << " as '"
             << StringRef(spelling(operand.role)) << " "
             << StringRef(spelling(operand.ref)) << "', but got "
             << value.getType();
    if (!isNumber && !op.getRow())
      return op.emitOpError("expected a row and a column for '")
             << StringRef(spelling(operand.role)) << " "
             << StringRef(spelling(operand.ref)) << "'";
  }
  return success();
}

LogicalResult EpilogueOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  Type sum = getSum().getType(), result = getResult().getType();
  Type element = getRegisterType(getEpilogue().getElement());
  if (auto fragment = dyn_cast<FragmentType>(sum)) {
    if (!isAccumulator(fragment))
      return emitOpError("expected a fragment of operand c, but got ")
             << fragment;
    if (getRow())
      return emitOpError("expected no row and column next to a fragment, whose "
                         "elements have their own");
    if (!element.isInteger(32) && !element.isF32())
      return emitOpError("expected elements of 32 bits, or integers, of a "
                         "fragment, but got ")
             << element;
    sum = fragment.getElementType();
    element = FragmentType::get(getContext(), fragment.getMma(), MmaOperand::C,
                                element);
  }
  if (sum.isF32() != getEpilogue().getFloatSums())
    return emitOpError("expected sums of ")
           << (getEpilogue().getFloatSums() ? "f32" : "i32") << " for "
           << getEpilogue() << ", but got " << getSum().getType();
  if (result != element)
    return emitOpError("expected a result of type ")
           << element << " for " << getEpilogue() << ", but got " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// StoreResultOp
//===----------------------------------------------------------------------===//

LogicalResult
ResultMapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ResultOrder order, int64_t alignment, bool streaming) {
  if (isRowAlignment(alignment))
    return success();
  return emitError() << "expected alignment to be 16, 4 or 1, but got "
                     << alignment;
}

void StoreResultOp::build(OpBuilder &builder, OperationState &state,
                          const StoreResultFields &fields) {
  build(builder, state, fields.fragments, fields.base, fields.row,
        fields.column, fields.stride, fields.limit, fields.lane,
        fields.encoding, fields.step,
        builder.getI64IntegerAttr(fields.component), fields.map,
        fields.accumulate ? builder.getUnitAttr() : UnitAttr(),
        TypeAttr::get(fields.resultType));
}

Type mlir::magicube_gpu::getStoreSumType(Region &body) {
  if (body.empty())
    return IntegerType::get(body.getContext(), 32);
  return body.getArgument(0).getType();
}

Type StoreResultOp::getSumType() { return getStoreSumType(getBody()); }

/// The fragments against the step's output.
static LogicalResult verifyFragments(StoreResultOp op, const StepLayout &step,
                                     const DenseOperand &operand) {
  if (op.getFragments().size() != static_cast<size_t>(operand.columnSets()))
    return op.emitOpError("expected ")
           << operand.columnSets() << " fragments for " << operand.bits
           << " bits, but got " << op.getFragments().size();
  int64_t registers = operand.output.inputSize(magicube::dim::reg);
  bool isExchanged = operand.foldShift != 0 || operand.exchange;
  for (Type type : op.getFragments().getTypes()) {
    auto exchanged = dyn_cast<RegistersType>(type);
    if (bool(exchanged) != isExchanged ||
        (exchanged && exchanged.getCount() != registers))
      return op.emitOpError("expected ")
             << (isExchanged ? "results of exchange_lanes, each of "
                             : "fragments, each of ")
             << registers << " registers, for operand layout '"
             << magicube::spelling(step.layout) << "', but got " << type;
    if (exchanged)
      continue;
    auto fragment = cast<FragmentType>(type);
    if (failed(verifyFragment(op, fragment, step, MmaOperand::C)))
      return failure();
    if (fragment.getElementType() != op.getSumType())
      return op.emitOpError("expected fragments of ")
             << op.getSumType() << ", which the body takes, but got " << type;
  }
  return success();
}

LogicalResult StoreResultOp::verify() {
  int64_t vectorLength = getEncoding().getVector();
  if (failed(verifyStepVectors(*this, getStep(), getEncoding())))
    return failure();
  StepLayout step = getStep().getStepLayout();
  DenseOperand operand = *magicube::getDenseOperand(step);
  int64_t component = getComponentAttr().getInt();
  if (component < 0 || component >= vectorLength ||
      component % step.mma->n != 0)
    return emitOpError("expected component to be a multiple of ")
           << step.mma->n << " below the vector length " << vectorLength
           << ", but got " << component;
  if (failed(verifyStoreBody(*this, getBody(), getResultType())))
    return failure();
  if (getAccumulate() && !getResultType().isInteger(32))
    return emitOpError(
               "expected result_type i32 next to 'accumulate', but got ")
           << getResultType();
  return verifyFragments(*this, step, operand);
}

LogicalResult StoreResultOp::verifyRegions() {
  return verifyStoreRegion(*this, getBody(), getResultType());
}

//===----------------------------------------------------------------------===//
// Bodies of stores
//===----------------------------------------------------------------------===//

LogicalResult mlir::magicube_gpu::verifyStoreBody(Operation *op, Region &body,
                                                  Type resultType) {
  if (body.empty() && !resultType.isInteger(32))
    return op->emitOpError("expected a body that makes a result of type ")
           << resultType << " of the sums";
  // The body's arguments are checked with its region, after this.
  if (!body.empty() && body.getNumArguments() != 3)
    return op->emitOpError("expected a body with 3 arguments, a sum, its row "
                           "and its column, but got ")
           << body.getNumArguments();
  return success();
}

LogicalResult mlir::magicube_gpu::verifyStoreRegion(Operation *op, Region &body,
                                                    Type resultType) {
  if (body.empty())
    return success();
  if (!body.hasOneBlock())
    return op->emitOpError("expected a body of one block");
  TypeRange types = body.getArgumentTypes();
  if (!(types[0].isInteger(32) || types[0].isF32()) ||
      !types[1].isInteger(32) || !types[2].isInteger(32))
    return op->emitOpError("expected a body with arguments i32 or f32, i32 and "
                           "i32, but got ")
           << types;
  Block &block = body.front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  Type expected = getRegisterType(resultType);
  if (yield && yield.getElement().getType() == expected)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected the body to end with "
                                            "magicube_gpu.yield of ");
  diag << expected << " for result_type " << resultType;
  if (yield)
    diag << ", but got " << yield.getElement().getType();
  return diag;
}
