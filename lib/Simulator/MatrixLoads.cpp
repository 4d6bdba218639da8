//===- MatrixLoads.cpp - ldmatrix and stmatrix ----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8 x 8 matrices of 16-bit elements between shared memory and registers (PTX
// ISA "ldmatrix", "stmatrix").
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include <cstring>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// A matrix is 8 rows of 8 elements of 2 bytes; a row is contiguous, aligned to
/// its 16 bytes, and its address comes from one lane: lanes 8i to 8i + 7 give
/// the rows of matrix i.
static constexpr unsigned matrixRows = 8, rowElements = 8;
static constexpr unsigned elementBytes = 2;
static constexpr unsigned rowBytes = rowElements * elementBytes;

/// Checks one lane's row address; null after reporting an error.
static char *checkedRow(const WarpCall &call, unsigned lane, Slot address) {
  const Lane &state = call.lane(lane);
  uintptr_t base = reinterpret_cast<uintptr_t>(state.shared);
  uint64_t offset = address - base;
  if (address < base || offset > state.sharedBytes ||
      rowBytes > state.sharedBytes - offset) {
    call.fail(lane, "out of bounds: row address " + hexadecimal(address) +
                        ", " + call.block.describeAddress(address) +
                        ", is not that of 16 bytes of shared memory");
    return nullptr;
  }
  if (address % rowBytes) {
    call.fail(lane, "misaligned: row address " + hexadecimal(address) +
                        " is not a multiple of 16");
    return nullptr;
  }
  return reinterpret_cast<char *>(address);
}

/// Row and column of the two elements in a lane's register. PTX ISA: thread 4r
/// + t holds elements 2t and 2t + 1 of row r; with .trans, of column r.
template <bool transposed>
static unsigned elementOffset(unsigned lane, unsigned half) {
  unsigned major = lane / 4, minor = lane % 4 * 2 + half;
  return transposed ? minor * rowElements + major : major * rowElements + minor;
}

template <unsigned count, bool transposed>
static LaneSet loadMatrices(const WarpCall &call) {
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    uint16_t elements[matrixRows * rowElements];
    for (unsigned row = 0; row < matrixRows; ++row) {
      unsigned lane = matrix * matrixRows + row;
      const char *source = checkedRow(call, lane, call.arguments(lane)[0]);
      if (!source)
        return 0;
      std::memcpy(elements + row * rowElements, source, rowBytes);
    }
    for (unsigned lane = 0; lane < warpSize; ++lane)
      call.results(lane)[matrix] =
          elements[elementOffset<transposed>(lane, 0)] |
          uint32_t(elements[elementOffset<transposed>(lane, 1)]) << 16;
  }
  return call.lanes;
}

template <unsigned count, bool transposed>
static LaneSet storeMatrices(const WarpCall &call) {
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    uint16_t elements[matrixRows * rowElements];
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint32_t value = static_cast<uint32_t>(call.arguments(lane)[1 + matrix]);
      elements[elementOffset<transposed>(lane, 0)] =
          static_cast<uint16_t>(value);
      elements[elementOffset<transposed>(lane, 1)] =
          static_cast<uint16_t>(value >> 16);
    }
    for (unsigned row = 0; row < matrixRows; ++row) {
      unsigned lane = matrix * matrixRows + row;
      char *target = checkedRow(call, lane, call.arguments(lane)[0]);
      if (!target)
        return 0;
      std::memcpy(target, elements + row * rowElements, rowBytes);
    }
  }
  return call.lanes;
}

static constexpr Intrinsic rows[] = {
    {"ldmatrix.sync.aligned.m8n8.x1.b16", Meeting::FullWarp, nullptr,
     loadMatrices<1, false>},
    {"ldmatrix.sync.aligned.m8n8.x2.b16", Meeting::FullWarp, nullptr,
     loadMatrices<2, false>},
    {"ldmatrix.sync.aligned.m8n8.x4.b16", Meeting::FullWarp, nullptr,
     loadMatrices<4, false>},
    {"ldmatrix.sync.aligned.m8n8.x1.trans.b16", Meeting::FullWarp, nullptr,
     loadMatrices<1, true>},
    {"ldmatrix.sync.aligned.m8n8.x2.trans.b16", Meeting::FullWarp, nullptr,
     loadMatrices<2, true>},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.b16", Meeting::FullWarp, nullptr,
     loadMatrices<4, true>},
    {"stmatrix.sync.aligned.m8n8.x1.b16", Meeting::FullWarp, nullptr,
     storeMatrices<1, false>},
    {"stmatrix.sync.aligned.m8n8.x2.b16", Meeting::FullWarp, nullptr,
     storeMatrices<2, false>},
    {"stmatrix.sync.aligned.m8n8.x4.b16", Meeting::FullWarp, nullptr,
     storeMatrices<4, false>},
    {"stmatrix.sync.aligned.m8n8.x1.trans.b16", Meeting::FullWarp, nullptr,
     storeMatrices<1, true>},
    {"stmatrix.sync.aligned.m8n8.x2.trans.b16", Meeting::FullWarp, nullptr,
     storeMatrices<2, true>},
    {"stmatrix.sync.aligned.m8n8.x4.trans.b16", Meeting::FullWarp, nullptr,
     storeMatrices<4, true>},
};

IntrinsicFamily sim::matrixIntrinsics() { return rows; }
