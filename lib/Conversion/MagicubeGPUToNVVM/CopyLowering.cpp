//===- CopyLowering.cpp - Lowering of copies into shared memory -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread copies what: index loads, gathered rows, values of the sparse
// operand.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "StepValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

static constexpr int64_t kChunkBytes = magicube::kLdmatrixRowBytes;
static constexpr int64_t kWordBytes = sizeof(int32_t);

namespace {

/// The chunks of a tile of 32 rows, shared by the threads of a block:
/// neighbouring threads take the chunks of one row, so that a warp reads whole
/// row segments; a thread's chunks are the same column of rows `rowsPerPass`
/// apart.
struct ChunkShare {
  int64_t chunksPerRow;
  int64_t rowsPerPass;

  ChunkShare(int64_t rowBytes, int64_t threads)
      : chunksPerRow(rowBytes / kChunkBytes),
        rowsPerPass(threads / chunksPerRow) {}

  Value chunk(Emitter &e) const {
    return e.bitAnd(e.threadId(), chunksPerRow - 1);
  }
  /// Row of the thread's first chunk, below rowsPerPass.
  Value firstRow(Emitter &e) const {
    return e.shiftRight(e.threadId(), llvm::Log2_64(chunksPerRow));
  }
};

/// Bytes of a step's values that a thread copies at once. No piece crosses a
/// stride: the next one may be another row's.
int64_t getPieceBytes(SRBCRSAttr encoding, int64_t bits) {
  return std::min(kChunkBytes, getTileOrder(encoding).runPitch() * bits / 8);
}

/// Copies `bytes` bytes, or zeros if `isValid` is false.
void emitCopyOrZero(Emitter &e, Value destination, Value source, int64_t bytes,
                    Value isValid) {
  Value size = arith::SelectOp::create(e.b, e.loc, isValid, e.constant(bytes),
                                       e.constant(0));
  NVVM::CpAsyncOp::create(e.b, e.loc, destination, source,
                          static_cast<uint32_t>(bytes), getCacheModifier(bytes),
                          size);
}

/// Runs `body` if `condition` holds (null: always).
void emitIf(Emitter &e, Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  scf::IfOp::create(e.b, e.loc, condition, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(e.b, e.loc);
  });
}

} // namespace

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

namespace {

struct LdgGatherIndicesLowering : OpConversionPattern<LdgGatherIndicesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LdgGatherIndicesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    ChunkShare share(op.getRowBytes(), getBlockThreads(op));
    // (row) -> (position); tileRow is a bijection.
    LinearLayout positions = *op.getStep().getStepLayout().tileRow.invert();
    // Rows of later passes differ in higher bits only: their positions too.
    Value first =
        e.add(adaptor.getPosition(),
              e.apply(positions, dim::row, share.firstRow(e), dim::position));
    SmallVector<Value> columns;
    for (size_t pass = 0; pass < op.getNumResults(); ++pass) {
      int32_t row = pass * share.rowsPerPass;
      Value position =
          e.add(first, positions.apply({{dim::row, row}}, dim::position));
      Value isStored = e.isBelow(position, adaptor.getEnd());
      columns.push_back(emitLoad(e, op.getEncoding(), adaptor.getIndices(),
                                 position,
                                 e.both(isStored, adaptor.getPredicate())));
    }
    rewriter.replaceOp(op, columns);
    return success();
  }

private:
  /// -1 for the padding of u16, 0xFFFF.
  static Value widenPadding(Emitter &e, Value index) {
    constexpr int64_t padding = std::numeric_limits<uint16_t>::max();
    Value isPadding = arith::CmpIOp::create(
        e.b, e.loc, arith::CmpIPredicate::eq, index, e.constant(padding));
    return arith::SelectOp::create(e.b, e.loc, isPadding,
                                   e.constant(kPaddingIndex), index);
  }

  /// The index at `position`, or -1 unless `condition`.
  static Value emitLoad(Emitter &e, SRBCRSAttr encoding, Value indices,
                        Value position, Value condition) {
    auto load = [&](OpBuilder &b, Location loc) {
      bool isU16 = encoding.getIndex() == IndexWidth::U16;
      Type type = isU16 ? b.getI16Type() : b.getI32Type();
      Value address =
          LLVM::GEPOp::create(b, loc, indices.getType(), type, indices,
                              ValueRange{e.extend(position)});
      Value index = LLVM::LoadOp::create(b, loc, type, address);
      if (isU16)
        index = arith::ExtUIOp::create(b, loc, b.getI32Type(), index);
      // Without K segments the padding of natural order is beyond the end.
      if (isU16 && encoding.getSlab() != 0)
        index = widenPadding(e, index);
      scf::YieldOp::create(b, loc, index);
    };
    auto none = [&](OpBuilder &b, Location loc) {
      scf::YieldOp::create(b, loc, e.constant(kPaddingIndex));
    };
    return scf::IfOp::create(e.b, e.loc, condition, load, none).getResult(0);
  }
};

