//===- RowReduction.cpp - Maxima and sums of rows in a block --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maxima and sums of integers are the same in any order.
//
//===----------------------------------------------------------------------===//

#include "RowReduction.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

static constexpr int64_t kWordBytes = sizeof(int32_t);
/// Words that lds_words loads at most.
static constexpr int64_t kMaxWords = 4;

RowReduction RowReduction::get(Arithmetic e, const SoftmaxKernelSpec &spec,
                               int64_t words) {
  if (spec.warps() == 1)
    return {spec, Value()};
  MLIRContext *context = e.b.getContext();
  int64_t bytes = words * spec.vector() * spec.warps() * kWordBytes;
  return {spec, AllocTileOp::create(
                    e.b, e.loc,
                    TileType::get(context, /*rows=*/1, bytes, /*stages=*/1,
                                  /*layout=*/{}),
                    SharedFormAttr::get(context, SharedForm::Plain))};
}

SmallVector<Value> RowReduction::reduceLanes(Arithmetic e,
                                             SmallVector<Value> words,
                                             Combine combine) const {
  for (int64_t offset = 1; offset < spec.warpLanes(); offset *= 2) {
    SmallVector<Value> others;
    for (Value word : words)
      others.push_back(gpu::ShuffleOp::create(e.b, e.loc, word, offset,
                                              kWarpSize, gpu::ShuffleMode::XOR)
                           .getShuffleResult());
    words = combine(words, others);
  }
  return words;
}

SmallVector<Value> RowReduction::reduceWarps(Arithmetic e,
                                             ArrayRef<Value> words,
                                             Value component,
                                             Combine combine) const {
  int64_t warps = spec.warps(), tableBytes = spec.vector() * warps * kWordBytes;
  Value rowByte = e.mul(component, warps * kWordBytes);
  Type i32 = e.b.getI32Type();
  // One lane of each row's.
  Value isFirst = e.isEqual(e.bitAnd(e.laneId(), spec.warpLanes() - 1), 0);
  e.emitIf(isFirst, [&] {
    Value byte = e.add(rowByte, e.mul(e.warpId(), kWordBytes));
    for (size_t i = 0; i < words.size(); ++i) {
      Value word = words[i];
      if (word.getType() != i32)
        word = arith::BitcastOp::create(e.b, e.loc, i32, word);
      StsWordsOp::create(e.b, e.loc, ValueRange{word}, table,
                         e.add(byte, i * tableBytes));
    }
  });
  gpu::BarrierOp::create(e.b, e.loc);
  SmallVector<SmallVector<Value>> parts(warps);
  int64_t count = std::min(warps, kMaxWords);
  for (auto [i, word] : llvm::enumerate(words))
    for (int64_t warp = 0; warp < warps; warp += count) {
      auto loaded = LdsWordsOp::create(
          e.b, e.loc, SmallVector<Type>(count, i32), table,
          e.add(rowByte, i * tableBytes + warp * kWordBytes));
      for (int64_t j = 0; j < count; ++j) {
        Value part = loaded.getResult(j);
        if (word.getType() != i32)
          part = arith::BitcastOp::create(e.b, e.loc, word.getType(), part);
        parts[warp + j].push_back(part);
      }
    }
  SmallVector<Value> result = parts.front();
  for (ArrayRef<Value> part : ArrayRef(parts).drop_front())
    result = combine(result, part);
  return result;
}

SmallVector<Value> RowReduction::reduce(Arithmetic e, ArrayRef<Value> words,
                                        Value component,
                                        Combine combine) const {
  SmallVector<Value> result = reduceLanes(e, llvm::to_vector(words), combine);
  return table ? reduceWarps(e, result, component, combine) : result;
}
