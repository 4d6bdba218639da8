//===- AsyncCopy.h - Pending asynchronous copies of a thread ----*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_ASYNCCOPY_H
#define MAGICUBE_LIB_SIMULATOR_ASYNCCOPY_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace mlir::magicube::sim {

struct CallSite;

/// One cp.async that has not landed.
struct AsyncCopy {
  char *destination;
  const char *source;
  /// Bytes to write; those from `sourceBytes` on become zero.
  uint32_t bytes;
  uint32_t sourceBytes;
  const CallSite *site;

  void land() const;
};

/// The copies of one thread, in groups (PTX ISA "cp.async.commit_group").
class AsyncCopies {
public:
  void add(const AsyncCopy &copy) { open.push_back(copy); }
  void commitGroup();
  /// Number of committed groups that have not landed.
  size_t numGroups() const { return groups.size(); }
  /// The oldest committed group, to be landed and then popped.
  const std::vector<AsyncCopy> &oldestGroup() const { return groups.front(); }
  void popGroup() { groups.pop_front(); }
  void clear();

private:
  std::vector<AsyncCopy> open;
  std::deque<std::vector<AsyncCopy>> groups;
};

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_ASYNCCOPY_H
