//===- MmaIntrinsics.cpp - Integer mma ------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warp-wide matrix products on 8-bit and 4-bit integers, for every shape
// by the one rule behind the PTX ISA's fragment pictures ("Matrix Fragments
// for mma.m8n8k16" to "mma.m16n8k64"). Written from that text alone; it shares
// nothing with lib/Layout.
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include <algorithm>
#include <limits>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {

/// What follows "mma." and ".row.col" in the names that are supported.
struct ShapeName {
  std::string_view name;
  unsigned m, n, k, bits;
};

constexpr ShapeName shapeNames[] = {
    {"m8n8k16", 8, 8, 16, 8},   {"m16n8k16", 16, 8, 16, 8},
    {"m16n8k32", 16, 8, 32, 8}, {"m8n8k32", 8, 8, 32, 4},
    {"m16n8k32", 16, 8, 32, 4}, {"m16n8k64", 16, 8, 64, 4},
};

/// An element type: PTX ISA "Fundamental Types" and ".s4", ".u4".
struct ElementName {
  std::string_view name;
  unsigned bits;
  bool isSigned;
};

constexpr ElementName elementNames[] = {
    {"s8", 8, true}, {"u8", 8, false}, {"s4", 4, true}, {"u4", 4, false}};

} // namespace

/// Takes the text up to the next '.' off `name`.
static std::string_view takePart(std::string_view &name) {
  size_t dot = name.find('.');
  std::string_view part = name.substr(0, dot);
  name.remove_prefix(dot == std::string_view::npos ? name.size() : dot + 1);
  return part;
}

static const ElementName *findElement(std::string_view name) {
  for (const ElementName &element : elementNames)
    if (element.name == name)
      return &element;
  return nullptr;
}

/// mma.<shape>.row.col[.satfinite].<A type>[.<B type>]; one type stands for
/// both.
static bool decodeMma(std::string_view name, CallSite &site) {
  takePart(name);
  std::string_view shape = takePart(name);
  if (takePart(name) != "row" || takePart(name) != "col")
    return false;
  std::string_view part = takePart(name);
  site.mma.saturate = part == "satfinite";
  if (site.mma.saturate)
    part = takePart(name);
  const ElementName *a = findElement(part);
  const ElementName *b = name.empty() ? a : findElement(takePart(name));
  if (!a || !b || !name.empty() || a->bits != b->bits)
    return false;
  for (const ShapeName &row : shapeNames) {
    if (row.name != shape || row.bits != a->bits)
      continue;
    site.mma.m = row.m;
    site.mma.n = row.n;
    site.mma.k = row.k;
    site.mma.bits = row.bits;
    site.mma.signedA = a->isSigned;
    site.mma.signedB = b->isSigned;
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

namespace {

constexpr unsigned maxM = 16, maxN = 8, maxK = 64;
/// Rows (of A and C) or columns (of B) that the 8 groups of 4 lanes cover.
constexpr unsigned groups = 8, lanesPerGroup = 4;
constexpr unsigned registerBits = 32;

/// Whole matrices; B by columns, so that products run along both.
struct Matrices {
  int16_t a[maxM][maxK];
  int16_t b[maxN][maxK];
  int32_t d[maxM][maxN];
};

} // namespace

/// Element `index` of a register; element 0 is in the lowest bits.
static int16_t element(uint32_t value, unsigned index, unsigned bits,
                       bool isSigned) {
  uint32_t high = value << (registerBits - (index + 1) * bits);
  return static_cast<int16_t>(
      isSigned ? static_cast<int32_t>(high) >> (registerBits - bits)
               : static_cast<int32_t>(high >> (registerBits - bits)));
}

/// A 32-bit register holds consecutive positions of k of one row of A or one
/// column of B: lane 4g + t, lane t of group g, has the t-th register-full of
/// each half of k. PTX ISA, with e elements per register:
///   A: row = g, plus 8 for odd registers if m = 16;
///      col = t * e + i, plus 4e for the upper half of the registers.
///   B: col = g; row = t * e + i, plus 4e for register 1.
static void gather(const WarpCall &call, Matrices &matrices) {
  const MmaShape &shape = call.site.mma;
  unsigned perRegister = registerBits / shape.bits;
  unsigned halfK = lanesPerGroup * perRegister;
  unsigned rowHalves = shape.m / groups, kHalves = shape.k / halfK;
  unsigned numA = rowHalves * kHalves;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    const Slot *arguments = call.arguments(lane);
    unsigned group = lane / lanesPerGroup, t = lane % lanesPerGroup;
    for (unsigned r = 0; r < numA; ++r)
      for (unsigned i = 0; i < perRegister; ++i)
        matrices.a[group + r % rowHalves * groups]
                  [t * perRegister + i + r / rowHalves * halfK] = element(
            static_cast<uint32_t>(arguments[r]), i, shape.bits, shape.signedA);
    for (unsigned r = 0; r < kHalves; ++r)
      for (unsigned i = 0; i < perRegister; ++i)
        matrices.b[group][t * perRegister + i + r * halfK] =
            element(static_cast<uint32_t>(arguments[numA + r]), i, shape.bits,
                    shape.signedB);
  }
}

/// d = a * b, exact: at most 64 products of 16 bits or 32 of 17 bits.
static void multiply(const MmaShape &shape, Matrices &matrices) {
  for (unsigned row = 0; row < shape.m; ++row)
    for (unsigned column = 0; column < shape.n; ++column) {
      int32_t sum = 0;
      for (unsigned k = 0; k < shape.k; ++k)
        sum += matrices.a[row][k] * matrices.b[column][k];
      matrices.d[row][column] = sum;
    }
}

/// PTX ISA "mma": integer overflow wraps, or with .satfinite the result is
/// clamped to the range of a signed 32-bit integer.
static uint32_t accumulate(int32_t product, uint32_t c, bool saturate) {
  if (!saturate)
    return static_cast<uint32_t>(product) + c;
  int64_t sum = int64_t(product) + static_cast<int32_t>(c);
  return static_cast<uint32_t>(static_cast<int32_t>(
      std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max())));
}

/// C and D: registers 0 and 1 are columns 2t and 2t + 1 of row g, registers 2
/// and 3 of row g + 8.
static void scatter(const WarpCall &call, const Matrices &matrices) {
  const MmaShape &shape = call.site.mma;
  constexpr unsigned columnsPerLane = 2;
  unsigned numC = shape.m / groups * columnsPerLane;
  unsigned kHalves = shape.k * shape.bits / (lanesPerGroup * registerBits);
  unsigned firstC = shape.m / groups * kHalves + kHalves;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    const Slot *c = call.arguments(lane) + firstC;
    Slot *d = call.results(lane);
    unsigned group = lane / lanesPerGroup, t = lane % lanesPerGroup;
    for (unsigned r = 0; r < numC; ++r)
      d[r] = accumulate(matrices.d[group + r / columnsPerLane * groups]
                                  [t * columnsPerLane + r % columnsPerLane],
                        static_cast<uint32_t>(c[r]), shape.saturate);
  }
}

static LaneSet mma(const WarpCall &call) {
  Matrices matrices;
  gather(call, matrices);
  multiply(call.site.mma, matrices);
  scatter(call, matrices);
  return call.lanes;
}

static constexpr Intrinsic rows[] = {
    {"mma.", Meeting::FullWarp, nullptr, mma, 0, decodeMma},
};

IntrinsicFamily sim::mmaIntrinsics() { return rows; }
