//===- magicube-conformance.cpp - Compares a device with the simulator ----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: magicube-conformance FOLDER [--device=cuda|sim]. Runs every kernel of
// the artifact and compares each bit with what the simulator gave. Needs the
// runtime alone. The last line is "N passed, N failed[, N skipped]".
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "magicube/Format/FileIO.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir::magicube;
using namespace mlir::magicube::conformance;

static int fail(const Error &error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  if (!error.note.empty())
    std::fprintf(stderr, "note: %s\n", error.note.c_str());
  return 1;
}

/// "sm_90" as 90; what has no number takes everything.
static unsigned capability(std::string_view chip) {
  size_t digits = chip.find('_');
  return digits == std::string_view::npos
             ? ~0u
             : static_cast<unsigned>(
                   std::atoi(std::string(chip.substr(digits + 1)).c_str()));
}

/// Prints the differences of a kernel; returns whether there are none.
static bool report(const KernelRow &row, const uint32_t *expected,
                   const std::vector<uint32_t> &actual) {
  size_t differing = 0, first = 0;
  for (size_t i = actual.size(); i-- > 0;)
    if (actual[i] != expected[i]) {
      ++differing;
      first = i;
    }
  if (differing == 0)
    return true;
  size_t perThread = actual.size() / (size_t(row.blocks) * row.threads);
  size_t thread = first / perThread;
  std::printf("FAIL %s: %zu of %zu words differ; first in block %zu, thread "
              "%zu, word %zu: expected 0x%08x, but got 0x%08x\n",
              row.name.c_str(), differing, actual.size(), thread / row.threads,
              thread % row.threads, first % perThread, expected[first],
              actual[first]);
  return false;
}

namespace {

struct Counts {
  size_t passed = 0, failed = 0, skipped = 0;
};

} // namespace

/// Loads the module's image for the device; null if its chip is too old.
static Result<ModuleHandle *> load(Device &device, const std::string &folder,
                                   const ModuleRow &row) {
  if (capability(device.chip()) < row.minCapability)
    return static_cast<ModuleHandle *>(nullptr);
  bool isSimulator = device.name() == "sim";
  Result<std::string> image =
      readFile(folder + "/" + (isSimulator ? row.bitcode : row.fatbin));
  if (!image)
    return image.error();
  return device.loadModule(image->data(), image->size());
}

int main(int argc, char **argv) {
  std::string folder, deviceName = "cuda";
  constexpr std::string_view deviceOption = "--device=";
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word.substr(0, deviceOption.size()) == deviceOption)
      deviceName = word.substr(deviceOption.size());
    else
      folder = word;
  }
  if (folder.empty())
    return fail({"no folder given",
                 "usage: magicube-conformance FOLDER [--device=cuda|sim]"});
  Result<Artifact> artifact = readArtifact(folder);
  if (!artifact)
    return fail(artifact.error());
  Result<std::unique_ptr<Device>> device = createDevice(deviceName);
  if (!device)
    return fail(device.error());
  std::vector<ModuleHandle *> modules;
  for (const ModuleRow &row : artifact->modules) {
    Result<ModuleHandle *> module = load(**device, folder, row);
    if (!module)
      return fail(module.error());
    modules.push_back(*module);
  }

  Counts counts;
  const uint32_t *data = artifact->data.data();
  for (const KernelRow &row : artifact->kernels) {
    if (!modules[row.module]) {
      ++counts.skipped;
      continue;
    }
    Result<std::vector<uint32_t>> actual =
        runKernel(**device, modules[row.module], row, data + row.input);
    if (!actual)
      std::printf("FAIL %s: %s\n", row.name.c_str(),
                  actual.error().message.c_str());
    bool isEqual = actual && report(row, data + row.expected, *actual);
    ++(isEqual ? counts.passed : counts.failed);
  }
  std::printf("conformance of %s: %zu passed, %zu failed",
              std::string((*device)->description()).c_str(), counts.passed,
              counts.failed);
  if (counts.skipped)
    std::printf(", %zu skipped", counts.skipped);
  std::printf("\n");
  return counts.failed ? 1 : 0;
}
