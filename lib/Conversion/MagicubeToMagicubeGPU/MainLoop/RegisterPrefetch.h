//===- RegisterPrefetch.h - Loads ahead of a sequence of steps  -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads to registers some steps before they are needed, along a sequence of
// steps that goes on where loops end: through all vector-rows, and K-tiles, of
// a warp.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAINLOOP_REGISTERPREFETCH_H
#define MAGICUBE_LIB_CONVERSION_MAINLOOP_REGISTERPREFETCH_H

#include "magicube/GPU/Utils/Arithmetic.h"

#include <functional>

namespace mlir::magicube {

/// The register counterpart of a ring in shared memory. It knows neither what
/// is loaded nor what a step does. (Why not scf::pipelineForLoop:
/// docs/Rationale.md.)
struct RegisterPrefetch {
  /// Steps under way at once; with 1 a step loads for itself.
  int64_t stages;
  /// Loads the registers of the step at a place.
  std::function<SmallVector<Value>(Value)> load;
  /// The same registers without a load, for a sequence of no steps.
  std::function<SmallVector<Value>()> createNone;
  /// Moves the cursor behind a step. Returns the place to load from for the
  /// step `stages` - 1 later; behind the last one, where loading does no harm.
  std::function<Value(MutableArrayRef<Value>)> move;

  /// What a step makes of its registers and the carried values.
  using Step = function_ref<SmallVector<Value>(ValueRange, ValueRange)>;

  /// A sequence as far as it is done: where it is, as `move` counts it, and the
  /// registers that have been loaded for the next steps.
  struct State {
    SmallVector<Value> cursor;
    SmallVector<SmallVector<Value>> ready;

    /// The values that control flow passes on, with others behind.
    SmallVector<Value> flatten(ValueRange others = {}) const;
    /// A state of the same shape of such values, and the others.
    std::pair<State, ValueRange> unflatten(ValueRange values) const;
  };

  /// Steps whose registers are loaded before they are needed.
  int64_t ahead() const { return stages - 1; }

  /// The sequence from `cursor` on: `loadFirst` loads for the first steps,
  /// unless there are none.
  State begin(Arithmetic e, Value isEmpty, ArrayRef<Value> cursor,
              function_ref<void(State &)> loadFirst) const;

  /// Does `steps` steps; returns what they make of `carried`.
  SmallVector<Value> run(Arithmetic e, Value steps, State &state,
                         SmallVector<Value> carried, Step step) const;

private:
  /// Does one step and loads for a later one.
  SmallVector<Value> advance(State &state, ValueRange carried, Step step) const;
  /// Does `left` < `most` steps.
  SmallVector<Value> runRest(Arithmetic e, Value left, int64_t most,
                             State &state, SmallVector<Value> carried,
                             Step step) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAINLOOP_REGISTERPREFETCH_H
