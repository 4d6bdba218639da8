//===- Memory.cpp - Guarded memory ----------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// Guards are wide (address space costs nothing) so that an index that is off
/// by whole rows still lands in one.
static constexpr uint64_t guardBytes = 256 * 1024;
/// Buffers start on multiples of this, the widest access of a thread.
static constexpr uint64_t bufferAlignment = 16;
/// Freed buffers that are kept inaccessible.
static constexpr size_t keptFreedBuffers = 64;

static uint64_t pageBytes() {
  static const uint64_t bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::string sim::hexadecimal(uintptr_t address) {
  char text[2 + 16 + 1];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(address));
  return text;
}

static std::string byteCount(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string sim::describeRelative(uintptr_t address, uintptr_t begin,
                                  uint64_t bytes, const std::string &what) {
  std::string where;
  if (address < begin)
    where = byteCount(begin - address) + " before the start of ";
  else if (address >= begin + bytes)
    where = byteCount(address - (begin + bytes)) + " past the end of ";
  else
    where = "at byte " + std::to_string(address - begin) + " of ";
  return where + "the " + std::to_string(bytes) + "-byte " + what;
}

//===----------------------------------------------------------------------===//
// GuardedPages
//===----------------------------------------------------------------------===//

Result<GuardedPages> GuardedPages::create(uint64_t bytes) {
  GuardedPages pages;
  // Half the address space is more than any system maps; this keeps the sums
  // below from wrapping.
  if (bytes < (uint64_t(1) << 47)) {
    pages.usableBytes = roundUp(std::max<uint64_t>(bytes, 1), pageBytes());
    pages.mappingBytes = pages.usableBytes + 2 * guardBytes;
    void *mapping =
        mmap(nullptr, pages.mappingBytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
    if (mapping != MAP_FAILED) {
      pages.mapping = static_cast<char *>(mapping);
      pages.usable = pages.mapping + guardBytes;
      if (mprotect(pages.usable, pages.usableBytes, PROT_READ | PROT_WRITE) ==
          0)
        return pages;
    }
  }
  return Error{"out of memory: cannot map " + std::to_string(bytes) + " bytes"};
}

GuardedPages &GuardedPages::operator=(GuardedPages &&other) noexcept {
  std::swap(mapping, other.mapping);
  std::swap(mappingBytes, other.mappingBytes);
  std::swap(usable, other.usable);
  std::swap(usableBytes, other.usableBytes);
  return *this;
}

GuardedPages::~GuardedPages() {
  if (mapping)
    munmap(mapping, mappingBytes);
}

bool GuardedPages::covers(uintptr_t address) const {
  uintptr_t begin = reinterpret_cast<uintptr_t>(mapping);
  return address >= begin && address - begin < mappingBytes;
}

void GuardedPages::close() {
  madvise(usable, usableBytes, MADV_DONTNEED);
  mprotect(usable, usableBytes, PROT_NONE);
}

void GuardedPages::restrictTo(char *from) {
  uint64_t closed =
      static_cast<uint64_t>(from - usable) / pageBytes() * pageBytes();
  mprotect(usable, closed, PROT_NONE);
  mprotect(usable + closed, usableBytes - closed, PROT_READ | PROT_WRITE);
}

//===----------------------------------------------------------------------===//
// DeviceMemory
//===----------------------------------------------------------------------===//

char *DeviceMemory::Buffer::begin() const {
  return pages.end() - roundUp(bytes, bufferAlignment);
}

Result<void *> DeviceMemory::allocate(uint64_t bytes) {
  Result<GuardedPages> pages = GuardedPages::create(bytes);
  if (!pages)
    return pages.error();
  std::memset(pages->begin(), poisonByte,
              static_cast<size_t>(pages->end() - pages->begin()));
  Buffer buffer{std::move(*pages), bytes};
  char *begin = buffer.begin();
  buffers.emplace(reinterpret_cast<uintptr_t>(begin), std::move(buffer));
  return static_cast<void *>(begin);
}

Status DeviceMemory::free(void *pointer) {
  if (!pointer)
    return Status::success();
  auto found = buffers.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == buffers.end()) {
    std::string where = describe(reinterpret_cast<uintptr_t>(pointer));
    return Error{"cannot free " +
                     hexadecimal(reinterpret_cast<uintptr_t>(pointer)) +
                     (where.empty() ? "" : ", which is " + where),
                 "free exactly the addresses that were allocated, once"};
  }
  Status slack = checkSlack(found->second);
  found->second.pages.close();
  freed.push_back(std::move(found->second));
  buffers.erase(found);
  if (freed.size() > keptFreedBuffers)
    freed.pop_front();
  return slack;
}

const DeviceMemory::Buffer *DeviceMemory::find(uintptr_t address) const {
  auto next = buffers.upper_bound(address);
  if (next != buffers.end() && next->second.pages.covers(address))
    return &next->second;
  if (next != buffers.begin() && std::prev(next)->second.pages.covers(address))
    return &std::prev(next)->second;
  return nullptr;
}

std::string DeviceMemory::describe(uintptr_t address) const {
  const Buffer *buffer = find(address);
  std::string what = "buffer";
  if (!buffer)
    for (const Buffer &old : freed)
      if (old.pages.covers(address)) {
        buffer = &old;
        what = "buffer that was freed";
      }
  if (!buffer)
    return {};
  uintptr_t begin = reinterpret_cast<uintptr_t>(buffer->begin());
  return describeRelative(address, begin, buffer->bytes,
                          what + " at " + hexadecimal(begin));
}

Status DeviceMemory::checkRange(const void *pointer, uint64_t bytes,
                                const std::string &what) const {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  const Buffer *buffer = find(address);
  if (!buffer) {
    // Memory of the host, unless it is a freed buffer.
    std::string where = describe(address);
    if (where.empty())
      return Status::success();
    return Error{what + " of " + byteCount(bytes) + " starts " + where};
  }
  uintptr_t begin = reinterpret_cast<uintptr_t>(buffer->begin());
  uint64_t offset = address - begin;
  if (address >= begin && offset <= buffer->bytes &&
      bytes <= buffer->bytes - offset)
    return Status::success();
  return Error{what + " of " + byteCount(bytes) + " starts " +
                   describe(address) + " and leaves it",
               "check the sizes against the allocation"};
}

Status DeviceMemory::checkSlack(const Buffer &buffer) {
  auto isPoison = [](char byte) {
    return static_cast<unsigned char>(byte) == poisonByte;
  };
  char *begin = buffer.begin(), *end = begin + buffer.bytes;
  char *written = std::find_if_not(end, buffer.pages.end(), isPoison);
  if (written == buffer.pages.end())
    written = std::find_if_not(buffer.pages.begin(), begin, isPoison);
  if (written == begin)
    return Status::success();
  uintptr_t address = reinterpret_cast<uintptr_t>(written);
  uintptr_t start = reinterpret_cast<uintptr_t>(begin);
  return Error{"out of bounds: the byte at " + hexadecimal(address) + ", " +
                   describeRelative(address, start, buffer.bytes,
                                    "buffer at " + hexadecimal(start)) +
                   ", was written",
               "the write was too near to the buffer to fault, so its thread "
               "is not known"};
}

Status DeviceMemory::checkSlack() const {
  for (const auto &[begin, buffer] : buffers)
    if (Status slack = checkSlack(buffer); !slack)
      return slack;
  return Status::success();
}
