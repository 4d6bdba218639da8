// RUN: magicube-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s

#w = #magicube.sr_bcrs<vector = 2>

// M is lhs's, N is rhs's.
// CHECK-LABEL: @dims_of_product(
// CHECK-SAME: %[[A:[^:]*]]: {{[^,]*}}, {{[^,]*}}, %[[B:[^:]*]]:
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[A]], %c0
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[B]], %c1
// CHECK: return %[[M]], %[[N]]
func.func @dims_of_product(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = magicube.spmm %a, %b : (tensor<?x?xi8, #w>, tensor<?x?xi8>) -> tensor<?x?xi32>
  %m = tensor.dim %c, %c0 : tensor<?x?xi32>
  %n = tensor.dim %c, %c1 : tensor<?x?xi32>
  return %m, %n : index, index
}

// With a destination they are the destination's.
// CHECK-LABEL: @dims_of_destination(
// CHECK-SAME: %[[INIT:[^:]*]]: tensor<?x?xi32>
// CHECK: %[[M:.*]] = tensor.dim %[[INIT]], %c0
// CHECK: return %[[M]]
func.func @dims_of_destination(%init: tensor<?x?xi32>, %a: tensor<?x?xi8, #w>,
                               %b: tensor<?x?xi8>) -> index {
  %c0 = arith.constant 0 : index
  %c = magicube.spmm %a, %b outs(%init)
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>, tensor<?x?xi32>) -> tensor<?x?xi32>
  %m = tensor.dim %c, %c0 : tensor<?x?xi32>
  return %m : index
}
