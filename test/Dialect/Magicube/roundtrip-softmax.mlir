// RUN: magicube-opt %s | magicube-opt | FileCheck %s
// RUN: magicube-opt %s --mlir-print-op-generic | magicube-opt | FileCheck %s
// RUN: magicube-opt %s --emit-bytecode | magicube-opt | FileCheck %s

#w = #magicube.sr_bcrs<vector = 8>

// CHECK-LABEL: @integers
// CHECK: %{{.*}}:2 = magicube.softmax %{{.*}} scale(%{{.*}}) value_scale(%{{.*}}) {unsigned_result} :
// CHECK-SAME: -> (tensor<64x128xi8, #magicube.sr_bcrs<vector = 8>>, tensor<64x1xf32>)
func.func @integers(%s: tensor<64x128xi32, #w>, %c: f32, %v: f32)
    -> (tensor<64x128xi8, #w>, tensor<64x1xf32>) {
  %q, %f = magicube.softmax %s scale(%c) value_scale(%v) {unsigned_result}
     : (tensor<64x128xi32, #w>, f32, f32)
     -> (tensor<64x128xi8, #w>, tensor<64x1xf32>)
  return %q, %f : tensor<64x128xi8, #w>, tensor<64x1xf32>
}

// CHECK-LABEL: @floats
// CHECK: magicube.softmax %{{.*}} scale(%{{.*}}) mask(%{{.*}}) :
func.func @floats(%s: tensor<?x?xf16, #w>, %c: tensor<?x1xf32>,
                  %m: tensor<?x?xf32, #w>) -> tensor<?x?xf32, #w> {
  %p = magicube.softmax %s scale(%c) mask(%m)
     : (tensor<?x?xf16, #w>, tensor<?x1xf32>, tensor<?x?xf32, #w>)
     -> tensor<?x?xf32, #w>
  return %p : tensor<?x?xf32, #w>
}

// CHECK-LABEL: @storage_form
// CHECK: magicube.softmax storage(%{{.*}}, %{{.*}}, %{{.*}}) as tensor<64x128xi32, #magicube.sr_bcrs<vector = 8>> scale(%{{.*}}) outs(%{{.*}}, %{{.*}}) {overwrite, packed_result = i4, unsigned_result}
func.func @storage_form(%ptr: memref<8x2xi32>, %idx: memref<?xi32>,
                        %val: memref<?xi32>, %c: f32, %q: memref<?xi8>,
                        %f: memref<64x1xf32>) {
  magicube.softmax storage(%ptr, %idx, %val) as tensor<64x128xi32, #w> scale(%c)
    outs(%q, %f) {overwrite, unsigned_result, packed_result = i4}
    : (memref<8x2xi32>, memref<?xi32>, memref<?xi32>, f32, memref<?xi8>,
       memref<64x1xf32>) -> ()
  return
}

// CHECK-LABEL: @storage_form_floats
// CHECK: magicube.softmax storage(%{{.*}}, %{{.*}}, %{{.*}}) as tensor<64x128xf16, #magicube.sr_bcrs<vector = 8>> mask(%{{.*}}) outs(%{{.*}}) {overwrite}
func.func @storage_form_floats(%ptr: memref<8x2xi32>, %idx: memref<?xi32>,
                               %val: memref<?xf16>, %mask: memref<?xf32>,
                               %out: memref<?xf16>) {
  magicube.softmax storage(%ptr, %idx, %val) as tensor<64x128xf16, #w>
    mask(%mask) outs(%out) {overwrite}
    : (memref<8x2xi32>, memref<?xi32>, memref<?xf16>, memref<?xf32>,
       memref<?xf16>) -> ()
  return
}
