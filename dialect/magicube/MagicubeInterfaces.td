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
    kernel is tiled. They may be absent.
  }];
  let methods = [
    InterfaceMethod<"The operands in the roles that they have.",
        "::llvm::SmallVector<::mlir::magicube::ComputeOperand>",
        "getComputeOperands">,
    InterfaceMethod<"Whether sparse operands are replaced by their components.",
        "bool", "isStorageForm">,
    InterfaceMethod<"Type of the result tensor or, on memrefs, of the "
                    "destination.",
        "::mlir::ShapedType", "getOutputType">,
    InterfaceMethod<"What is done with the sums before they are stored.",
        "::mlir::magicube::Epilogue<::mlir::Value>", "getEpilogue">,
    InterfaceMethod<"What indexes an operand of the epilogue of type `type`.",
        "::mlir::magicube::BroadcastAxis", "getBroadcastAxis",
        (ins "::mlir::Type":$type)>,
    InterfaceMethod<"Operand type of the MMAs, or null.",
        "::mlir::TypeAttr", "getComputeAttr">,
    InterfaceMethod<"", "void", "setComputeAttr", (ins "::mlir::TypeAttr":$type)>,
    InterfaceMethod<"Numbers of the sparse operand, or null.",
        "::mlir::magicube::PatternAttr", "getPatternAttr">,
    InterfaceMethod<"", "void", "setPatternAttr",
        (ins "::mlir::magicube::PatternAttr":$pattern)>,
    InterfaceMethod<"Tiling and pipelining, or null.",
        "::mlir::magicube::ScheduleAttr", "getScheduleAttr">,
    InterfaceMethod<"", "void", "setScheduleAttr",
        (ins "::mlir::magicube::ScheduleAttr":$schedule)>,
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
