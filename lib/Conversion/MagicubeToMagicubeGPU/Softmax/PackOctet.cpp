//===- PackOctet.cpp - Results of a softmax as words ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte permutes: they read no more than what stays.
//
//===----------------------------------------------------------------------===//

#include "PackOctet.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;

/// Selectors of prmt: the low bytes of two words as a half of one, the low
/// halves as a word.
static constexpr int64_t kLowBytes = 0x0040, kLowHalves = 0x5410;

/// Permutes the bytes of each pair of words.
static SmallVector<Value> permutePairs(Arithmetic e, ArrayRef<Value> words,
                                       int64_t selector) {
  SmallVector<Value> result;
  for (size_t i = 0; i < words.size(); i += 2)
    result.push_back(NVVM::PermuteOp::create(
        e.b, e.loc, e.b.getI32Type(), words[i], words[i + 1],
        e.constant(selector), NVVM::PermuteMode::DEFAULT));
  return result;
}

SmallVector<Value> mlir::magicube::packIntegers(Arithmetic e,
                                                ArrayRef<Value> words,
                                                int64_t bits) {
  constexpr int64_t halfBits = 16, nibbleBits = 4;
  if (bits == halfBits)
    return permutePairs(e, words, kLowHalves);
  SmallVector<Value> bytes;
  if (bits == nibbleBits)
    for (size_t i = 0; i < words.size(); i += 2)
      bytes.push_back(e.add(words[i], e.mul(words[i + 1], 1 << nibbleBits)));
  else
    bytes.assign(words.begin(), words.end());
  return permutePairs(e, permutePairs(e, bytes, kLowBytes), kLowHalves);
}

SmallVector<Value>
mlir::magicube::packFloats(Arithmetic e, ArrayRef<Value> values, Type type) {
  Type i32 = e.b.getI32Type();
  SmallVector<Value> words;
  if (type.isF32()) {
    for (Value value : values)
      words.push_back(arith::BitcastOp::create(e.b, e.loc, i32, value));
    return words;
  }
  auto pair = VectorType::get(2, type);
  for (size_t i = 0; i < values.size(); i += 2) {
    Value both = LLVM::PoisonOp::create(e.b, e.loc, pair);
    for (int64_t j = 0; j < 2; ++j)
      both = LLVM::InsertElementOp::create(
          e.b, e.loc, both,
          arith::TruncFOp::create(e.b, e.loc, type, values[i + j]),
          e.constant(j));
    words.push_back(LLVM::BitcastOp::create(e.b, e.loc, i32, both));
  }
  return words;
}
