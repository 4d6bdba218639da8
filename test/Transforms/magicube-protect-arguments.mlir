// RUN: magicube-opt %s --magicube-protect-arguments | FileCheck %s

#w = #magicube.sr_bcrs<vector = 8>

// What says nothing is not written; destinations stay.

// CHECK-LABEL: func.func @entry(
// CHECK-SAME: %{{.*}}: tensor<4xi32> {bufferization.writable = false},
// CHECK-SAME: %{{.*}}: tensor<4xi32> {bufferization.writable = true},
// CHECK-SAME: %{{.*}}: tensor<16x32xi8, {{.*}}> {bufferization.writable = false},
// CHECK-SAME: %{{.*}}: index, %{{.*}}: memref<4xi32>)
func.func @entry(%a: tensor<4xi32>, %b: tensor<4xi32> {bufferization.writable = true},
                 %c: tensor<16x32xi8, #w>, %i: index, %m: memref<4xi32>) {
  return
}

// Calls of private functions copy what must stay.

// CHECK-LABEL: func.func private @inside(
// CHECK-NOT: bufferization.writable
func.func private @inside(%a: tensor<4xi32>) {
  return
}
// CHECK: func.func private @external(tensor<4xi32>)
func.func private @external(%a: tensor<4xi32>)

// CHECK-LABEL: func.func @row_major(
func.func @row_major(%a: tensor<4x8xi8> {bufferization.buffer_layout = affine_map<(i, j) -> (i, j)>}) {
  return
}
