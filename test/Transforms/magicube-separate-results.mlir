// RUN: magicube-opt %s --magicube-separate-results | FileCheck %s

// One buffer as two results, and a view of it.

// CHECK-LABEL: func.func @same(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[VIEW:.*]] = memref.collapse_shape %[[A]]
// CHECK: %[[SECOND:.*]] = bufferization.clone %[[A]]
// CHECK: %[[THIRD:.*]] = bufferization.clone %[[VIEW]]
// CHECK: return %[[A]], %[[SECOND]], %[[THIRD]]
func.func @same() -> (memref<2x2xi32>, memref<2x2xi32>, memref<4xi32>) {
  %a = memref.alloc() : memref<2x2xi32>
  %view = memref.collapse_shape %a [[0, 1]] : memref<2x2xi32> into memref<4xi32>
  return %a, %a, %view : memref<2x2xi32>, memref<2x2xi32>, memref<4xi32>
}

// Buffers that may be the same.

// CHECK-LABEL: func.func private @maybe(
// CHECK: %[[C:.*]] = arith.select
// CHECK: %[[COPY:.*]] = bufferization.clone %[[C]]
// CHECK: return %{{.*}}, %[[COPY]]
func.func private @maybe(%p: i1, %b: memref<4xi32>) -> (memref<4xi32>, memref<4xi32>) {
  %a = memref.alloc() : memref<4xi32>
  %c = arith.select %p, %a, %b : memref<4xi32>
  return %a, %c : memref<4xi32>, memref<4xi32>
}

// Buffers that are not: two allocations, an argument, and what calls return, which
// is memory of its own.

// CHECK-LABEL: func.func @different(
// CHECK-NOT: bufferization.clone
// CHECK: return
func.func @different(%b: memref<4xi32>, %p: i1)
    -> (memref<4xi32>, memref<4xi32>, memref<4xi32>, memref<4xi32>, memref<4xi32>) {
  %a = memref.alloc() : memref<4xi32>
  %c = memref.alloc() : memref<4xi32>
  %d:2 = call @maybe(%p, %a) : (i1, memref<4xi32>) -> (memref<4xi32>, memref<4xi32>)
  return %a, %b, %c, %d#0, %d#1 : memref<4xi32>, memref<4xi32>, memref<4xi32>, memref<4xi32>, memref<4xi32>
}
