//===- Report.h - The numbers of a pattern --------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_PATTERN_REPORT_H
#define MAGICUBE_TOOLS_MAGICUBE_PATTERN_REPORT_H

#include "Options.h"

namespace mlir::magicube {

/// Lines for people, or a JSON object on one line; each ends with a newline.
std::string reportAsText(const Pattern &pattern, const PatternSummary &summary,
                         const SRBCRSEncoding &encoding);
std::string reportAsJson(const Pattern &pattern, const PatternSummary &summary,
                         const SRBCRSEncoding &encoding);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_PATTERN_REPORT_H
