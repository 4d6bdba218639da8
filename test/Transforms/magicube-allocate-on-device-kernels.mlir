// Kernels are no host functions.
// RUN: magicube-opt %s --magicube-allocate-on-device | FileCheck %s

// CHECK: memref.alloc()
// CHECK-NOT: gpu.alloc
gpu.module @kernels {
  func.func @helper() {
    %0 = memref.alloc() : memref<4xi32>
    return
  }
}
