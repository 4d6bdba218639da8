//===- MagicubeInterfaces.td - What passes ask operations for --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes, the writer of bundles and the tools walk this interface and not
// operations. What only one operation needs is in files of its own, one per
// stage, and a row of that stage's table (ComputeOpTable.h).
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_INTERFACES_TD
#define MAGICUBE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Magicube_SparseComputeOpInterface
    : OpInterface<"SparseComputeOpInterface"> {
  let cppNamespace = "::mlir::magicube";
  let description = [{
    Computes with a sparse operand in a kernel. It exists in two forms: on sparse
    tensors, and in *storage form* on their components, tensors or memrefs.

    `compute`, `pattern` and `schedule` are attributes that passes write: the
    operand type of the MMAs, what is known of the sparse operand, and how the
    kernel is tiled. They may be absent, also always: an operation need not have
    them, nor an epilogue.
  }];
  let methods = [
    InterfaceMethod<"The operands in the roles that they have.",
        "::llvm::SmallVector<::mlir::magicube::ComputeOperand>",
        "getComputeOperands">,
    InterfaceMethod<"Whether sparse operands are replaced by their components.",
        "bool", "isStorageForm">,
    InterfaceMethod<"Type of the first result or, on memrefs, of its "
                    "destination.",
        "::mlir::ShapedType", "getOutputType">,
    InterfaceMethod<"Elements of the results, with their signs.",
        "::llvm::SmallVector<::mlir::magicube::ResultElement>",
        "getResultElements">,
    InterfaceMethod<"What is done with the sums before they are stored.",
        "::mlir::magicube::Epilogue<::mlir::Value>", "getEpilogue", (ins),
        /*methodBody=*/"", "return {};">,
    InterfaceMethod<"What indexes an operand of the epilogue of type `type`.",
        "::mlir::magicube::BroadcastAxis", "getBroadcastAxis",
        (ins "::mlir::Type":$type),
        /*methodBody=*/"", "return ::mlir::magicube::BroadcastAxis::None;">,
    InterfaceMethod<"Operand type of the MMAs, or null.",
        "::mlir::TypeAttr", "getComputeAttr", (ins), /*methodBody=*/"",
        "return {};">,
    InterfaceMethod<"", "void", "setComputeAttr", (ins "::mlir::TypeAttr":$type),
        /*methodBody=*/"", "return;">,
    InterfaceMethod<"Numbers of the sparse operand, or null.",
        "::mlir::magicube::PatternAttr", "getPatternAttr", (ins),
        /*methodBody=*/"", "return {};">,
    InterfaceMethod<"", "void", "setPatternAttr",
        (ins "::mlir::magicube::PatternAttr":$pattern), /*methodBody=*/"",
        "return;">,
    InterfaceMethod<"Tiling and pipelining, or null.",
        "::mlir::magicube::ScheduleAttr", "getScheduleAttr", (ins),
        /*methodBody=*/"", "return {};">,
    InterfaceMethod<"", "void", "setScheduleAttr",
        (ins "::mlir::magicube::ScheduleAttr":$schedule), /*methodBody=*/"",
        "return;">,
  ];
  let extraSharedClassDeclaration = [{
    /// The only operand of a role, or null if there is none or more than one.
    std::optional<::mlir::magicube::ComputeOperand>
    getOnlyOperand(::mlir::magicube::OperandRole role) {
      std::optional<::mlir::magicube::ComputeOperand> only;
      for (::mlir::magicube::ComputeOperand operand :
           $_op.getComputeOperands()) {
        if (operand.role != role)
          continue;
        if (only)
          return std::nullopt;
        only = operand;
      }
      return only;
    }
  }];
}

#endif // MAGICUBE_INTERFACES_TD
