//===- SddmmChunks.cpp - Products of chunks of K --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads ahead, MMAs of all planes of both operands, and what their accumulators
// become.
//
//===----------------------------------------------------------------------===//

#include "SddmmChunks.h"

#include "FloatSums.h"

#include "llvm/Support/MathExtras.h"

#include <deque>
#include <set>

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

/// Chunks that an iteration of a loop over K does.
static constexpr int64_t kChunksOfIteration = 4;

/// Most chunks of K that are spelled out one after another.
static constexpr int64_t kMaxUnrolledChunks = 16;

SddmmChunks::SddmmChunks(const SddmmKernelSpec &spec, Value inner)
    : spec(spec), chunk(*getChunkLayout(spec.widths)), inner(inner) {
  int64_t vector = spec.encoding.getVector();
  numFragments = llvm::divideCeil(vector, chunk.mma->n);
  std::set<int32_t> known;
  for (const OperandPlane &rhs : chunk.rhs.planes)
    for (const OperandPlane &lhs : chunk.lhs.planes)
      known.insert(rhs.shift + lhs.shift);
  shifts.assign(known.begin(), known.end());
  resident =
      !ShapedType::isDynamic(spec.inner) &&
      llvm::divideCeil(spec.inner, chunk.elements()) <= kMaxUnrolledChunks &&
      getResidentRegisters(chunk, vector, spec.inner) <=
          spec.tiling.residentRegisters;
}

bool SddmmChunks::isBiased() const {
  return !spec.unsignedRhs && chunk.rhs.planes.front().isHalf();
}

int64_t SddmmChunks::numSums() const {
  return kPositionTiles * numFragments * shifts.size();
}

