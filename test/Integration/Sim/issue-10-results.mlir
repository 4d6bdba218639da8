// Inputs stay as they are, and every result is memory of its own: what is written
// into one of them afterwards is not seen in another.

// RUN: magicube-opt %s --magicube-to-llvm -o %t.mlir
// RUN: env MALLOC_PERTURB_=165 %{run-main} %t.mlir | FileCheck %s
// RUN: magicube-opt %s --magicube-to-llvm="host-buffers" -o %t.mlir
// RUN: env MALLOC_PERTURB_=165 %{run-main} %t.mlir | FileCheck %s

!d = tensor<?x?xi32>
!line = tensor<?xi32>

func.func @add(%a: !d, %b: !d) -> !d {
  %c = arith.addi %a, %b : !d
  return %c : !d
}

func.func @destination(%a: !d {bufferization.writable = true}) -> !d {
  %c = arith.addi %a, %a : !d
  return %c : !d
}

func.func @aliases(%a: !d, %b: !d) -> (!d, !d, !line, !d, !line, !d) {
  %c = arith.addi %a, %b : !d
  %view = tensor.collapse_shape %c [[0, 1]] : !d into !line
  %argument = tensor.collapse_shape %a [[0, 1]] : !d into !line
  return %c, %c, %view, %a, %argument, %a : !d, !d, !line, !d, !line, !d
}

func.func private @inner(%a: !d, %b: !d) -> (!d, !d, !line, !d, !line, !d) {
  %r:6 = call @aliases(%a, %b) : (!d, !d) -> (!d, !d, !line, !d, !line, !d)
  return %r#1, %r#1, %r#2, %r#0, %r#4, %r#0 : !d, !d, !line, !d, !line, !d
}

// One column of several: in memory, its elements are not next to one another.
func.func private @column(%a: !d, %rows: index) -> !d {
  %c1 = arith.constant 1 : index
  %c = tensor.extract_slice %a[0, 0] [%rows, %c1] [1, 1] : !d to !d
  return %c : !d
}

func.func private @print(%t: !d) {
  %c0 = arith.constant 0 : index
  %flat = tensor.collapse_shape %t [[0, 1]] : !d into !line
  func.call @print_line(%flat) : (!line) -> ()
  return
}

func.func private @print_line(%t: !line) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %v = vector.transfer_read %t[%c0], %zero : !line, vector<4xi32>
  vector.print %v : vector<4xi32>
  return
}

func.func private @set(%t: !d) -> !d {
  %c1 = arith.constant 1 : index
  %value = arith.constant 99 : i32
  %r = tensor.insert %value into %t[%c1, %c1] : !d
  return %r : !d
}

func.func @main() {
  %a4 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b4 = arith.constant dense<10> : tensor<2x2xi32>
  %a = tensor.cast %a4 : tensor<2x2xi32> to !d
  %b = tensor.cast %b4 : tensor<2x2xi32> to !d
  %c2 = arith.constant 2 : index

  // CHECK: ( 11, 12, 13, 14 )
  // CHECK-NEXT: ( 1, 2, 3, 4 )
  // CHECK-NEXT: ( 2, 4, 6, 8 )
  // CHECK-NEXT: ( 1, 2, 3, 4 )
  %sum = call @add(%a, %b) : (!d, !d) -> !d
  call @print(%sum) : (!d) -> ()
  call @print(%a) : (!d) -> ()
  %twice = call @destination(%a) : (!d) -> !d
  call @print(%twice) : (!d) -> ()
  call @print(%a) : (!d) -> ()

  %r:6 = call @aliases(%a, %b) : (!d, !d) -> (!d, !d, !line, !d, !line, !d)
  %set = call @set(%r#0) : (!d) -> !d
  %set_a = call @set(%r#3) : (!d) -> !d
  // CHECK-NEXT: ( 11, 12, 13, 99 )
  // CHECK-NEXT: ( 11, 12, 13, 14 )
  // CHECK-NEXT: ( 11, 12, 13, 14 )
  // CHECK-NEXT: ( 1, 2, 3, 99 )
  // CHECK-NEXT: ( 1, 2, 3, 4 )
  // CHECK-NEXT: ( 1, 2, 3, 4 )
  call @print(%set) : (!d) -> ()
  call @print(%r#1) : (!d) -> ()
  call @print_line(%r#2) : (!line) -> ()
  call @print(%set_a) : (!d) -> ()
  call @print_line(%r#4) : (!line) -> ()
  call @print(%r#5) : (!d) -> ()

  // CHECK-NEXT: ( 11, 12, 13, 14 )
  // CHECK-NEXT: ( 11, 12, 13, 14 )
  // CHECK-NEXT: ( 1, 2, 3, 4 )
  %s:6 = call @inner(%a, %b) : (!d, !d) -> (!d, !d, !line, !d, !line, !d)
  call @print(%s#0) : (!d) -> ()
  call @print(%s#3) : (!d) -> ()
  call @print_line(%s#4) : (!line) -> ()

  // CHECK-NEXT: ( 1, 3, 0, 0 )
  %column = call @column(%a, %c2) : (!d, index) -> !d
  %flat = tensor.collapse_shape %column [[0, 1]] : !d into !line
  call @print_line(%flat) : (!line) -> ()
  return
}
