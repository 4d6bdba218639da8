//===- Grid.cpp - Runs the blocks of a launch -----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <thread>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

namespace {

/// CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability"; equal for all chips since compute capability 3.0.
constexpr uint32_t maxThreadsPerBlock = 1024;
constexpr Dim3 maxBlock = {1024, 1024, 64};
constexpr Dim3 maxGrid = {0x7FFFFFFF, 65535, 65535};

/// Fibers in existence at a time, over all workers: a mapping each, of which
/// Linux grants a process 65530 by default.
constexpr unsigned maxFibers = 16384;

std::string describe(Dim3 dim) {
  return "(" + std::to_string(dim.x) + ", " + std::to_string(dim.y) + ", " +
         std::to_string(dim.z) + ")";
}

Status checkExtents(const std::string &what, Dim3 extents, Dim3 limit) {
  if (extents.x == 0 || extents.y == 0 || extents.z == 0)
    return Error{what + " " + describe(extents) + " is empty",
                 "every extent must be at least 1; skip the launch if there is "
                 "nothing to do"};
  if (extents.x > limit.x || extents.y > limit.y || extents.z > limit.z)
    return Error{what + " " + describe(extents) + " exceeds the limit " +
                 describe(limit)};
  return Status::success();
}

/// What the workers of a launch share.
class Run {
public:
  explicit Run(const Launch &launch) : numBlocks(launch.numBlocks()) {}

  /// Runs blocks until none is left or one failed.
  void work(Worker &worker) {
    FaultReceiver faults;
    for (;;) {
      uint64_t index = next.fetch_add(1);
      if (index >= numBlocks)
        return;
      std::optional<Error> error = worker.run(index, faults);
      if (!error)
        continue;
      // No block is started from here on; those before this one, all of which
      // have been started, may still fail and then come first.
      next = numBlocks;
      std::lock_guard<std::mutex> lock(mutex);
      if (index < failedBlock) {
        failedBlock = index;
        failure = std::move(*error);
      }
    }
  }

  Status result() const { return failure ? Status(*failure) : Status(); }

private:
  const uint64_t numBlocks;
  std::atomic<uint64_t> next{0};
  std::mutex mutex;
  uint64_t failedBlock = std::numeric_limits<uint64_t>::max();
  std::optional<Error> failure;
};

unsigned numWorkers(const Launch &launch) {
  uint64_t wanted = launch.options.threads
                        ? launch.options.threads
                        : std::thread::hardware_concurrency();
  uint64_t fibers = std::max(1u, maxFibers / launch.threadsPerBlock());
  return static_cast<unsigned>(
      std::max<uint64_t>(1, std::min({wanted, fibers, launch.numBlocks()})));
}

} // namespace

Status sim::checkLimits(const Launch &launch) {
  std::string context = "launch of kernel '" + launch.kernel.name + "': ";
  if (Status grid = checkExtents(context + "grid", launch.grid, maxGrid); !grid)
    return grid;
  if (Status block = checkExtents(context + "block", launch.block, maxBlock);
      !block)
    return block;
  uint64_t threads = uint64_t(launch.block.x) * launch.block.y * launch.block.z;
  if (threads > maxThreadsPerBlock)
    return Error{context + "block " + describe(launch.block) + " has " +
                 std::to_string(threads) + " threads, but the limit is " +
                 std::to_string(maxThreadsPerBlock)};
  if (launch.sharedBytes() > launch.options.sharedMemoryLimit)
    return Error{context + std::to_string(launch.sharedBytes()) +
                     " bytes of shared memory exceed the limit of " +
                     std::to_string(launch.options.sharedMemoryLimit),
                 "use smaller tiles, or raise the option shared-memory-limit "
                 "if the chip has more"};
  if (launch.kernel.numParameters && !launch.parameters)
    return Error{context + "the kernel has " +
                 std::to_string(launch.kernel.numParameters) +
                 " parameters, but none were given"};
  return Status::success();
}

Status sim::runGrid(const Launch &launch,
                    std::vector<std::unique_ptr<Worker>> &workers) {
  unsigned count = numWorkers(launch);
  while (workers.size() < count)
    workers.push_back(std::make_unique<Worker>());
  for (unsigned i = 0; i < count; ++i)
    if (Status prepared = workers[i]->prepare(launch); !prepared)
      return prepared;
  Run run(launch);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < count; ++i)
    threads.emplace_back([&run, &worker = *workers[i]] { run.work(worker); });
  run.work(*workers[0]);
  for (std::thread &thread : threads)
    thread.join();
  return run.result();
}
