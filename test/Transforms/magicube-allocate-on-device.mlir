// RUN: magicube-opt %s --magicube-allocate-on-device | FileCheck %s --implicit-check-not=memref.alloc --implicit-check-not=memref.dealloc

// CHECK-LABEL: @buffers(
// CHECK-SAME: %[[N:[^:]*]]: index
// CHECK: %[[A:.*]] = gpu.alloc host_shared (%[[N]]) : memref<?x16xi32>
// CHECK: memref.store %{{.*}}, %[[A]]
// Deallocation is asynchronous upstream: wait for it.
// CHECK: %[[T0:.*]] = gpu.wait async
// CHECK: %[[T1:.*]] = gpu.dealloc async [%[[T0]]] %[[A]] : memref<?x16xi32>
// CHECK: gpu.wait [%[[T1]]]
func.func @buffers(%n: index, %x: i32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?x16xi32>
  memref.store %x, %a[%c0, %c0] : memref<?x16xi32>
  memref.dealloc %a : memref<?x16xi32>
  return
}

memref.global "private" constant @weights : memref<64xi8> = dense<3>
memref.global "private" @counter : memref<1xi32> = dense<0>

// Kernels do not reach a constant: it is copied on entry, freed at each exit, also
// where it is used in a loop.
// CHECK-LABEL: @constants(
// CHECK-NEXT: %[[HOST:.*]] = memref.get_global @weights
// CHECK-NEXT: %[[W:.*]] = gpu.alloc host_shared () : memref<64xi8>
// CHECK-NEXT: memref.copy %[[HOST]], %[[W]]
// CHECK: scf.for
// CHECK: memref.load %[[W]]
// CHECK: ^bb1:
// CHECK: gpu.dealloc async [%{{.*}}] %[[W]]
// CHECK: return
// CHECK: ^bb2:
// CHECK: gpu.dealloc async [%{{.*}}] %[[W]]
// CHECK: return
func.func @constants(%p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %w = memref.get_global @weights : memref<64xi8>
    %x = memref.load %w[%i] : memref<64xi8>
    vector.print %x : i8
  }
  cf.cond_br %p, ^a, ^b
^a:
  return
^b:
  return
}

// What changes has to stay where it is.
// CHECK-LABEL: @variable
// CHECK: %[[COUNTER:.*]] = memref.get_global @counter
// CHECK-NOT: gpu.alloc
// CHECK: memref.store %{{.*}}, %[[COUNTER]]
func.func @variable(%x: i32) {
  %c0 = arith.constant 0 : index
  %counter = memref.get_global @counter : memref<1xi32>
  memref.store %x, %counter[%c0] : memref<1xi32>
  return
}
