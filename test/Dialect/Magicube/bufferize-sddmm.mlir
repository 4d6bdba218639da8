// RUN: magicube-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

#w = #magicube.sr_bcrs<vector = 8>

// CHECK-LABEL: @sddmm
// CHECK: %[[C:.+]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi32>
// CHECK: magicube.sddmm %{{.*}}, %{{.*}}, storage(%{{.*}}, %{{.*}}) as tensor<64x128xi1, #{{.*}}> outs(%[[C]]) {overwrite}
// CHECK-SAME: (memref<64x32xi8>, memref<128x32xi8>, memref<8x2xi32>, memref<?xi32>, memref<?xi32>) -> ()
// CHECK: return %[[C]]
func.func @sddmm(%a: tensor<64x32xi8>, %b: tensor<128x32xi8>,
                 %ptr: tensor<8x2xi32>, %idx: tensor<?xi32>, %size: index)
    -> tensor<?xi32> {
  %empty = tensor.empty(%size) : tensor<?xi32>
  %c = magicube.sddmm %a, %b, storage(%ptr, %idx) as tensor<64x128xi1, #w>
       outs(%empty) {overwrite}
     : (tensor<64x32xi8>, tensor<128x32xi8>, tensor<8x2xi32>, tensor<?xi32>,
        tensor<?xi32>) -> tensor<?xi32>
  return %c : tensor<?xi32>
}

// Both results have their destination.
// CHECK-LABEL: @softmax
// CHECK-DAG: %[[Q:.+]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
// CHECK-DAG: %[[F:.+]] = memref.alloc() {{.*}} : memref<64x1xf32>
// CHECK: magicube.softmax storage(%{{.*}}, %{{.*}}, %{{.*}}) as tensor<64x128xi32, #{{.*}}> scale(%{{.*}}) outs(%[[Q]], %[[F]]) {overwrite, unsigned_result}
// CHECK: return %[[Q]], %[[F]]
func.func @softmax(%ptr: tensor<8x2xi32>, %idx: tensor<?xi32>,
                   %val: tensor<?xi32>, %c: f32, %size: index)
    -> (tensor<?xi8>, tensor<64x1xf32>) {
  %values = tensor.empty(%size) : tensor<?xi8>
  %factors = tensor.empty() : tensor<64x1xf32>
  %q, %f = magicube.softmax storage(%ptr, %idx, %val) as tensor<64x128xi32, #w>
           scale(%c) outs(%values, %factors) {overwrite, unsigned_result}
     : (tensor<8x2xi32>, tensor<?xi32>, tensor<?xi32>, f32, tensor<?xi8>,
        tensor<64x1xf32>) -> (tensor<?xi8>, tensor<64x1xf32>)
  return %q, %f : tensor<?xi8>, tensor<64x1xf32>
}