//===----------------------------------------------------------------------===//
// Rows of the dense operand
//===----------------------------------------------------------------------===//

/// The dense operand in global memory: rows `stride` bytes apart, of `limit`
/// bytes, aligned to `alignment`.
struct DenseRows {
  Value rows, stride, limit;
  int64_t alignment;
  /// Whether registers are worth more than loads at once.
  bool savesRegisters = false;

  /// Copies one chunk of row `index` from byte `column` on, or zeros unless
  /// `isStored` (null: it is).
  void emitChunk(Emitter &e, Value destination, Value index, Value isStored,
                 Value column) const {
    Value row = e.wideProduct(index, stride);
    if (alignment == 1) {
      emitBytes(e, destination, isStored, row, column);
      return;
    }
    for (int64_t byte = 0; byte < kChunkBytes; byte += alignment) {
      Value start = e.add(column, byte);
      Value isValid = e.both(isStored, e.isBelow(start, limit));
      Value source = arith::AddIOp::create(e.b, e.loc, row, e.extend(start));
      // Nothing is read where isValid is false; the address stays in bounds
      // all the same.
      source = arith::SelectOp::create(
          e.b, e.loc, isValid, source,
          arith::ConstantIntOp::create(e.b, e.loc, 0, /*width=*/64));
      emitCopyOrZero(e, e.offset(destination, e.constant(byte)),
                     e.offset(rows, source), alignment, isValid);
    }
  }

  /// The same with plain byte loads, a word at a time.
  void emitBytes(Emitter &e, Value destination, Value isStored, Value row,
                 Value column) const {
    // Hidden, so that LLVM keeps the loop: all words at once load faster, but
    // take registers.
    Value end = e.constant(kChunkBytes);
    scf::ForOp::create(
        e.b, e.loc, e.constant(0), savesRegisters ? e.hidden(end) : end,
        e.constant(kWordBytes), ValueRange(),
        [&](OpBuilder &b, Location loc, Value byte, ValueRange) {
          Value word = emitWord(e, isStored, row, e.add(column, byte));
          LLVM::StoreOp::create(b, loc, word, e.offset(destination, byte),
                                kWordBytes);
          scf::YieldOp::create(b, loc);
        });
  }

  /// Stores a word, and zeros after it.
  static void storeWord(Emitter &e, Value destination, Value word) {
    constexpr int64_t count = kChunkBytes / kWordBytes;
    auto type = VectorType::get(count, e.b.getI32Type());
    Value chunk = LLVM::PoisonOp::create(e.b, e.loc, type);
    for (int64_t i = 0; i < count; ++i)
      chunk = LLVM::InsertElementOp::create(
          e.b, e.loc, chunk, i == 0 ? word : e.constant(0), e.constant(i));
    LLVM::StoreOp::create(e.b, e.loc, chunk, destination, kChunkBytes);
  }

  /// The bytes of a word from byte `start` of the row on.
  Value emitWord(Emitter &e, Value isStored, Value row, Value start) const {
    constexpr int64_t byteBits = 8;
    Value word = e.constant(0);
    for (int64_t byte = 0; byte < kWordBytes; ++byte) {
      Value place = e.add(start, byte);
      Value isValid = e.both(isStored, e.isBelow(place, limit));
      Value offset = arith::AddIOp::create(e.b, e.loc, row, e.extend(place));
      Value bits = emitByteOrZero(e, rows, offset, isValid);
      word = arith::OrIOp::create(
          e.b, e.loc, word, emitShiftLeft(e.b, e.loc, bits, byte * byteBits));
    }
    return word;
  }

  static Value emitByteOrZero(Emitter &e, Value base, Value offset,
                              Value isValid) {
    auto load = [&](OpBuilder &b, Location loc) {
      Value byte =
          LLVM::LoadOp::create(b, loc, b.getI8Type(), e.offset(base, offset));
      scf::YieldOp::create(
          b, loc,
          arith::ExtUIOp::create(b, loc, b.getI32Type(), byte).getResult());
    };
    auto zero = [&](OpBuilder &b, Location loc) {
      scf::YieldOp::create(b, loc, e.constant(0));
    };
    return scf::IfOp::create(e.b, e.loc, isValid, load, zero).getResult(0);
  }
};

