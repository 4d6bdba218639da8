// RUN: magicube-opt %s --magicube-lift-control-flow --canonicalize --split-input-file | FileCheck %s --implicit-check-not="ub.poison : tensor"

#w = #magicube.sr_bcrs<vector = 8>
!s = tensor<?x?xi8, #w>

// A choice of sparse tensors, made by branches or by two returns.

// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %[[P:.*]]: i1, %[[A:.*]]: tensor<?x?xi8, {{.*}}>, %[[B:.*]]: tensor
// CHECK: %[[R:.*]] = arith.select %[[P]], %[[A]], %[[B]] : tensor<?x?xi8, #magicube
// CHECK: return %[[R]]
func.func @branch(%p: i1, %a: !s, %b: !s) -> !s {
  cf.cond_br %p, ^end(%a : !s), ^end(%b : !s)
^end(%r: !s):
  return %r : !s
}

// CHECK-LABEL: func.func @returns(
// CHECK: arith.select
func.func @returns(%p: i1, %a: !s, %b: !s) -> !s {
  cf.cond_br %p, ^yes, ^no
^yes:
  return %a : !s
^no:
  return %b : !s
}

// A switch.

// CHECK-LABEL: func.func @switch(
// CHECK: scf.index_switch {{.*}} -> tensor<?x?xi8, #magicube
func.func @switch(%i: i32, %a: !s, %b: !s) -> !s {
  cf.switch %i : i32, [default: ^end(%a : !s), 42: ^end(%b : !s)]
^end(%r: !s):
  return %r : !s
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!s = tensor<?x?xi8, #w>

// A loop with two exits: what leaves by one is not there at the other. Upstream
// has poison for that, here are empty tensors.

// CHECK-LABEL: func.func @two_exits(
// CHECK-DAG: tensor.empty() : tensor<0xi32>
// CHECK-DAG: tensor.empty() : tensor<0xi8>
// CHECK: magicube.assemble %{{.*}} dims(%c0, %c0)
// CHECK: scf.while
func.func @two_exits(%p: i1, %a: !s, %b: !s) -> !s {
  cf.br ^loop(%a, %b : !s, !s)
^loop(%x: !s, %y: !s):
  %q = func.call @next(%p) : (i1) -> i1
  cf.cond_br %q, ^end(%x : !s), ^more
^more:
  %z = func.call @other(%x) : (!s) -> !s
  %r = func.call @next(%q) : (i1) -> i1
  cf.cond_br %r, ^loop(%y, %z : !s, !s), ^last
^last:
  %u = func.call @other(%z) : (!s) -> !s
  cf.br ^end(%u : !s)
^end(%w: !s):
  return %w : !s
}
func.func private @next(i1) -> i1
func.func private @other(!s) -> !s
