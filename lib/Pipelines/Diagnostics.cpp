//===- Diagnostics.cpp - Messages of a bounded length ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler that rewrites diagnostics and leaves reporting them to the next
// one.
//
//===----------------------------------------------------------------------===//

#include "magicube/Pipelines/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::magicube;

/// Characters of a type or attribute: a tensor with an encoding, a long name
/// and a few scales has less.
static constexpr size_t kMaxPartLength = 320;
/// Characters of a line of other text, such as an operation with the types of
/// its operands, and of all its lines, such as those of a region.
static constexpr size_t kMaxLineLength = 1024;
static constexpr size_t kMaxTextLength = 8192;

/// The beginning and the end of `text` if that is longer than `limit`, cut
/// where an element of a list ends, if there is one.
static std::string shorten(StringRef text, size_t limit) {
  if (text.size() <= limit)
    return text.str();
  StringRef head = text.take_front(limit / 2), tail = text.take_back(limit / 4);
  if (size_t comma = head.rfind(','); comma != StringRef::npos)
    head = head.take_front(comma + 1);
  tail = tail.drop_front(std::min(tail.find(','), tail.size()));
  if (tail.empty())
    tail = text.take_back(limit / 4);
  return (head + " ..." + tail).str();
}

template <typename T>
static std::string print(const T &value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  return text;
}

std::string mlir::magicube::getShortText(Type type) {
  return shorten(print(type), kMaxPartLength);
}

static std::string shortenLines(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  std::string joined;
  for (StringRef line : lines) {
    if (line.data() != text.data())
      joined += '\n';
    joined += shorten(line, kMaxLineLength);
  }
  return shorten(joined, kMaxTextLength);
}

static void shortenArguments(MLIRContext *context, Diagnostic &diagnostic) {
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  for (DiagnosticArgument &argument : diagnostic.getArguments()) {
    Kind kind = argument.getKind();
    bool isPart = kind == Kind::Type || kind == Kind::Attribute;
    std::string text = print(argument);
    std::string shortText =
        isPart ? shorten(text, kMaxPartLength) : shortenLines(text);
    // An argument does not own its text: the context does.
    if (shortText != text)
      argument =
          DiagnosticArgument(StringAttr::get(context, shortText).getValue());
  }
}

void mlir::magicube::printWithShortLine(const llvm::SMDiagnostic &diagnostic,
                                        void *) {
  StringRef line = diagnostic.getLineContents();
  llvm::raw_ostream &out = llvm::errs();
  if (line.size() <= kMaxLineLength)
    return diagnostic.print(/*ProgName=*/nullptr, out);
  constexpr size_t before = 80, shown = 160;
  // Columns count from 0 here.
  size_t column = diagnostic.getColumnNo();
  size_t begin = column - std::min(column, before);
  std::string place = (diagnostic.getFilename() + ":" +
                       Twine(diagnostic.getLineNo()) + ":" + Twine(column + 1))
                          .str();
  llvm::SMDiagnostic(place, diagnostic.getKind(), diagnostic.getMessage())
      .print(/*ProgName=*/nullptr, out);
  out << line.substr(begin, shown) << "\n";
  out.indent(column - begin) << "^\n";
}

void mlir::magicube::shortenDiagnostics(MLIRContext &context) {
  context.getDiagEngine().registerHandler([&context](Diagnostic &diagnostic) {
    shortenArguments(&context, diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      shortenArguments(&context, note);
    return failure(); // not reported yet
  });
}
