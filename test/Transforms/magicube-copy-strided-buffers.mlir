// RUN: magicube-opt %s --pass-pipeline="builtin.module(func.func(magicube-copy-strided-buffers))" | FileCheck %s

// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[A:.*]]: memref<?x4xi32, strided<[?, 1]>>)
// CHECK: %[[ROWS:.*]] = memref.dim %[[A]], %c0
// CHECK: %[[COPY:.*]] = memref.alloc(%[[ROWS]]) : memref<?x4xi32>
// CHECK: memref.copy %[[A]], %[[COPY]]
// CHECK: return %[[COPY]]
func.func @slice(%a: memref<?x4xi32, strided<[?, 1]>>) -> memref<?x4xi32> {
  %0 = memref.cast %a : memref<?x4xi32, strided<[?, 1]>> to memref<?x4xi32>
  return %0 : memref<?x4xi32>
}

// Nothing to copy: static and without gaps, or a type that promises less.

// CHECK-LABEL: func.func @others(
// CHECK-NOT: memref.copy
// CHECK: return
func.func @others(%a: memref<2x4xi32, strided<[4, 1]>>, %b: memref<?x?xi32>)
    -> (memref<2x4xi32>, memref<?x?xi32, strided<[?, 1]>>, memref<?x4xi32>) {
  %0 = memref.cast %a : memref<2x4xi32, strided<[4, 1]>> to memref<2x4xi32>
  %1 = memref.cast %b : memref<?x?xi32> to memref<?x?xi32, strided<[?, 1]>>
  %2 = memref.cast %b : memref<?x?xi32> to memref<?x4xi32>
  return %0, %1, %2 : memref<2x4xi32>, memref<?x?xi32, strided<[?, 1]>>, memref<?x4xi32>
}
