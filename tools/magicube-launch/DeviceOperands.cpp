//===- DeviceOperands.cpp - Values of a program in device memory --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceOperands.h"

#include "magicube/Format/SparseResults.h"

using namespace mlir::magicube;

/// What a result holds before the launch, so that an element that no block
/// writes is found.
static constexpr uint8_t poison = 0xCD;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static ProgramOperand describe(const SRBCRSMatrix &matrix) {
  ProgramOperand operand;
  operand.shape = {matrix.rows, matrix.cols};
  operand.stored = matrix.stored();
  return operand;
}

static ProgramOperand describe(const SparseFloatMatrix &matrix) {
  return describe(matrix.pattern);
}

static ProgramOperand describe(const DenseMatrix &matrix) {
  ProgramOperand operand;
  operand.shape = {matrix.rows, matrix.cols};
  operand.rowStride = matrix.type.isPacked() ? matrix.rowBytes() : matrix.cols;
  return operand;
}

static ProgramOperand describe(const FloatMatrix &matrix) {
  ProgramOperand operand;
  operand.shape = {matrix.rows, matrix.cols};
  operand.rowStride = matrix.cols;
  if (!matrix.data.empty())
    operand.number = matrix.data.front();
  return operand;
}

std::vector<ProgramOperand>
mlir::magicube::describeArguments(const std::vector<ProgramValue> &arguments) {
  std::vector<ProgramOperand> operands;
  for (const ProgramValue &argument : arguments)
    operands.push_back(std::visit(
        [](const auto &matrix) { return describe(matrix); }, argument));
  return operands;
}

namespace {

/// A part of an argument: its bytes, and where its address goes.
struct Component {
  const void **target;
  const void *data;
  uint64_t bytes;
  /// What `data` points to, if the argument has it in another form.
  std::vector<uint8_t> owned = {};
};

} // namespace

template <typename Vector>
static uint64_t countBytes(const Vector &vector) {
  return vector.size() * sizeof(vector[0]);
}

static std::vector<Component> getComponents(const SRBCRSMatrix &matrix,
                                            ProgramOperand &operand) {
  return {
      {&operand.pointers, matrix.pointers.data(), countBytes(matrix.pointers)},
      {&operand.indices, matrix.indices.data(),
       static_cast<uint64_t>(matrix.indices.size() *
                             matrix.indices.containerBytes())},
      {&operand.values, matrix.values.data(), countBytes(matrix.values)}};
}

static std::vector<Component> getComponents(const SparseFloatMatrix &matrix,
                                            ProgramOperand &operand) {
  std::vector<Component> components = getComponents(matrix.pattern, operand);
  Component &values = components.back();
  values.owned = toBytes(matrix);
  values.data = values.owned.data();
  values.bytes = values.owned.size();
  return components;
}

/// Of integers or floats. A number goes along by value; that it is in memory
/// too does no harm.
template <typename Dense>
static std::vector<Component> getComponents(const Dense &matrix,
                                            ProgramOperand &operand) {
  return {{&operand.data, matrix.data.data(), countBytes(matrix.data)}};
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Bytes of consecutive elements: of a row of a dense matrix, for example.
static int64_t getBytes(const MatrixType &type, int64_t elements) {
  return type.isFloat ? elements * floatBytes(type.format)
                      : type.element.bytesFor(elements);
}

/// Bytes of what is written of a result.
static int64_t getResultBytes(const MatrixType &type,
                              const ProgramOperand &operand) {
  if (type.isSparse())
    return getBytes(type, operand.stored * type.encoding->vector);
  return operand.shape[0] * getBytes(type, operand.shape[1]);
}

std::vector<ProgramOperand>
mlir::magicube::describeResults(const BundleManifest &manifest,
                                const std::vector<ProgramOperand> &arguments,
                                const std::vector<ProgramShape> &shapes) {
  std::vector<ProgramOperand> operands;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto &[type, init, pattern] = manifest.results[i];
    ProgramOperand &operand = operands.emplace_back();
    operand.shape = shapes[i];
    operand.rowStride = !type.isFloat && type.element.isPacked()
                            ? getBytes(type, shapes[i][1])
                            : shapes[i][1];
    if (pattern)
      operand.stored = arguments[*pattern].stored;
  }
  return operands;
}

