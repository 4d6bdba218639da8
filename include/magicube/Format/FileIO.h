//===- FileIO.h - Whole files in and out ----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file in one piece and writes one so that an existing file stays as it
// was until the new content is complete.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_FILEIO_H
#define MAGICUBE_FORMAT_FILEIO_H

#include "magicube/Support/Result.h"

#include <string>
#include <string_view>

namespace mlir::magicube {

/// The bytes of a regular file or a pipe.
Result<std::string> readFile(const std::string &path);

/// Writes to a temporary file beside `path` and renames it, keeping the
/// permissions of a file that is replaced and following a symbolic link. What
/// is no regular file (a device, a pipe) is written directly. On failure an
/// existing file is untouched and no temporary file is left.
Status writeFile(const std::string &path, std::string_view bytes);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_FILEIO_H
