// RUN: magicube-opt %s | magicube-opt | FileCheck %s
// RUN: magicube-opt %s --mlir-print-op-generic | magicube-opt | FileCheck %s
// RUN: magicube-opt %s --emit-bytecode | magicube-opt | FileCheck %s

#w = #magicube.sr_bcrs<vector = 8>

// CHECK-LABEL: @integers
// CHECK: magicube.sddmm %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK-SAME: (tensor<64x32xi8>, tensor<128x32xi8>, tensor<64x128xi1, #magicube.sr_bcrs<vector = 8>>) -> tensor<64x128xi32, #magicube.sr_bcrs<vector = 8>>
func.func @integers(%a: tensor<64x32xi8>, %b: tensor<128x32xi8>,
                    %p: tensor<64x128xi1, #w>) -> tensor<64x128xi32, #w> {
  %c = magicube.sddmm %a, %b, %p
     : (tensor<64x32xi8>, tensor<128x32xi8>, tensor<64x128xi1, #w>)
     -> tensor<64x128xi32, #w>
  return %c : tensor<64x128xi32, #w>
}

// All clauses; the pattern of a matrix with values.
// CHECK-LABEL: @epilogue
// CHECK: magicube.sddmm %{{.*}}, %{{.*}}, %{{.*}} sum_bias(%{{.*}}) scale(%{{.*}}, %{{.*}}) bias(%{{.*}}) {activation = #magicube.activation<relu>, compute = i8, pattern_info = #magicube.pattern<vectors = 4, longest = 2>, unsigned_lhs, unsigned_result, unsigned_rhs}
func.func @epilogue(%a: tensor<?x?xi16>, %b: tensor<?x?xi4>,
                    %p: tensor<?x?xi8, #w>, %z: tensor<?x1xi32>, %s: f32,
                    %t: tensor<1x?xf32>, %y: tensor<1x?xf32>)
    -> tensor<?x?xi4, #w> {
  %c = magicube.sddmm %a, %b, %p sum_bias(%z) scale(%s, %t) bias(%y)
       {unsigned_lhs, unsigned_rhs, unsigned_result, compute = i8,
        activation = #magicube.activation<relu>,
        pattern_info = #magicube.pattern<vectors = 4, longest = 2>}
     : (tensor<?x?xi16>, tensor<?x?xi4>, tensor<?x?xi8, #w>, tensor<?x1xi32>,
        f32, tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<?x?xi4, #w>
  return %c : tensor<?x?xi4, #w>
}

// CHECK-LABEL: @storage_form
// CHECK: magicube.sddmm %{{.*}}, %{{.*}}, storage(%{{.*}}, %{{.*}}) as tensor<64x128xi1, #magicube.sr_bcrs<vector = 8>> scale(%{{.*}}) inner(%{{.*}}) outs(%{{.*}}) {overwrite, packed_lhs = i4}
func.func @storage_form(%a: memref<64x16xi8>, %b: memref<128x31xi8>,
                        %ptr: memref<8x2xi32>, %idx: memref<?xi32>,
                        %values: memref<?xf16>, %s: f32) {
  %k = arith.constant 31 : index
  magicube.sddmm %a, %b, storage(%ptr, %idx) as tensor<64x128xi1, #w>
    scale(%s) inner(%k) outs(%values) {overwrite, packed_lhs = i4}
    : (memref<64x16xi8>, memref<128x31xi8>, memref<8x2xi32>, memref<?xi32>, f32,
       index, memref<?xf16>) -> ()
  return
}
