//===- Lowering.h - Shared parts of the lowering to NVVM ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, the pattern groups, and the emission of addresses and thread numbers.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_LOWERING_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_LOWERING_H

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Utils/EmitLayout.h"
#include "magicube/Layout/OperandPlanes.h"
#include "magicube/Layout/WorkTables.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::magicube_gpu {

/// The dynamic shared memory of every kernel: an external array of no size. It
/// is the only shared memory there is, so it starts at address 0 of the
/// block's.
inline constexpr StringLiteral kSharedMemorySymbol = "smem";

/// Reports what an earlier pass should have done, and what has no lowering.
LogicalResult verifyPrepared(gpu::GPUModuleOp module);

/// Checks that the threads of the kernel can share out a load or a copy.
LogicalResult verifyBlock(Operation *op);

using magicube::getShareBytes;
using magicube::kGroupBytes;
using magicube::kWarpStartBytes;
using magicube::kWorkRegisters;

/// Patterns by family, one file each.
void populateCopyLowering(const TypeConverter &converter,
                          RewritePatternSet &patterns);
void populateDealLowering(const TypeConverter &converter,
                          RewritePatternSet &patterns);
void populateFragmentLowering(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateResidentLowering(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateResultLowering(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateSlabLowering(const TypeConverter &converter,
                          RewritePatternSet &patterns);

/// Emits i32 arithmetic at one place.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  Value constant(int64_t value) {
    return magicube::emitConstant(b, loc, value);
  }
  Value add(Value lhs, Value rhs);
  Value add(Value lhs, int64_t rhs) {
    return magicube::emitAdd(b, loc, lhs, rhs);
  }
  Value mul(Value lhs, int64_t rhs) {
    return magicube::emitMultiply(b, loc, lhs, rhs);
  }
  Value bitAnd(Value lhs, uint32_t mask) {
    return magicube::emitAnd(b, loc, lhs, mask);
  }
  Value shiftRight(Value lhs, int64_t amount) {
    return magicube::emitShiftLeft(b, loc, lhs, -amount);
  }
  Value isBelow(Value lhs, Value rhs); ///< unsigned <
  Value both(Value lhs, Value rhs);    ///< of two i1; null counts as true

  /// Value of `output` where `input` is `value` and all else is 0.
  Value apply(const magicube::LinearLayout &layout, StringRef input,
              Value value, StringRef output) {
    return magicube::emitLayout(b, loc, layout, input, value, output);
  }

  /// Bytes that `elements` (a multiple of 8) of `bits` bits take.
  Value toBytes(Value elements, int64_t bits) {
    return bits < 8 ? shiftRight(elements, llvm::Log2_64(8 / bits))
                    : mul(elements, bits / 8);
  }

  /// A register of an MMA operand of its source registers, without what it
  /// takes of each byte.
  Value permuteBytes(const magicube::BytePermute &permute, ValueRange sources);
  /// The low or high nibbles of a register's bytes, and then `flips` flipped.
  Value takeHalf(Value word, magicube::ByteHalf half, uint32_t flips = 0);

  /// Inline PTX, one of those that the simulator knows; without `result` for
  /// its effect.
  Value assembly(StringRef text, StringRef constraints, ValueRange operands,
                 Type result = {});

  /// An i32 register as a copy that LLVM cannot look into: what is computed of
  /// it stays where it is instead of being held in registers from before a loop
  /// on.
  Value hidden(Value value);

  /// Thread of the block and lane of the warp.
  Value threadId();
  Value laneId() { return bitAnd(threadId(), magicube::kWarpSize - 1); }

  /// Zero-extended product of two i32 as i64 (one mul.wide).
  Value wideProduct(Value lhs, Value rhs);
  Value extend(Value value);

  /// `pointer` plus `bytes` (i32 or i64).
  Value offset(Value pointer, Value bytes);
  /// Address of a chunk in tile `slot` (or null) of a ring.
  Value tileAddress(TileType type, Value base, Value slot);
  Value chunkAddress(TileType type, Value tile, Value row, Value chunk);
  /// The same of chunk `chunk` + `laneChunk`, whose bits do not meet, such that
  /// the addresses of several chunks of a row share their computation.
  Value chunkAddress(TileType type, Value tile, Value row, Value laneChunk,
                     int64_t chunk);

  OpBuilder &b;
  Location loc;
};

/// The step layout of a verified operation.
magicube::StepLayout getStep(StringRef recipe, int64_t vectorLength);

/// Threads of the block that an operation runs in.
int64_t getBlockThreads(Operation *op);

} // namespace mlir::magicube_gpu

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_LOWERING_H
