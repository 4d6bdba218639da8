//===- EvaluateSpmm.cpp - The plain product of program values -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference on blocks of rows, one thread each.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Packer.h"
#include "magicube/Format/ProgramArguments.h"
#include "magicube/Format/Reference.h"

#include <algorithm>
#include <thread>

namespace mlir::magicube {

/// Multiplications below which threads are not worth starting.
static constexpr int64_t minWorkPerThread = 1 << 22;

namespace {

/// A range of rows with its part of the result.
struct RowBlock {
  CsrMatrix rows;
  Result<std::vector<int32_t>> product = std::vector<int32_t>();
};

} // namespace

/// Splits a matrix, entries by ascending rows, into `count` ranges of rows of
/// about as many entries each.
static std::vector<RowBlock> split(const CooMatrix &matrix, int64_t count) {
  std::vector<RowBlock> blocks(1);
  auto startBlock = [&](RowBlock &block) {
    block.rows.cols = matrix.cols;
    block.rows.offset = {0};
  };
  startBlock(blocks.back());
  int64_t perBlock = matrix.entries() / count + 1, next = 0;
  for (int64_t row = 0; row < matrix.rows; ++row) {
    if (blocks.back().rows.entries() >= perBlock) {
      blocks.emplace_back();
      startBlock(blocks.back());
    }
    CsrMatrix &rows = blocks.back().rows;
    for (; next < matrix.entries() && matrix.row[next] == row; ++next) {
      rows.col.push_back(matrix.col[next]);
      rows.value.push_back(matrix.value[next]);
    }
    ++rows.rows;
    rows.offset.push_back(rows.entries());
  }
  return blocks;
}

Result<DenseMatrix> evaluateSpmm(const SRBCRSMatrix &lhs,
                                 const DenseMatrix &rhs,
                                 const DenseMatrix *init) {
  constexpr ElementType resultType = {32, /*isSigned=*/true};
  Result<CooMatrix> unpacked = unpackToCoo(lhs);
  if (!unpacked)
    return unpacked.error();
  Result<DenseMatrix> result =
      init ? *init : DenseMatrix::zeros(lhs.rows, rhs.cols, resultType);
  if (!result)
    return result;

  int64_t work = unpacked->entries() * rhs.cols;
  int64_t threads =
      std::clamp<int64_t>(work / minWorkPerThread, 1,
                          std::max(1u, std::thread::hardware_concurrency()));
  std::vector<RowBlock> blocks = split(*unpacked, threads);
  auto *words = reinterpret_cast<int32_t *>(result->data.data());
  auto evaluate = [&](RowBlock &block, const int32_t *start) {
    std::vector<int32_t> initial(start, start + block.rows.rows * rhs.cols);
    block.product = referenceSpmm(block.rows, rhs.view(), initial);
  };
  std::vector<std::thread> running;
  int32_t *start = words;
  for (RowBlock &block : blocks) {
    running.emplace_back(evaluate, std::ref(block), start);
    start += block.rows.rows * rhs.cols;
  }
  for (std::thread &thread : running)
    thread.join();
  for (const RowBlock &block : blocks) {
    if (!block.product)
      return block.product.error();
    words = std::copy(block.product->begin(), block.product->end(), words);
  }
  return result;
}

} // namespace mlir::magicube