/// Memory for a result that `operand` describes.
static Status allocateResult(const BundleResult &result,
                             const std::vector<ProgramValue> &arguments,
                             ProgramOperand &operand, Buffers &buffers,
                             Device &device) {
  auto bytes = static_cast<uint64_t>(getResultBytes(result.type, operand));
  Result<void *> buffer = buffers.allocate(bytes);
  if (!buffer)
    return buffer.error();
  (result.pattern ? operand.values : operand.data) = *buffer;
  if (!result.init)
    return device.fill(*buffer, poison, /*elementBytes=*/1, bytes,
                       /*stream=*/nullptr);
  // The plan has checked type and shape.
  const auto *init = std::get_if<DenseMatrix>(&arguments[*result.init]);
  if (!init || countBytes(init->data) != bytes)
    return Error{"expected integers in argument #" +
                 std::to_string(*result.init) + ", which a result is added to"};
  return device.copy(*buffer, init->data.data(), bytes, /*stream=*/nullptr);
}

Result<ProgramOperands> mlir::magicube::upload(
    const BundleManifest &manifest, const std::vector<ProgramValue> &arguments,
    const std::vector<ProgramShape> &shapes, Buffers &buffers, Device &device) {
  ProgramOperands operands;
  operands.arguments = describeArguments(arguments);
  std::vector<bool> isInit(arguments.size());
  for (const BundleResult &result : manifest.results)
    if (result.init)
      isInit[*result.init] = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (isInit[i])
      continue;
    auto components = std::visit(
        [&](const auto &matrix) {
          return getComponents(matrix, operands.arguments[i]);
        },
        arguments[i]);
    for (const Component &component : components) {
      Result<void *> buffer = buffers.upload(component.data, component.bytes);
      if (!buffer)
        return buffer.error();
      *component.target = *buffer;
    }
  }
  operands.results = describeResults(manifest, operands.arguments, shapes);
  for (size_t i = 0; i < shapes.size(); ++i)
    if (Status s = allocateResult(manifest.results[i], arguments,
                                  operands.results[i], buffers, device);
        !s)
      return s.error();
  return operands;
}

static Result<ProgramValue> makeDense(const ProgramOperand &operand,
                                      const MatrixType &type,
                                      std::vector<uint8_t> bytes) {
  auto [rows, columns] = operand.shape;
  if (type.isFloat)
    return ProgramValue(
        FloatMatrix::fromBytes(rows, columns, type.format, bytes.data()));
  Result<DenseMatrix> result = DenseMatrix::zeros(rows, columns, type.element);
  if (!result)
    return result.error();
  result->data = std::move(bytes);
  return ProgramValue(std::move(*result));
}

/// Values at the positions of an argument.
static ProgramValue makeSparse(const SRBCRSMatrix &argument,
                               const MatrixType &type,
                               std::vector<uint8_t> bytes) {
  SRBCRSMatrix result;
  result.rows = argument.rows;
  result.cols = argument.cols;
  result.encoding = argument.encoding;
  result.type = type.isFloat ? ElementType::pattern() : type.element;
  result.pointers = argument.pointers;
  result.indices = argument.indices;
  result.vectors = argument.vectors;
  if (type.isFloat)
    return makeSparseFloats(std::move(result), type.format, bytes);
  result.values = std::move(bytes);
  return result;
}

Result<std::vector<ProgramValue>>
mlir::magicube::download(const BundleManifest &manifest,
                         const std::vector<ProgramValue> &arguments,
                         const ProgramOperands &operands, Device &device) {
  std::vector<ProgramValue> results;
  for (size_t i = 0; i < operands.results.size(); ++i) {
    const auto &[type, init, pattern] = manifest.results[i];
    const ProgramOperand &operand = operands.results[i];
    std::vector<uint8_t> bytes(getResultBytes(type, operand));
    Status status =
        device.copy(bytes.data(), pattern ? operand.values : operand.data,
                    bytes.size(), /*stream=*/nullptr);
    if (status)
      status = device.synchronize();
    if (!status)
      return status.error();
    Result<ProgramValue> result =
        pattern ? makeSparse(*findPattern(arguments[*pattern]), type,
                             std::move(bytes))
                : makeDense(operand, type, std::move(bytes));
    if (!result)
      return result.error();
    results.push_back(std::move(*result));
  }
  return results;
}
