// RUN: magicube-opt %s --magicube-copy-host-buffers --split-input-file | FileCheck %s

// Arguments are copied in, results out; the caller of the entry frees them.

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[B:.*]]: memref<?x16xi8>, %[[SCALE:.*]]: f32) -> memref<?xi32> {
// CHECK: %[[DIM:.*]] = memref.dim %[[B]]
// CHECK: %[[DEVICE:.*]] = gpu.alloc host_shared (%[[DIM]]) : memref<?x16xi8>
// CHECK: %[[READY:.*]] = gpu.wait async
// CHECK: %[[COPIED:.*]] = gpu.memcpy async [%[[READY]]] %[[DEVICE]], %[[B]]
// CHECK: gpu.wait [%[[COPIED]]]
// CHECK: %[[RESULT:.*]] = call @layer_on_device(%[[DEVICE]], %[[SCALE]])
// CHECK-NOT: gpu.memcpy
// CHECK: gpu.dealloc async {{.*}} %[[DEVICE]]
// CHECK: %[[ROWS:.*]] = memref.dim %[[RESULT]]
// CHECK: %[[HOST:.*]] = memref.alloc(%[[ROWS]]) : memref<?xi32>
// CHECK: gpu.memcpy async {{.*}} %[[HOST]], %[[RESULT]]
// CHECK: gpu.dealloc async {{.*}} %[[RESULT]]
// CHECK: return %[[HOST]]

// CHECK-LABEL: func.func private @layer_on_device(
// CHECK: gpu.alloc
func.func @layer(%b: memref<?x16xi8>, %scale: f32) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %b, %c0 : memref<?x16xi8>
  %r = gpu.alloc host_shared (%n) : memref<?xi32>
  return %r : memref<?xi32>
}

// Calls inside of the module stay on the device.

// CHECK-LABEL: func.func private @inside(
// CHECK: call @layer_on_device
func.func private @inside(%b: memref<?x16xi8>, %scale: f32) -> memref<?xi32> {
  %r = call @layer(%b, %scale) : (memref<?x16xi8>, f32) -> memref<?xi32>
  return %r : memref<?xi32>
}

// Functions without buffers, and declarations, have nothing to copy.

// CHECK-LABEL: func.func @scalars(
// CHECK-NEXT: return
// CHECK: func.func private @external(memref<4xi8>)
func.func @scalars(%a: i32) -> i32 {
  return %a : i32
}
func.func private @external(memref<4xi8>)

// -----

// An argument that may have been written is copied back: directly, ...

// CHECK-LABEL: func.func @store(%arg0: memref<4xi8>)
// CHECK: call @store_on_device(%[[DEVICE:[a-z0-9_]+]])
// CHECK: gpu.memcpy async {{.*}} %arg0, %[[DEVICE]]
func.func @store(%a: memref<4xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  memref.store %zero, %a[%c0] : memref<4xi8>
  return
}

// ... behind a view, in a loop, in another function, ...

// CHECK-LABEL: func.func @deep(%arg0: memref<4xi8>, %arg1: memref<4xi8>)
// CHECK: call @deep_on_device(%[[FIRST:[a-z0-9_]+]], %{{.*}})
// CHECK: gpu.memcpy async {{.*}} %arg0, %[[FIRST]]
// CHECK-NOT: gpu.memcpy
func.func @deep(%a: memref<4xi8>, %b: memref<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %view = memref.cast %a : memref<4xi8> to memref<?xi8>
  %last = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %view) -> memref<?xi8> {
    scf.yield %x : memref<?xi8>
  }
  call @callee(%last) : (memref<?xi8>) -> ()
  %read = memref.load %b[%c0] : memref<4xi8>
  return
}
func.func private @callee(%a: memref<?xi8>) {
  %zero = arith.constant 0 : i8
  linalg.fill ins(%zero : i8) outs(%a : memref<?xi8>)
  return
}

// ... across a branch, ...

// CHECK-LABEL: func.func @branch(%arg0: memref<4xi8>)
// CHECK: call @branch_on_device(%[[DEVICE:[a-z0-9_]+]])
// CHECK: gpu.memcpy async {{.*}} %arg0, %[[DEVICE]]
func.func @branch(%a: memref<4xi8>) {
  %zero = arith.constant 0 : i8
  cf.br ^exit(%a : memref<4xi8>)
^exit(%b: memref<4xi8>):
  linalg.fill ins(%zero : i8) outs(%b : memref<4xi8>)
  return
}

// ... or by code that is not known.

// CHECK-LABEL: func.func @unknown(%arg0: memref<4xi8>)
// CHECK: call @unknown_on_device(%[[DEVICE:[a-z0-9_]+]])
// CHECK: gpu.memcpy async {{.*}} %arg0, %[[DEVICE]]
func.func @unknown(%a: memref<4xi8>) {
  call @elsewhere(%a) : (memref<4xi8>) -> ()
  return
}
func.func private @elsewhere(memref<4xi8>)

// -----

// A product reads its operands and writes its destination.

#w = #magicube.sr_bcrs<vector = 8>

// CHECK-LABEL: func.func @product(
// CHECK-SAME: %{{.*}}: memref<2x2xi32>, {{.*}}, %[[OUT:[a-z0-9]+]]: memref<16x4xi32>)
// CHECK: call @product_on_device(
// CHECK: gpu.memcpy async {{.*}} %[[OUT]], %
// CHECK-NOT: gpu.memcpy
func.func @product(%p: memref<2x2xi32>, %i: memref<?xi32>, %v: memref<?xi8>,
                   %b: memref<8x4xi8>, %c: memref<16x4xi32>) {
  magicube.spmm storage(%p, %i, %v) as tensor<16x8xi8, #w>, %b outs(%c) {overwrite}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<8x4xi8>,
       memref<16x4xi32>) -> ()
  return
}

// -----

// The name of the body does not collide.

// CHECK: func.func @f(
// CHECK: call @f_on_device_0(
// CHECK: func.func private @f_on_device_0(
func.func @f(%a: memref<4xi8>) {
  return
}
func.func private @f_on_device() {
  return
}
