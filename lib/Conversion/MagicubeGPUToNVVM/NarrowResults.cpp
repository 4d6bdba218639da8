//===- NarrowResults.cpp - Stores of results of 8 and 4 bits --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes trade bytes until each has words of one row (ResultPacking), which are
// stored whole where memory and the width of the result allow it.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "magicube/Layout/ResultPacking.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

static constexpr int64_t kWordBytes = 4;

namespace {

/// The stores of one operation.
class NarrowStore {
public:
  NarrowStore(Emitter &e, StoreResultOp op, StoreResultAdaptor adaptor,
              const DenseOperand &operand)
      : e(e), op(op), adaptor(adaptor), operand(operand),
        lane(adaptor.getLane().front()),
        // The operation's verifier knows the operand, and that it packs.
        packing(*getResultPacking(operand,
                                  op.getResultType().getIntOrFloatBitWidth())),
        bits(op.getResultType().getIntOrFloatBitWidth()) {}

  void emit(ArrayRef<ValueRange> parts);

private:
  Value permute(Value a, Value b, int64_t selector) {
    return permute(a, b, e.constant(selector));
  }
  Value permute(Value a, Value b, Value selector) {
    return NVVM::PermuteOp::create(e.b, e.loc, e.b.getI32Type(), a, b, selector,
                                   NVVM::PermuteMode::DEFAULT);
  }
  Value fromOtherLane(Value value, int32_t laneBit) {
    return NVVM::ShflOp::create(e.b, e.loc, e.b.getI32Type(), e.constant(-1),
                                value, e.constant(1 << laneBit),
                                e.constant(kWarpSize - 1), NVVM::ShflKind::bfly,
                                /*return_value_and_is_valid=*/UnitAttr());
  }
  Value isBitSet(Value value, int32_t bit) {
    return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne,
                                 e.bitAnd(value, 1u << bit), e.constant(0));
  }
  /// The results of one fragment.
  void emitGroup(ArrayRef<ValueRange> parts);
  /// The result at a slot of the lane, in the low bits of an i32.
  Value emitSlot(int32_t slot, Value sum);
  /// Words of four bytes by position, traded between lanes.
  SmallVector<Value> emitBytes(ArrayRef<Value> elements);
  /// Words of bytes that hold nibbles to words of nibbles.
  SmallVector<Value> emitNibbles(ArrayRef<Value> bytes);
  void emitStore(Value word, int32_t position);
  void emitByteStores(Value word, Value address, Value column);
  /// `vector` below the vector length; null where it always is.
  Value exists(Value vector);

  Emitter &e;
  StoreResultOp op;
  StoreResultAdaptor adaptor;
  const DenseOperand &operand;
  Value lane;
  ResultPacking packing;
  int64_t bits;
};

} // namespace

Value NarrowStore::exists(Value vector) {
  int64_t vectorLength = op.getEncoding().getVector();
  int64_t fragments = operand.output.inputSize(dim::fragment);
  int64_t reached = operand.output.outputSize(dim::vector) / fragments;
  if (int64_t(op.getComponent()) + reached <= vectorLength)
    return {};
  return e.isBelow(vector, e.constant(vectorLength));
}

/// All lanes take part in the trades: those without a result compute that of
/// the nearest element there is, so that they read no scale that is not there.
Value NarrowStore::emitSlot(int32_t slot, Value sum) {
  int32_t registers = operand.output.inputSize(dim::reg);
  LayoutPoint place = operand.output.apply(
      {{dim::part, slot / registers}, {dim::reg, slot % registers}});
  Value vector =
      e.add(e.add(e.apply(operand.output, dim::lane, lane, dim::vector),
                  op.getComponent()),
            place[dim::vector]);
  Value column =
      e.add(adaptor.getColumn().front(),
            e.add(e.apply(operand.output, dim::lane, lane, dim::column),
                  place[dim::column]));
  if (exists(vector))
    vector = arith::MinUIOp::create(
        e.b, e.loc, vector, e.constant(op.getEncoding().getVector() - 1));
  column = arith::MinUIOp::create(e.b, e.loc, column,
                                  e.add(adaptor.getLimit().front(), -1));
  return emitElement(e, op.getBody(), sum,
                     e.add(adaptor.getRow().front(), vector), column);
}

