//===- Memory.h - Guarded memory --------------------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device buffers and the shared memory of a block. Both end at pages without
// access, so that a kernel that leaves them faults at once, and start out
// filled with a poison byte, so that it does not read zeros by luck.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_MEMORY_H
#define MAGICUBE_LIB_SIMULATOR_MEMORY_H

#include "magicube/Support/Result.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace mlir::magicube::sim {

/// Fresh memory is full of it: as an index it is negative, as a pointer it is
/// not canonical, as a value it is seldom right.
constexpr unsigned char poisonByte = 0xA5;

/// An address range of pages: guard, usable part, guard. Movable.
class GuardedPages {
public:
  GuardedPages() = default;
  GuardedPages(GuardedPages &&other) noexcept { *this = std::move(other); }
  GuardedPages &operator=(GuardedPages &&other) noexcept;
  ~GuardedPages();

  /// Maps room for `bytes` usable bytes; an Error if the system refuses.
  static Result<GuardedPages> create(uint64_t bytes);

  /// First byte and first byte after the usable part; both on page borders.
  char *begin() const { return usable; }
  char *end() const { return usable + usableBytes; }
  /// True if the address lies in the usable part or in a guard.
  bool covers(uintptr_t address) const;
  /// Takes all access away and gives the pages back to the system.
  void close();
  /// Allows access from `from` to the end only.
  void restrictTo(char *from);

private:
  char *mapping = nullptr;
  uint64_t mappingBytes = 0;
  char *usable = nullptr;
  uint64_t usableBytes = 0;
};

/// The buffers of a device.
class DeviceMemory {
public:
  Result<void *> allocate(uint64_t bytes);
  Status free(void *pointer);
  /// An Error if [pointer, pointer + bytes) starts in a buffer or its guards
  /// and leaves it; memory the device did not allocate passes. `what` names the
  /// access in the message.
  Status checkRange(const void *pointer, uint64_t bytes,
                    const std::string &what) const;
  /// An Error if bytes between a buffer and its guards were overwritten.
  Status checkSlack() const;
  /// "4 bytes past the end of the 100-byte buffer at 0x..."; empty if no
  /// buffer, live or recently freed, is near.
  std::string describe(uintptr_t address) const;

private:
  struct Buffer {
    GuardedPages pages;
    uint64_t bytes;
    char *begin() const;
  };
  const Buffer *find(uintptr_t address) const;
  static Status checkSlack(const Buffer &buffer);

  /// By start of the data.
  std::map<uintptr_t, Buffer> buffers;
  /// Kept without access, so that use after free faults; oldest first.
  std::deque<Buffer> freed;
};

/// Says where `address` lies relative to [begin, begin + bytes), named `what`.
std::string describeRelative(uintptr_t address, uintptr_t begin, uint64_t bytes,
                             const std::string &what);

/// The least multiple of `multiple` that is not below `value`.
constexpr uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// "0x..." of an address.
std::string hexadecimal(uintptr_t address);

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_MEMORY_H
