// RUN: magicube-opt %s --magicube-prepare-host | FileCheck %s

// The dialect's attributes go, upstream's stay.

// CHECK: module attributes {gpu.container_module} {
module attributes {gpu.container_module, magicube.chip = "sm_80"} {
  // CHECK: func.func @entry() attributes {llvm.emit_c_interface}
  func.func @entry() {
    return
  }

  // Private functions are this program's alone.
  // CHECK: func.func private @helper() attributes {llvm.linkage = #llvm.linkage<internal>}
  func.func private @helper() {
    return
  }

  // Declarations are what they are.
  // CHECK: func.func private @printI64(i64){{$}}
  func.func private @printI64(i64)

  // CHECK-LABEL: func.func @copies(
  func.func @copies(%a: memref<4x4xi8>, %b: memref<4x4xi8>,
                    %c: memref<4x4xi8, strided<[8, 1]>>) {
    // CHECK: memref.copy
    memref.copy %a, %b : memref<4x4xi8> to memref<4x4xi8>
    // CHECK-NOT: memref.copy
    // CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<4x4xi8, strided<[8, 1]>>) outs(%{{.*}} : memref<4x4xi8>)
    memref.copy %c, %b : memref<4x4xi8, strided<[8, 1]>> to memref<4x4xi8>
    return
  }
}
