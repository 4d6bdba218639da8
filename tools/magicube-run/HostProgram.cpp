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
#include "magicube/Format/SparseResults.h"
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

/// A buffer that the function returned, as the C interface lays out its
/// descriptor: base, aligned, offset, sizes, strides.
struct ReturnedBuffer {
  void *base;
  const uint8_t *data;
  int64_t offset;
  ArrayRef<int64_t> sizes;
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
      return addSparse(*sparse, sparse->values,
                       sparse->type.containerBits() / 8,
                       cast<RankedTensorType>(type));
    if (const auto *sparse = std::get_if<SparseFloatMatrix>(&value))
      return addSparse(sparse->pattern, toBytes(*sparse),
                       floatBytes(sparse->format),
                       cast<RankedTensorType>(type));
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
  /// Components in the order of StorageLayout, then dynamic extents. A pattern
  /// has no values, in containers of 0 bytes.
  Status addSparse(const SRBCRSMatrix &matrix,
                   const std::vector<uint8_t> &elements, int64_t containerBytes,
                   RankedTensorType type) {
    const SRBCRSEncoding &encoding = matrix.encoding;
    SmallVector<int64_t> pointerShape = {matrix.vectorRows(), 2};
    if (encoding.slab)
      pointerShape = {matrix.vectorRows(), matrix.slabs(), 2};
    for (Status status :
         {addBuffer(matrix.pointers.data(),
                    matrix.pointers.size() * sizeof(int32_t), pointerShape),
          addBuffer(matrix.indices.data(),
                    matrix.indices.size() * matrix.indices.containerBytes(),
                    {matrix.stored()})})
      if (!status)
        return status;
    if (containerBytes > 0)
      if (Status status = addBuffer(
              elements.data(), elements.size(),
              {static_cast<int64_t>(elements.size()) / containerBytes});
          !status)
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

/// Results as the C interface returns them: one struct of what replaces each
/// result, buffers' descriptors and extents.
class ResultBuffer {
public:
  explicit ResultBuffer(TypeRange types) {
    for (Type type : types) {
      auto tensor = cast<RankedTensorType>(type);
      firstParts.push_back(offsets.size());
      if (getSparseEncoding(tensor)) {
        for (RankedTensorType component : getComponentTypes(tensor))
          addBuffer(component.getRank());
        for (size_t i = 0, n = tensor.getNumDynamicDims(); i < n; ++i)
          addExtent();
        continue;
      }
      addBuffer(tensor.getRank());
      if (hasColumns(tensor))
        addExtent();
    }
  }
  void *get() { return words.data(); }

  /// Buffer number `part` of a result.
  ReturnedBuffer getBuffer(size_t result, size_t part, int64_t rank) const {
    const int64_t *at = &words[offsets[firstParts[result] + part]];
    return {reinterpret_cast<void *>(at[0]),
            reinterpret_cast<const uint8_t *>(at[1]), at[2],
            ArrayRef(at + 3, rank)};
  }
  /// The extent that is part number `part` of a result.
  int64_t getExtent(size_t result, size_t part) const {
    return words[offsets[firstParts[result] + part]];
  }
  static bool hasColumns(RankedTensorType type) {
    return isPackedDense(type) && type.isDynamicDim(type.getRank() - 1);
  }

private:
  void addBuffer(int64_t rank) {
    addExtent();
    words.resize(words.size() + 2 + 2 * rank);
  }
  void addExtent() {
    offsets.push_back(words.size());
    words.push_back(0);
  }

  SmallVector<int64_t> words;
  /// Where each part begins, and which part is a result's first.
  SmallVector<size_t> offsets, firstParts;
};

/// Copies results to the host and frees them.
class ResultReader {
public:
  ResultReader(Device &device, const ResultBuffer &results)
      : device(device), results(results) {}

  /// Result number `index`, of `element`.
  Result<ProgramValue> take(size_t index, RankedTensorType type,
                            const ResultElement &element) {
    ProgramValue value;
    if (getSparseEncoding(type)) {
      Result<SparseValue> sparse = takeSparse(index, type, element);
      if (!sparse)
        return sparse.error();
      value = toProgramValue(std::move(*sparse));
    } else {
      value = takeDense(index, type, element);
    }
    if (!status)
      return status.error();
    return value;
  }

private:
  static int64_t getBytes(const ResultElement &element) {
    const auto *format = std::get_if<FloatFormat>(&element);
    return format ? floatBytes(*format)
                  : std::get<ElementType>(element).containerBits() / 8;
  }

  /// The containers of a buffer, which is then freed.
  std::vector<uint8_t> takeBytes(const ReturnedBuffer &buffer,
                                 int64_t containerBytes) {
    int64_t count = 1;
    for (int64_t size : buffer.sizes)
      count *= size;
    std::vector<uint8_t> bytes(count * containerBytes);
    keep(device.copy(bytes.data(), buffer.data + buffer.offset * containerBytes,
                     bytes.size(), /*stream=*/nullptr));
    keep(device.free(buffer.base, /*stream=*/nullptr));
    return bytes;
  }

  ProgramValue takeDense(size_t index, RankedTensorType type,
                         const ResultElement &element) {
    ReturnedBuffer buffer = results.getBuffer(index, 0, type.getRank());
    int64_t rows = buffer.sizes[0], cols = buffer.sizes[1];
    if (ResultBuffer::hasColumns(type))
      cols = results.getExtent(index, 1);
    else if (isPackedDense(type))
      cols = type.getDimSize(1);
    std::vector<uint8_t> bytes = takeBytes(buffer, getBytes(element));
    if (const auto *format = std::get_if<FloatFormat>(&element))
      return FloatMatrix::fromBytes(rows, cols, *format, bytes.data());
    return DenseMatrix{rows, cols, std::get<ElementType>(element),
                       std::move(bytes)};
  }

  Result<SparseValue> takeSparse(size_t index, RankedTensorType type,
                                 const ResultElement &element) {
    SmallVector<RankedTensorType> components = getComponentTypes(type);
    SmallVector<std::vector<uint8_t>> parts;
    for (auto [part, component] : llvm::enumerate(components))
      parts.push_back(
          takeBytes(results.getBuffer(index, part, component.getRank()),
                    component.getElementTypeBitWidth() / 8));
    SRBCRSMatrix matrix;
    matrix.encoding = getSparseEncoding(type).getFormat();
    int64_t extents[] = {type.getDimSize(0), type.getDimSize(1)};
    size_t part = components.size();
    for (int64_t &extent : extents)
      if (ShapedType::isDynamic(extent))
        extent = results.getExtent(index, part++);
    matrix.rows = extents[0];
    matrix.cols = extents[1];
    matrix.pointers.resize(parts[0].size() / sizeof(int32_t));
    std::memcpy(matrix.pointers.data(), parts[0].data(), parts[0].size());
    setIndices(matrix, parts[1]);
    for (size_t i = 0; i + 1 < matrix.pointers.size(); i += 2)
      matrix.vectors += matrix.pointers[i + 1] - matrix.pointers[i];
    const auto *format = std::get_if<FloatFormat>(&element);
    matrix.type =
        format ? ElementType::pattern() : std::get<ElementType>(element);
    if (!format)
      matrix.values = std::move(parts[2]);
    if (Status valid = matrix.validate(); !valid)
      return Error{"result #" + std::to_string(index) + ": " +
                       valid.error().message,
                   valid.error().note};
    if (!format)
      return SparseValue(std::move(matrix));
    return SparseValue(makeSparseFloats(std::move(matrix), *format, parts[2]));
  }

  static void setIndices(SRBCRSMatrix &matrix,
                         const std::vector<uint8_t> &bytes) {
    matrix.indices = IndexArray(matrix.encoding.index);
    int64_t size = matrix.indices.containerBytes();
    matrix.indices.resize(static_cast<int64_t>(bytes.size()) / size);
    for (int64_t p = 0; p < matrix.indices.size(); ++p) {
      int32_t column = 0;
      std::memcpy(&column, &bytes[p * size], size); // little-endian
      matrix.indices.set(p, column);
    }
  }

  void keep(const Status &next) {
    if (status)
      status = next;
  }

  Device &device;
  const ResultBuffer &results;
  Status status;
};

} // namespace

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

  ResultReader reader(device, buffer);
  std::vector<ProgramValue> values;
  for (auto [index, result] : llvm::enumerate(type.getResults())) {
    Result<ProgramValue> value =
        reader.take(index, cast<RankedTensorType>(result), elements[index]);
    if (!value)
      return value.error();
    values.push_back(std::move(*value));
  }
  return values;
}
