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

/// Bytes of a row of a dense matrix.
static int64_t getRowBytes(const MatrixType &type, int64_t columns) {
  return type.isFloat ? columns * floatBytes(type.format)
                      : type.element.bytesFor(columns);
}

std::vector<ProgramOperand>
mlir::magicube::describeResults(const BundleManifest &manifest,
                                const std::vector<ProgramShape> &shapes) {
  std::vector<ProgramOperand> operands;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const MatrixType &type = manifest.results[i].type;
    ProgramOperand &operand = operands.emplace_back();
    operand.shape = shapes[i];
    operand.rowStride = !type.isFloat && type.element.isPacked()
                            ? getRowBytes(type, shapes[i][1])
                            : shapes[i][1];
  }
  return operands;
}

/// Memory for a result that `operand` describes.
static Status allocateResult(const BundleResult &result,
                             const std::vector<ProgramValue> &arguments,
                             ProgramOperand &operand, Buffers &buffers,
                             Device &device) {
  auto bytes =
      static_cast<uint64_t>(operand.shape[0]) *
      static_cast<uint64_t>(getRowBytes(result.type, operand.shape[1]));
  Result<void *> buffer = buffers.allocate(bytes);
  if (!buffer)
    return buffer.error();
  operand.data = *buffer;
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
  operands.results = describeResults(manifest, shapes);
  for (size_t i = 0; i < shapes.size(); ++i)
    if (Status s = allocateResult(manifest.results[i], arguments,
                                  operands.results[i], buffers, device);
        !s)
      return s.error();
  return operands;
}

static Result<ProgramValue> download(const ProgramOperand &operand,
                                     const MatrixType &type, Device &device) {
  auto [rows, columns] = operand.shape;
  DenseMatrix result{rows, columns, ElementType(), {}};
  if (!type.isFloat) {
    Result<DenseMatrix> zeros = DenseMatrix::zeros(rows, columns, type.element);
    if (!zeros)
      return zeros.error();
    result = std::move(*zeros);
  }
  result.data.resize(rows * getRowBytes(type, columns));
  Status status = device.copy(result.data.data(), operand.data,
                              result.data.size(), /*stream=*/nullptr);
  if (status)
    status = device.synchronize();
  if (!status)
    return status.error();
  if (type.isFloat)
    return ProgramValue(
        FloatMatrix::fromBytes(rows, columns, type.format, result.data.data()));
  return ProgramValue(std::move(result));
}

Result<std::vector<ProgramValue>>
mlir::magicube::download(const BundleManifest &manifest,
                         const ProgramOperands &operands, Device &device) {
  std::vector<ProgramValue> results;
  for (size_t i = 0; i < operands.results.size(); ++i) {
    Result<ProgramValue> result =
        ::download(operands.results[i], manifest.results[i].type, device);
    if (!result)
      return result.error();
    results.push_back(std::move(*result));
  }
  return results;
}
