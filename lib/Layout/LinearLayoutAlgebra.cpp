//===- LinearLayoutAlgebra.cpp - New layouts from old ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout is a matrix over GF(2): composition is a matrix product, inversion a
// Gaussian elimination.
//
//===----------------------------------------------------------------------===//

#include "FlatBits.h"

#include <algorithm>

using namespace mlir::magicube;
using namespace mlir::magicube::detail;

/// The dimensions of a product: sizes of shared names are multiplied.
static std::vector<LayoutDim> multiplyDims(std::vector<LayoutDim> low,
                                           const std::vector<LayoutDim> &high) {
  for (const LayoutDim &dim : high) {
    auto it = std::find_if(low.begin(), low.end(), [&](const LayoutDim &other) {
      return other.name == dim.name;
    });
    if (it == low.end())
      low.push_back(dim);
    else
      it->size *= dim.size;
  }
  return low;
}

LinearLayout LinearLayout::operator*(const LinearLayout &high) const {
  LinearLayout product;
  product.inputDims = multiplyDims(inputDims, high.inputDims);
  product.outputDims = multiplyDims(outputDims, high.outputDims);
  for (const LayoutDim &dim : product.inputDims) {
    BitRange lowRange = rangeOf(inputDims, dim.name);
    for (int32_t bit = 0; bit < lowRange.bits; ++bit)
      product.columns.push_back(reflatten(columns[lowRange.shift + bit],
                                          outputDims, product.outputDims));
    BitRange highRange = rangeOf(high.inputDims, dim.name);
    for (int32_t bit = 0; bit < highRange.bits; ++bit) {
      uint64_t column = 0;
      for (const LayoutDim &output : high.outputDims) {
        int32_t image = extract(high.columns[highRange.shift + bit],
                                rangeOf(high.outputDims, output.name));
        column |= uint64_t(image)
                  << (rangeOf(product.outputDims, output.name).shift +
                      rangeOf(outputDims, output.name).bits);
      }
      product.columns.push_back(column);
    }
  }
  return product;
}

Result<LinearLayout> LinearLayout::compose(const LinearLayout &outer) const {
  for (const LayoutDim &dim : outputDims) {
    const LayoutDim *input = find(outer.inputDims, dim.name);
    if (!input || input->size != dim.size)
      return Error{"cannot compose layouts: output '" + dim.name +
                   "' of size " + std::to_string(dim.size) +
                   " is not an input of that size of the outer layout"};
  }
  for (const LayoutDim &dim : outer.inputDims)
    if (!find(outputDims, dim.name))
      return Error{"cannot compose layouts: input '" + dim.name +
                   "' of the outer layout is not an output of the inner"};
  LinearLayout result;
  result.inputDims = inputDims;
  result.outputDims = outer.outputDims;
  for (uint64_t column : columns)
    result.columns.push_back(
        outer.applyFlat(reflatten(column, outputDims, outer.inputDims)));
  return result;
}

/// Gauss-Jordan elimination over GF(2). Each row pairs an image with the set of
/// inputs that XOR to it. Returns the rank; the first `rank` rows then have
/// distinct leading bits that no other row has.
static size_t eliminate(std::vector<std::pair<uint64_t, uint64_t>> &rows) {
  size_t rank = 0;
  for (int32_t bit = 0; bit < kMaxTotalBits && rank < rows.size(); ++bit) {
    auto pivot =
        std::find_if(rows.begin() + rank, rows.end(),
                     [&](const auto &row) { return (row.first >> bit) & 1; });
    if (pivot == rows.end())
      continue;
    std::iter_swap(rows.begin() + rank, pivot);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i == rank || !((rows[i].first >> bit) & 1))
        continue;
      rows[i].first ^= rows[rank].first;
      rows[i].second ^= rows[rank].second;
    }
    ++rank;
  }
  return rank;
}

/// The columns as rows for `eliminate`, each tagged with its input bit.
static std::vector<std::pair<uint64_t, uint64_t>>
tagColumns(const std::vector<uint64_t> &columns) {
  std::vector<std::pair<uint64_t, uint64_t>> rows;
  for (size_t bit = 0; bit < columns.size(); ++bit)
    rows.push_back({columns[bit], uint64_t(1) << bit});
  return rows;
}

Result<LinearLayout> LinearLayout::invert() const {
  auto rows = tagColumns(columns);
  size_t rank = eliminate(rows);
  size_t outputBits = totalBits(outputDims);
  if (rank != columns.size() || rank != outputBits)
    return Error{"cannot invert a layout of " + std::to_string(columns.size()) +
                 " input bits, " + std::to_string(outputBits) +
                 " output bits and rank " + std::to_string(rank)};
  // Full rank: elimination leaves row i with exactly image bit i.
  LinearLayout inverse;
  inverse.inputDims = outputDims;
  inverse.outputDims = inputDims;
  for (const auto &row : rows)
    inverse.columns.push_back(row.second);
  return inverse;
}

bool LinearLayout::isInjective() const {
  auto rows = tagColumns(columns);
  return eliminate(rows) == columns.size();
}

bool LinearLayout::isSurjective() const {
  auto rows = tagColumns(columns);
  return eliminate(rows) == size_t(totalBits(outputDims));
}

LinearLayout
LinearLayout::sublayout(const std::vector<std::string> &inputNames,
                        const std::vector<std::string> &outputNames) const {
  LinearLayout result;
  for (const std::string &name : outputNames)
    if (const LayoutDim *dim = find(outputDims, name))
      result.outputDims.push_back(*dim);
  for (const std::string &name : inputNames) {
    const LayoutDim *dim = find(inputDims, name);
    if (!dim)
      continue;
    result.inputDims.push_back(*dim);
    BitRange range = rangeOf(inputDims, name);
    for (int32_t bit = 0; bit < range.bits; ++bit)
      result.columns.push_back(
          reflatten(columns[range.shift + bit], outputDims, result.outputDims));
  }
  return result;
}

static void rename(std::vector<LayoutDim> &dims, std::string_view from,
                   std::string to) {
  for (LayoutDim &dim : dims)
    if (dim.name == from) {
      dim.name = std::move(to);
      return;
    }
}

LinearLayout LinearLayout::renameInput(std::string_view from,
                                       std::string to) const {
  LinearLayout result = *this;
  rename(result.inputDims, from, std::move(to));
  return result;
}

LinearLayout LinearLayout::renameOutput(std::string_view from,
                                        std::string to) const {
  LinearLayout result = *this;
  rename(result.outputDims, from, std::move(to));
  return result;
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  return inputDims == other.inputDims && outputDims == other.outputDims &&
         columns == other.columns;
}
