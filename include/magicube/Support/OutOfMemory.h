//===- OutOfMemory.h - The end of a program without memory ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For std::set_new_handler and its like: a message and exit status 1 in place
// of an abort.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SUPPORT_OUTOFMEMORY_H
#define MAGICUBE_SUPPORT_OUTOFMEMORY_H

#include <cstdio>
#include <cstdlib>

namespace mlir::magicube {

/// Allocates nothing: there is nothing left to allocate.
[[noreturn]] inline void exitOutOfMemory() {
  std::fputs(
      "error: out of memory\nnote: use a smaller matrix or more memory\n",
      stderr);
  std::_Exit(1);
}

} // namespace mlir::magicube

#endif // MAGICUBE_SUPPORT_OUTOFMEMORY_H
