// Stock mlir-opt reads, verifies and writes our IR.

// RUN: %{stock-opt} %s | %{stock-opt} | FileCheck %s
// RUN: %{stock-opt} %s --mlir-print-op-generic | %{stock-opt} | FileCheck %s
// RUN: %{stock-opt} --show-dialects | FileCheck %s --check-prefix=DIALECTS

// DIALECTS: magicube,magicube_gpu

#w = #magicube.sr_bcrs<vector = 8>

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: tensor<64x32xi8, #magicube.sr_bcrs<vector = 8>>
func.func @layer(%a: tensor<64x32xi8, #w>, %b: tensor<32x16xi8>)
    -> tensor<64x16xi32> {
  // CHECK: magicube.spmm %{{.*}}, %{{.*}} :
  %c = magicube.spmm %a, %b
     : (tensor<64x32xi8, #w>, tensor<32x16xi8>) -> tensor<64x16xi32>
  return %c : tensor<64x16xi32>
}

// CHECK-LABEL: func.func private @tile(
// CHECK-SAME: !magicube_gpu.
func.func private @tile(!magicube_gpu.registers<4>)
