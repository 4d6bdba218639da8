//===- Intrinsics.h - Table of simulated operations -------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each llvm.nvvm.* call and each known piece of inline assembly does. The
// families are in files of their own; findIntrinsic joins their tables.
// Everything is written from the text of the PTX ISA and reads none of the
// compiler's tables.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_INTRINSICS_H
#define MAGICUBE_LIB_SIMULATOR_INTRINSICS_H

#include "Lanes.h"

#include <string>
#include <string_view>

namespace mlir::magicube::sim {

class Block;
struct CallSite;
struct Lane;

/// Arguments and results travel in slots of 64 bits, one per scalar or vector
/// (zero-extended bits) in the order of the operands and of the result struct.
using Slot = uint64_t;

/// An operation that a thread does alone, on its own stack.
using ThreadFunction = void (*)(Lane *lane, const CallSite *site, Slot *results,
                                const Slot *arguments);

/// A meeting of lanes of one warp at one operation, ready to be carried out.
struct WarpCall {
  Block &block;
  unsigned warp;
  /// The lanes that take part; each has its arguments and results ready.
  LaneSet lanes;
  /// Of the lowest lane; the others' is equal in all that matters.
  const CallSite &site;

  Lane &lane(unsigned index) const;
  const Slot *arguments(unsigned lane) const;
  Slot *results(unsigned lane) const;
  /// Reports that `lane` broke a rule; the block ends with this error.
  void fail(unsigned lane, std::string message, std::string note = {}) const;
};

/// Carries the operation out; returns the lanes that go on at once (the others
/// stay blocked until something else releases them).
using WarpFunction = LaneSet (*)(const WarpCall &call);

/// Which lanes must be at the operation before it happens.
enum class Meeting : uint8_t {
  /// None: the thread goes through alone.
  None,
  /// The thread itself, but it may then have to wait.
  Self,
  /// All 32 lanes, at the same call (".aligned" instructions on data).
  FullWarp,
  /// All lanes the block has in this warp, at the same call.
  LaunchedLanes,
  /// The lanes in a mask argument, at an operation of the same name and mask.
  Mask
};

/// One row of the table.
struct Intrinsic {
  /// Without "llvm.nvvm." and overload suffix. A row that ends in '.' stands
  /// for all names that begin with it.
  std::string_view name;
  Meeting meeting;
  /// Meeting::None: what the thread does; null: nothing.
  ThreadFunction thread = nullptr;
  /// Other meetings.
  WarpFunction warp = nullptr;
  /// Meeting::Mask: index of the mask argument.
  uint8_t maskArgument = 0;
  /// Fills what the name says into `site`; false if the name is not supported.
  bool (*decode)(std::string_view name, CallSite &site) = nullptr;
};

/// Shape and types of an mma, from its name.
struct MmaShape {
  unsigned m, n, k;
  /// Bits of an element of A and B.
  unsigned bits;
  bool signedA, signedB;
  /// Clamp instead of wrap.
  bool saturate;
};

/// One call in a kernel.
struct CallSite {
  const Intrinsic *intrinsic = nullptr;
  /// As PTX writes it ("cp.async.wait.group"), for messages.
  std::string name;
  /// Position among the calls of its function, from 1, and the function.
  unsigned ordinal = 0;
  std::string function;
  /// "file:line" if the module has debug information.
  std::string location;
  MmaShape mma = {};

  /// "shfl.sync.idx.i32 (call 3 of 'kernel')" or with the location.
  std::string describe() const;
};

/// A table of one family of operations.
struct IntrinsicFamily {
  const Intrinsic *begin;
  const Intrinsic *end;

  template <unsigned n>
  constexpr IntrinsicFamily(const Intrinsic (&rows)[n])
      : begin(rows), end(rows + n) {}
};

IntrinsicFamily asyncCopyIntrinsics();
IntrinsicFamily barrierIntrinsics();
IntrinsicFamily matrixIntrinsics();
IntrinsicFamily mmaIntrinsics();
IntrinsicFamily scalarIntrinsics();
IntrinsicFamily warpIntrinsics();

/// The row for a name without "llvm.nvvm." and overload suffix; null if there
/// is none.
const Intrinsic *findIntrinsic(std::string_view name);

/// The row for inline assembly, white space normalized; null if there is none.
const Intrinsic *findInlineAssembly(std::string_view text,
                                    std::string_view constraints);

/// Where JIT code calls for an operation: the row's thread function, or the
/// entry that blocks the thread until its warp meets. Never null.
ThreadFunction entryPoint(const Intrinsic &intrinsic);

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_INTRINSICS_H
