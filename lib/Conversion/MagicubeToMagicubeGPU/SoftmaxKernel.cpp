//===- SoftmaxKernel.cpp - The softmax kernel -----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block takes a vector-row: maxima of its rows, then functions of what
// entries have below them, and their sums.
//
//===----------------------------------------------------------------------===//
//
// The kernel is bound by memory. Scores are read once: those of the first
// groups of octets (RowOctets) stay in registers between the passes. There is
// code for 1, 2 and kHeldGroups groups; longer rows read what is beyond them
// again in each pass.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxKernel.h"

#include "Softmax/PackOctet.h"
#include "Softmax/RowReduction.h"
#include "Softmax/Scores.h"

#include "magicube/GPU/Utils/Exp2.h"

#include <cmath>

using namespace mlir;
using namespace mlir::magicube;

/// Groups that stay in registers: 32 registers a thread, and as many bytes on
/// their way as a multiprocessor can have with half of its threads.
static constexpr int64_t kHeldGroups = 4;

/// The kernel's function, without a body.
static gpu::GPUFuncOp createFunction(OpBuilder &b, Location loc,
                                     const SoftmaxKernelSpec &spec,
                                     StringRef name) {
  using Parameter = SoftmaxParameter;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1);
  SmallVector<Parameter> parameters = getParameters(spec);
  SmallVector<Type> types;
  for (Parameter parameter : parameters) {
    bool isNumber = parameter == Parameter::ValueScale ||
                    (parameter == Parameter::Scale &&
                     spec.scale == SoftmaxKernelSpec::Scale::Number);
    types.push_back(isNumber ? Type(b.getF32Type()) : pointer);
  }
  auto kernel =
      gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(spec.threads()), 1, 1}));
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (types[i] != pointer)
      continue;
    // No other pointer reaches the memory, and only results are written: loads
    // may take the read-only path.
    kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
    if (parameter != Parameter::Result && parameter != Parameter::Factors)
      kernel.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                        b.getUnitAttr());
  }
  return kernel;
}

namespace {

/// The values of a thread's octet in a group.
using Octet = SmallVector<Value>;

/// A kernel's body, as it is made.
struct SoftmaxBody {
  Arithmetic e;
  FloatArithmetic f;
  const SoftmaxKernelSpec &spec;
  /// Null where the kernel does not have it.
  std::array<Value, 8> parameters;
  RowOctets row;
  Scores scores;
  RowReduction maxima, sums;
  /// Of the matrix, and what its scores count in octaves.
  Value matrixRow, octaves;

  SoftmaxBody(Arithmetic e, const SoftmaxKernelSpec &spec,
              gpu::GPUFuncOp kernel);
  void emit();

private:
  Value get(SoftmaxParameter which) const {
    return parameters[static_cast<size_t>(which)];
  }
  static std::array<Value, 8> getArguments(const SoftmaxKernelSpec &spec,
                                           gpu::GPUFuncOp kernel);
  /// The address of the row's number in a column of f32.
  Value getRowAddress(Value column);
  Value loadOctaves();

  /// Of at most `held` groups or, with `loops`, of any number.
  void emitRows(int64_t held, bool loops);
  /// Calls `body` for each group with what is held of it, or the scores loaded
  /// again, and what is carried.
  using GroupBody = function_ref<SmallVector<Value>(
      Value group, ArrayRef<Value> held, ValueRange carried)>;
  SmallVector<Value> forHeld(ArrayRef<Octet> held, SmallVector<Value> carried,
                             GroupBody body);
  SmallVector<Value> forRest(ArrayRef<Octet> held, SmallVector<Value> carried,
                             GroupBody body);
  void emitIntegers(ArrayRef<Octet> held, bool loops, Value maximum);
  void emitFloats(ArrayRef<Octet> held, bool loops, Value maximum);
  void store(Value group, ArrayRef<Value> words);
  void storeFactor(Value sum);
};

} // namespace

//===----------------------------------------------------------------------===//
// What a thread starts from
//===----------------------------------------------------------------------===//

std::array<Value, 8> SoftmaxBody::getArguments(const SoftmaxKernelSpec &spec,
                                               gpu::GPUFuncOp kernel) {
  std::array<Value, 8> arguments;
  for (auto [i, parameter] : llvm::enumerate(getParameters(spec)))
    arguments[static_cast<size_t>(parameter)] =
        kernel->getRegion(0).getArgument(i);
  return arguments;
}

SoftmaxBody::SoftmaxBody(Arithmetic e, const SoftmaxKernelSpec &spec,
                         gpu::GPUFuncOp kernel)
    : e(e), f{e.b, e.loc}, spec(spec), parameters(getArguments(spec, kernel)),
      row(RowOctets::get(e, spec, get(SoftmaxParameter::Pointers),
                         get(SoftmaxParameter::Indices),
                         e.ctaId(gpu::Dimension::x))),
      scores{row, get(SoftmaxParameter::Scores), get(SoftmaxParameter::Mask)},
      maxima(RowReduction::get(e, spec)),
      // Sums of floats have 64 bits.
      sums(RowReduction::get(e, spec, spec.getChain() ? 1 : 2)) {
  matrixRow =
      e.add(e.mul(e.ctaId(gpu::Dimension::x), spec.vector()), row.component);
  octaves = loadOctaves();
}

