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
#include "magicube/GPU/Utils/Arithmetic.h"
#include "magicube/Layout/OperandPlanes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::magicube_gpu {

/// The dynamic shared memory of every kernel: an external array of no size. It
/// is the only shared memory there is, so it starts at address 0 of the
/// block's.
inline constexpr StringLiteral kSharedMemorySymbol = "smem";

/// Reports what an earlier pass should have done, and what has no lowering.
LogicalResult verifyPrepared(gpu::GPUModuleOp module);

/// The cache modifier of a cp.async of so many bytes: .cg (L2 only) exists for
/// 16 alone (PTX ISA "cp.async").
inline NVVM::LoadCacheModifierKind getCacheModifier(int64_t bytes) {
  return bytes == magicube::kLdmatrixRowBytes ? NVVM::LoadCacheModifierKind::CG
                                              : NVVM::LoadCacheModifierKind::CA;
}

/// Patterns by family, one file each.
void populateCopyLowering(const TypeConverter &converter,
                          RewritePatternSet &patterns);
void populateEpilogueLowering(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateFragmentLowering(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateResultLowering(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateSampledLowering(const TypeConverter &converter,
                             RewritePatternSet &patterns);
void populateSharedFragmentLowering(const TypeConverter &converter,
                                    RewritePatternSet &patterns);
void populateSparseLoadLowering(const TypeConverter &converter,
                                RewritePatternSet &patterns);
void populateWordLowering(const TypeConverter &converter,
                          RewritePatternSet &patterns);

/// Emits what the operations of the dialect become, at one place.
class Emitter : public magicube::Arithmetic {
public:
  using Arithmetic::Arithmetic;

  /// Of two i1; null counts as true.
  Value both(Value lhs, Value rhs) {
    return lhs && rhs ? Arithmetic::both(lhs, rhs) : lhs ? lhs : rhs;
  }

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

  /// Bytes whose low halves are signed nibbles as signed bytes.
  Value extendNibbles(Value word);

  /// Inline PTX, one of those that the simulator knows; without `result` for
  /// its effect.
  Value assembly(StringRef text, StringRef constraints, ValueRange operands,
                 Type result = {});

  /// An i32 register as a copy that LLVM cannot look into: what is computed of
  /// it stays where it is instead of being held in registers from before a loop
  /// on.
  Value hidden(Value value);

  /// Address of a chunk in tile `slot` (or null) of a ring.
  Value tileAddress(TileType type, Value base, Value slot);
  Value chunkAddress(TileType type, Value tile, Value row, Value chunk);
  /// The same of chunk `chunk` + `laneChunk`, whose bits do not meet, such that
  /// the addresses of several chunks of a row share their computation.
  Value chunkAddress(TileType type, Value tile, Value row, Value laneChunk,
                     int64_t chunk);
};

/// Threads of the block that an operation runs in.
int64_t getBlockThreads(Operation *op);

} // namespace mlir::magicube_gpu

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_LOWERING_H