SmallVector<Value> NarrowStore::emitBytes(ArrayRef<Value> elements) {
  SmallVector<Value> words;
  for (size_t i = 0; i < elements.size(); i += kWordBytes) {
    // Byte 0 of each of four.
    Value low = permute(elements[i], elements[i + 1], 0x0040);
    Value high = permute(elements[i + 2], elements[i + 3], 0x0040);
    words.push_back(permute(low, high, 0x5410));
  }
  for (LaneExchange exchange : packing.exchanges) {
    int32_t wordBit = exchange.registerBit - llvm::Log2_64(kWordBytes);
    if (wordBit >= 0) {
      emitExchange(e, {exchange.laneBit, wordBit}, lane, words);
      continue;
    }
    // Byte i stays if its bit is the lane's, else the other lane's byte of the
    // pair takes its place.
    int64_t selectors[2] = {0, 0};
    for (int64_t isHigh : {0, 1})
      for (int64_t i = 0; i < kWordBytes; ++i) {
        bool stays = (i >> exchange.registerBit & 1) == isHigh;
        int64_t source =
            stays ? i : kWordBytes + (i ^ 1 << exchange.registerBit);
        selectors[isHigh] |= source << (4 * i);
      }
    Value selector = arith::SelectOp::create(
        e.b, e.loc, isBitSet(lane, exchange.laneBit), e.constant(selectors[1]),
        e.constant(selectors[0]));
    for (Value &word : words)
      word = permute(word, fromOtherLane(word, exchange.laneBit), selector);
  }
  return words;
}

SmallVector<Value> NarrowStore::emitNibbles(ArrayRef<Value> bytes) {
  SmallVector<Value> pairs;
  for (Value word : bytes) {
    // Bytes 0 and 2 become pairs: the low nibble of the next one comes down.
    Value nibbles = e.bitAnd(word, 0x0F0F0F0F);
    pairs.push_back(
        arith::OrIOp::create(e.b, e.loc, nibbles, e.shiftRight(nibbles, 4)));
  }
  constexpr int64_t evenBytes = 0x6420;
  SmallVector<Value> words;
  if (packing.halfLaneBit)
    for (Value pair : pairs)
      words.push_back(
          permute(pair, fromOtherLane(pair, *packing.halfLaneBit), evenBytes));
  else
    for (size_t i = 0; i < pairs.size(); i += 2)
      words.push_back(permute(pairs[i], pairs[i + 1], evenBytes));
  return words;
}

void NarrowStore::emitByteStores(Value word, Value address, Value column) {
  constexpr int64_t byteBits = 8;
  Type byte = e.b.getI8Type();
  for (int64_t i = 0; i < kWordBytes; ++i) {
    Value first = e.add(column, i * byteBits / bits);
    Value isInside = e.isBelow(first, adaptor.getLimit().front());
    scf::IfOp::create(e.b, e.loc, isInside, [&](OpBuilder &, Location) {
      Value value = e.shiftRight(word, i * byteBits);
      if (bits < byteBits) {
        // The nibble past an odd end is 0.
        Value hasSecond =
            e.isBelow(e.add(first, 1), adaptor.getLimit().front());
        value = arith::SelectOp::create(e.b, e.loc, hasSecond, value,
                                        e.bitAnd(value, 0xF));
      }
      LLVM::StoreOp::create(e.b, e.loc,
                            arith::TruncIOp::create(e.b, e.loc, byte, value),
                            e.offset(address, e.constant(i)), /*alignment=*/1);
      scf::YieldOp::create(e.b, e.loc);
    });
  }
}

