//===- CudaTiming.cpp - An NVIDIA GPU: how long a kernel takes ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays a graph of many launches between two events: the host's launch
// overhead, several microseconds, stays out of the numbers.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

using namespace mlir::magicube;
using namespace mlir::magicube::cuda;

namespace {

/// Sequences of launches before anything is measured: code and data are loaded,
/// clocks rise.
constexpr unsigned warmupSequences = 3;
/// What a graph should take at least, so that the events around it do not
/// matter, and the most sequences it may hold.
constexpr double graphMicroseconds = 1000;
constexpr unsigned maxSequencesPerGraph = 200;

/// The driver's objects of one measurement, released at the end.
class Measurement {
public:
  explicit Measurement(const Driver &driver) : driver(driver) {}
  ~Measurement() {
    if (exec)
      (void)driver.graphExecDestroy(exec);
    if (graph)
      (void)driver.graphDestroy(graph);
    for (Event event : {begin, end})
      if (event)
        (void)driver.eventDestroy(event);
    if (stream)
      (void)driver.streamDestroy(stream);
  }

  Status create() {
    for (ResultCode code : {driver.streamCreate(&stream, streamNonBlocking),
                            driver.eventCreate(&begin, /*flags=*/0),
                            driver.eventCreate(&end, /*flags=*/0)})
      if (Status s = driver.check(code, "preparing a measurement"); !s)
        return s;
    return {};
  }

  StreamHandle *handle() const {
    return reinterpret_cast<StreamHandle *>(stream);
  }

  /// Records `count` calls of `launch` as a graph.
  Status capture(unsigned count, const std::function<Status()> &launch) {
    if (Status s =
            driver.check(driver.streamBeginCapture(stream, CaptureThreadLocal),
                         "recording a graph");
        !s)
      return s;
    Status launched;
    for (unsigned i = 0; i < count && launched; ++i)
      launched = launch();
    ResultCode code = driver.streamEndCapture(stream, &graph);
    if (!launched)
      return launched;
    if (Status s = driver.check(code, "recording a graph"); !s)
      return s;
    return driver.check(driver.graphInstantiate(&exec, graph, /*flags=*/0),
                        "preparing a graph of " + std::to_string(count) +
                            " launches");
  }

  ResultCode replay() const { return driver.graphLaunch(exec, stream); }

  /// Microseconds of the GPU between the start and the end of `work`.
  Result<double> time(const std::function<Status()> &work) const {
    if (Status s = driver.check(driver.eventRecord(begin, stream),
                                "recording an event");
        !s)
      return s.error();
    if (Status s = work(); !s)
      return s.error();
    float milliseconds = 0;
    for (ResultCode code :
         {driver.eventRecord(end, stream), driver.eventSynchronize(end),
          driver.eventElapsedTime(&milliseconds, begin, end)})
      if (Status s = driver.check(code, "measuring a kernel"); !s)
        return s.error();
    constexpr double microsecondsPerMillisecond = 1000;
    return milliseconds * microsecondsPerMillisecond;
  }

private:
  const Driver &driver;
  cuda::Stream stream = nullptr;
  Event begin = nullptr, end = nullptr;
  Graph graph = nullptr;
  GraphExec exec = nullptr;
};

} // namespace

/// Sequences in a graph: as many as take graphMicroseconds, within limits, and
/// each of the `distinct` ones equally often.
static unsigned countSequences(double perSequence, size_t distinct) {
  double wanted = std::clamp(std::ceil(graphMicroseconds / perSequence), 1.0,
                             double(maxSequencesPerGraph));
  return static_cast<unsigned>(std::ceil(wanted / double(distinct)) *
                               double(distinct));
}

Result<LaunchTiming> CudaDevice::timeLaunches(
    const std::vector<std::vector<KernelLaunch>> &sequences, unsigned replays) {
  if (sequences.empty() || sequences.front().empty())
    return Error{"expected one launch at least, but got none"};
  if (Status s = activate(); !s)
    return s.error();
  // The measurement's stream does not wait for copies on the default one.
  if (Status s = synchronize(); !s)
    return s.error();
  Measurement measurement(driver);
  if (Status s = measurement.create(); !s)
    return s.error();
  size_t next = 0;
  auto launchOnce = [&] {
    Status status;
    for (const KernelLaunch &item : sequences[next++ % sequences.size()])
      if (status)
        status = launch(item.function, item.grid, item.block,
                        item.dynamicSharedBytes, measurement.handle(),
                        item.parameters);
    return status;
  };
  auto launchTimes = [&](unsigned count) {
    return measurement.time([&] {
      Status status;
      for (unsigned i = 0; i < count && status; ++i)
        status = launchOnce();
      return status;
    });
  };
  Result<double> warm = launchTimes(warmupSequences);
  Result<double> rough = warm ? launchTimes(warmupSequences) : warm;
  if (!rough)
    return rough.error();

  double perSequence = std::max(*rough / warmupSequences, 1.0);
  unsigned count = countSequences(perSequence, sequences.size());
  if (Status s = measurement.capture(count, launchOnce); !s)
    return s.error();
  auto replay = [&] {
    return driver.check(measurement.replay(), "replaying a graph");
  };
  // The first replay uploads the graph.
  if (Result<double> first = measurement.time(replay); !first)
    return first.error();
  std::vector<double> times;
  for (unsigned i = 0; i < std::max(replays, 1u); ++i) {
    Result<double> time = measurement.time(replay);
    if (!time)
      return time.error();
    times.push_back(*time / count);
  }
  std::sort(times.begin(), times.end());
  size_t middle = times.size() / 2;
  double median = times.size() % 2 ? times[middle]
                                   : (times[middle - 1] + times[middle]) / 2;
  return LaunchTiming{median, times.front(), times.back()};
}
