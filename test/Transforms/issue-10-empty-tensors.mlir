// RUN: magicube-opt %s --magicube-eliminate-empty-tensors | FileCheck %s

// An empty tensor cannot become a part of what its own branch results in.

// CHECK-LABEL: func.func @into_itself(
// CHECK: scf.if
// CHECK-NEXT: tensor.empty
func.func @into_itself(%p: i1, %a: i8, %x: tensor<?xi8>, %n: index) -> tensor<?xi8> {
  %c = scf.if %p -> tensor<?xi8> {
    %e = tensor.empty(%n) : tensor<?xi8>
    %f = linalg.fill ins(%a : i8) outs(%e : tensor<?xi8>) -> tensor<?xi8>
    scf.yield %f : tensor<?xi8>
  } else {
    scf.yield %x : tensor<?xi8>
  }
  %s = tensor.insert_slice %c into %c[0] [%n] [1] : tensor<?xi8> into tensor<?xi8>
  return %s : tensor<?xi8>
}

// CHECK-LABEL: func.func @into_other_result(
// CHECK: scf.if
// CHECK-NEXT: tensor.empty
func.func @into_other_result(%p: i1, %a: i8, %x: tensor<4xi8>, %y: tensor<8xi8>, %z: tensor<8xi8>) -> tensor<8xi8> {
  %c:2 = scf.if %p -> (tensor<4xi8>, tensor<8xi8>) {
    %e = tensor.empty() : tensor<4xi8>
    %f = linalg.fill ins(%a : i8) outs(%e : tensor<4xi8>) -> tensor<4xi8>
    scf.yield %f, %y : tensor<4xi8>, tensor<8xi8>
  } else {
    scf.yield %x, %z : tensor<4xi8>, tensor<8xi8>
  }
  %s = tensor.insert_slice %c#0 into %c#1[0] [4] [1] : tensor<4xi8> into tensor<8xi8>
  return %s : tensor<8xi8>
}

// CHECK-LABEL: func.func @offset(
// CHECK: scf.if
// CHECK-NEXT: tensor.empty
func.func @offset(%p: i1, %a: i8, %x: tensor<4xi8>, %y: tensor<8xi8>, %n: index, %m: index) -> tensor<8xi8> {
  %c, %o = scf.if %p -> (tensor<4xi8>, index) {
    %e = tensor.empty() : tensor<4xi8>
    %f = linalg.fill ins(%a : i8) outs(%e : tensor<4xi8>) -> tensor<4xi8>
    scf.yield %f, %n : tensor<4xi8>, index
  } else {
    scf.yield %x, %m : tensor<4xi8>, index
  }
  %s = tensor.insert_slice %c into %y[%o] [4] [1] : tensor<4xi8> into tensor<8xi8>
  return %s : tensor<8xi8>
}

// CHECK-LABEL: func.func @two_levels(
// CHECK: scf.if
// CHECK: scf.if
// CHECK-NEXT: tensor.empty
func.func @two_levels(%p: i1, %q: i1, %a: i8, %x: tensor<?xi8>, %n: index) -> tensor<?xi8> {
  %c = scf.if %p -> tensor<?xi8> {
    %d = scf.if %q -> tensor<?xi8> {
      %e = tensor.empty(%n) : tensor<?xi8>
      %f = linalg.fill ins(%a : i8) outs(%e : tensor<?xi8>) -> tensor<?xi8>
      scf.yield %f : tensor<?xi8>
    } else {
      scf.yield %x : tensor<?xi8>
    }
    scf.yield %d : tensor<?xi8>
  } else {
    scf.yield %x : tensor<?xi8>
  }
  %s = tensor.insert_slice %c into %c[0] [%n] [1] : tensor<?xi8> into tensor<?xi8>
  return %s : tensor<?xi8>
}

// CHECK-LABEL: func.func @execute_region(
// CHECK: scf.execute_region
// CHECK-NEXT: tensor.empty
func.func @execute_region(%a: i8, %y: tensor<8xi8>, %n: index) -> tensor<8xi8> {
  %c, %o = scf.execute_region -> (tensor<4xi8>, index) {
    %e = tensor.empty() : tensor<4xi8>
    %f = linalg.fill ins(%a : i8) outs(%e : tensor<4xi8>) -> tensor<4xi8>
    scf.yield %f, %n : tensor<4xi8>, index
  }
  %s = tensor.insert_slice %c into %y[%o] [4] [1] : tensor<4xi8> into tensor<8xi8>
  return %s : tensor<8xi8>
}
