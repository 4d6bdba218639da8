//===- KernelHarness.h - Runs LLVM IR kernels on the simulator --*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles IR text to the bitcode that gpu-module-to-
// binary{format=offloading} would give, launches it, and moves data in and
// out.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TEST_UNIT_SIMULATOR_KERNELHARNESS_H
#define MAGICUBE_TEST_UNIT_SIMULATOR_KERNELHARNESS_H

#include "magicube/Runtime/Device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace mlir::magicube::test {

/// Bitcode of an IR module; "target" lines for nvptx64 and the external shared
/// variable @smem are put in front. Empty, with a test failure, if the text has
/// an error. Intrinsics need no declaration.
std::string assemble(const std::string &body);
/// The same without the lines in front.
std::string assembleModule(const std::string &text);

/// A kernel @k(ptr in, ptr out) in which every thread (of blocks of one
/// dimension) calls `callee` with its own words.
struct CallKernel {
  std::string callee;
  /// Types of the operands: i1, i32, i64 or float, loaded from the words of
  /// `in` (64-bit values take two); or a literal such as "i32 5".
  std::vector<std::string> operands;
  /// Types of the results (of the struct's fields if several): i1, i32, float.
  std::vector<std::string> results;

  std::string text() const;
  size_t wordsIn() const;
};

/// A device with one module loaded. Failures to set up are test failures.
class Simulation {
public:
  explicit Simulation(const std::string &bitcode,
                      const DeviceOptions &options = {});

  Device &device() { return *owned; }

  /// Device memory with the vector's contents.
  template <typename T>
  void *upload(const std::vector<T> &values) {
    void *memory = allocate(values.size() * sizeof(T));
    if (memory && !values.empty())
      check(owned->copy(memory, values.data(), values.size() * sizeof(T),
                        nullptr));
    return memory;
  }
  void *allocate(uint64_t bytes);
  template <typename T>
  std::vector<T> download(const void *memory, size_t count) {
    std::vector<T> values(count);
    if (memory && count)
      check(owned->copy(values.data(), memory, count * sizeof(T), nullptr));
    return values;
  }

  /// Launches `kernel` with parameters of any trivially copyable types.
  template <typename... Parameters>
  Status launch(const char *kernel, Dim3 grid, Dim3 block, uint32_t sharedBytes,
                Parameters... parameters) {
    void *pointers[] = {static_cast<void *>(&parameters)..., nullptr};
    return launchWith(kernel, grid, block, sharedBytes, pointers);
  }

  /// Runs a CallKernel on `threads` threads; the words each thread gave back.
  std::vector<uint32_t> call(const std::vector<uint32_t> &in, size_t numResults,
                             unsigned threads = 32);

  static void check(const Status &status);

private:
  Status launchWith(const char *kernel, Dim3 grid, Dim3 block,
                    uint32_t sharedBytes, void **parameters);

  std::unique_ptr<Device> owned;
  ModuleHandle *module = nullptr;
};

/// Runs `kernel` with the words of all threads on a fresh device.
std::vector<uint32_t> runCall(const CallKernel &kernel,
                              const std::vector<uint32_t> &in,
                              unsigned threads = 32);

/// The error of a launch of @k that must fail; "" and a test failure if it
/// does not.
template <typename... Parameters>
std::string launchError(const std::string &body, Dim3 block,
                        uint32_t sharedBytes, Parameters... parameters) {
  Simulation simulation(assemble(body));
  Status status =
      simulation.launch("k", {1, 1, 1}, block, sharedBytes, parameters...);
  EXPECT_FALSE(bool(status));
  return status ? "" : status.error().message;
}

/// The error of loading a module that must be refused.
Error loadError(const std::string &bitcode);

/// Words from a fixed seed; a quarter of them are extreme values.
std::vector<uint32_t> randomWords(size_t count, unsigned seed);

/// Expects `text` to contain `part`.
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

} // namespace mlir::magicube::test

#endif // MAGICUBE_TEST_UNIT_SIMULATOR_KERNELHARNESS_H
