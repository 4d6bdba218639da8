//===- MagicubeGPUToNVVM.cpp - convert-magicube-gpu-to-nvvm ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types (fragments are i32 registers, tiles addresses), shared emission
// helpers, the pass.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "magicube/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_CONVERTMAGICUBEGPUTONVVMPASS
#include "magicube/Conversion/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Value Emitter::permuteBytes(const BytePermute &permute, ValueRange sources) {
  if (permute.selector == kIdentitySelector)
    return sources[permute.sourceA];
  return NVVM::PermuteOp::create(
      b, loc, b.getI32Type(), sources[permute.sourceA],
      sources[permute.sourceB], constant(permute.selector),
      NVVM::PermuteMode::DEFAULT);
}

/// (word & mask) ^ flips in one instruction. LLVM has no such intrinsic, and
/// ptxas makes two of the two operations if both constants are known.
static Value emitMaskAndFlip(Emitter &e, Value word, uint32_t mask,
                             uint32_t flips) {
  return e.assembly(
      "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,r,r",
      {word, e.constant(int32_t(mask)), e.constant(int32_t(flips))},
      e.b.getI32Type());
}

Value Emitter::takeHalf(Value word, ByteHalf half, uint32_t flips) {
  constexpr uint32_t lowNibbles = 0x0F0F0F0F, highNibbles = 0xF0F0F0F0;
  constexpr int64_t nibbleBits = 4;
  if (half == ByteHalf::Whole)
    return word;
  if (half == ByteHalf::High)
    word = shiftRight(word, nibbleBits);
  uint32_t mask = half == ByteHalf::HighInPlace ? highNibbles : lowNibbles;
  return flips ? emitMaskAndFlip(*this, word, mask, flips) : bitAnd(word, mask);
}

Value Emitter::extendNibbles(Value word) {
  // 0x08 * 0x1E = 0xF0 in each byte, without carry: the sign of a nibble fills
  // the other half.
  constexpr uint32_t nibbleSigns = 0x08080808;
  constexpr int64_t signToHalf = 0x1E;
  return arith::OrIOp::create(b, loc, word,
                              mul(bitAnd(word, nibbleSigns), signToHalf));
}

static Value emitAssembly(Emitter &e, StringRef text, StringRef constraints,
                          ValueRange operands, Type result,
                          bool hasSideEffects) {
  auto op = LLVM::InlineAsmOp::create(
      e.b, e.loc, result, operands, text, constraints, hasSideEffects,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr);
  return result ? op.getRes() : Value();
}

Value Emitter::assembly(StringRef text, StringRef constraints,
                        ValueRange operands, Type result) {
  return emitAssembly(*this, text, constraints, operands, result,
                      /*hasSideEffects=*/!result);
}

Value Emitter::hidden(Value value) {
  return emitAssembly(*this, "mov.b32 $0, $1;", "=r,r", value, b.getI32Type(),
                      /*hasSideEffects=*/true);
}

Value Emitter::tileAddress(TileType type, Value base, Value slot) {
  if (!slot)
    return base;
  return offset(base, mul(slot, type.getLayout().getStageBytes()));
}

Value Emitter::chunkAddress(TileType type, Value tile, Value row, Value chunk) {
  SharedLayoutAttr layout = type.getLayout();
  if (layout.getSwizzleMask() != 0)
    chunk =
        arith::XOrIOp::create(b, loc, chunk,
                              bitAnd(shiftRight(row, layout.getSwizzleShift()),
                                     layout.getSwizzleMask()));
  Value bytes =
      add(mul(row, layout.getPitch()), mul(chunk, magicube::kLdmatrixRowBytes));
  return offset(tile, bytes);
}

