//===- SparseFiles.h - Readers and writers of .mtx and .smtx --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MatrixMarket coordinate files and the .smtx patterns of the Deep Learning
// Matrix Collection. Messages have the form `file:line: what, but got value`.
// Memory is bounded by the size of the file, whatever its header claims.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_SPARSEFILES_H
#define MAGICUBE_FORMAT_SPARSEFILES_H

#include "magicube/Format/SparseMatrix.h"

#include <string>
#include <string_view>

namespace mlir::magicube {

/// `%%MatrixMarket matrix coordinate integer|pattern general|symmetric`, with
/// comments, blank lines and CRLF. Entries keep the file's order; a symmetric
/// file holds the lower triangle, each entry is followed by its mirror image;
/// pattern entries have value 1. Values must fit int32.
Result<CooMatrix> readMtx(const std::string &path);
/// The same from memory; `name` stands for the file in messages.
Result<CooMatrix> parseMtx(std::string_view text, const std::string &name);
/// Writes `integer general`.
Status writeMtx(const std::string &path, const CooMatrix &matrix);

/// A pattern without values, columns strictly ascending in each row. Line 1
/// `rows, cols, nnz`, line 2 the rows + 1 offsets, line 3 the nnz columns.
Result<CsrMatrix> readSmtx(const std::string &path);
/// The same from memory; `name` stands for the file in messages.
Result<CsrMatrix> parseSmtx(std::string_view text, const std::string &name);
Status writeSmtx(const std::string &path, const CsrMatrix &pattern);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_SPARSEFILES_H