void NarrowStore::emitStore(Value word, int32_t position) {
  LayoutPoint place = packing.output.apply({{dim::position, position}});
  Value vector =
      e.add(e.add(e.apply(packing.output, dim::lane, lane, dim::vector),
                  op.getComponent()),
            place[dim::vector]);
  Value column =
      e.add(adaptor.getColumn().front(),
            e.add(e.apply(packing.output, dim::lane, lane, dim::column),
                  place[dim::column]));
  Value limit = adaptor.getLimit().front();
  Value isMine = e.both(exists(vector), e.isBelow(column, limit));
  if (packing.halfLaneBit) {
    Value isLow = arith::CmpIOp::create(
        e.b, e.loc, arith::CmpIPredicate::eq,
        e.bitAnd(lane, 1u << *packing.halfLaneBit), e.constant(0));
    isMine = e.both(isMine, isLow);
  }
  scf::IfOp::create(e.b, e.loc, isMine, [&](OpBuilder &, Location) {
    Value base = adaptor.getBase().front();
    Value stride = adaptor.getStride().front();
    Value row = e.add(adaptor.getRow().front(), vector);
    // Columns are a multiple of a word's.
    Value bytes = arith::AddIOp::create(
        e.b, e.loc, e.wideProduct(row, stride),
        e.extend(e.shiftRight(column, llvm::Log2_64(8 / bits))));
    Value address = e.offset(base, bytes);
    Value addressBits =
        LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), base);
    Value unaligned = e.bitAnd(
        arith::OrIOp::create(
            e.b, e.loc,
            arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(), addressBits),
            stride),
        kWordBytes - 1);
    Value isAligned = arith::CmpIOp::create(
        e.b, e.loc, arith::CmpIPredicate::eq, unaligned, e.constant(0));
    Value isWhole = e.isBelow(e.add(column, kWordBytes * 8 / bits - 1), limit);
    scf::IfOp::create(
        e.b, e.loc, e.both(isAligned, isWhole),
        [&](OpBuilder &, Location) {
          LLVM::StoreOp::create(e.b, e.loc, word, address, kWordBytes);
          scf::YieldOp::create(e.b, e.loc);
        },
        [&](OpBuilder &, Location) {
          emitByteStores(word, address, column);
          scf::YieldOp::create(e.b, e.loc);
        });
    scf::YieldOp::create(e.b, e.loc);
  });
}

void NarrowStore::emit(ArrayRef<ValueRange> parts) {
  // All lanes have the same first column and go the same way. The branch also
  // keeps the loads of one group of columns from being moved above the stores
  // of another, which costs registers.
  Value hasColumns =
      e.isBelow(adaptor.getColumn().front(), adaptor.getLimit().front());
  scf::IfOp::create(e.b, e.loc, hasColumns, [&](OpBuilder &, Location) {
    emitGroup(parts);
    scf::YieldOp::create(e.b, e.loc);
  });
}

void NarrowStore::emitGroup(ArrayRef<ValueRange> parts) {
  int32_t registers = operand.output.inputSize(dim::reg);
  SmallVector<Value> elements;
  for (int32_t slot : packing.slots)
    elements.push_back(
        emitSlot(slot, parts[slot / registers][slot % registers]));
  SmallVector<Value> words = emitBytes(elements);
  if (bits == 4)
    words = emitNibbles(words);
  int64_t perWord = static_cast<int64_t>(elements.size()) / words.size();
  for (auto [i, word] : llvm::enumerate(words))
    emitStore(word, static_cast<int32_t>(i * perWord));
}

void mlir::magicube_gpu::emitNarrowResults(Emitter &e, StoreResultOp op,
                                           StoreResultAdaptor adaptor,
                                           const DenseOperand &operand,
                                           ArrayRef<ValueRange> parts) {
  NarrowStore(e, op, adaptor, operand).emit(parts);
}
