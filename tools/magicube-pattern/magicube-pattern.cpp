//===- magicube-pattern.cpp - Make sparsity patterns ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks in, patterns and their numbers out; needs no LLVM.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "tools/Common/PlainTool.h"

#include "magicube/Format/SparseFiles.h"

using namespace mlir::magicube;

/// Adds a mask to the parts, and its extents where none were given.
static Status addMask(Result<MaskPart> mask, PatternSpec &spec) {
  if (!mask)
    return mask.error();
  if (spec.rows == 0)
    spec.rows = mask->rows();
  if (spec.cols == 0)
    spec.cols = mask->cols();
  spec.parts.emplace_back(std::move(*mask));
  return {};
}

/// The parts of the command line with those of files.
static Status readMasks(const PatternOptions &options, PatternSpec &spec) {
  if (!options.mask.empty())
    if (Status s = addMask(readMask(options.mask, spec.vector), spec); !s)
      return s;
  if (!options.blockMask.empty())
    return addMask(
        readBlockMask(options.blockMask, options.blockRows, options.blockCols),
        spec);
  return {};
}

static Status write(const PatternOptions &options, const CsrMatrix &vectors) {
  if (options.out.empty())
    return {};
  if (options.isOutOfVectors)
    return writeSmtx(options.out, vectors);
  return writeMtxPattern(options.out, vectors, options.encoding.vector);
}

static Status run(PatternOptions options) {
  if (Status s = readMasks(options, options.spec); !s)
    return s;
  Result<Pattern> pattern = makePattern(options.spec);
  if (!pattern) {
    Error error = pattern.error();
    bool isMultiple = options.spec.rows % options.spec.vector == 0;
    if (!isMultiple && !options.spec.padRows)
      error.note = "give --pad to add rows without entries, or a smaller "
                   "--vector";
    return error;
  }
  Result<PatternSummary> summary =
      summarizePattern(pattern->vectors, options.encoding);
  if (!summary)
    return summary.error();
  if (Status s = write(options, pattern->vectors); !s)
    return s;
  std::string report;
  switch (options.statistics) {
  case StatisticsForm::None:
    break;
  case StatisticsForm::Text:
    report = reportAsText(*pattern, *summary, options.encoding);
    break;
  case StatisticsForm::Json:
    report = reportAsJson(*pattern, *summary, options.encoding);
    break;
  }
  std::fputs(report.c_str(), stdout);
  return {};
}

int main(int argc, char **argv) {
  return runPlainTool(argc, argv, patternHelp, parseCommandLine,
                      [](const PatternOptions &options) {
                        Status status = run(options);
                        return status ? 0 : fail(status.error());
                      });
}
