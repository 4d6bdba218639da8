//===- FragmentLowering.cpp - Lowering of fragments and MMAs --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, byte permutes, loads of the sparse values, mma.sync.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "StepValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

/// The i32 fields of a struct, which NVVM operations return registers in.
static SmallVector<Value> unpackStruct(OpBuilder &b, Location loc,
                                       Value value) {
  auto type = cast<LLVM::LLVMStructType>(value.getType());
  SmallVector<Value> fields;
  for (size_t i = 0; i < type.getBody().size(); ++i)
    fields.push_back(LLVM::ExtractValueOp::create(b, loc, value, i));
  return fields;
}

static LLVM::LLVMStructType getRegisterStruct(OpBuilder &b, int64_t count) {
  return LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(count, b.getI32Type()));
}

/// (mask & ifOne) | (~mask & ifZero) in one instruction: PTX ISA "lop3", whose
/// table 0xCA is that function. Spelled out because the masks are constants: as
/// `and` and `or` they are two immediates, one too many for an instruction.
static Value emitSelectBits(Emitter &e, uint32_t mask, Value ifOne,
                            Value ifZero) {
  return e.assembly("lop3.b32 $0, $1, $2, $3, 0xca;", "=r,r,r,r",
                    {e.constant(int32_t(mask)), ifOne, ifZero},
                    e.b.getI32Type());
}

/// A register of nibbles of others: all that move by the same distance do so
/// together.
static Value emitNibbles(Emitter &e, ArrayRef<NibbleSource> nibbles,
                         ValueRange sources) {
  constexpr int32_t nibbleBits = 4, registerBits = 32;
  constexpr uint32_t nibbleMask = 0xF;
  struct Move {
    BytePermute bytes;
    int32_t rotation;
    uint32_t mask;
  };
  SmallVector<Move> moves;
  for (size_t to = 0; to < nibbles.size(); ++to) {
    const NibbleSource &from = nibbles[to];
    if (from.nibble == kZeroNibble)
      continue;
    int32_t rotation = nibbleBits * (int32_t(to) - from.nibble);
    rotation = (rotation + registerBits) % registerBits;
    uint32_t mask = nibbleMask << (nibbleBits * to);
    auto known = llvm::find_if(moves, [&](const Move &move) {
      return move.rotation == rotation && move.bytes == from.bytes;
    });
    if (known == moves.end())
      moves.push_back({from.bytes, rotation, mask});
    else
      known->mask |= mask;
  }
  auto emitMove = [&](const Move &move) -> Value {
    Value value = e.permuteBytes(move.bytes, sources);
    if (move.rotation == 0)
      return value;
    return LLVM::FshlOp::create(e.b, e.loc, value, value,
                                e.constant(move.rotation));
  };
  if (moves.size() == 2 && moves[0].mask == ~moves[1].mask)
    return emitSelectBits(e, moves[0].mask, emitMove(moves[0]),
                          emitMove(moves[1]));
  Value result;
  for (const Move &move : moves) {
    Value value = emitMove(move);
    if (move.mask != UINT32_MAX)
      value = e.bitAnd(value, move.mask);
    result =
        result ? Value(arith::OrIOp::create(e.b, e.loc, result, value)) : value;
  }
  return result;
}

namespace {

struct ZeroLowering : OpConversionPattern<ZeroOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ZeroOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    SmallVector<Value> registers(types.size(),
                                 emitConstant(rewriter, op.getLoc(), 0));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct LdsRowsLowering : OpConversionPattern<LdsRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LdsRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    TileType type = op.getTile().getType();
    Value tile = e.tileAddress(type, adaptor.getTile(), adaptor.getSlot());
    StepLayout step = op.getStep().getStepLayout();
    LayoutPoint callPlace =
        step.reader.apply({{dim::call, int32_t(op.getCall())}});
    Value lane = e.laneId();
    Value laneChunk = e.apply(step.reader, dim::lane, lane, dim::chunk);
    Value row = adaptor.getRow();
    if (!row)
      row = e.add(e.apply(step.reader, dim::lane, lane, dim::row),
                  callPlace[dim::row]);
    std::optional<int64_t> chunk = getConstantIntValue(op.getChunk());
    Value address = chunk
                        ? e.chunkAddress(type, tile, row, laneChunk, *chunk)
                        : e.chunkAddress(type, tile, row,
                                         e.add(adaptor.getChunk(), laneChunk));
    int64_t count = op.getRegisters().getType().getCount();
    Value matrices = NVVM::LdMatrixOp::create(
        rewriter, op.getLoc(), getRegisterStruct(rewriter, count), address,
        static_cast<uint32_t>(count), NVVM::MMALayout::col,
        NVVM::LdStMatrixShapeAttr::get(op.getContext(), kLdmatrixPhaseRows,
                                       kLdmatrixPhaseRows),
        NVVM::LdStMatrixEltType::B16);
    rewriter.replaceOpWithMultiple(
        op, {unpackStruct(rewriter, op.getLoc(), matrices)});
    return success();
  }
};

