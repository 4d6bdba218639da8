//===- NpyHeader.h - The header dictionary of .npy arrays -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes the Python dictionary that describes an array: keys descr,
// fortran_order and shape (numpy.lib.format).
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_NPYHEADER_H
#define MAGICUBE_LIB_FORMAT_NPYHEADER_H

#include "magicube/Format/Npy.h"

#include <string>
#include <string_view>
#include <vector>

namespace mlir::magicube {

struct NpyHeader {
  NpyType type = NpyType::I8;
  std::vector<int64_t> shape;
  /// Elements lie column by column; never set where both orders coincide.
  bool isFortran = false;
  /// Product of the shape; fits in int64 with the element size.
  int64_t elements = 1;
};

/// Parses the dictionary's text. Messages do not name the file.
Result<NpyHeader> parseNpyHeader(std::string_view text);
/// The dictionary as numpy writes it, without padding.
std::string printNpyHeader(const NpyArray &array);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_NPYHEADER_H
