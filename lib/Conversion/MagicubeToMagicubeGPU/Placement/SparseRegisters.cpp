//===- SparseRegisters.cpp - Sparse operand of a k-step in registers ------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads from global memory.
//
//===----------------------------------------------------------------------===//

#include "SparseRegisters.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

SmallVector<Value> SparseRegisters::ldg(Arithmetic e, Value position) const {
  SmallVector<Type> types(calls, e.b.getI32Type());
  auto columns = LdgIndicesOp::create(e.b, e.loc, types, indices, position,
                                      encoding, step);
  auto loaded = LdgValuesOp::create(e.b, e.loc,
                                    RegistersType::get(e.b.getContext(), words),
                                    values, position, encoding, step);
  SmallVector<Value> registers =
      llvm::to_vector_of<Value>(columns.getColumns());
  registers.push_back(loaded.getWords());
  return registers;
}

SmallVector<Value> SparseRegisters::createZeros(Arithmetic e) const {
  SmallVector<Value> registers(calls, e.constant(0));
  registers.push_back(
      ZeroOp::create(e.b, e.loc, RegistersType::get(e.b.getContext(), words)));
  return registers;
}

SmallVector<Value> SparseRegisters::split(Arithmetic e, ValueRange registers,
                                          TypeRange types) const {
  auto split = SplitValuesOp::create(e.b, e.loc, types, registers.back(),
                                     encoding, step);
  return llvm::to_vector_of<Value>(split.getFragments());
}
