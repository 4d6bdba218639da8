// A choice between tensors has the extents of the one that is chosen: by scf.if,
// arith.select, branches between blocks and loops that exchange what they carry;
// dense and sparse, in public and in private functions.

// RUN: magicube-opt %s --magicube-to-llvm -o %t.mlir
// RUN: %{run-main} %t.mlir | FileCheck %s
// RUN: magicube-opt %s --magicube-to-llvm="host-buffers" -o %t.mlir
// RUN: %{run-main} %t.mlir | FileCheck %s

#w = #magicube.sr_bcrs<vector = 2, stride = 8>
!s = tensor<?x8xi8, #w>
!d = tensor<?x?xi32>

func.func @if(%p: i1, %x: !d, %y: !d) -> !d {
  %r = scf.if %p -> !d {
    scf.yield %x : !d
  } else {
    scf.yield %y : !d
  }
  return %r : !d
}

func.func private @select(%p: i1, %x: !d, %y: !d) -> !d {
  %r = arith.select %p, %x, %y : !d
  return %r : !d
}

func.func @branch(%p: i1, %x: !d, %y: !d) -> !d {
  cf.cond_br %p, ^end(%x : !d), ^end(%y : !d)
^end(%r: !d):
  return %r : !d
}

func.func private @exchange(%n: index, %x: !d, %y: !d) -> (!d, !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (!d, !d) {
    scf.yield %b, %a : !d, !d
  }
  return %r#0, %r#1 : !d, !d
}

// A loop of blocks, which multiplies by two weights in turn.
func.func @sparse(%n: index, %x: !s, %y: !s, %b: tensor<8x2xi8>) -> (tensor<?x2xi32>, !s) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = magicube.spmm %x, %b : (!s, tensor<8x2xi8>) -> tensor<?x2xi32>
  cf.br ^head(%c0, %x, %y, %first : index, !s, !s, tensor<?x2xi32>)
^head(%i: index, %p: !s, %q: !s, %c: tensor<?x2xi32>):
  %goes = arith.cmpi ult, %i, %n : index
  cf.cond_br %goes, ^body, ^end
^body:
  %next = magicube.spmm %q, %b : (!s, tensor<8x2xi8>) -> tensor<?x2xi32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %q, %p, %next : index, !s, !s, tensor<?x2xi32>)
^end:
  return %c, %p : tensor<?x2xi32>, !s
}

func.func private @switch(%i: i32, %x: !s, %y: !s) -> !s {
  cf.switch %i : i32, [default: ^end(%x : !s), 42: ^end(%y : !s)]
^end(%r: !s):
  return %r : !s
}

func.func private @print(%t: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %t, %c0 : !d
  %columns = tensor.dim %t, %c1 : !d
  vector.print %rows : index
  vector.print %columns : index
  %row = arith.subi %rows, %c1 : index
  %column = arith.subi %columns, %c1 : index
  %last = tensor.extract %t[%row, %column] : !d
  vector.print %last : i32
  return
}

