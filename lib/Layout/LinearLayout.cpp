//===- LinearLayout.cpp - Layouts as linear functions over bits -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction, application, emission and printing. A layout is a matrix over
// GF(2), one column (a flat output value) per input bit.
//
//===----------------------------------------------------------------------===//

#include "FlatBits.h"

#include <algorithm>

using namespace mlir::magicube;
using namespace mlir::magicube::detail;

/// Error if a name occurs twice, a size is no power of two or too many bits.
static Status verifyDims(const std::vector<LayoutDim> &dims) {
  for (const LayoutDim &dim : dims) {
    if (!isPowerOfTwo(dim.size) || log2Size(dim.size) > kMaxDimBits)
      return Error{"layout dimension '" + dim.name +
                   "' must have a power of two of at most 2^30 as size, but "
                   "got " +
                   std::to_string(dim.size)};
    if (find(dims, dim.name) != &dim)
      return Error{"layout dimension '" + dim.name + "' is named twice"};
  }
  if (totalBits(dims) > kMaxTotalBits)
    return Error{"a layout has at most 63 bits, but got " +
                 std::to_string(totalBits(dims))};
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Result<LinearLayout>
LinearLayout::create(const std::vector<LayoutBasis> &inputs,
                     std::vector<LayoutDim> outputs) {
  LinearLayout layout;
  layout.outputDims = std::move(outputs);
  if (Status status = verifyDims(layout.outputDims); !status)
    return status.error();
  for (const LayoutBasis &input : inputs) {
    if (input.images.size() > size_t(kMaxDimBits))
      return Error{"layout dimension '" + input.name +
                   "' must have at most 30 basis vectors, but got " +
                   std::to_string(input.images.size())};
    layout.inputDims.push_back({input.name, int32_t(1) << input.images.size()});
    for (const std::vector<int32_t> &image : input.images) {
      if (image.size() != layout.outputDims.size())
        return Error{"basis vector of '" + input.name + "' must have " +
                     std::to_string(layout.outputDims.size()) +
                     " entries, but got " + std::to_string(image.size())};
      uint64_t column = 0;
      for (size_t i = 0; i < image.size(); ++i) {
        const LayoutDim &dim = layout.outputDims[i];
        if (image[i] < 0 || image[i] >= dim.size)
          return Error{"basis vector of '" + input.name + "' must be below " +
                       std::to_string(dim.size) + " in '" + dim.name +
                       "', but got " + std::to_string(image[i])};
        column |= uint64_t(image[i])
                  << rangeOf(layout.outputDims, dim.name).shift;
      }
      layout.columns.push_back(column);
    }
  }
  if (Status status = verifyDims(layout.inputDims); !status)
    return status.error();
  return layout;
}

LinearLayout LinearLayout::identity1D(int32_t size, std::string input,
                                      std::string output) {
  LinearLayout layout =
      zeros1D(size, std::move(input), std::move(output), size);
  for (size_t bit = 0; bit < layout.columns.size(); ++bit)
    layout.columns[bit] = uint64_t(1) << bit;
  return layout;
}

LinearLayout LinearLayout::zeros1D(int32_t size, std::string input,
                                   std::string output, int32_t outputSize) {
  LinearLayout layout;
  layout.inputDims.push_back({std::move(input), size});
  layout.outputDims.push_back({std::move(output), outputSize});
  layout.columns.assign(log2Size(size), 0);
  return layout;
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

int32_t LinearLayout::inputSize(std::string_view input) const {
  return sizeOf(inputDims, input);
}

int32_t LinearLayout::outputSize(std::string_view output) const {
  return sizeOf(outputDims, output);
}

int32_t LinearLayout::basis(std::string_view input, int32_t bit,
                            std::string_view output) const {
  BitRange range = rangeOf(inputDims, input);
  if (bit < 0 || bit >= range.bits)
    return 0;
  return extract(columns[range.shift + bit], rangeOf(outputDims, output));
}

uint64_t LinearLayout::applyFlat(uint64_t flat) const {
  uint64_t result = 0;
  for (size_t bit = 0; bit < columns.size(); ++bit)
    if ((flat >> bit) & 1)
      result ^= columns[bit];
  return result;
}

/// The flat word of a point; bits above a dimension's size are dropped.
static uint64_t flatten(const LayoutPoint &point,
                        const std::vector<LayoutDim> &dims) {
  uint64_t flat = 0;
  int32_t shift = 0;
  for (const LayoutDim &dim : dims) {
    int32_t bits = log2Size(dim.size);
    if (auto it = point.find(dim.name); it != point.end())
      flat |= (uint64_t(it->second) & lowMask(bits)) << shift;
    shift += bits;
  }
  return flat;
}

int32_t LinearLayout::apply(const LayoutPoint &point,
                            std::string_view output) const {
  return extract(applyFlat(flatten(point, inputDims)),
                 rangeOf(outputDims, output));
}

LayoutPoint LinearLayout::apply(const LayoutPoint &point) const {
  uint64_t flat = applyFlat(flatten(point, inputDims));
  LayoutPoint result;
  for (const LayoutDim &dim : outputDims)
    result[dim.name] = extract(flat, rangeOf(outputDims, dim.name));
  return result;
}

//===----------------------------------------------------------------------===//
// Emission and printing
//===----------------------------------------------------------------------===//

std::vector<BitField> LinearLayout::fields(std::string_view input,
                                           std::string_view output) const {
  std::vector<BitField> result;
  BitRange range = rangeOf(inputDims, input);
  int32_t outputBits = rangeOf(outputDims, output).bits;
  for (int32_t from = 0; from < range.bits; ++from) {
    int32_t image = basis(input, from, output);
    for (int32_t to = 0; to < outputBits; ++to) {
      if (!((image >> to) & 1))
        continue;
      // Bits that travel the same distance share one mask and one shift.
      auto it = std::find_if(
          result.begin(), result.end(),
          [&](const BitField &field) { return field.leftShift == to - from; });
      if (it == result.end())
        it = result.insert(result.end(), {0, to - from});
      it->mask |= uint32_t(1) << from;
    }
  }
  return result;
}

bool LinearLayout::isDisjoint(std::string_view output) const {
  BitRange range = rangeOf(outputDims, output);
  int32_t seen = 0;
  for (uint64_t column : columns) {
    int32_t image = extract(column, range);
    if (seen & image)
      return false;
    seen |= image;
  }
  return true;
}

std::string LinearLayout::toString() const {
  std::string text;
  for (const LayoutDim &input : inputDims) {
    if (input.size == 1)
      text += input.name + ": no bits\n";
    for (int32_t bit = 0; (int64_t(1) << bit) < input.size; ++bit) {
      text += input.name + " " + std::to_string(int64_t(1) << bit) + " ->";
      for (const LayoutDim &output : outputDims)
        text += " " + output.name + " " +
                std::to_string(basis(input.name, bit, output.name));
      text += "\n";
    }
  }
  text += "outputs:";
  for (const LayoutDim &output : outputDims)
    text += " " + output.name + "[" + std::to_string(output.size) + "]";
  return text + "\n";
}
