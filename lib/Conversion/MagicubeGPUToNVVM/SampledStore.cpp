//===- SampledStore.cpp - Results of a sampled product --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lane has four neighbouring positions of each of its components: one store
// each, as no stride ends between them.
//
//===----------------------------------------------------------------------===//

#include "SampledStore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

class SampledStore {
public:
  SampledStore(Emitter &e, StoreVectorsOp op, StoreVectorsAdaptor adaptor)
      : e(e), op(op), adaptor(adaptor), type(op.getResultType()),
        output(sampledOutput(*cast<FragmentType>(op.getFragments()[0].getType())
                                  .getInstruction())) {}

  void emit();

private:
  /// Elements of `neighbours`, of component `vector` of the lane's.
  void emitRun(Value vector, ArrayRef<Value> neighbours, Value address);
  /// The element at position `i` of the lane's, zero where that is padding.
  Value emitElementAt(int64_t i, Value sum, Value row);
  /// In the type that is stored.
  Value pack(ArrayRef<Value> elements);
  /// Bytes from `elements` elements on.
  int64_t getBytes(int64_t elements) const {
    constexpr int64_t byteBits = 8;
    return elements * type.getIntOrFloatBitWidth() / byteBits;
  }
  /// Of the lane's first position, component 0.
  Value emitAddress(Value position);
  void emitStores(Value position);

  Emitter &e;
  StoreVectorsOp op;
  StoreVectorsAdaptor adaptor;
  Type type;
  LinearLayout output;
};

} // namespace

Value SampledStore::emitAddress(Value position) {
  ValueOrder order = op.getEncoding().getFormat().valueOrder();
  Value run = e.shiftRight(position, llvm::Log2_64(order.run));
  Value inside = e.bitAnd(position, static_cast<uint32_t>(order.run - 1));
  Value elements = arith::AddIOp::create(
      e.b, e.loc, e.wideProduct(run, e.constant(order.runPitch())),
      e.extend(inside));
  int64_t bits = type.getIntOrFloatBitWidth();
  constexpr int64_t byteBits = 8;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(e.b, e.loc, value, /*width=*/64);
  };
  Value bytes =
      bits < byteBits
          ? Value(arith::ShRUIOp::create(e.b, e.loc, elements, constant(1)))
          : arith::MulIOp::create(e.b, e.loc, elements,
                                  constant(bits / byteBits));
  return e.offset(adaptor.getBase().front(), bytes);
}

Value SampledStore::emitElementAt(int64_t i, Value sum, Value row) {
  Value index = adaptor.getColumns()[i].front();
  Value column = arith::MaxSIOp::create(e.b, e.loc, index, e.constant(0));
  Value element = emitElement(e, op.getBody(), sum, row, column);
  Type elementType = element.getType();
  Value zero =
      arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(elementType));
  return e.select(e.isEqual(index, kPaddingIndex), zero, element);
}

Value SampledStore::pack(ArrayRef<Value> elements) {
  constexpr unsigned byteBits = 8, nibbleBits = 4;
  if (type.isInteger(byteBits)) {
    auto permute = [&](Value a, Value b, int64_t selector) -> Value {
      return NVVM::PermuteOp::create(e.b, e.loc, e.b.getI32Type(), a, b,
                                     e.constant(selector),
                                     NVVM::PermuteMode::DEFAULT);
    };
    // Byte 0 of each.
    return permute(permute(elements[0], elements[1], 0x0040),
                   permute(elements[2], elements[3], 0x0040), 0x5410);
  }
  if (type.isInteger(nibbleBits)) {
    Value word;
    for (auto [i, element] : llvm::enumerate(elements)) {
      Value nibble = emitShiftLeft(e.b, e.loc, e.bitAnd(element, 0xF),
                                   static_cast<int64_t>(i) * nibbleBits);
      word = word ? e.either(word, nibble) : nibble;
    }
    return arith::TruncIOp::create(e.b, e.loc, e.b.getI16Type(), word);
  }
  auto vectorType = VectorType::get(elements.size(), elements[0].getType());
  Value vector = LLVM::PoisonOp::create(e.b, e.loc, vectorType);
  for (auto [i, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(e.b, e.loc, vector, element,
                                           e.constant(i));
  return vector;
}

void SampledStore::emitRun(Value vector, ArrayRef<Value> neighbours,
                           Value address) {
  Value row = e.add(adaptor.getRow().front(), vector);
  SmallVector<Value> elements;
  for (auto [i, sum] : llvm::enumerate(neighbours))
    elements.push_back(emitElementAt(i, sum, row));
  LLVM::StoreOp::create(e.b, e.loc, pack(elements), address,
                        getBytes(kLanePositionRun));
}

void SampledStore::emitStores(Value position) {
  ValueOrder order = op.getEncoding().getFormat().valueOrder();
  Value lane = e.laneId();
  Value laneVector =
      e.add(e.apply(output, dim::lane, lane, dim::vector), op.getComponent());
  Value address = emitAddress(position);
  address =
      e.offset(address, e.mul(laneVector, getBytes(order.componentPitch())));
  // Sums by component and position, relative to the lane's.
  std::map<int32_t, std::array<Value, kLanePositionRun>> runs;
  for (auto [fragment, registers] : llvm::enumerate(adaptor.getFragments()))
    for (auto [i, value] : llvm::enumerate(registers)) {
      LayoutPoint point = output.apply(
          {{dim::fragment, int32_t(fragment)}, {dim::reg, int32_t(i)}});
      runs[point[dim::vector]][point[dim::position]] = value;
    }
  bool reachesAll =
      op.getEncoding().getVector() >=
      static_cast<int64_t>(op.getComponent()) + output.outputSize(dim::vector);
  for (auto &[component, sums] : runs) {
    Value vector = e.add(laneVector, component);
    Value runAddress = e.offset(
        address, e.constant(getBytes(component * order.componentPitch())));
    if (reachesAll) {
      emitRun(vector, sums, runAddress);
      continue;
    }
    e.emitIf(e.isBelow(vector, e.constant(op.getEncoding().getVector())),
             [&, &sums = sums] { emitRun(vector, sums, runAddress); });
  }
}

void SampledStore::emit() {
  Value position = e.add(adaptor.getPosition().front(),
                         e.apply(output, dim::lane, e.laneId(), dim::position));
  // Whole steps of whole strides.
  if (op.getEncoding().getStride() % kStepPositions == 0) {
    emitStores(position);
    return;
  }
  e.emitIf(e.isBelow(position, adaptor.getEnd().front()),
           [&] { emitStores(position); });
}

void mlir::magicube_gpu::emitSampledStore(Emitter &e, StoreVectorsOp op,
                                          StoreVectorsAdaptor adaptor) {
  SampledStore(e, op, adaptor).emit();
}