// Element (i, j) is i + j.
func.func private @make(%rows: index, %columns: index) -> !d {
  %t = tensor.generate %rows, %columns {
  ^bb0(%i: index, %j: index):
    %sum = arith.addi %i, %j : index
    %value = arith.index_cast %sum : index to i32
    tensor.yield %value : i32
  } : !d
  return %t : !d
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %no = arith.constant false
  %yes = arith.constant true
  %x = call @make(%c2, %c5) : (index, index) -> !d
  %y = call @make(%c4, %c3) : (index, index) -> !d

  // CHECK: 4
  // CHECK-NEXT: 3
  // CHECK-NEXT: 5
  %0 = call @if(%no, %x, %y) : (i1, !d, !d) -> !d
  call @print(%0) : (!d) -> ()
  // CHECK-NEXT: 4
  // CHECK-NEXT: 3
  // CHECK-NEXT: 5
  %1 = call @select(%no, %x, %y) : (i1, !d, !d) -> !d
  call @print(%1) : (!d) -> ()
  // CHECK-NEXT: 4
  // CHECK-NEXT: 3
  // CHECK-NEXT: 5
  %2 = call @branch(%no, %x, %y) : (i1, !d, !d) -> !d
  call @print(%2) : (!d) -> ()
  // CHECK-NEXT: 2
  // CHECK-NEXT: 5
  // CHECK-NEXT: 5
  %3 = call @branch(%yes, %x, %y) : (i1, !d, !d) -> !d
  call @print(%3) : (!d) -> ()
  // CHECK-NEXT: 4
  // CHECK-NEXT: 3
  // CHECK-NEXT: 5
  // CHECK-NEXT: 2
  // CHECK-NEXT: 5
  // CHECK-NEXT: 5
  %4:2 = call @exchange(%c3, %x, %y) : (index, !d, !d) -> (!d, !d)
  call @print(%4#0) : (!d) -> ()
  call @print(%4#1) : (!d) -> ()

  // Weights of 2 x 8 with ones in column 0, and of 4 x 8 with twos in columns 1 and
  // 2 of rows 2 and 3; a dense operand of threes.
  %ptr_x = arith.constant dense<[[0, 1]]> : tensor<1x2xi32>
  %idx_x = arith.constant dense<[0, -1, -1, -1, -1, -1, -1, -1]> : tensor<8xi32>
  %val_x = arith.constant dense<[1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]> : tensor<16xi8>
  %ptr_y = arith.constant dense<[[0, 0], [0, 2]]> : tensor<2x2xi32>
  %idx_y = arith.constant dense<[1, 2, -1, -1, -1, -1, -1, -1]> : tensor<8xi32>
  %val_y = arith.constant dense<[2, 2, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0]> : tensor<16xi8>
  %sx = magicube.assemble %ptr_x, %idx_x, %val_x dims(%c2)
     : (tensor<1x2xi32>, tensor<8xi32>, tensor<16xi8>) -> !s
  %sy = magicube.assemble %ptr_y, %idx_y, %val_y dims(%c4)
     : (tensor<2x2xi32>, tensor<8xi32>, tensor<16xi8>) -> !s
  %b = arith.constant dense<3> : tensor<8x2xi8>

  // CHECK-NEXT: 4
  // CHECK-NEXT: 2
  // CHECK-NEXT: 12
  %5:2 = call @sparse(%c3, %sx, %sy, %b) : (index, !s, !s, tensor<8x2xi8>) -> (tensor<?x2xi32>, !s)
  %6 = tensor.cast %5#0 : tensor<?x2xi32> to !d
  call @print(%6) : (!d) -> ()
  // CHECK-NEXT: 4
  // CHECK-NEXT: 2
  // CHECK-NEXT: 12
  %7 = magicube.spmm %5#1, %b : (!s, tensor<8x2xi8>) -> tensor<?x2xi32>
  %8 = tensor.cast %7 : tensor<?x2xi32> to !d
  call @print(%8) : (!d) -> ()
  // CHECK-NEXT: 4
  // CHECK-NEXT: 2
  // CHECK-NEXT: 12
  %i42 = arith.constant 42 : i32
  %9 = call @switch(%i42, %sx, %sy) : (i32, !s, !s) -> !s
  %10 = magicube.spmm %9, %b : (!s, tensor<8x2xi8>) -> tensor<?x2xi32>
  %11 = tensor.cast %10 : tensor<?x2xi32> to !d
  call @print(%11) : (!d) -> ()
  // CHECK-NEXT: 2
  // CHECK-NEXT: 2
  // CHECK-NEXT: 3
  %12 = scf.if %yes -> !s {
    scf.yield %sx : !s
  } else {
    scf.yield %9 : !s
  }
  %13 = magicube.spmm %12, %b : (!s, tensor<8x2xi8>) -> tensor<?x2xi32>
  %14 = tensor.cast %13 : tensor<?x2xi32> to !d
  call @print(%14) : (!d) -> ()
  return
}