struct SplatLowering : OpConversionPattern<SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SplatOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers(
        op.getType().getNumRegisters(),
        emitConstant(rewriter, op.getLoc(), int32_t(op.getWord())));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct CombineLowering : OpConversionPattern<CombineOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CombineOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> sums;
    for (int64_t i = 0; i < op.getType().getNumRegisters(); ++i) {
      Value sum;
      for (auto [registers, shift, negate] : llvm::zip(
               adaptor.getAccumulators(), op.getShifts(), op.getNegate())) {
        Value term =
            shift < 0 && !op.getLogical()
                ? arith::ShRSIOp::create(rewriter, loc, registers[i],
                                         emitConstant(rewriter, loc, -shift))
                : emitShiftLeft(rewriter, loc, registers[i], shift);
        if (!sum && negate)
          sum = emitConstant(rewriter, loc, 0);
        if (!sum)
          sum = term;
        else if (negate)
          sum = arith::SubIOp::create(rewriter, loc, sum, term);
        else
          sum = arith::AddIOp::create(rewriter, loc, sum, term);
      }
      sums.push_back(sum);
    }
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }
};

struct TransposeLowering : OpConversionPattern<TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TransposeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    DenseOperand operand =
        *getDenseOperand(op.getStep().getStepLayout(),
                         getNibbleForm(op.getScaled(), op.getBiased()));
    SmallVector<SmallVector<Value>> fragments;
    for (const OperandPlane &plane : operand.planes) {
      SmallVector<Value> &registers = fragments.emplace_back();
      for (const OperandRegister &source : plane.registers) {
        if (!source.nibbles.empty()) {
          registers.push_back(emitNibbles(
              e, source.nibbles, adaptor.getRegisters()[source.chunk]));
          continue;
        }
        Value bytes = e.permuteBytes(source.permute,
                                     adaptor.getRegisters()[source.chunk]);
        // Flips the signs of nibbles, which adds 8.
        uint32_t flips = op.getBiased() && plane.isHalf() ? kNibbleBias : 0;
        registers.push_back(e.takeHalf(bytes, source.half, flips));
      }
    }
    rewriter.replaceOpWithMultiple(op, std::move(fragments));
    return success();
  }
};

/// The values of a step as MMA operands: what lds_values and split_values have
/// in common. A lane holds consecutive positions of one component per fragment
/// and makes the fragments of all planes and calls of them.
struct ValueSplitter : StepValues {
  using StepValues::StepValues;

  /// The fragments, of types `fragments`, of a lane's words, which are those of
  /// its first fragment, then those of its second.
  SmallVector<SmallVector<Value>> split(Emitter &e, ValueRange words,
                                        ValueRange fragments) const {
    Value lane = e.laneId();
    // By plane, then fragment, as results are ordered within a call.
    SmallVector<SmallVector<Value>> loaded(operand.planes.size() *
                                           step.fragments());
    for (int32_t i = 0; i < step.fragments(); ++i) {
      ValueRange own = words.slice(i * operand.words, operand.words);
      for (auto [p, plane] : llvm::enumerate(operand.planes)) {
        size_t index = p * step.fragments() + i;
        auto fragment = cast<FragmentType>(fragments[index].getType());
        bool isSigned = cast<IntegerType>(fragment.getElementType()).isSigned();
        bool isExtended = isSigned && operand.bits < step.mma->operandBits;
        loaded[index] = emitPlane(e, plane, isExtended, own);
        if (operand.raisesOddLanes)
          emitRaise(e, step, lane, loaded[index]);
      }
    }
    SmallVector<SmallVector<Value>> result;
    for (int32_t call = 0; call < step.calls(); ++call)
      for (auto [index, registers] : llvm::enumerate(loaded)) {
        const OperandPlane &plane = operand.planes[index / step.fragments()];
        result.push_back(emitCall(e, plane.lanePermutes[call],
                                  operand.caseLaneBits, lane, registers));
      }
    return result;
  }

private:
  /// What a call multiplies of a plane's registers.
  static SmallVector<Value> emitCall(Emitter &e, ArrayRef<LanePermute> permutes,
                                     ArrayRef<int32_t> caseLaneBits, Value lane,
                                     ArrayRef<Value> loaded) {
    SmallVector<Value> registers;
    for (const LanePermute &permute : permutes) {
      Value first = loaded[permute.sourceA];
      if (permute.selectors == std::vector<uint16_t>{kIdentitySelector}) {
        registers.push_back(first);
        continue;
      }
      Value second = permute.sourceB == kZeroSource ? e.constant(0)
                                                    : loaded[permute.sourceB];
      registers.push_back(NVVM::PermuteOp::create(
          e.b, e.loc, e.b.getI32Type(), first, second,
          emitSelector(e, permute.selectors, caseLaneBits, lane),
          NVVM::PermuteMode::DEFAULT));
    }
    return registers;
  }

