//===- ScalarIntrinsics.cpp - Operations of one thread --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte permutes, dot products, wide multiplies, and what has no effect here
// (fences: the threads of a block run one at a time, and blocks meet only in
// atomic operations).
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

#include <chrono>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

static uint32_t word(Slot slot) { return static_cast<uint32_t>(slot); }

//===----------------------------------------------------------------------===//
// prmt
//===----------------------------------------------------------------------===//

/// Byte `index` of {b, a}: bytes 0 to 3 are a's, 4 to 7 are b's.
static uint32_t permuteByte(uint32_t a, uint32_t b, unsigned index) {
  uint64_t both = uint64_t(b) << 32 | a;
  return both >> index * 8 & 0xFF;
}

/// PTX ISA "prmt", default mode: each nibble of c picks a byte by its low three
/// bits; its high bit replaces the byte by copies of the byte's sign.
static void permute(Lane *, const CallSite *, Slot *results,
                    const Slot *arguments) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned selector = word(arguments[2]) >> i * 4 & 0xF;
    uint32_t byte =
        permuteByte(word(arguments[0]), word(arguments[1]), selector & 7);
    if (selector & 8)
      byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << i * 8;
  }
  results[0] = result;
}

namespace {

/// The byte indices of one line of a table in PTX ISA "prmt", result byte 0
/// first.
struct PermuteLine {
  uint8_t bytes[4];
};

} // namespace

/// The special modes: c's low two bits pick a line of the mode's table. Modes
/// that read only a have no operand b.
template <const PermuteLine (&lines)[4], bool readsB>
static void permuteMode(Lane *, const CallSite *, Slot *results,
                        const Slot *arguments) {
  uint32_t a = word(arguments[0]), b = readsB ? word(arguments[1]) : 0;
  const PermuteLine &line = lines[word(arguments[readsB ? 2 : 1]) & 3];
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= permuteByte(a, b, line.bytes[i]) << i * 8;
  results[0] = result;
}

static constexpr PermuteLine forward4Extract[4] = {
    {{0, 1, 2, 3}}, {{1, 2, 3, 4}}, {{2, 3, 4, 5}}, {{3, 4, 5, 6}}};
static constexpr PermuteLine backward4Extract[4] = {
    {{0, 7, 6, 5}}, {{1, 0, 7, 6}}, {{2, 1, 0, 7}}, {{3, 2, 1, 0}}};
static constexpr PermuteLine replicate8[4] = {
    {{0, 0, 0, 0}}, {{1, 1, 1, 1}}, {{2, 2, 2, 2}}, {{3, 3, 3, 3}}};
static constexpr PermuteLine edgeClampLeft[4] = {
    {{0, 1, 2, 3}}, {{1, 1, 2, 3}}, {{2, 2, 2, 3}}, {{3, 3, 3, 3}}};
static constexpr PermuteLine edgeClampRight[4] = {
    {{0, 0, 0, 0}}, {{0, 1, 1, 1}}, {{0, 1, 2, 2}}, {{0, 1, 2, 3}}};
static constexpr PermuteLine replicate16[4] = {
    {{0, 1, 0, 1}}, {{2, 3, 2, 3}}, {{0, 1, 0, 1}}, {{2, 3, 2, 3}}};

//===----------------------------------------------------------------------===//
// Dot products and multiplies
//===----------------------------------------------------------------------===//

/// Element `index` of `bits` bits, extended to 32.
template <bool isSigned, unsigned bits>
static int32_t element(uint32_t value, unsigned index) {
  uint32_t high = value << (32 - (index + 1) * bits);
  return isSigned ? static_cast<int32_t>(high) >> (32 - bits)
                  : static_cast<int32_t>(high >> (32 - bits));
}

/// PTX ISA "dp4a": c + the sum of four byte products, wrapping.
template <bool signedA, bool signedB>
static void dot4(Lane *, const CallSite *, Slot *results,
                 const Slot *arguments) {
  uint32_t sum = word(arguments[2]);
  for (unsigned i = 0; i < 4; ++i)
    sum += static_cast<uint32_t>(element<signedA, 8>(word(arguments[0]), i) *
                                 element<signedB, 8>(word(arguments[1]), i));
  results[0] = sum;
}

