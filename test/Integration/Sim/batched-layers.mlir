// A loop over a batch: products of slices, into slices, with run-time extents,
// against dense arithmetic. Prints the number of wrong elements for N = 10 and 16.

// RUN: magicube-opt %s --magicube-to-llvm -o %t.mlir 2> /dev/null
// RUN: %{run-main} %t.mlir | FileCheck %s

// CHECK: 0
// CHECK-NEXT: 0

// The weight is block diagonal: vector-row r has its 8 vectors at columns 8r on.
#w = #magicube.sr_bcrs<vector = 8, stride = 8>
#value = affine_map<(m, k) -> ((m floordiv 8) * 64 + (m mod 8) * 8 + k mod 8)>

func.func private @printI64(i64)
func.func private @printNewline()

func.func private @value(%i: index) -> i8 {
  %c37 = arith.constant 37 : index
  %0 = arith.muli %i, %c37 : index
  %1 = arith.index_cast %0 : index to i8
  return %1 : i8
}

func.func private @dense_weight() -> tensor<16x16xi8> {
  %t = tensor.generate {
  ^bb0(%m: index, %k: index):
    %at = affine.apply #value(%m, %k)
    %value = func.call @value(%at) : (index) -> i8
    %row = affine.apply affine_map<(m) -> (m floordiv 8)>(%m)
    %block = affine.apply affine_map<(k) -> (k floordiv 8)>(%k)
    %stored = arith.cmpi eq, %row, %block : index
    %zero = arith.constant 0 : i8
    %kept = arith.select %stored, %value, %zero : i8
    tensor.yield %kept : i8
  } : tensor<16x16xi8>
  return %t : tensor<16x16xi8>
}

func.func private @sparse_weight() -> tensor<16x16xi8, #w> {
  %pointers = arith.constant dense<[[0, 8], [8, 16]]> : tensor<2x2xi32>
  %indices = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7,
                                   8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi32>
  %values = tensor.generate {
  ^bb0(%i: index):
    %value = func.call @value(%i) : (index) -> i8
    tensor.yield %value : i8
  } : tensor<128xi8>
  %w = magicube.assemble %pointers, %indices, %values
     : (tensor<2x2xi32>, tensor<16xi32>, tensor<128xi8>) -> tensor<16x16xi8, #w>
  return %w : tensor<16x16xi8, #w>
}

func.func private @input(%batch: index, %n: index) -> tensor<?x16x?xi8> {
  %t = tensor.generate %batch, %n {
  ^bb0(%b: index, %k: index, %j: index):
    %mixed = affine.apply affine_map<(b, k, j) -> (b * 31 + k * 29 + j * 53 + 7)>(%b, %k, %j)
    %value = arith.index_cast %mixed : index to i8
    tensor.yield %value : i8
  } : tensor<?x16x?xi8>
  return %t : tensor<?x16x?xi8>
}

func.func private @narrow(%y: tensor<16x?xi32>) -> tensor<16x?xi8> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %y, %c1 : tensor<16x?xi32>
  %empty = tensor.empty(%n) : tensor<16x?xi8>
  %narrow = linalg.map ins(%y : tensor<16x?xi32>) outs(%empty : tensor<16x?xi8>)
    (%in: i32, %out: i8) {
      %shift = arith.constant 7 : i32
      %0 = arith.shrsi %in, %shift : i32
      %1 = arith.trunci %0 : i32 to i8
      linalg.yield %1 : i8
    }
  return %narrow : tensor<16x?xi8>
}

func.func private @dense_product(%w: tensor<16x16xi8>, %x: tensor<16x?xi8>,
                                 %init: tensor<16x?xi32>) -> tensor<16x?xi32> {
  %y = linalg.matmul ins(%w, %x : tensor<16x16xi8>, tensor<16x?xi8>)
                     outs(%init : tensor<16x?xi32>) -> tensor<16x?xi32>
  return %y : tensor<16x?xi32>
}