  /// Lanes of odd columns have their nibbles one place further up.
  static void emitRaise(Emitter &e, const StepLayout &step, Value lane,
                        MutableArrayRef<Value> registers) {
    constexpr int64_t log2NibbleBits = 2;
    Value parity = e.bitAnd(lane, 1u << step.parityLaneBit);
    Value amount =
        emitShiftLeft(e.b, e.loc, parity, log2NibbleBits - step.parityLaneBit);
    for (Value &value : registers)
      value = arith::ShLIOp::create(e.b, e.loc, value, amount);
  }

  /// The selector of the lane's case.
  static Value emitSelector(Emitter &e, ArrayRef<uint16_t> selectors,
                            ArrayRef<int32_t> caseLaneBits, Value lane) {
    if (llvm::all_equal(selectors))
      return e.constant(selectors.front());
    // The last bit tells the first half of the cases from the second.
    Value bit = e.bitAnd(lane, 1u << caseLaneBits.back());
    Value isClear = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq,
                                          bit, e.constant(0));
    size_t half = selectors.size() / 2;
    ArrayRef<int32_t> otherBits = caseLaneBits.drop_back();
    Value ifClear =
        emitSelector(e, selectors.take_front(half), otherBits, lane);
    Value ifSet = emitSelector(e, selectors.drop_front(half), otherBits, lane);
    return arith::SelectOp::create(e.b, e.loc, isClear, ifClear, ifSet);
  }

  /// Operand B of one plane; signed nibbles are extended to bytes.
  static SmallVector<Value> emitPlane(Emitter &e, const OperandPlane &plane,
                                      bool extendsNibbles, ValueRange words) {
    SmallVector<Value> registers;
    for (const OperandRegister &source : plane.registers) {
      Value value =
          source.nibbles.empty()
              ? e.takeHalf(e.permuteBytes(source.permute, words), source.half)
              : emitNibbles(e, source.nibbles, words);
      if (extendsNibbles)
        value = e.extendNibbles(value);
      registers.push_back(value);
    }
    return registers;
  }
};

struct LdsValuesLowering : OpConversionPattern<LdsValuesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LdsValuesOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    ValueSplitter splitter(op.getEncoding(), op.getStep());
    TileType type = op.getTile().getType();
    Value slot =
        adaptor.getSlot().empty() ? Value() : adaptor.getSlot().front();
    Value tile = e.tileAddress(type, adaptor.getTile().front(), slot);
    ValueOrder order = getTileOrder(op.getEncoding());
    SmallVector<Value> words;
    for (int32_t i = 0; i < splitter.step.fragments(); ++i)
      llvm::append_range(
          words, splitter.load(
                     e, e.offset(tile, splitter.getLaneOffset(e, i, order))));
    rewriter.replaceOpWithMultiple(op,
                                   splitter.split(e, words, op.getFragments()));
    return success();
  }
};

struct SplitValuesLowering : OpConversionPattern<SplitValuesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SplitValuesOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    ValueSplitter splitter(op.getEncoding(), op.getStep());
    rewriter.replaceOpWithMultiple(
        op, splitter.split(e, adaptor.getWords(), op.getFragments()));
    return success();
  }
};

/// What canonicalization makes of a branch that chooses between fragments.
struct SelectLowering : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers;
    for (auto [yes, no] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      registers.push_back(arith::SelectOp::create(
          rewriter, op.getLoc(), adaptor.getCondition().front(), yes, no));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct MmaLowering : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const MmaInstruction &mma = *op.getA().getType().getInstruction();
    std::array<NVVM::MMATypes, 2> types = {
        getPtxType(op.getA().getType().getElementType()),
        getPtxType(op.getB().getType().getElementType())};
    Value result = NVVM::MmaOp::create(
        rewriter, op.getLoc(),
        getRegisterStruct(rewriter, op.getType().getNumRegisters()),
        adaptor.getA(), adaptor.getB(), adaptor.getC(),
        ArrayRef<int64_t>{mma.m, mma.n, mma.k}, /*b1Op=*/std::nullopt,
        NVVM::MMAIntOverflow::wrapped, types,
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
    rewriter.replaceOpWithMultiple(
        op, {unpackStruct(rewriter, op.getLoc(), result)});
    return success();
  }

private:
  static NVVM::MMATypes getPtxType(Type type) {
    auto integer = cast<IntegerType>(type);
    if (integer.getWidth() == 4)
      return integer.isUnsigned() ? NVVM::MMATypes::u4 : NVVM::MMATypes::s4;
    return integer.isUnsigned() ? NVVM::MMATypes::u8 : NVVM::MMATypes::s8;
  }
};

} // namespace

void mlir::magicube_gpu::populateFragmentLowering(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<CombineLowering, LdsRowsLowering, LdsValuesLowering, MmaLowering,
               SelectLowering, SplatLowering, SplitValuesLowering,
               TransposeLowering, ZeroLowering>(converter,
                                                patterns.getContext());
}
