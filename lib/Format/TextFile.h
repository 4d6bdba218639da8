//===- TextFile.h - Text files, plain or packed by gzip -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices are published packed. What a file is follows from its first bytes,
// not from its name.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_TEXTFILE_H
#define MAGICUBE_LIB_FORMAT_TEXTFILE_H

#include "magicube/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mlir::magicube {

/// The text of a file, unpacked if it is a gzip file of one or several members.
Result<std::string> readText(const std::string &path);

/// Most bytes that `packedBytes` of a gzip file may unpack to. Matrices shrink
/// to a third or a tenth of their text, the most regular ones to a hundredth; a
/// file made to fill memory to a thousandth.
int64_t unpackedLimit(int64_t packedBytes);
/// Unpacks a gzip file; `name` stands for it in messages.
Result<std::string> unpackGzip(std::string_view packed,
                               const std::string &name);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_TEXTFILE_H