Value SoftmaxBody::getRowAddress(Value column) {
  return e.offset(column, e.wideProduct(matrixRow, e.constant(sizeof(float))));
}

Value SoftmaxBody::loadOctaves() {
  switch (spec.scale) {
  case SoftmaxKernelSpec::Scale::None:
    return f.constant(kLog2E);
  case SoftmaxKernelSpec::Scale::Number:
    return emitOctaves(f, get(SoftmaxParameter::Scale));
  case SoftmaxKernelSpec::Scale::Rows:
    return emitOctaves(
        f, LLVM::LoadOp::create(e.b, e.loc, e.b.getF32Type(),
                                getRowAddress(get(SoftmaxParameter::Scale)),
                                sizeof(float)));
  }
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

SmallVector<Value> SoftmaxBody::forHeld(ArrayRef<Octet> held,
                                        SmallVector<Value> carried,
                                        GroupBody body) {
  for (auto [i, octet] : llvm::enumerate(held))
    carried = body(e.constant(i), octet, carried);
  return carried;
}

SmallVector<Value> SoftmaxBody::forRest(ArrayRef<Octet> held,
                                        SmallVector<Value> carried,
                                        GroupBody body) {
  auto count = static_cast<int64_t>(held.size());
  auto results =
      e.emitFor(e.constant(count), row.groups, count, carried,
                [&](Value first, ValueRange values) {
                  SmallVector<Octet> loaded;
                  for (int64_t i = 0; i < count; ++i)
                    loaded.push_back(scores.load(e, e.add(first, i)));
                  SmallVector<Value> next = llvm::to_vector(values);
                  for (int64_t i = 0; i < count; ++i)
                    next = body(e.add(first, i), loaded[i], next);
                  return next;
                });
  return llvm::to_vector_of<Value>(results);
}

void SoftmaxBody::store(Value group, ArrayRef<Value> words) {
  e.emitIf(row.isInside(e, group), [&] {
    storeOctet(e, get(SoftmaxParameter::Result),
               spec.result.getIntOrFloatBitWidth(), row.getElement(e, group),
               words);
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void SoftmaxBody::storeFactor(Value sum) {
  Value scale = get(SoftmaxParameter::ValueScale);
  if (!scale)
    scale = f.constant(1.0f);
  e.emitIf(e.isEqual(row.octet, 0), [&] {
    Value factor = e.select(e.isEqual(sum, 0), f.constant(0.0f),
                            f.divide(scale, f.fromUnsigned(sum)));
    LLVM::StoreOp::create(e.b, e.loc, factor,
                          getRowAddress(get(SoftmaxParameter::Factors)),
                          sizeof(float));
  });
}

void SoftmaxBody::emitIntegers(ArrayRef<Octet> held, bool loops,
                               Value maximum) {
  const Exp2Chain &chain = *spec.getChain();
  Value decay = emitDecay(f, chain, octaves);
  auto body = [&](Value group, ArrayRef<Value> values, ValueRange carried) {
    SmallVector<Value> words;
    Value sum = carried.front();
    for (Value distance : scores.getDistances(e, values, group, maximum)) {
      words.push_back(emitExp2Chain(f, chain, distance, decay));
      sum = e.add(sum, words.back());
    }
    sum = e.sub(sum, e.constant(int32_t(kOctet * getChainBase(chain))));
    store(group, packIntegers(e, words, chain.bits));
    return SmallVector<Value>{sum};
  };
  SmallVector<Value> sum = forHeld(held, {e.constant(0)}, body);
  if (loops)
    sum = forRest(held, sum, body);
  sum = sums.reduce(e, sum, row.component,
                    [&](ArrayRef<Value> x, ArrayRef<Value> y) {
                      return SmallVector<Value>{e.add(x.front(), y.front())};
                    });
  storeFactor(sum.front());
}

/// Words of a number of 64 bits, low one first, and back.
static SmallVector<Value> split(Arithmetic e, Value wide) {
  constexpr int64_t wordBits = 32;
  Type i64 = e.b.getI64Type(), i32 = e.b.getI32Type();
  Value high = arith::ShRUIOp::create(
      e.b, e.loc, wide,
      arith::ConstantIntOp::create(e.b, e.loc, i64, wordBits));
  return {arith::TruncIOp::create(e.b, e.loc, i32, wide),
          arith::TruncIOp::create(e.b, e.loc, i32, high)};
}
static Value join(Arithmetic e, ArrayRef<Value> words) {
  constexpr int64_t wordBits = 32;
  Value high = arith::ShLIOp::create(
      e.b, e.loc, e.extend(words[1]),
      arith::ConstantIntOp::create(e.b, e.loc, e.b.getI64Type(), wordBits));
  return arith::OrIOp::create(e.b, e.loc, high, e.extend(words[0]));
}

void SoftmaxBody::emitFloats(ArrayRef<Octet> held, bool loops, Value maximum) {
  auto getPowers = [&](Value group, ArrayRef<Value> values) {
    Octet powers;
    for (Value distance : scores.getDistances(e, values, group, maximum))
      powers.push_back(emitExp2(f, f.mul(distance, octaves)));
    return powers;
  };
  Value unit = f.constant(std::ldexp(1.0f, -kPowerSumBits));
  Value units = f.constant(std::ldexp(1.0f, kPowerSumBits));
  SmallVector<Octet> powers;
  auto addPowers = [&](ArrayRef<Value> values, Value sum) {
    for (Value power : values)
      sum = e.add(sum, e.extend(f.toUnsigned(f.mul(power, units))));
    return SmallVector<Value>{sum};
  };
  SmallVector<Value> sum =
      forHeld(held, {e.extend(e.constant(0))},
              [&](Value group, ArrayRef<Value> values, ValueRange carried) {
                powers.push_back(getPowers(group, values));
                return addPowers(powers.back(), carried.front());
              });
  if (loops)
    sum = forRest(held, sum,
                  [&](Value group, ArrayRef<Value> values, ValueRange carried) {
                    return addPowers(getPowers(group, values), carried.front());
                  });
  sum = sums.reduce(e, split(e, sum.front()), row.component,
                    [&](ArrayRef<Value> x, ArrayRef<Value> y) {
                      return split(e, e.add(join(e, x), join(e, y)));
                    });
  Value total = f.mul(f.fromUnsigned(join(e, sum)), unit);
  // Where it is 0, all powers are.
  Value isZero = f.compare(arith::CmpFPredicate::OEQ, total, f.constant(0.0f));
  total = f.select(isZero, f.constant(1.0f), total);
  auto divide = [&](Value group, ArrayRef<Value> values) {
    SmallVector<Value> quotients;
    for (Value power : values)
      quotients.push_back(f.divide(power, total));
    store(group, packFloats(e, quotients, spec.result));
    return SmallVector<Value>();
  };
  forHeld(powers, {}, [&](Value group, ArrayRef<Value> values, ValueRange) {
    return divide(group, values);
  });
  if (loops)
    forRest(held, {}, [&](Value group, ArrayRef<Value> values, ValueRange) {
      return divide(group, getPowers(group, values));
    });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void SoftmaxBody::emitRows(int64_t held, bool loops) {
  SmallVector<Octet> octets;
  for (int64_t i = 0; i < held; ++i)
    octets.push_back(scores.load(e, e.constant(i)));
  auto body = [&](Value, ArrayRef<Value> values, ValueRange carried) {
    Value maximum = carried.front();
    for (Value value : values)
      maximum = scores.getMaximum(e, maximum, value);
    return SmallVector<Value>{maximum};
  };
  SmallVector<Value> maximum = forHeld(octets, {scores.getLeast(e)}, body);
  if (loops)
    maximum = forRest(octets, maximum, body);
  maximum = maxima.reduce(
      e, maximum, row.component, [&](ArrayRef<Value> x, ArrayRef<Value> y) {
        return SmallVector<Value>{scores.getMaximum(e, x.front(), y.front())};
      });
  if (spec.getChain())
    emitIntegers(octets, loops, maximum.front());
  else
    emitFloats(octets, loops, maximum.front());
}

void SoftmaxBody::emit() {
  // Branches that all threads of a block take alike.
  std::function<SmallVector<Value>(int64_t)> emitFrom = [&](int64_t held) {
    if (held == kHeldGroups) {
      emitRows(held, /*loops=*/true);
      return SmallVector<Value>();
    }
    Value isAbove = e.isBelow(e.constant(held), row.groups);
    e.emitIf(
        isAbove, [&] { return emitFrom(held == 0 ? 1 : 2 * held); },
        [&] {
          if (held > 0)
            emitRows(held, /*loops=*/false);
          else if (spec.getChain())
            storeFactor(e.constant(0));
          return SmallVector<Value>();
        });
    return SmallVector<Value>();
  };
  emitFrom(0);
}

gpu::GPUFuncOp
mlir::magicube::createSoftmaxKernel(OpBuilder &builder, Location loc,
                                    const SoftmaxKernelSpec &spec,
                                    StringRef name) {
  gpu::GPUFuncOp kernel = createFunction(builder, loc, spec, name);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  SoftmaxBody(Arithmetic(builder, loc), spec, kernel).emit();
  gpu::ReturnOp::create(builder, loc);
  return kernel;
}
