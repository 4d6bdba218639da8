//===- MagicubeGPUEnums.td - Enumerations of the warp-level dialect --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_ENUMS_TD
#define MAGICUBE_GPU_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def MagicubeGPU_MmaOperand : I32EnumAttr<"MmaOperand", "operand of an MMA", [
      I32EnumAttrCase<"A", 0, "a">,
      I32EnumAttrCase<"B", 1, "b">,
      I32EnumAttrCase<"C", 2, "c">]> {
  let cppNamespace = "::mlir::magicube_gpu";
  let genSpecializedAttr = 0;
}

def MagicubeGPU_ResultOrder : I32EnumAttr<"ResultOrder",
    "where element (row, column) of a result is", [
      I32EnumAttrCase<"RowMajor", 0, "row_major">]> {
  let cppNamespace = "::mlir::magicube_gpu";
  let genSpecializedAttr = 0;
}

#endif // MAGICUBE_GPU_ENUMS_TD
