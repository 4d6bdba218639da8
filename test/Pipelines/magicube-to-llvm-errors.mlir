// Programs that are refused say why, at the line of the operation.

// RUN: split-file %s %t
// RUN: not magicube-opt %t/host.mlir --magicube-to-llvm 2>&1 | FileCheck %t/host.mlir
// RUN: not magicube-opt %t/sparse.mlir --magicube-to-llvm 2>&1 | FileCheck %t/sparse.mlir
// RUN: not magicube-opt %t/entry.mlir --magicube-to-llvm="host-buffers" 2>&1 \
// RUN:   | FileCheck %t/entry.mlir
// RUN: not magicube-opt %t/entry.mlir --magicube-to-llvm="chip=sm_75" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHIP

// CHIP: error: chip sm_75 is below the minimum sm_80

//--- host.mlir
// CHECK: host.mlir:[[# @LINE + 4]]:8: error: 'linalg.softmax' op has no lowering to host code
// CHECK: note: lower it before the magicube pipelines
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

//--- sparse.mlir
// CHECK: sparse.mlir:[[# @LINE + 4]]:8: error: 'linalg.matmul' op does not know the encoding of its sparse tensor and would treat it as dense
#w = #magicube.sr_bcrs<vector = 8>
func.func @main(%x: tensor<16x16xi8, #w>, %y: tensor<16x16xi8>) -> tensor<16x16xi32> {
  %e = arith.constant dense<0> : tensor<16x16xi32>
  %r = linalg.matmul ins(%x, %y : tensor<16x16xi8, #w>, tensor<16x16xi8>) outs(%e : tensor<16x16xi32>) -> tensor<16x16xi32>
  return %r : tensor<16x16xi32>
}

//--- entry.mlir
// CHECK: entry.mlir:[[# @LINE + 1]]:1: error: 'func.func' op expected buffers of known rank
func.func @f(%x: tensor<*xi8>) {
  return
}
