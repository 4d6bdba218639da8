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

/// What becomes of an entry's value: integers that fit int32, else an Error; any
/// number, read as 1; or any number, as the bits of the nearest float32.
enum class EntryValues { Integers, Ignored, Floats };

/// `%%MatrixMarket matrix coordinate integer|real|pattern
/// general|symmetric|skew-symmetric`, with comments, blank lines and CRLF.
/// Numbers of a real file must be integers too, as in 4, 4.0 and 4e0. Entries
/// keep the file's order; in a symmetric file each is followed by its mirror
/// image, negated if skew, and both in the file are a duplicate; pattern
/// entries have value 1.
Result<CooMatrix> readMtx(const std::string &path,
                          EntryValues values = EntryValues::Integers);
/// The same from memory; `name` stands for the file in messages.
Result<CooMatrix> parseMtx(std::string_view text, const std::string &name,
                           EntryValues values = EntryValues::Integers);
/// Writes `integer general`.
Status writeMtx(const std::string &path, const CooMatrix &matrix);
/// Writes `pattern general`: each entry stands for the `vector` rows of a
/// vector.
Status writeMtxPattern(const std::string &path, const CsrMatrix &vectors,
                       int64_t vector);

/// A pattern without values. Line 1 `rows, cols, nnz`, line 2 the rows + 1
/// offsets, line 3 the nnz columns, those of a row in any order; in the result
/// they strictly ascend.
Result<CsrMatrix> readSmtx(const std::string &path);
/// The same from memory; `name` stands for the file in messages.
Result<CsrMatrix> parseSmtx(std::string_view text, const std::string &name);
Status writeSmtx(const std::string &path, const CsrMatrix &pattern);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_SPARSEFILES_H
