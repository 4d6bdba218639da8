//===- HostProgram.cpp - Running a compiled module ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memref descriptors (mlir.llvm.org, "MLIR C Runner Utils"), JIT, call,
// results.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Pipelines/Pipelines.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/TargetSelect.h"

#include <cstring>
#include <deque>

using namespace mlir;
using namespace mlir::magicube;

namespace {

/// A memref descriptor of any rank: base, aligned, offset, sizes, strides.
class Descriptor {
public:
  Descriptor(void *data, ArrayRef<int64_t> shape) {
    words = {reinterpret_cast<int64_t>(data), reinterpret_cast<int64_t>(data),
             /*offset=*/0};
    words.append(shape.begin(), shape.end());
    int64_t stride = 1;
    SmallVector<int64_t> strides(shape.size());
    for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
      strides[i] = stride;
    words.append(strides);
  }
  void *get() { return words.data(); }

private:
  SmallVector<int64_t> words;
};

/// The result descriptor of a matrix, as the C interface lays it out.
struct MatrixDescriptor {
  uint8_t *base;
  uint8_t *data;
  int64_t offset;
  int64_t sizes[2];
  int64_t strides[2];
};

/// Arguments in device memory, in the order of the compiled function.
class DeviceArguments {
public:
  explicit DeviceArguments(Device &device) : device(device) {}
  ~DeviceArguments() {
    for (void *buffer : buffers)
      (void)device.free(buffer, /*stream=*/nullptr);
  }

  Status add(const ProgramValue &value, Type type) {
    if (const auto *sparse = std::get_if<SRBCRSMatrix>(&value))
      return addSparse(*sparse, cast<RankedTensorType>(type));
    if (const auto *floats = std::get_if<FloatMatrix>(&value))
      return addFloats(*floats, type);
    return addDense(std::get<DenseMatrix>(value), cast<RankedTensorType>(type));
  }

  /// Pointers to the arguments' values: a pointer or an index each.
  SmallVector<void *> getPacked() {
    SmallVector<void *> packed;
    for (int64_t &value : values)
      packed.push_back(&value);
    return packed;
  }

private:
  /// Components in the order of StorageLayout, then dynamic extents.
  Status addSparse(const SRBCRSMatrix &matrix, RankedTensorType type) {
    const SRBCRSEncoding &encoding = matrix.encoding;
    SmallVector<int64_t> pointerShape = {matrix.vectorRows(), 2};
    if (encoding.slab)
      pointerShape = {matrix.vectorRows(), matrix.slabs(), 2};
    int64_t containerBytes = matrix.type.containerBits() / 8;
    for (Status status :
         {addBuffer(matrix.pointers.data(),
                    matrix.pointers.size() * sizeof(int32_t), pointerShape),
          addBuffer(matrix.indices.data(),
                    matrix.indices.size() * matrix.indices.containerBytes(),
                    {matrix.stored()}),
          addBuffer(
              matrix.values.data(), matrix.values.size(),
              {static_cast<int64_t>(matrix.values.size()) / containerBytes})})
      if (!status)
        return status;
    const int64_t extents[] = {matrix.rows, matrix.cols};
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        values.push_back(extents[dim]);
    return Status::success();
  }

  /// Rows of i4 are bytes, then comes the number of columns if it is dynamic.
  Status addDense(const DenseMatrix &matrix, RankedTensorType type) {
    bool isPacked = matrix.type.isPacked();
    Status status =
        addBuffer(matrix.data.data(), matrix.data.size(),
                  {matrix.rows, isPacked ? matrix.rowBytes() : matrix.cols});
    if (isPacked && type.isDynamicDim(type.getRank() - 1))
      values.push_back(matrix.cols);
    return status;
  }

  /// A number by value, in the low bytes of its slot; a matrix as a buffer.
  Status addFloats(const FloatMatrix &matrix, Type type) {
    if (type.isF32()) {
      values.push_back(encodeFloat(matrix.at(0, 0), FloatFormat::F32));
      return Status::success();
    }
    return addBuffer(matrix.data.data(), matrix.data.size() * sizeof(float),
                     {matrix.rows, matrix.cols});
  }

  Status addBuffer(const void *data, uint64_t bytes, ArrayRef<int64_t> shape) {
    // Host code of the program may read its arguments too.
    Result<void *> buffer =
        device.allocate(bytes, MemoryKind::HostShared, /*stream=*/nullptr);
    if (!buffer)
      return buffer.error();
    buffers.push_back(*buffer);
    if (Status status = device.copy(*buffer, data, bytes, /*stream=*/nullptr);
        !status)
      return status;
    descriptors.emplace_back(*buffer, shape);
    values.push_back(reinterpret_cast<int64_t>(descriptors.back().get()));
    return Status::success();
  }

  Device &device;
  std::vector<void *> buffers;
  // Addresses of elements must not change.
  std::deque<Descriptor> descriptors;
  std::deque<int64_t> values;
};

} // namespace

