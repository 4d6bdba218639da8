// Sparse tensors through select, if, for, casts, calls and returns. Two weights of
// 16 x 8 have one vector each, at column 3: %a of ones in rows 0 to 7, %b of twos
// in rows 8 to 15. The dense operand is all twos.

// RUN: magicube-opt %s --magicube-to-llvm -o %t.mlir 2> /dev/null
// RUN: %{run-main} %t.mlir | FileCheck %s

// Three turns of the loop exchange %a and %b three times.
// CHECK: ( 0, 0, 4, 4 )
// CHECK-NEXT: ( 2, 2, 0, 0 )
// CHECK-NEXT: 16

#w = #magicube.sr_bcrs<vector = 8, stride = 8>

func.func private @exchange(%n: index, %c: i1, %a: tensor<16x8xi8, #w>,
                            %b: tensor<16x8xi8, #w>)
    -> (tensor<16x8xi8, #w>, tensor<?x8xi8, #w>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = arith.select %c, %a, %b : tensor<16x8xi8, #w>
  %t = scf.if %c -> tensor<16x8xi8, #w> {
    scf.yield %b : tensor<16x8xi8, #w>
  } else {
    scf.yield %a : tensor<16x8xi8, #w>
  }
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %s, %y = %t)
      -> (tensor<16x8xi8, #w>, tensor<16x8xi8, #w>) {
    scf.yield %y, %x : tensor<16x8xi8, #w>, tensor<16x8xi8, #w>
  }
  %u = tensor.cast %r#1 : tensor<16x8xi8, #w> to tensor<?x8xi8, #w>
  return %r#0, %u : tensor<16x8xi8, #w>, tensor<?x8xi8, #w>
}

// Prints one element of every fourth row.
func.func private @print(%y: tensor<?x4xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %rows = tensor.extract_slice %y[0, 1] [4, 1] [4, 1] : tensor<?x4xi32> to tensor<4xi32>
  %vector = vector.transfer_read %rows[%c0], %zero {in_bounds = [true]}
      : tensor<4xi32>, vector<4xi32>
  vector.print %vector : vector<4xi32>
  return
}

func.func @main() {
  %ptr_a = arith.constant dense<[[0, 1], [8, 8]]> : tensor<2x2xi32>
  %ptr_b = arith.constant dense<[[0, 0], [0, 1]]> : tensor<2x2xi32>
  %idx = arith.constant dense<[3, -1, -1, -1, -1, -1, -1, -1]> : tensor<8xi32>
  %ones = arith.constant dense<1> : tensor<64xi8>
  %twos = arith.constant dense<2> : tensor<64xi8>
  %a = magicube.assemble %ptr_a, %idx, %ones
     : (tensor<2x2xi32>, tensor<8xi32>, tensor<64xi8>) -> tensor<16x8xi8, #w>
  %b = magicube.assemble %ptr_b, %idx, %twos
     : (tensor<2x2xi32>, tensor<8xi32>, tensor<64xi8>) -> tensor<16x8xi8, #w>
  %x = arith.constant dense<2> : tensor<8x4xi8>
  %true = arith.constant true
  %n = arith.constant 3 : index
  %r:2 = call @exchange(%n, %true, %a, %b)
      : (index, i1, tensor<16x8xi8, #w>, tensor<16x8xi8, #w>)
      -> (tensor<16x8xi8, #w>, tensor<?x8xi8, #w>)
  %y0 = magicube.spmm %r#0, %x
     : (tensor<16x8xi8, #w>, tensor<8x4xi8>) -> tensor<16x4xi32>
  %y0_dynamic = tensor.cast %y0 : tensor<16x4xi32> to tensor<?x4xi32>
  call @print(%y0_dynamic) : (tensor<?x4xi32>) -> ()
  %y1 = magicube.spmm %r#1, %x
     : (tensor<?x8xi8, #w>, tensor<8x4xi8>) -> tensor<?x4xi32>
  call @print(%y1) : (tensor<?x4xi32>) -> ()
  // The extent that the cast made dynamic goes along.
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %r#1, %c0 : tensor<?x8xi8, #w>
  vector.print %rows : index
  return
}
