//===- BundleProgram.cpp - Running a bundle -------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/BundleProgram.h"

#include <algorithm>

using namespace mlir::magicube;

Result<std::unique_ptr<BundleProgram>>
BundleProgram::load(Device &device, const Bundle &bundle) {
  Result<BundleChoice> choice = chooseImage(bundle.manifest(), device);
  if (!choice)
    return choice.error();
  std::unique_ptr<BundleProgram> program(
      new BundleProgram(device, bundle.manifest()));
  program->chipIndex =
      static_cast<size_t>(choice->chip - bundle.manifest().chips.data());
  program->imageFormat = choice->image->format;
  std::string_view image = bundle.image(*choice->image);
  Result<ModuleHandle *> module = device.loadModule(image.data(), image.size());
  if (!module)
    return Error{
        "cannot load " + std::string(describeImage(program->imageFormat)) +
            " for " + choice->chip->chip + ": " + module.error().message,
        module.error().note};
  program->module = *module;
  return program;
}

BundleProgram::~BundleProgram() {
  // Nothing can be done about a failure here.
  if (module)
    (void)device.unloadModule(module);
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

namespace {

/// The arithmetic of launch rules on plain numbers.
struct PlainArithmetic {
  using Value = int64_t;
  int64_t ceilDiv(int64_t value, int64_t divisor) {
    return value / divisor + (value % divisor != 0);
  }
  int64_t floorDiv(int64_t value, int64_t divisor) { return value / divisor; }
  int64_t min(int64_t lhs, int64_t rhs) { return std::min(lhs, rhs); }
  int64_t max(int64_t lhs, int64_t rhs) { return std::max(lhs, rhs); }
  int64_t constant(int64_t value) { return value; }
};

/// Values of the kernel's parameters; a parameter is a pointer or an i32.
class ParameterValues {
public:
  ParameterValues(const SpmmOperands &operands, const BundleManifest &manifest)
      : operands(operands),
        manifest(manifest), pointers{operands.pointers, operands.indices,
                                     operands.values, operands.rhs,
                                     operands.result},
        sizes{static_cast<int32_t>(operands.columns),
              static_cast<int32_t>(operands.rhsStride),
              static_cast<int32_t>(operands.resultStride),
              static_cast<int32_t>(operands.vectorRows)} {}

  /// Addresses of the values in the kernel's order. The names are known: a
  /// manifest with another one is refused.
  std::vector<void *> select(const std::vector<std::string> &names) {
    std::vector<void *> selected;
    for (const std::string &name : names) {
      if (void *value = selectEpilogue(name)) {
        selected.push_back(value);
        continue;
      }
      auto index =
          static_cast<size_t>(std::find(kSpmmParameterNames.begin(),
                                        kSpmmParameterNames.end(), name) -
                              kSpmmParameterNames.begin());
      if (index < numPointers)
        selected.push_back(&pointers[index]);
      else
        selected.push_back(&sizes[index - numPointers]);
    }
    return selected;
  }

private:
  /// The address of an operand of the epilogue; null for another name.
  void *selectEpilogue(const std::string &name) {
    auto address = [](const auto &value) {
      return const_cast<void *>(static_cast<const void *>(&value));
    };
    auto [sumBiasName, firstScaleName, secondScaleName, biasName] =
        kSpmmEpilogueNames;
    if (name == sumBiasName)
      return address(operands.sumBias);
    if (name == biasName)
      return address(operands.bias);
    const std::string_view scaleNames[] = {firstScaleName, secondScaleName};
    for (size_t i = 0; i < kNumSpmmScales; ++i)
      if (name == scaleNames[i])
        return manifest.arguments[*manifest.product.epilogue.find(
                                      EpilogueRole::Scale, i)]
                       .isNumber
                   ? address(operands.numbers[i])
                   : address(operands.scales[i]);
    return nullptr;
  }

  const SpmmOperands &operands;
  const BundleManifest &manifest;
  static constexpr size_t numPointers =
      static_cast<size_t>(SpmmParameter::Result) + 1;
  const void *pointers[numPointers];
  int32_t sizes[kNumSpmmParameters - numPointers];
};

} // namespace

static bool areMultiples(std::initializer_list<int64_t> values,
                         int64_t factor) {
  return std::all_of(values.begin(), values.end(),
                     [&](int64_t value) { return value % factor == 0; });
}

/// Whether the operands are aligned as the kernel needs (LaunchRule.h).
static bool accepts(const BundleKernel &kernel, const SpmmOperands &operands,
                    int64_t rhsBits, int64_t resultBytes) {
  auto address = [](const void *pointer) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer));
  };
  return areMultiples({address(operands.rhs), operands.rhsStride,
                       getDenseRowBytes(operands.columns, rhsBits)},
                      kernel.alignment.rhs) &&
         areMultiples({operands.columns}, SpmmAlignment::getColumns(
                                              kernel.alignment.rhs, rhsBits)) &&
         areMultiples(
             {address(operands.result), operands.resultStride * resultBytes},
             kernel.alignment.result);
}