namespace {

/// Results as the C interface returns them: one struct of descriptors, each
/// followed by the number of columns if the type does not tell it of bytes.
class ResultBuffer {
public:
  explicit ResultBuffer(TypeRange types) {
    for (Type type : types) {
      offsets.push_back(words.size());
      words.resize(words.size() + descriptorWords + hasColumns(type));
    }
  }
  void *get() { return words.data(); }
  size_t size() const { return offsets.size(); }

  MatrixDescriptor getDescriptor(size_t index) const {
    MatrixDescriptor descriptor;
    std::memcpy(&descriptor, &words[offsets[index]], sizeof(descriptor));
    return descriptor;
  }
  /// Columns of the matrix, in elements.
  int64_t getColumns(size_t index, Type type) const {
    if (hasColumns(type))
      return words[offsets[index] + descriptorWords];
    return isPackedDense(type) ? cast<RankedTensorType>(type).getDimSize(1)
                               : getDescriptor(index).sizes[1];
  }

private:
  static constexpr size_t descriptorWords =
      sizeof(MatrixDescriptor) / sizeof(int64_t);

  static bool hasColumns(Type type) {
    return isPackedDense(type) && cast<RankedTensorType>(type).isDynamicDim(1);
  }

  SmallVector<int64_t> words;
  SmallVector<size_t> offsets;
};

} // namespace

/// Copies a result with `cols` columns of `element` to the host.
static Result<ProgramValue> copyResult(Device &device,
                                       const MatrixDescriptor &descriptor,
                                       const ResultElement &element,
                                       int64_t cols) {
  int64_t rows = descriptor.sizes[0];
  const auto *format = std::get_if<FloatFormat>(&element);
  int64_t containerBytes =
      format ? floatBytes(*format)
             : std::get<ElementType>(element).containerBits() / 8;
  std::vector<uint8_t> bytes(rows * descriptor.sizes[1] * containerBytes);
  if (Status copied = device.copy(
          bytes.data(), descriptor.data + descriptor.offset * containerBytes,
          bytes.size(), /*stream=*/nullptr);
      !copied)
    return copied.error();
  if (format)
    return ProgramValue(
        FloatMatrix::fromBytes(rows, cols, *format, bytes.data()));
  return ProgramValue(DenseMatrix{rows, cols, std::get<ElementType>(element),
                                  std::move(bytes)});
}

/// Copies all results to the host and frees them.
static Result<std::vector<ProgramValue>>
takeResults(Device &device, const ResultBuffer &results, TypeRange types,
            ArrayRef<ResultElement> elements) {
  std::vector<ProgramValue> matrices;
  for (size_t i = 0; i < results.size(); ++i) {
    MatrixDescriptor descriptor = results.getDescriptor(i);
    Result<ProgramValue> matrix = copyResult(device, descriptor, elements[i],
                                             results.getColumns(i, types[i]));
    if (!matrix)
      return matrix.error();
    matrices.push_back(std::move(*matrix));
    if (Status freed = device.free(descriptor.base, /*stream=*/nullptr); !freed)
      return freed.error();
  }
  return matrices;
}

/// Host code to a callable, linked to the runtime in this process.
static Result<std::unique_ptr<ExecutionEngine>> createEngine(ModuleOp module) {
  PassManager manager(module.getContext());
  buildHostPipeline(manager);
  if (failed(manager.run(module)))
    return Error{"the host code cannot be lowered", ""};
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::None;
  // Each run would leave a file for perf in the home directory.
  options.enablePerfNotificationListener = false;
  options.enableGDBNotificationListener = false;
  llvm::Expected<std::unique_ptr<ExecutionEngine>> engine =
      ExecutionEngine::create(module, options);
  if (!engine)
    return Error{"the host code cannot be compiled: " +
                     llvm::toString(engine.takeError()),
                 ""};
  return std::move(*engine);
}

Result<std::vector<ProgramValue>> mlir::magicube::runHostProgram(
    ModuleOp module, StringRef entry, FunctionType type,
    ArrayRef<ResultElement> elements,
    const std::vector<ProgramValue> &arguments, Device &device) {
  DeviceArguments deviceArguments(device);
  for (auto [value, argumentType] : llvm::zip(arguments, type.getInputs()))
    if (Status status = deviceArguments.add(value, argumentType); !status)
      return status.error();

  Result<std::unique_ptr<ExecutionEngine>> engine = createEngine(module);
  if (!engine)
    return engine.error();

  // The C interface returns all descriptors through its first argument.
  ResultBuffer buffer(type.getResults());
  void *results = buffer.get();
  SmallVector<void *> packed;
  if (type.getNumResults() != 0)
    packed.push_back(&results);
  packed.append(deviceArguments.getPacked());
  (*engine)->initialize();
  std::string name = ("_mlir_ciface_" + entry).str();
  if (llvm::Error error = (*engine)->invokePacked(name, packed))
    return Error{llvm::toString(std::move(error)), ""};
  if (Status status = device.synchronize(); !status)
    return status.error();

  return takeResults(device, buffer, type.getResults(), elements);
}
