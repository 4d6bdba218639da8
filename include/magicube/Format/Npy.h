//===- Npy.h - NumPy .npy arrays ------------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads format versions 1.0 to 3.0, writes 1.0: little-endian, any shape.
// Format: numpy.lib.format in the NumPy documentation.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_NPY_H
#define MAGICUBE_FORMAT_NPY_H

#include "magicube/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::magicube {

enum class NpyType {
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F16,
  F32,
  F64
};

/// NumPy's name of a type (`int8`, `float16`, ...), and its bytes per element.
/// Booleans count as integers, 0 and 1.
std::string_view npyTypeName(NpyType type);
int64_t npyTypeBytes(NpyType type);
bool isInteger(NpyType type);

struct NpyArray {
  NpyType type = NpyType::I8;
  /// Empty for a scalar.
  std::vector<int64_t> shape;
  /// Row-major elements; float16 stays raw.
  std::vector<uint8_t> data;

  /// Product of the shape.
  int64_t elements() const;
  /// The shape as NumPy prints it: `()`, `(16,)`, `(2, 3)`.
  std::string shapeText() const;
  /// An Error that names `name` and the shape unless there are two extents.
  Status checkRank2(const std::string &name) const;
  /// Element `i` of an integer array; U64 is reinterpreted as signed.
  int64_t integerAt(int64_t i) const;
};

/// Arrays in Fortran order are brought to C order.
Result<NpyArray> readNpy(const std::string &path);
/// The same from memory; `name` stands for the file in messages.
Result<NpyArray> parseNpy(std::string_view bytes, const std::string &name);
/// Version 1.0. `data` must hold exactly the elements of `shape`.
Status writeNpy(const std::string &path, const NpyArray &array);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_NPY_H