Value Emitter::chunkAddress(TileType type, Value tile, Value row,
                            Value laneChunk, int64_t chunk) {
  SharedLayoutAttr layout = type.getLayout();
  int64_t mask = layout.getSwizzleMask();
  constexpr int64_t chunkBytes = magicube::kLdmatrixRowBytes;
  // Place of the chunk: swizzled bits by XOR, those above them by addition.
  // A row starts at a multiple of the swizzled bytes.
  Value swizzle = bitAnd(shiftRight(row, layout.getSwizzleShift()), mask);
  Value place =
      mask ? arith::XOrIOp::create(b, loc, laneChunk, swizzle) : laneChunk;
  Value start = add(mul(row, layout.getPitch()), mul(place, chunkBytes));
  if (int64_t swizzled = (chunk & mask) * chunkBytes)
    start = arith::XOrIOp::create(b, loc, start, constant(swizzled));
  return offset(offset(tile, start), constant((chunk & ~mask) * chunkBytes));
}

int64_t mlir::magicube_gpu::getBlockThreads(Operation *op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  return kernel.getKnownBlockSize()->front();
}

//===----------------------------------------------------------------------===//
// Types and shared memory
//===----------------------------------------------------------------------===//

namespace {

/// Fragments and raw registers -> i32 registers; tiles -> shared addresses.
struct RegisterTypeConverter : TypeConverter {
  explicit RegisterTypeConverter(MLIRContext *context) {
    Type i32 = IntegerType::get(context, 32);
    addConversion([](Type type) { return type; });
    addConversion([i32](FragmentType type, SmallVectorImpl<Type> &types) {
      types.append(type.getNumRegisters(), i32);
      return success();
    });
    addConversion([i32](RegistersType type, SmallVectorImpl<Type> &types) {
      types.append(type.getCount(), i32);
      return success();
    });
    addConversion([](TileType type) -> Type {
      return LLVM::LLVMPointerType::get(
          type.getContext(),
          static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
    });
  }
};

/// alloc_tile -> address of its first byte in the dynamic shared memory.
struct AllocTileLowering : OpConversionPattern<AllocTileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AllocTileOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    Value base = LLVM::AddressOfOp::create(
        rewriter, op.getLoc(), getTypeConverter()->convertType(op.getType()),
        kSharedMemorySymbol);
    int64_t offset = op.getType().getLayout().getOffset();
    rewriter.replaceOp(op, offset ? e.offset(base, e.constant(offset)) : base);
    return success();
  }
};

} // namespace

/// Declares the dynamic shared memory in `module`.
static void declareSharedMemory(gpu::GPUModuleOp module) {
  if (module.lookupSymbol(kSharedMemorySymbol))
    return;
  OpBuilder builder(module.getBody(), module.getBody()->begin());
  LLVM::GlobalOp::create(builder, module.getLoc(),
                         LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External,
                         kSharedMemorySymbol, /*value=*/Attribute(),
                         /*alignment=*/magicube::kSharedMemoryBanks *
                             magicube::kSharedMemoryBankBytes,
                         static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
}

namespace {

struct ConvertMagicubeGPUToNVVMPass
    : magicube::impl::ConvertMagicubeGPUToNVVMPassBase<
          ConvertMagicubeGPUToNVVMPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(verifyPrepared(module)))
      return signalPassFailure();
    declareSharedMemory(module);
    RegisterTypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    patterns.add<AllocTileLowering>(converter, &getContext());
    populateCopyLowering(converter, patterns);
    populateEpilogueLowering(converter, patterns);
    populateFragmentLowering(converter, patterns);
    populateResultLowering(converter, patterns);
    populateSampledLowering(converter, patterns);
    populateSharedFragmentLowering(converter, patterns);
    populateSparseLoadLowering(converter, patterns);
    populateWordLowering(converter, patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<MagicubeGPUDialect>();
    target.addDynamicallyLegalOp<arith::SelectOp>(
        [&](arith::SelectOp op) { return converter.isLegal(op.getType()); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    // What the pipeline was told has been done; upstream knows the rest.
    module.walk([](gpu::GPUFuncOp kernel) {
      kernel->removeAttr(MagicubeGPUDialect::kStagesAttrName);
      kernel->removeAttr(MagicubeGPUDialect::kSharedMemoryAttrName);
    });
  }
};

} // namespace
