// RUN: magicube-opt %s --magicube-eliminate-empty-tensors | FileCheck %s

// CHECK-LABEL: func.func @insert(
// CHECK-SAME: %[[Y:.*]]: tensor<8xi8>
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[Y]][0] [4] [1]
// CHECK: linalg.fill {{.*}} outs(%[[PLACE]] :
func.func @insert(%y: tensor<8xi8>, %a: i8) -> tensor<8xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %f = linalg.fill ins(%a : i8) outs(%e : tensor<4xi8>) -> tensor<4xi8>
  %s = tensor.insert_slice %f into %y[0] [4] [1] : tensor<4xi8> into tensor<8xi8>
  return %s : tensor<8xi8>
}

// The place is there before the choice.
// CHECK-LABEL: func.func @insert_choice(
// CHECK-SAME: %[[Y:.*]]: tensor<8xi8>
// CHECK: scf.if
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[Y]]
// CHECK: linalg.fill {{.*}} outs(%[[PLACE]] :
func.func @insert_choice(%y: tensor<8xi8>, %a: i8, %p: i1, %x: tensor<4xi8>, %m: index) -> tensor<8xi8> {
  %c = scf.if %p -> tensor<4xi8> {
    %e = tensor.empty() : tensor<4xi8>
    %f = linalg.fill ins(%a : i8) outs(%e : tensor<4xi8>) -> tensor<4xi8>
    scf.yield %f : tensor<4xi8>
  } else {
    scf.yield %x : tensor<4xi8>
  }
  %s = tensor.insert_slice %c into %y[%m] [4] [1] : tensor<4xi8> into tensor<8xi8>
  return %s : tensor<8xi8>
}
