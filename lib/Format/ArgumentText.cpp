//===- ArgumentText.cpp - Words of a command line -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the texts of arguments are made of, and what their types ask of them.
//
//===----------------------------------------------------------------------===//

#include "ArgumentText.h"

#include "Message.h"
#include "magicube/Format/DenseMatrix.h"

namespace mlir::magicube {

std::optional<RandomSparse> RandomSparse::parse(std::string_view text,
                                                int64_t vector) {
  RandomSparse random;
  bool isValid =
      consumePrefix(text, "random:") && consumeNumber(text, random.rows, "x") &&
      consumeNumber(text, random.cols, "@") &&
      consumeNumber(text, random.density, "") && text.empty() &&
      random.rows >= 0 && random.rows <= kMaxExtent && random.cols >= 1 &&
      random.cols <= kMaxExtent && random.density >= 0 && random.density <= 1;
  // More positions than this are a typing error, and take minutes to draw.
  if (!isValid || random.rows % vector != 0 ||
      random.rows / vector > kMaxDenseElements / random.cols)
    return std::nullopt;
  return random;
}

Status checkShape(const MatrixType &type, int64_t rows, int64_t cols) {
  if (type.fits(rows, cols))
    return Status::success();
  return Error{message("expected a matrix for ", type.str(), ", but got ", rows,
                       "x", cols),
               "change the file or the type in the entry function"};
}

} // namespace mlir::magicube
