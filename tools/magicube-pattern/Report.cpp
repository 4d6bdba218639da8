//===- Report.cpp - The numbers of a pattern ------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "magicube/Support/Json.h"

#include <cinttypes>
#include <cstdio>

using namespace mlir::magicube;

/// Of all elements of stored vectors, the share that was asked for.
static double getFill(const Pattern &pattern, const PatternSummary &summary,
                      const SRBCRSEncoding &encoding) {
  double stored = static_cast<double>(summary.counts.vectors) *
                  static_cast<double>(encoding.vector);
  return stored > 0 ? static_cast<double>(pattern.elements) / stored : 0;
}

static double getMeanLength(const PatternSummary &summary) {
  return static_cast<double>(summary.counts.vectors) /
         static_cast<double>(summary.vectorRows);
}

std::string mlir::magicube::reportAsText(const Pattern &pattern,
                                         const PatternSummary &summary,
                                         const SRBCRSEncoding &encoding) {
  int64_t padding = summary.stored - summary.counts.vectors;
  char text[1024];
  std::snprintf(
      text, sizeof(text),
      "pattern     %" PRId64 " x %" PRId64 ", %" PRId64
      " rows of vectors of %" PRId64 "\n"
      "elements    %" PRId64 " asked for\n"
      "vectors     %" PRId64
      ", density %.4g; of their elements %.4g were asked for\n"
      "rows        %" PRId64 " to %" PRId64 " vectors, mean %.4g; %" PRId64
      " without any\n"
      "stored      %" PRId64 " vectors in strides of %" PRId64 ", %" PRId64
      " of them padding\n"
      "bytes       %" PRId64 " of pointers, %" PRId64 " of indices (%s)\n",
      summary.rows, summary.cols, summary.vectorRows, encoding.vector,
      pattern.elements, summary.counts.vectors, summary.density(),
      getFill(pattern, summary, encoding), summary.shortest,
      summary.counts.longest, getMeanLength(summary), summary.emptyVectorRows,
      summary.stored, encoding.stride, padding, summary.pointerBytes,
      summary.indexBytes, std::string(spelling(encoding.index)).c_str());
  return text;
}

std::string mlir::magicube::reportAsJson(const Pattern &pattern,
                                         const PatternSummary &summary,
                                         const SRBCRSEncoding &encoding) {
  Json row;
  row["rows"] = summary.rows;
  row["cols"] = summary.cols;
  row["vector"] = encoding.vector;
  row["stride"] = encoding.stride;
  row["index"] = std::string(spelling(encoding.index));
  row["elements"] = pattern.elements;
  row["vectors"] = summary.counts.vectors;
  row["density"] = summary.density();
  row["fill"] = getFill(pattern, summary, encoding);
  row["vector_rows"] = summary.vectorRows;
  row["empty_vector_rows"] = summary.emptyVectorRows;
  row["shortest"] = summary.shortest;
  row["longest"] = summary.counts.longest;
  row["stored"] = summary.stored;
  row["padding"] = summary.stored - summary.counts.vectors;
  row["pointer_bytes"] = summary.pointerBytes;
  row["index_bytes"] = summary.indexBytes;
  return toJson(row) + "\n";
}
