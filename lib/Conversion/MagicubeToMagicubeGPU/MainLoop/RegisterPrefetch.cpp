//===- RegisterPrefetch.cpp - Loads ahead of a sequence of steps ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over steps, and those that its rounds leave.
//
//===----------------------------------------------------------------------===//

#include "RegisterPrefetch.h"

using namespace mlir;
using namespace mlir::magicube;

SmallVector<Value> RegisterPrefetch::State::flatten(ValueRange others) const {
  SmallVector<Value> values = cursor;
  for (const SmallVector<Value> &registers : ready)
    llvm::append_range(values, registers);
  llvm::append_range(values, others);
  return values;
}

std::pair<RegisterPrefetch::State, ValueRange>
RegisterPrefetch::State::unflatten(ValueRange values) const {
  auto take = [&](size_t count) {
    SmallVector<Value> taken = llvm::to_vector(values.take_front(count));
    values = values.drop_front(count);
    return taken;
  };
  State state;
  state.cursor = take(cursor.size());
  for (const SmallVector<Value> &registers : ready)
    state.ready.push_back(take(registers.size()));
  return {state, values};
}

RegisterPrefetch::State
RegisterPrefetch::begin(Arithmetic e, Value isEmpty, ArrayRef<Value> cursor,
                        function_ref<void(State &)> loadFirst) const {
  State state{llvm::to_vector(cursor), {}};
  auto results = e.emitIf(
      isEmpty,
      [&] {
        State empty = state;
        empty.ready.assign(ahead(), createNone());
        return empty.flatten();
      },
      [&] {
        loadFirst(state);
        return state.flatten();
      });
  return state.unflatten(results).first;
}

SmallVector<Value> RegisterPrefetch::advance(State &state, ValueRange carried,
                                             Step step) const {
  state.ready.push_back(load(move(state.cursor)));
  SmallVector<Value> results = step(state.ready.front(), carried);
  state.ready.erase(state.ready.begin());
  return results;
}

/// Operands pass through `stages` sets of registers. The loop does `stages`
/// steps an iteration, so that no set moves.
SmallVector<Value> RegisterPrefetch::run(Arithmetic e, Value steps,
                                         State &state,
                                         SmallVector<Value> carried,
                                         Step step) const {
  Value rounds = e.divide(steps, stages);
  auto results = e.emitFor(e.constant(0), rounds, 1, state.flatten(carried),
                           [&](Value, ValueRange values) {
                             auto [inner, others] = state.unflatten(values);
                             SmallVector<Value> results =
                                 llvm::to_vector(others);
                             for (int64_t i = 0; i < stages; ++i)
                               results = advance(inner, results, step);
                             return inner.flatten(results);
                           });
  auto [behind, others] = state.unflatten(results);
  state = behind;
  Value left = e.remainder(steps, stages);
  return runRest(e, left, stages, state, llvm::to_vector(others), step);
}

SmallVector<Value> RegisterPrefetch::runRest(Arithmetic e, Value left,
                                             int64_t most, State &state,
                                             SmallVector<Value> carried,
                                             Step step) const {
  if (most == 1)
    return carried;
  State before = state;
  auto results = e.emitIf(
      e.isPositive(left),
      [&] {
        SmallVector<Value> next = advance(state, carried, step);
        next =
            runRest(e, e.sub(left, e.constant(1)), most - 1, state, next, step);
        return state.flatten(next);
      },
      [&] { return before.flatten(carried); });
  auto [behind, others] = before.unflatten(results);
  state = behind;
  return llvm::to_vector(others);
}