/// PTX ISA "dp2a": two 16-bit elements of a with the low or high bytes of b.
/// Operands: a, b, whether high, c.
template <bool signedA, bool signedB>
static void dot2(Lane *, const CallSite *, Slot *results,
                 const Slot *arguments) {
  uint32_t sum = word(arguments[3]);
  unsigned firstByte = arguments[2] & 1 ? 2 : 0;
  for (unsigned i = 0; i < 2; ++i)
    sum += static_cast<uint32_t>(
        element<signedA, 16>(word(arguments[0]), i) *
        element<signedB, 8>(word(arguments[1]), firstByte + i));
  results[0] = sum;
}

static void multiplyHigh(Lane *, const CallSite *, Slot *results,
                         const Slot *arguments) {
  int64_t product = int64_t(static_cast<int32_t>(word(arguments[0]))) *
                    static_cast<int32_t>(word(arguments[1]));
  results[0] = static_cast<uint32_t>(product >> 32);
}

static void multiplyHighUnsigned(Lane *, const CallSite *, Slot *results,
                                 const Slot *arguments) {
  uint64_t product = uint64_t(word(arguments[0])) * word(arguments[1]);
  results[0] = product >> 32;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// PTX ISA "cvt.rni" from f32 to s32 or u32: to the nearest integer, even ones
/// first; clamped to the range of the type, and 0 for a NaN.
template <bool isSigned>
static void convertToInteger(Lane *, const CallSite *, Slot *results,
                             const Slot *arguments) {
  llvm::APFloat value(llvm::APFloat::IEEEsingle(),
                      llvm::APInt(32, word(arguments[0])));
  llvm::APSInt integer(/*BitWidth=*/32, /*isUnsigned=*/!isSigned);
  bool isExact; // Expected: it rounds.
  value.convertToInteger(integer, llvm::APFloat::rmNearestTiesToEven, &isExact);
  results[0] = integer.getZExtValue();
}

//===----------------------------------------------------------------------===//
// Threads and time
//===----------------------------------------------------------------------===//

static void exitThread(Lane *lane, const CallSite *, Slot *, const Slot *) {
  lane->worker->exit(*lane);
}

/// Nanoseconds; the PTX ISA promises no unit for the clock registers.
static void readClock(Lane *, const CallSite *, Slot *results, const Slot *) {
  results[0] = static_cast<Slot>(
      std::chrono::steady_clock::now().time_since_epoch().count());
}

static constexpr Intrinsic rows[] = {
    {"prmt", Meeting::None, permute},
    {"prmt.f4e", Meeting::None, permuteMode<forward4Extract, true>},
    {"prmt.b4e", Meeting::None, permuteMode<backward4Extract, true>},
    {"prmt.rc8", Meeting::None, permuteMode<replicate8, false>},
    {"prmt.ecl", Meeting::None, permuteMode<edgeClampLeft, false>},
    {"prmt.ecr", Meeting::None, permuteMode<edgeClampRight, false>},
    {"prmt.rc16", Meeting::None, permuteMode<replicate16, false>},
    {"idp4a.s.s", Meeting::None, dot4<true, true>},
    {"idp4a.s.u", Meeting::None, dot4<true, false>},
    {"idp4a.u.s", Meeting::None, dot4<false, true>},
    {"idp4a.u.u", Meeting::None, dot4<false, false>},
    {"idp2a.s.s", Meeting::None, dot2<true, true>},
    {"idp2a.s.u", Meeting::None, dot2<true, false>},
    {"idp2a.u.s", Meeting::None, dot2<false, true>},
    {"idp2a.u.u", Meeting::None, dot2<false, false>},
    {"mulhi.i", Meeting::None, multiplyHigh},
    {"mulhi.ui", Meeting::None, multiplyHighUnsigned},
    {"f2i.rn", Meeting::None, convertToInteger<true>},
    {"f2ui.rn", Meeting::None, convertToInteger<false>},
    // Always replaced by code (IntrinsicCalls.cpp).
    {"fma.rn.sat.f", Meeting::None},
    {"exit", Meeting::None, exitThread},
    {"read.ptx.sreg.clock", Meeting::None, readClock},
    {"read.ptx.sreg.clock64", Meeting::None, readClock},
    {"read.ptx.sreg.globaltimer", Meeting::None, readClock},
    {"read.ptx.sreg.globaltimer.lo", Meeting::None, readClock},
    // No effect.
    {"membar.cta", Meeting::None},
    {"membar.gl", Meeting::None},
    {"membar.sys", Meeting::None},
    {"fence.", Meeting::None},
    {"nanosleep", Meeting::None},
    {"prefetch.", Meeting::None},
    {"prefetchu.", Meeting::None},
    {"applypriority.", Meeting::None},
};

IntrinsicFamily sim::scalarIntrinsics() { return rows; }
