// RUN: magicube-opt %s --pass-pipeline="builtin.module(func.func(magicube-expand-elementwise))" | FileCheck %s
// RUN: magicube-opt %s --pass-pipeline="builtin.module(func.func(magicube-expand-elementwise{only-dynamic},canonicalize))" \
// RUN:   | FileCheck %s --check-prefix=DYNAMIC

// Arithmetic, and a choice element by element, have loops.

// CHECK-LABEL: func.func @elements(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: arith.{{.*}} tensor
func.func @elements(%p: tensor<?xi1>, %a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %0 = arith.addi %a, %b : tensor<?xi32>
  %1 = arith.select %p, %0, %b : tensor<?xi1>, tensor<?xi32>
  return %1 : tensor<?xi32>
}

// A choice of a whole tensor has none: its extents are not always %a's.

// CHECK-LABEL: func.func @whole(
// CHECK-SAME: %[[P:.*]]: i1, %[[A:.*]]: tensor<?xi32>, %[[B:.*]]: tensor<?xi32>)
// CHECK-NEXT: %[[R:.*]] = arith.select %[[P]], %[[A]], %[[B]]
// CHECK-NEXT: return %[[R]]
func.func @whole(%p: i1, %a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %0 = arith.select %p, %a, %b : tensor<?xi32>
  return %0 : tensor<?xi32>
}

// What upstream would fold to a constant without extents, and what it folds well.

// CHECK-LABEL: func.func @folds(
// CHECK-COUNT-2: linalg.generic
// DYNAMIC-LABEL: func.func @folds(
// DYNAMIC: %[[ONES:.*]] = arith.constant dense<true> : tensor<4xi1>
// DYNAMIC: %[[R:.*]] = linalg.generic
// DYNAMIC: return %[[R]], %[[ONES]]
func.func @folds(%a: tensor<?xi32>, %b: tensor<4xi32>) -> (tensor<?xi1>, tensor<4xi1>) {
  %0 = arith.cmpi eq, %a, %a : tensor<?xi32>
  %1 = arith.cmpi eq, %b, %b : tensor<4xi32>
  return %0, %1 : tensor<?xi1>, tensor<4xi1>
}
