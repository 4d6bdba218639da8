//===- MagicubeDialect.td - The tensor-level dialect -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is computed: sparse quantized products and the layouts of their operands.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_DIALECT_TD
#define MAGICUBE_DIALECT_TD

include "mlir/IR/OpBase.td"

def Magicube_Dialect : Dialect {
  let name = "magicube";
  let cppNamespace = "::mlir::magicube";
  let summary = "Sparse quantized matrix products on tensors";
  let description = [{
    Operations on column-vector sparse matrices of small integers: a sparse
    operand is a builtin ranked tensor with the encoding `#magicube.sr_bcrs`.
    Integer products are exact modulo 2^32.

    ```mlir
    #w = #magicube.sr_bcrs<vector = 8>
    func.func @layer(%a: tensor<4096x512xi8, #w>, %b: tensor<512x256xi8>)
        -> tensor<4096x256xi32> {
      %c = magicube.spmm %a, %b
         : (tensor<4096x512xi8, #w>, tensor<512x256xi8>) -> tensor<4096x256xi32>
      return %c : tensor<4096x256xi32>
    }
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    /// Discardable module attribute: the chip that the module is compiled for,
    /// such as "sm_80". Written by `magicube-select-schedule`.
    static constexpr ::llvm::StringLiteral kChipAttrName = "magicube.chip";
    /// Adds the attributes of MagicubeAttrs.td (MagicubeAttrs.cpp).
    void registerAttributes();
  }];
  let hasOperationAttrVerify = 1;

}

#endif // MAGICUBE_DIALECT_TD
