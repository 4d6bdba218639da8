//===- ResultPacking.cpp - Words of narrow results ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/ResultPacking.h"

#include <algorithm>

using namespace mlir::magicube;

/// Bytes of a word, which positions of values are counted in.
static constexpr int32_t kWordBytes = 4;

namespace {

/// What one bit of a lane or slot contributes: a bit of the vector or of the
/// column.
struct Image {
  int32_t vector;
  int32_t column;

  bool isOneBit() const {
    int32_t both = vector | column;
    return (vector == 0 || column == 0) && both != 0 &&
           (both & (both - 1)) == 0;
  }
};

} // namespace

static int32_t log2(int32_t powerOfTwo) {
  int32_t bits = 0;
  while (powerOfTwo >> (bits + 1))
    ++bits;
  return bits;
}

/// The images of the bits of `input`.
static std::vector<Image> getImages(const LinearLayout &output,
                                    const char *input) {
  std::vector<Image> images;
  for (int32_t bit = 0; bit < log2(output.inputSize(input)); ++bit)
    images.push_back({output.basis(input, bit, dim::vector),
                      output.basis(input, bit, dim::column)});
  return images;
}

/// The bit whose image is column `column`; -1 if there is none.
static int32_t findColumn(const std::vector<Image> &images, int32_t column) {
  auto found =
      std::find_if(images.begin(), images.end(), [&](const Image &image) {
        return image.vector == 0 && image.column == column;
      });
  return found == images.end() ? -1 : int32_t(found - images.begin());
}

static LayoutBasis getBasis(std::string name,
                            const std::vector<Image> &images) {
  LayoutBasis basis{std::move(name), {}};
  for (const Image &image : images)
    basis.images.push_back({image.vector, image.column});
  return basis;
}

Result<ResultPacking>
mlir::magicube::getResultPacking(const DenseOperand &operand, int32_t bits) {
  if (bits != 8 && bits != 4)
    return Error{"packed results have 8 or 4 bits, but got " +
                 std::to_string(bits)};
  const LinearLayout &output = operand.output;
  std::vector<Image> lanes = getImages(output, dim::lane);
  // Bits of the slot: registers, then parts.
  std::vector<Image> slots = getImages(output, dim::reg);
  for (Image image : getImages(output, dim::part))
    slots.push_back(image);
  for (const std::vector<Image> *images : {&lanes, &slots})
    for (const Image &image : *images)
      if (!image.isOneBit())
        return Error{"results cannot be packed: a bit of a lane or register is "
                     "not one bit of the vector or the column"};
  if (slots.size() < size_t(log2(kWordBytes)))
    return Error{"results cannot be packed: a lane has fewer than 4"};

  ResultPacking packing;
  int32_t wordColumnBits = log2(kWordBytes * 8 / bits);
  int32_t inside = std::min<int32_t>(wordColumnBits, slots.size());
  std::vector<int32_t> order; // position bit -> slot bit
  std::vector<bool> isTaken(slots.size(), false);
  auto isWanted = [&](const Image &image) {
    return image.vector == 0 && image.column < 1 << inside;
  };
  for (int32_t bit = 0; bit < inside; ++bit) {
    int32_t slot = findColumn(slots, 1 << bit);
    if (slot < 0) {
      int32_t lane = findColumn(lanes, 1 << bit);
      slot = 0;
      while (slot < int32_t(slots.size()) &&
             (isTaken[slot] || isWanted(slots[slot])))
        ++slot;
      if (lane < 0 || slot == int32_t(slots.size()))
        return Error{"results cannot be packed: neighbouring columns are too "
                     "far apart"};
      std::swap(lanes[lane], slots[slot]);
      packing.exchanges.push_back({lane, bit});
    }
    isTaken[slot] = true;
    order.push_back(slot);
  }
  for (size_t slot = 0; slot < slots.size(); ++slot)
    if (!isTaken[slot])
      order.push_back(static_cast<int32_t>(slot));
  if (inside < wordColumnBits) {
    packing.halfLaneBit = findColumn(lanes, 1 << inside);
    if (*packing.halfLaneBit < 0)
      return Error{"results cannot be packed: no lane has the other half of a "
                   "word"};
  }

  std::vector<Image> positions;
  for (int32_t slot : order)
    positions.push_back(slots[slot]);
  for (int32_t position = 0; position < 1 << order.size(); ++position) {
    int32_t slot = 0;
    for (size_t bit = 0; bit < order.size(); ++bit)
      slot |= (position >> bit & 1) << order[bit];
    packing.slots.push_back(slot);
  }
  int32_t numVectors = output.outputSize(dim::vector);
  Result<LinearLayout> packed = LinearLayout::create(
      {getBasis(dim::lane, lanes), getBasis(dim::position, positions)},
      {{dim::vector, numVectors},
       {dim::column, output.outputSize(dim::column)}});
  if (!packed)
    return packed.error();
  packing.output = *packed;
  return packing;
}
