//===- MagicubeOps.cpp - Definitions of the generated operations ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the generated code of all operations and the syntax that they share.
//
//===----------------------------------------------------------------------===//

#include "MagicubeDestination.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::magicube;

/// `%a`, or `storage(%ptr, %idx, %val) as type` once converted.
static ParseResult
parseSparseOperand(OpAsmParser &parser,
                   SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                   TypeAttr &storage) {
  if (failed(parser.parseOptionalKeyword("storage")))
    return parser.parseOperand(operands.emplace_back());
  Type type;
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("as") || parser.parseType(type))
    return failure();
  storage = TypeAttr::get(type);
  return success();
}

static void printSparseOperand(OpAsmPrinter &printer, Operation *,
                               OperandRange operands, TypeAttr storage) {
  if (!storage) {
    printer << operands;
    return;
  }
  printer << "storage(" << operands << ") as " << storage.getValue();
}

#define GET_OP_CLASSES
#include "dialect/magicube/MagicubeOps.cpp.inc"