struct CpAsyncGatheredRowsLowering
    : OpConversionPattern<CpAsyncGatheredRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CpAsyncGatheredRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    TileType type = op.getTile().getType();
    ChunkShare share(type.getRowBytes(), getBlockThreads(op));
    DenseRows rows{adaptor.getRows(), adaptor.getStride(), adaptor.getLimit(),
                   int64_t(op.getAlignment())};
    emitIf(e, adaptor.getPredicate(), [&] {
      Value tile = e.tileAddress(type, adaptor.getTile(), adaptor.getSlot());
      Value chunk = share.chunk(e);
      Value firstRow = share.firstRow(e);
      Value column = e.add(adaptor.getColumn(), e.mul(chunk, kChunkBytes));
      for (auto [pass, index] : llvm::enumerate(adaptor.getColumns())) {
        Value row = e.add(firstRow, pass * share.rowsPerPass);
        Value destination = e.chunkAddress(type, tile, row, chunk);
        Value isStored = arith::CmpIOp::create(rewriter, op.getLoc(),
                                               arith::CmpIPredicate::sge, index,
                                               e.constant(0));
        rows.emitChunk(e, destination, index, isStored, column);
      }
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// Chunk i of the rows goes to thread i modulo the threads of the block: a warp
/// reads whole row segments.
struct CpAsyncRowsLowering : OpConversionPattern<CpAsyncRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CpAsyncRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    TileType type = op.getTile().getType();
    // A K-tile of a ring is filled in a loop, beside registers that hold values
    // of the sparse operand.
    DenseRows rows{adaptor.getRows(), adaptor.getStride(), adaptor.getLimit(),
                   int64_t(op.getAlignment()),
                   /*savesRegisters=*/bool(op.getSlot())};
    Value tile = e.tileAddress(type, adaptor.getTile(), adaptor.getSlot());
    if (rows.alignment > 1 || type.getRowBytes() > kChunkBytes) {
      emitChunks(e, op, adaptor, rows, tile);
    } else {
      Value bytes = arith::SubIOp::create(rewriter, op.getLoc(), rows.limit,
                                          adaptor.getColumn());
      Value isNarrow = e.isBelow(bytes, e.constant(kWordBytes + 1));
      scf::IfOp::create(
          rewriter, op.getLoc(), isNarrow,
          [&](OpBuilder &b, Location loc) {
            emitWords(e, op, adaptor, rows, tile);
            scf::YieldOp::create(b, loc);
          },
          [&](OpBuilder &b, Location loc) {
            emitChunks(e, op, adaptor, rows, tile);
            scf::YieldOp::create(b, loc);
          });
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// A K-tile of a ring is filled in a loop, where nothing that depends on the
  /// thread should wait in registers.
  static Value getThread(Emitter &e, CpAsyncRowsOp op) {
    return op.getSlot() ? e.hidden(e.threadId()) : e.threadId();
  }

  static void emitChunks(Emitter &e, CpAsyncRowsOp op, OpAdaptor adaptor,
                         const DenseRows &rows, Value tile) {
    TileType type = op.getTile().getType();
    int64_t chunks = type.getRowBytes() / kChunkBytes;
    scf::ForOp::create(
        e.b, e.loc, getThread(e, op), e.mul(adaptor.getCount(), chunks),
        e.constant(getBlockThreads(op)), ValueRange(),
        [&](OpBuilder &b, Location loc, Value i, ValueRange) {
          Value row = arith::DivUIOp::create(b, loc, i, e.constant(chunks));
          Value chunk = arith::SubIOp::create(b, loc, i, e.mul(row, chunks));
          Value column = e.add(adaptor.getColumn(), e.mul(chunk, kChunkBytes));
          rows.emitChunk(e, e.chunkAddress(type, tile, row, chunk), row,
                         /*isStored=*/Value(), column);
          scf::YieldOp::create(b, loc);
        });
  }

  /// Rows of one word, the rest of whose chunk is zero: products with a vector
  /// or a few. Loads of several rows are under way at once.
  static void emitWords(Emitter &e, CpAsyncRowsOp op, OpAdaptor adaptor,
                        const DenseRows &rows, Value tile) {
    constexpr int64_t rowsAtOnce = 4;
    TileType type = op.getTile().getType();
    int64_t threads = getBlockThreads(op);
    Value count = adaptor.getCount(), last = e.add(count, -1);
    scf::ForOp::create(
        e.b, e.loc, getThread(e, op), count, e.constant(rowsAtOnce * threads),
        ValueRange(), [&](OpBuilder &b, Location loc, Value first, ValueRange) {
          SmallVector<Value> words;
          for (int64_t i = 0; i < rowsAtOnce; ++i) {
            Value row =
                arith::MinUIOp::create(b, loc, e.add(first, i * threads), last);
            words.push_back(rows.emitWord(e, /*isStored=*/Value(),
                                          e.wideProduct(row, rows.stride),
                                          adaptor.getColumn()));
          }
          for (int64_t i = 0; i < rowsAtOnce; ++i) {
            Value row = e.add(first, i * threads);
            emitIf(e, e.isBelow(row, count), [&] {
              Value place = e.chunkAddress(type, tile, row, e.constant(0));
              DenseRows::storeWord(e, place, words[i]);
            });
          }
          scf::YieldOp::create(b, loc);
        });
  }
};

//===----------------------------------------------------------------------===//
// Values of the sparse operand
//===----------------------------------------------------------------------===//

/// A step's values go through the first threads, a piece each, in stored order.
/// With a stride of 64 a step is half a stride: one run of positions per
/// component, the full stride apart.
struct CpAsyncValuesLowering : OpConversionPattern<CpAsyncValuesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CpAsyncValuesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    SRBCRSAttr encoding = op.getEncoding();
    TileType type = op.getTile().getType();
    int64_t bits = op.getBits();
    int64_t pieceBytes = getPieceBytes(encoding, bits);
    int64_t pieces = type.getRowBytes() / pieceBytes;
    int64_t threads = getBlockThreads(op);
    for (int64_t first = 0; first < pieces; first += threads)
      emitPiece(e, op, adaptor, first, std::min(pieces - first, threads));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Thread t of the first `count` copies piece `first` + t.
  static void emitPiece(Emitter &e, CpAsyncValuesOp op, OpAdaptor adaptor,
                        int64_t first, int64_t count) {
    SRBCRSAttr encoding = op.getEncoding();
    TileType type = op.getTile().getType();
    ValueOrder order = encoding.getFormat().valueOrder();
    int64_t bits = op.getBits(), pieceBytes = getPieceBytes(encoding, bits);
    Value thread = e.threadId();
    Value isCopier;
    if (count < getBlockThreads(op))
      isCopier = e.isBelow(thread, e.constant(count));
    emitIf(e, e.both(isCopier, adaptor.getPredicate()), [&] {
      Value byte = e.mul(e.add(thread, first), pieceBytes);
      Value position = adaptor.getPosition();
      Value source, isValid;
      if (order.run <= kStepPositions) {
        source = arith::AddIOp::create(
            e.b, e.loc,
            e.wideProduct(e.toBytes(position, bits), e.constant(order.vector)),
            e.extend(byte));
        Value strideStart = e.mul(
            e.shiftRight(byte, llvm::Log2_64(order.runPitch() * bits / 8)),
            order.run);
        isValid = e.isBelow(e.add(position, strideStart), adaptor.getEnd());
      } else {
        source = emitHalfStrideOffset(e, position, byte, order, bits);
        // A step starts below the end, and so the rest of its stride is padded.
        isValid = e.isBelow(position, adaptor.getEnd());
      }
      source = arith::SelectOp::create(
          e.b, e.loc, isValid, source,
          arith::ConstantIntOp::create(e.b, e.loc, 0, /*width=*/64));
      Value tile = e.tileAddress(type, adaptor.getTile(), adaptor.getSlot());
      emitCopyOrZero(e, e.offset(tile, byte),
                     e.offset(adaptor.getValues(), source), pieceBytes,
                     isValid);
    });
  }

  /// Offset of byte `byte` of a step, whose bytes are 32 values of one
  /// component after the other, where the stride is longer than a step.
  static Value emitHalfStrideOffset(Emitter &e, Value position, Value byte,
                                    ValueOrder order, int64_t bits) {
    int64_t runBytes = kStepPositions * bits / 8;
    Value inStride = e.bitAnd(position, order.run - 1);
    Value strideStart = arith::SubIOp::create(e.b, e.loc, position, inStride);
    Value component = e.shiftRight(byte, llvm::Log2_64(runBytes));
    Value inRun = e.bitAnd(byte, runBytes - 1);
    Value local =
        e.add(e.add(e.mul(component, order.componentPitch() * bits / 8),
                    e.toBytes(inStride, bits)),
              inRun);
    return arith::AddIOp::create(
        e.b, e.loc,
        e.wideProduct(e.toBytes(strideStart, bits), e.constant(order.vector)),
        e.extend(local));
  }
};

} // namespace

void mlir::magicube_gpu::populateCopyLowering(const TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns.add<LdgGatherIndicesLowering, CpAsyncGatheredRowsLowering,
               CpAsyncRowsLowering, CpAsyncValuesLowering>(
      converter, patterns.getContext());
}