/// Kernels count in 32 bits.
static Status checkSizes(const SpmmOperands &operands) {
  const std::pair<const char *, int64_t> sizes[] = {
      {"vector-rows", operands.vectorRows},
      {"columns", operands.columns},
      {"row stride of the dense operand", operands.rhsStride},
      {"row stride of the result", operands.resultStride}};
  for (auto [what, value] : sizes)
    if (value < 0 || value > kMaxExtent)
      return Error{"expected " + std::string(what) + " from 0 to " +
                   std::to_string(kMaxExtent) + ", but got " +
                   std::to_string(value)};
  return {};
}

Result<SpmmLaunch> BundleProgram::plan(const SpmmOperands &operands) const {
  if (Status s = checkSizes(operands); !s)
    return s.error();
  if (operands.vectorRows == 0 || operands.columns == 0)
    return SpmmLaunch{};
  int64_t rhsBits = content.arguments[content.product.rhs].element.bits;
  const MatrixType &result = content.results.front();
  int64_t resultBytes = result.isFloat ? floatBytes(result.format)
                                       : result.element.containerBits() / 8;
  for (const BundleKernel &kernel : chip().kernels) {
    if (!accepts(kernel, operands, rhsBits, resultBytes))
      continue;
    PlainArithmetic arithmetic;
    auto [x, y, z] = getSpmmGrid(arithmetic, operands.vectorRows,
                                 operands.columns, kernel.tile);
    return SpmmLaunch{&kernel,
                      {static_cast<uint32_t>(x), static_cast<uint32_t>(y),
                       static_cast<uint32_t>(z)},
                      {kernel.threads, 1, 1}};
  }
  return Error{"no kernel of '" + content.entry +
                   "' takes operands of this alignment",
               "compile with a dynamic number of columns"};
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

Status BundleProgram::launch(const SpmmOperands &operands,
                             StreamHandle *stream) {
  Result<SpmmLaunch> launch = plan(operands);
  if (!launch)
    return launch.error();
  if (!launch->kernel)
    return {};
  const BundleKernel &kernel = *launch->kernel;
  Result<FunctionHandle *> function =
      device.getFunction(module, kernel.name.c_str());
  if (!function)
    return function.error();
  ParameterValues values(operands, content);
  std::vector<void *> parameters = values.select(kernel.parameters);
  return device.launch(*function, launch->grid, launch->block,
                       kernel.sharedMemoryBytes, stream, parameters.data());
}

Result<LaunchTiming>
BundleProgram::time(const std::vector<SpmmOperands> &copies, unsigned replays) {
  if (copies.empty())
    return Error{"expected one copy of the operands at least, but got none"};
  Result<SpmmLaunch> launch = plan(copies.front());
  if (!launch)
    return launch.error();
  if (!launch->kernel)
    return LaunchTiming{};
  for (const SpmmOperands &operands : copies) {
    Result<SpmmLaunch> other = plan(operands);
    if (!other)
      return other.error();
    if (other->kernel != launch->kernel)
      return Error{"expected copies of the operands that one kernel takes, but "
                   "they need '" +
                       launch->kernel->name + "' and another one",
                   "align and shape all copies alike"};
  }
  const BundleKernel &kernel = *launch->kernel;
  Result<FunctionHandle *> function =
      device.getFunction(module, kernel.name.c_str());
  if (!function)
    return function.error();
  // Parameters point at the values, which must stay where they are.
  std::vector<ParameterValues> values;
  for (const SpmmOperands &operands : copies)
    values.emplace_back(operands, content);
  std::vector<std::vector<void *>> parameters;
  std::vector<void **> sets;
  for (ParameterValues &value : values) {
    parameters.push_back(value.select(kernel.parameters));
    sets.push_back(parameters.back().data());
  }
  return device.timeLaunch(*function, launch->grid, launch->block,
                           kernel.sharedMemoryBytes, sets, replays);
}
