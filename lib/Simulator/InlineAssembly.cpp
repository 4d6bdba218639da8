//===- InlineAssembly.cpp - Known inline assembly -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator does not read PTX: inline assembly is looked up whole, and
// what is not in this table is refused when the module is loaded.
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include <cstring>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// st.global.cs: a plain store of `words` 32-bit values; "cs" is only a hint
/// that the lines are not read again. Operands: address, values.
template <unsigned words>
static void storeStreaming(Lane *lane, const CallSite *site, Slot *,
                           const Slot *arguments) {
  uint32_t values[words];
  for (unsigned i = 0; i < words; ++i)
    values[i] = static_cast<uint32_t>(arguments[1 + i]);
  if (arguments[0] % sizeof(values)) {
    lane->worker->fail(*lane, site->describe() + ": misaligned: address " +
                                  hexadecimal(arguments[0]) +
                                  " is not a multiple of " +
                                  std::to_string(sizeof(values)));
    lane->worker->stop(*lane);
  }
  lane->accessing = site;
  std::memcpy(reinterpret_cast<void *>(arguments[0]), values, sizeof(values));
  lane->accessing = nullptr;
}

/// A register as it is: hides from LLVM what it holds.
static void copyRegister(Lane *, const CallSite *, Slot *results,
                         const Slot *arguments) {
  results[0] = arguments[0];
}

/// PTX ISA "lop3": bit i of the result is the bit of `table` that bits i of a,
/// b and c number, a's the highest.
template <unsigned table>
static void combineBits(Lane *, const CallSite *, Slot *results,
                        const Slot *arguments) {
  uint32_t result = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    unsigned index = 0;
    for (unsigned i = 0; i < 3; ++i)
      index = index << 1 | (arguments[i] >> bit & 1);
    result |= (table >> index & 1) << bit;
  }
  results[0] = result;
}

namespace {

struct AssemblyRow {
  std::string_view text;
  std::string_view constraints;
  Intrinsic intrinsic;
};

} // namespace

static constexpr AssemblyRow rows[] = {
    // A compiler barrier.
    {"", "~{memory}", {"(empty)", Meeting::None}},
    {"st.global.cs.b32 [$0], $1;",
     "l,r",
     {"st.global.cs.b32", Meeting::None, storeStreaming<1>}},
    {"st.global.cs.u32 [$0], $1;",
     "l,r",
     {"st.global.cs.u32", Meeting::None, storeStreaming<1>}},
    {"st.global.cs.v2.b32 [$0], {$1, $2};",
     "l,r,r",
     {"st.global.cs.v2.b32", Meeting::None, storeStreaming<2>}},
    {"st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};",
     "l,r,r,r,r",
     {"st.global.cs.v4.b32", Meeting::None, storeStreaming<4>}},
    {"mov.b32 $0, $1;", "=r,r", {"mov.b32", Meeting::None, copyRegister}},
    // (a & b) ^ c
    {"lop3.b32 $0, $1, $2, $3, 0x6a;",
     "=r,r,r,r",
     {"lop3.b32", Meeting::None, combineBits<0x6A>}},
    // (a & b) | (~a & c)
    {"lop3.b32 $0, $1, $2, $3, 0xca;",
     "=r,r,r,r",
     {"lop3.b32", Meeting::None, combineBits<0xCA>}},
};

/// Removes white space at the ends and joins inner runs to one blank.
static std::string normalize(std::string_view text) {
  std::string result;
  bool pending = false;
  for (char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      pending = !result.empty();
      continue;
    }
    if (pending)
      result += ' ';
    pending = false;
    result += c;
  }
  return result;
}

const Intrinsic *sim::findInlineAssembly(std::string_view text,
                                         std::string_view constraints) {
  std::string normalized = normalize(text);
  for (const AssemblyRow &row : rows)
    if (row.text == normalized && row.constraints == constraints)
      return &row.intrinsic;
  return nullptr;
}