int64_t SddmmChunks::numCorrections() const {
  return isBiased() ? numFragments * chunk.lhs.planes.size() : 0;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

FragmentType SddmmChunks::getSumType(MLIRContext *context) const {
  return FragmentType::get(context, chunk.mma->name, MmaOperand::C,
                           IntegerType::get(context, 32));
}

FragmentType SddmmChunks::getPlaneType(MLIRContext *context,
                                       const OperandPlane &plane,
                                       MmaOperand side) const {
  bool isRhs = side == MmaOperand::A;
  bool isUnsigned = !plane.isTop ||
                    (isRhs ? spec.unsignedRhs || isBiased() : spec.unsignedLhs);
  Type element = IntegerType::get(context, chunk.mma->operandBits,
                                  isUnsigned ? IntegerType::Unsigned
                                             : IntegerType::Signed);
  return FragmentType::get(context, chunk.mma->name, side, element);
}

SmallVector<Value> SddmmChunks::createZeros(Arithmetic e, int64_t count) const {
  SmallVector<Value> zeros;
  for (int64_t i = 0; i < count; ++i)
    zeros.push_back(ZeroOp::create(e.b, e.loc, getSumType(e.b.getContext())));
  return zeros;
}

/// Fragments of a chunk of one operand, by slice and plane (fastest).
static SmallVector<Type>
getChunkTypes(const ChunkLayout &chunk, ArrayRef<OperandPlane> planes,
              function_ref<Type(const OperandPlane &)> getType) {
  SmallVector<Type> types;
  for (int64_t slice = 0; slice < chunk.slices(); ++slice)
    for (const OperandPlane &plane : planes)
      types.push_back(getType(plane));
  return types;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The lane's number in the group that has the chunks of a row.
static Value getGroupLane(Arithmetic e) {
  return e.bitAnd(e.laneId(), kMmaGroupLanes - 1);
}

Value SddmmChunks::getLaneBytes(Arithmetic e,
                                const ChunkOperand &operand) const {
  return e.mul(getGroupLane(e), operand.laneBytes());
}

SmallVector<Value> SddmmChunks::getLhsRows(Arithmetic e, Value lhs,
                                           Value stride,
                                           Value vectorRow) const {
  int64_t vector = spec.encoding.getVector();
  // Of fewer than 8 components several lanes have the same: store_vectors drops
  // theirs.
  Value group = e.shiftRight(e.laneId(), llvm::Log2_64(kMmaGroupLanes));
  Value component = e.bitAnd(
      group,
      static_cast<uint32_t>(std::min<int64_t>(vector, chunk.mma->n) - 1));
  Value first = e.add(e.mul(vectorRow, vector), component);
  Value lane = e.offset(lhs, getLaneBytes(e, chunk.lhs));
  SmallVector<Value> rows;
  for (int64_t fragment = 0; fragment < numFragments; ++fragment)
    rows.push_back(e.offset(
        lane, e.wideProduct(e.add(first, fragment * chunk.mma->n), stride)));
  return rows;
}

Value SddmmChunks::getLimit(Arithmetic e, const ChunkOperand &operand,
                            Value left) const {
  constexpr int64_t byteBits = 8;
  Value bytes = operand.bits < byteBits ? e.shiftRight(e.add(left, 1), 1)
                                        : e.mul(left, operand.bits / byteBits);
  return e.sub(bytes, getLaneBytes(e, operand));
}

Value SddmmChunks::loadWords(Arithmetic e, const ChunkOperand &operand,
                             Value row, const Place &place) const {
  Value limit;
  if (place.left)
    limit = getLimit(e, operand, place.left);
  return LdgWordsOp::create(
      e.b, e.loc, RegistersType::get(e.b.getContext(), operand.words), row,
      limit,
      e.b.getI64IntegerAttr(place.chunk * kMmaGroupLanes * operand.laneBytes()),
      e.b.getI64IntegerAttr(spec.alignment));
}

SmallVector<Value> SddmmChunks::loadLhs(Arithmetic e, ValueRange lhsRows,
                                        const Place &place) const {
  SmallVector<Type> types =
      getChunkTypes(chunk, chunk.lhs.planes, [&](const OperandPlane &plane) {
        return getPlaneType(e.b.getContext(), plane, MmaOperand::B);
      });
  SmallVector<Value> operands;
  for (Value row : lhsRows) {
    Value words = loadWords(e, chunk.lhs, row, place);
    if (place.left) {
      // What is behind K counts nothing, whatever the rhs has there.
      Value count = e.sub(e.add(place.left, -place.chunk * chunk.elements()),
                          e.mul(getGroupLane(e), chunk.laneElements));
      words = MaskWordsOp::create(e.b, e.loc, words, count,
                                  e.b.getI64IntegerAttr(chunk.lhs.bits));
    }
    auto split = SplitChunkOp::create(
        e.b, e.loc, types, words, ChunkAttr::get(e.b.getContext(), spec.widths),
        /*biased=*/UnitAttr());
    llvm::append_range(operands, split.getFragments());
  }
  return operands;
}

SmallVector<Value> SddmmChunks::loadRhs(Arithmetic e, ValueRange rows,
                                        const Place &place) const {
  SmallVector<Value> words;
  for (Value row : rows)
    words.push_back(loadWords(e, chunk.rhs, row, place));
  return words;
}

SddmmChunks::Resident SddmmChunks::loadResident(Arithmetic e,
                                                ValueRange lhsRows) const {
  Resident kept;
  if (!resident)
    return kept;
  kept.corrections = createZeros(e, numCorrections());
  int64_t chunks = llvm::divideCeil(spec.inner, chunk.elements());
  for (int64_t i = 0; i < chunks; ++i) {
    bool isCut = (i + 1) * chunk.elements() > spec.inner;
    kept.operands.push_back(
        loadLhs(e, lhsRows, {i, isCut ? e.constant(spec.inner) : Value()}));
  }
  for (const SmallVector<Value> &operands : kept.operands)
    correct(e, operands, kept.corrections);
  return kept;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void SddmmChunks::multiply(Arithmetic e, ValueRange words, ValueRange operands,
                           MutableArrayRef<Value> sums) const {
  SmallVector<Type> types =
      getChunkTypes(chunk, chunk.rhs.planes, [&](const OperandPlane &plane) {
        return getPlaneType(e.b.getContext(), plane, MmaOperand::A);
      });
  size_t lhsPlanes = chunk.lhs.planes.size();
  size_t rhsPlanes = chunk.rhs.planes.size();
  size_t rowsOfTile = words.size() / kPositionTiles;
  for (int64_t tile = 0; tile < kPositionTiles; ++tile) {
    auto split = SplitChunkOp::create(
        e.b, e.loc, types, words.slice(tile * rowsOfTile, rowsOfTile),
        ChunkAttr::get(e.b.getContext(), spec.widths),
        isBiased() ? e.b.getUnitAttr() : UnitAttr());
    for (int64_t slice = 0; slice < chunk.slices(); ++slice)
      for (auto [r, rhs] : llvm::enumerate(chunk.rhs.planes))
        for (auto [l, lhs] : llvm::enumerate(chunk.lhs.planes))
          for (int64_t fragment = 0; fragment < numFragments; ++fragment) {
            size_t weight =
                llvm::find(shifts, rhs.shift + lhs.shift) - shifts.begin();
            Value &sum =
                sums[(tile * numFragments + fragment) * shifts.size() + weight];
            Value a = split.getFragments()[slice * rhsPlanes + r];
            Value b =
                operands[(fragment * chunk.slices() + slice) * lhsPlanes + l];
            sum = MmaOp::create(e.b, e.loc, a, b, sum);
          }
  }
}

/// Adds 8 times the lhs.
void SddmmChunks::correct(Arithmetic e, ValueRange operands,
                          MutableArrayRef<Value> corrections) const {
  if (!isBiased())
    return;
  Value bias = SplatOp::create(
      e.b, e.loc,
      getPlaneType(e.b.getContext(), chunk.rhs.planes.front(), MmaOperand::A),
      e.b.getI32IntegerAttr(kNibbleBias));
  size_t planes = chunk.lhs.planes.size();
  for (auto [i, operand] : llvm::enumerate(operands)) {
    size_t fragment = i / (planes * chunk.slices());
    Value &sum = corrections[fragment * planes + i % planes];
    sum = MmaOp::create(e.b, e.loc, bias, operand, sum);
  }
}

void SddmmChunks::createRun(Arithmetic e, int64_t chunks, Value left,
                            ValueRange lhsRows, const Resident &kept,
                            ValueRange rows,
                            MutableArrayRef<Value> sums) const {
  std::deque<Loaded> ready;
  auto load = [&](int64_t i) {
    Place place{i, i + 1 == chunks ? left : Value()};
    ready.push_back({loadRhs(e, rows, place),
                     resident ? kept.operands[i] : loadLhs(e, lhsRows, place)});
  };
  for (int64_t i = 0; i < std::min(spec.tiling.ahead, chunks); ++i)
    load(i);
  for (int64_t i = 0; i < chunks; ++i) {
    if (i + spec.tiling.ahead < chunks)
      load(i + spec.tiling.ahead);
    multiply(e, ready.front().words, ready.front().operands, sums);
    if (!resident)
      correct(e, ready.front().operands, sums.drop_front(numSums()));
    ready.pop_front();
  }
}

SmallVector<Value> SddmmChunks::createLoops(Arithmetic e, ValueRange lhsRows,
                                            ValueRange rows) const {
  size_t pointers = lhsRows.size() + rows.size();
  SmallVector<Value> state = llvm::to_vector(lhsRows);
  llvm::append_range(state, rows);
  llvm::append_range(state, createZeros(e, numSums() + numCorrections()));
  // `chunks` chunks and, but at the end of K, the pointers behind them.
  auto advance = [&](ValueRange before, int64_t chunks, Value left) {
    SmallVector<Value> after = llvm::to_vector(before);
    createRun(e, chunks, left, before.take_front(lhsRows.size()), Resident(),
              before.slice(lhsRows.size(), rows.size()),
              MutableArrayRef<Value>(after).drop_front(pointers));
    for (size_t i = 0; !left && i < pointers; ++i) {
      const ChunkOperand &operand = i < lhsRows.size() ? chunk.lhs : chunk.rhs;
      after[i] = e.offset(
          after[i], e.constant(chunks * kMmaGroupLanes * operand.laneBytes()));
    }
    return after;
  };
  Value whole = e.shiftRight(inner, llvm::Log2_64(chunk.elements()));
  auto loop = [&](Value count, int64_t chunks) {
    state = llvm::to_vector_of<Value>(e.emitFor(
        e.constant(0), count, 1, state, [&](Value, ValueRange before) {
          return advance(before, chunks, Value());
        }));
  };
  loop(e.shiftRight(whole, llvm::Log2_64(kChunksOfIteration)),
       kChunksOfIteration);
  loop(e.bitAnd(whole, kChunksOfIteration - 1), 1);
  Value left = e.bitAnd(inner, chunk.elements() - 1);
  state = llvm::to_vector_of<Value>(e.emitIf(
      e.isPositive(left), [&] { return advance(state, 1, left); },
      [&] { return state; }));
  return SmallVector<Value>(ArrayRef<Value>(state).drop_front(pointers));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value SddmmChunks::combine(Arithmetic e, ValueRange sums, int64_t tile,
                           int64_t fragment) const {
  SmallVector<Value> terms;
  SmallVector<int64_t> weights(shifts.begin(), shifts.end());
  size_t first = (tile * numFragments + fragment) * shifts.size();
  llvm::append_range(terms, sums.slice(first, shifts.size()));
  SmallVector<bool> negate(terms.size(), false);
  if (isBiased())
    for (auto [p, plane] : llvm::enumerate(chunk.lhs.planes)) {
      terms.push_back(sums[numSums() + fragment * chunk.lhs.planes.size() + p]);
      weights.push_back(plane.shift);
      negate.push_back(true);
    }
  if (spec.epilogue.hasFloatSums)
    return combineInFloat(e.b, e.loc, terms, weights, negate);
  if (terms.size() == 1 && weights.front() == 0)
    return terms.front();
  return CombineOp::create(e.b, e.loc, terms, weights, negate,
                           /*logical=*/false);
}

SmallVector<Value> SddmmChunks::createSums(Arithmetic e, ValueRange lhsRows,
                                           const Resident &kept,
                                           ValueRange rows) const {
  SmallVector<Value> sums;
  if (resident) {
    sums = createZeros(e, numSums());
    int64_t chunks = llvm::divideCeil(spec.inner, chunk.elements());
    bool isCut = spec.inner % chunk.elements() != 0;
    createRun(e, chunks, isCut ? e.constant(spec.inner) : Value(), lhsRows,
              kept, rows, sums);
    llvm::append_range(sums, kept.corrections);
  } else {
    sums = createLoops(e, lhsRows, rows);
  }
  SmallVector<Value> results;
  for (int64_t fragment = 0; fragment < numFragments; ++fragment)
    for (int64_t tile = 0; tile < kPositionTiles; ++tile)
      results.push_back(combine(e, sums, tile, fragment));
  return results;
}