func.func private @differences(%w: tensor<16x16xi8, #w>, %d: tensor<16x16xi8>,
                               %batch: index, %n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %in = call @input(%batch, %n) : (index, index) -> tensor<?x16x?xi8>
  %none = tensor.empty(%batch, %n) : tensor<?x16x?xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%none : tensor<?x16x?xi32>) -> tensor<?x16x?xi32>
  %out:2 = scf.for %b = %c0 to %batch step %c1
      iter_args(%got = %none, %want = %zeros) -> (tensor<?x16x?xi32>, tensor<?x16x?xi32>) {
    %x = tensor.extract_slice %in[%b, 0, 0] [1, 16, %n] [1, 1, 1]
       : tensor<?x16x?xi8> to tensor<16x?xi8>
    // got[b] = W narrow(W x) + W x, into its slice.
    %hidden = magicube.spmm %w, %x
       : (tensor<16x16xi8, #w>, tensor<16x?xi8>) -> tensor<16x?xi32>
    %narrow = func.call @narrow(%hidden) : (tensor<16x?xi32>) -> tensor<16x?xi8>
    %place = tensor.extract_slice %got[%b, 0, 0] [1, 16, %n] [1, 1, 1]
       : tensor<?x16x?xi32> to tensor<16x?xi32>
    %first = magicube.spmm %w, %narrow outs(%place) {overwrite}
       : (tensor<16x16xi8, #w>, tensor<16x?xi8>, tensor<16x?xi32>) -> tensor<16x?xi32>
    %second = magicube.spmm %w, %x outs(%first)
       : (tensor<16x16xi8, #w>, tensor<16x?xi8>, tensor<16x?xi32>) -> tensor<16x?xi32>
    %got1 = tensor.insert_slice %second into %got[%b, 0, 0] [1, 16, %n] [1, 1, 1]
       : tensor<16x?xi32> into tensor<?x16x?xi32>
    // The same, dense.
    %zero_slice = tensor.extract_slice %want[%b, 0, 0] [1, 16, %n] [1, 1, 1]
       : tensor<?x16x?xi32> to tensor<16x?xi32>
    %d_hidden = func.call @dense_product(%d, %x, %zero_slice)
       : (tensor<16x16xi8>, tensor<16x?xi8>, tensor<16x?xi32>) -> tensor<16x?xi32>
    %d_narrow = func.call @narrow(%d_hidden) : (tensor<16x?xi32>) -> tensor<16x?xi8>
    %d_sum = func.call @dense_product(%d, %d_narrow, %d_hidden)
       : (tensor<16x16xi8>, tensor<16x?xi8>, tensor<16x?xi32>) -> tensor<16x?xi32>
    %want1 = tensor.insert_slice %d_sum into %want[%b, 0, 0] [1, 16, %n] [1, 1, 1]
       : tensor<16x?xi32> into tensor<?x16x?xi32>
    scf.yield %got1, %want1 : tensor<?x16x?xi32>, tensor<?x16x?xi32>
  }
  %start = arith.constant dense<0> : tensor<i64>
  %unequal = arith.cmpi ne, %out#0, %out#1 : tensor<?x16x?xi32>
  %ones = arith.extui %unequal : tensor<?x16x?xi1> to tensor<?x16x?xi64>
  %sum = linalg.reduce { arith.addi } ins(%ones : tensor<?x16x?xi64>)
                                      outs(%start : tensor<i64>) dimensions = [0, 1, 2]
  %count = tensor.extract %sum[] : tensor<i64>
  return %count : i64
}

func.func @main() {
  %w = call @sparse_weight() : () -> tensor<16x16xi8, #w>
  %d = call @dense_weight() : () -> tensor<16x16xi8>
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %c16 = arith.constant 16 : index
  %first = call @differences(%w, %d, %c3, %c10)
      : (tensor<16x16xi8, #w>, tensor<16x16xi8>, index, index) -> i64
  call @printI64(%first) : (i64) -> ()
  call @printNewline() : () -> ()
  %second = call @differences(%w, %d, %c3, %c16)
      : (tensor<16x16xi8, #w>, tensor<16x16xi8>, index, index) -> i64
  call @printI64(%second) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
