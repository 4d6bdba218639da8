// RUN: magicube-opt %s --split-input-file \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --cse --canonicalize | FileCheck %s

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32xi8, #w>

// The destination is the argument's own buffer.
// CHECK-LABEL: @in_place(
// CHECK-SAME: %[[C:[^:]*]]: memref<16x16xi32>
// CHECK-NOT: memref.alloc
// CHECK: magicube.spmm storage(%{{.*}}, %{{.*}}, %{{.*}}) as tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>, %{{.*}} outs(%[[C]]) {mine, schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>, unsigned_rhs} : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
// CHECK: return %[[C]]
func.func @in_place(%c: tensor<16x16xi32>, %ptr: tensor<2x2xi32>, %idx: tensor<?xi32>,
                    %val: tensor<?xi8>, %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %d = magicube.spmm storage(%ptr, %idx, %val) as !a, %b outs(%c)
       {mine, unsigned_rhs, schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, tensor<16x16xi32>)
    -> tensor<16x16xi32>
  return %d : tensor<16x16xi32>
}

// An init that is used again is copied first.
// CHECK-LABEL: @init_used_again(
// CHECK-SAME: %[[C:[^:]*]]: memref<16x16xi32>
// CHECK: %[[D:.*]] = memref.alloc() {{.*}}: memref<16x16xi32>
// CHECK: memref.copy %[[C]], %[[D]]
// CHECK: magicube.spmm {{.*}} outs(%[[D]])
// CHECK: return %[[D]], %[[C]]
func.func @init_used_again(%c: tensor<16x16xi32>, %ptr: tensor<2x2xi32>, %idx: tensor<?xi32>,
    %val: tensor<?xi8>, %b: tensor<32x16xi8>) -> (tensor<16x16xi32>, tensor<16x16xi32>) {
  %d = magicube.spmm storage(%ptr, %idx, %val) as !a, %b outs(%c)
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, tensor<16x16xi32>)
    -> tensor<16x16xi32>
  return %d, %c : tensor<16x16xi32>, tensor<16x16xi32>
}

// The contents of one that is overwritten are not.
// CHECK-LABEL: @overwritten_used_again(
// CHECK-SAME: %[[C:[^:]*]]: memref<16x16xi32>
// CHECK: %[[D:.*]] = memref.alloc()
// CHECK-NOT: memref.copy
// CHECK: magicube.spmm {{.*}} outs(%[[D]]) {overwrite}
// CHECK: return %[[D]], %[[C]]
func.func @overwritten_used_again(%c: tensor<16x16xi32>, %ptr: tensor<2x2xi32>, %idx: tensor<?xi32>,
    %val: tensor<?xi8>, %b: tensor<32x16xi8>) -> (tensor<16x16xi32>, tensor<16x16xi32>) {
  %d = magicube.spmm storage(%ptr, %idx, %val) as !a, %b outs(%c) {overwrite}
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, tensor<16x16xi32>)
    -> tensor<16x16xi32>
  return %d, %c : tensor<16x16xi32>, tensor<16x16xi32>
}

// A slice is read and written where it is.
// CHECK-LABEL: @slices(
// CHECK-SAME: %[[ALL:[^:]*]]: memref<16x64xi32>, %[[B:[^:]*]]: memref<32x64xi8>
// CHECK-DAG: %[[RHS:.*]] = memref.subview %[[B]][0, 16]
// CHECK-DAG: %[[OUT:.*]] = memref.subview %[[ALL]][0, 16]
// CHECK-NOT: memref.copy
// CHECK: magicube.spmm {{.*}}, %[[RHS]] outs(%[[OUT]])
// CHECK-NOT: memref.copy
// CHECK: return %[[ALL]]
func.func @slices(%all: tensor<16x64xi32>, %b: tensor<32x64xi8>, %ptr: tensor<2x2xi32>,
                  %idx: tensor<?xi32>, %val: tensor<?xi8>) -> tensor<16x64xi32> {
  %rhs = tensor.extract_slice %b[0, 16] [32, 16] [1, 1] : tensor<32x64xi8> to tensor<32x16xi8>
  %init = tensor.extract_slice %all[0, 16] [16, 16] [1, 1] : tensor<16x64xi32> to tensor<16x16xi32>
  %d = magicube.spmm storage(%ptr, %idx, %val) as !a, %rhs outs(%init)
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, tensor<16x16xi32>)
    -> tensor<16x16xi32>
  %r = tensor.insert_slice %d into %all[0, 16] [16, 16] [1, 1] : tensor<16x16xi32> into tensor<16x64xi32>
  return %r : tensor<16x64xi32>
}

// A scale that is a number has no buffer.
// CHECK-LABEL: @epilogue(
// CHECK: magicube.spmm {{.*}} scale(%{{.*}}, %{{.*}}) bias(%{{.*}}) outs(%{{.*}}) {overwrite} : ({{.*}}, f32, memref<16x1xf32>, memref<1x16xf32>, memref<16x16xf32>) -> ()
func.func @epilogue(%c: tensor<16x16xf32>, %ptr: tensor<2x2xi32>, %idx: tensor<?xi32>,
    %val: tensor<?xi8>, %b: tensor<32x16xi8>, %scale: f32, %rows: tensor<16x1xf32>,
    %bias: tensor<1x16xf32>) -> tensor<16x16xf32> {
  %d = magicube.spmm storage(%ptr, %idx, %val) as !a, %b scale(%scale, %rows) bias(%bias)
       outs(%c) {overwrite}
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, f32,
        tensor<16x1xf32>, tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}
