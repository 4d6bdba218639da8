//===- SimulatorDevice.cpp - The host SIMT device -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is synchronous: a launch returns when the kernel has ended, so
// streams keep order and events are moments in time.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "HostJIT.h"

#include "magicube/Runtime/Image.h"
#include "magicube/Simulator/Simulator.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

namespace {

constexpr std::string_view deviceName = "sim";

/// Owns objects and gives out their addresses as opaque handles; a handle that
/// it did not give, or that is gone, finds nothing.
template <typename T, typename Handle>
class HandleTable {
public:
  Handle *add(std::unique_ptr<T> object) {
    auto *handle = reinterpret_cast<Handle *>(object.get());
    objects.emplace(handle, std::move(object));
    return handle;
  }
  T *find(Handle *handle) const {
    auto found = objects.find(handle);
    return found == objects.end() ? nullptr : found->second.get();
  }
  bool remove(Handle *handle) { return objects.erase(handle) != 0; }

private:
  std::map<Handle *, std::unique_ptr<T>> objects;
};

struct Stream {};

struct Event {
  std::chrono::steady_clock::time_point time;
  bool recorded = false;
};

Error unknownHandle(const std::string &what) {
  return {"unknown " + what + " handle",
          "it was never created on this device or was destroyed"};
}

class SimulatorDevice final : public Device {
public:
  explicit SimulatorDevice(const Options &options) : options(options) {}

  std::string_view name() const override { return deviceName; }
  std::string_view chip() const override { return "any"; }
  uint32_t sharedMemoryLimit() const override {
    return options.sharedMemoryLimit;
  }

  Result<void *> allocate(uint64_t bytes, MemoryKind, StreamHandle *) override {
    return memory.allocate(bytes);
  }
  Status free(void *pointer, StreamHandle *) override {
    return memory.free(pointer);
  }
  Status copy(void *destination, const void *source, uint64_t bytes,
              StreamHandle *stream) override;
  Status fill(void *destination, uint32_t value, unsigned elementBytes,
              uint64_t count, StreamHandle *stream) override;
  /// Kernels can read all memory of the process anyway.
  Status registerHostMemory(void *, uint64_t) override { return {}; }
  Status unregisterHostMemory(void *) override { return {}; }

  Result<ModuleHandle *> loadModule(const void *image, uint64_t bytes) override;
  Status unloadModule(ModuleHandle *module) override;
  Result<FunctionHandle *> getFunction(ModuleHandle *module,
                                       const char *name) override;
  Status checkParameters(FunctionHandle *function, size_t count) override;
  Status launch(FunctionHandle *function, Dim3 grid, Dim3 block,
                uint32_t dynamicSharedBytes, StreamHandle *stream,
                void **parameters) override;

  Result<StreamHandle *> createStream() override {
    return streams.add(std::make_unique<Stream>());
  }
  Status destroyStream(StreamHandle *stream) override {
    return streams.remove(stream) ? Status() : unknownHandle("stream");
  }
  Status synchronizeStream(StreamHandle *stream) override {
    return checkStream(stream);
  }
  Status streamWaitEvent(StreamHandle *stream, EventHandle *event) override;
  Result<EventHandle *> createEvent() override {
    return events.add(std::make_unique<Event>());
  }
  Status destroyEvent(EventHandle *event) override {
    return events.remove(event) ? Status() : unknownHandle("event");
  }
  Status recordEvent(EventHandle *event, StreamHandle *stream) override;
  Status synchronizeEvent(EventHandle *event) override {
    return events.find(event) ? Status() : unknownHandle("event");
  }
  Result<double> elapsedMilliseconds(EventHandle *begin,
                                     EventHandle *end) override;
  Status synchronize() override { return {}; }

private:
  Status checkStream(StreamHandle *stream) const {
    return !stream || streams.find(stream) ? Status() : unknownHandle("stream");
  }

  Options options;
  DeviceMemory memory;
  HostJIT jit;
  HandleTable<LoadedModule, ModuleHandle> modules;
  HandleTable<Stream, StreamHandle> streams;
  HandleTable<Event, EventHandle> events;
  /// The kernels handed out as functions, with their modules.
  std::map<FunctionHandle *, ModuleHandle *> functions;
  std::vector<std::unique_ptr<Worker>> workers;
};

Status SimulatorDevice::copy(void *destination, const void *source,
                             uint64_t bytes, StreamHandle *stream) {
  if (Status checked = checkStream(stream); !checked)
    return checked;
  if (bytes == 0)
    return {};
  if (!destination || !source)
    return Error{"copy of " + std::to_string(bytes) + " bytes " +
                 (destination ? "from" : "to") + " a null address"};
  if (Status checked = memory.checkRange(source, bytes, "copy source");
      !checked)
    return checked;
  if (Status checked =
          memory.checkRange(destination, bytes, "copy destination");
      !checked)
    return checked;
  std::memmove(destination, source, bytes);
  return {};
}

Status SimulatorDevice::fill(void *destination, uint32_t value,
                             unsigned elementBytes, uint64_t count,
                             StreamHandle *stream) {
  if (Status checked = checkStream(stream); !checked)
    return checked;
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4)
    return Error{"fill expects elements of 1, 2 or 4 bytes, but got " +
                 std::to_string(elementBytes)};
  if (count == 0)
    return {};
  if (!destination)
    return Error{"fill of a null address"};
  if (count > UINT64_MAX / elementBytes)
    return Error{"fill of " + std::to_string(count) + " elements is too large"};
  if (Status checked = memory.checkRange(destination, count * elementBytes,
                                         "fill destination");
      !checked)
    return checked;
  auto *bytes = static_cast<char *>(destination);
  if (elementBytes == 1)
    std::memset(bytes, static_cast<int>(value), count);
  else
    for (uint64_t i = 0; i < count; ++i)
      std::memcpy(bytes + i * elementBytes, &value, elementBytes);
  return {};
}

Result<ModuleHandle *> SimulatorDevice::loadModule(const void *image,
                                                   uint64_t bytes) {
  ImageFormat format = identifyImage(image, bytes);
  if (format != ImageFormat::Bitcode)
    return wrongImage(deviceName, ImageFormat::Bitcode, format);
  Result<std::unique_ptr<LoadedModule>> loaded = jit.load(image, bytes);
  if (!loaded)
    return loaded.error();
  return modules.add(std::move(*loaded));
}

Status SimulatorDevice::unloadModule(ModuleHandle *module) {
  if (!modules.remove(module))
    return unknownHandle("module");
  for (auto it = functions.begin(); it != functions.end();)
    it = it->second == module ? functions.erase(it) : std::next(it);
  return {};
}

Result<FunctionHandle *> SimulatorDevice::getFunction(ModuleHandle *module,
                                                      const char *name) {
  const LoadedModule *loaded = modules.find(module);
  if (!loaded)
    return unknownHandle("module");
  const Kernel *kernel = loaded->findKernel(name);
  if (!kernel) {
    std::string names;
    for (const Kernel &other : loaded->code.kernels)
      names += (names.empty() ? "'" : ", '") + other.name + "'";
    return Error{"the module has no kernel '" + std::string(name) + "'",
                 names.empty() ? "it has no kernels" : "it has " + names};
  }
  auto *handle =
      reinterpret_cast<FunctionHandle *>(const_cast<Kernel *>(kernel));
  functions[handle] = module;
  return handle;
}

Status SimulatorDevice::checkParameters(FunctionHandle *function,
                                        size_t count) {
  if (!functions.count(function))
    return unknownHandle("function");
  size_t expected = reinterpret_cast<const Kernel *>(function)->numParameters;
  if (count == expected)
    return {};
  return Error{"expected " + std::to_string(expected) +
               " parameters, but got " + std::to_string(count)};
}

Status SimulatorDevice::launch(FunctionHandle *function, Dim3 grid, Dim3 block,
                               uint32_t dynamicSharedBytes,
                               StreamHandle *stream, void **parameters) {
  if (Status checked = checkStream(stream); !checked)
    return checked;
  if (!functions.count(function))
    return unknownHandle("function");
  Launch launch{*reinterpret_cast<const Kernel *>(function),
                grid,
                block,
                dynamicSharedBytes,
                parameters,
                options,
                memory};
  if (Status checked = checkLimits(launch); !checked)
    return checked;
  if (Status ran = runGrid(launch, workers); !ran)
    return ran;
  Status slack = memory.checkSlack();
  if (!slack)
    return Error{"kernel '" + launch.kernel.name +
                     "': " + slack.error().message,
                 slack.error().note};
  return slack;
}

Status SimulatorDevice::streamWaitEvent(StreamHandle *stream,
                                        EventHandle *event) {
  if (Status checked = checkStream(stream); !checked)
    return checked;
  return synchronizeEvent(event);
}

Status SimulatorDevice::recordEvent(EventHandle *event, StreamHandle *stream) {
  if (Status checked = checkStream(stream); !checked)
    return checked;
  Event *found = events.find(event);
  if (!found)
    return unknownHandle("event");
  found->time = std::chrono::steady_clock::now();
  found->recorded = true;
  return {};
}

Result<double> SimulatorDevice::elapsedMilliseconds(EventHandle *begin,
                                                    EventHandle *end) {
  const Event *first = events.find(begin), *last = events.find(end);
  if (!first || !last)
    return unknownHandle("event");
  if (!first->recorded || !last->recorded)
    return Error{"an event was not recorded"};
  return std::chrono::duration<double, std::milli>(last->time - first->time)
      .count();
}

} // namespace

Device *magicubeCreateSimulator(const DeviceOptions &options, Error &error) {
  Result<Options> parsed = parseOptions(options);
  if (!parsed) {
    error = parsed.error();
    return nullptr;
  }
  return new SimulatorDevice(*parsed);
}
