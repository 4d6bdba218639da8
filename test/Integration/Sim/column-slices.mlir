// Products of column slices: rows that are not contiguous, whose distance is
// aligned for the fast path but whose length is not, and elements beside the slice
// that must stay. Around it host code of several upstream dialects.

// RUN: magicube-opt %s --magicube-to-llvm -o %t.mlir 2> /dev/null
// RUN: %{run-main} %t.mlir | FileCheck %s

// Row 5 of the weight has ones at column 3 alone, so it copies row 3 of %x, j + 3,
// to 13 of every 16 columns on top of the 7 that is there.
// CHECK: ( 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 7, 7, 7, 26, {{.*}}, 38, 7, 7, 7 )
// tanh of each is 1.
// CHECK-NEXT: 32
// CHECK-NEXT: 2.71828

#w = #magicube.sr_bcrs<vector = 8>

func.func @main() {
  %pointers = arith.constant dense<[[0, 1], [32, 33]]> : tensor<2x2xi32>
  %indices = arith.constant dense<3> : tensor<64xi32>
  %values = arith.constant dense<1> : tensor<512xi8>
  %w = magicube.assemble %pointers, %indices, %values
     : (tensor<2x2xi32>, tensor<64xi32>, tensor<512xi8>) -> tensor<16x8xi8, #w>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %sum = index.add %i, %j
    %value = index.castu %sum : index to i8
    tensor.yield %value : i8
  } : tensor<8x32xi8>
  %seven = arith.constant 7 : i32
  %empty = tensor.empty() : tensor<16x32xi32>
  %sevens = linalg.fill ins(%seven : i32) outs(%empty : tensor<16x32xi32>) -> tensor<16x32xi32>
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%out = %sevens) -> tensor<16x32xi32> {
    %first = affine.apply affine_map<(i) -> (i * 16)>(%i)
    %columns = tensor.extract_slice %x[0, %first] [8, 13] [1, 1]
       : tensor<8x32xi8> to tensor<8x13xi8>
    %place = tensor.extract_slice %out[0, %first] [16, 13] [1, 1]
       : tensor<16x32xi32> to tensor<16x13xi32>
    %product = magicube.spmm %w, %columns outs(%place)
       : (tensor<16x8xi8, #w>, tensor<8x13xi8>, tensor<16x13xi32>) -> tensor<16x13xi32>
    %next = tensor.insert_slice %product into %out[0, %first] [16, 13] [1, 1]
       : tensor<16x13xi32> into tensor<16x32xi32>
    scf.yield %next : tensor<16x32xi32>
  }

  %row = tensor.extract_slice %y[5, 0] [1, 32] [1, 1] : tensor<16x32xi32> to tensor<32xi32>
  %vector = vector.transfer_read %row[%c0], %seven {in_bounds = [true]}
      : tensor<32xi32>, vector<32xi32>
  vector.print %vector : vector<32xi32>

  %float = arith.sitofp %row : tensor<32xi32> to tensor<32xf32>
  %tanh = math.tanh %float : tensor<32xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%tanh : tensor<32xf32>)
                                      outs(%zero : tensor<f32>) dimensions = [0]
  %total = tensor.extract %sum[] : tensor<f32>
  vector.print %total : f32

  %exp = scf.forall (%i) in (32) shared_outs(%out = %tanh) -> tensor<32xf32> {
    %one = tensor.extract_slice %out[%i] [1] [1] : tensor<32xf32> to tensor<1xf32>
    %e = math.exp %one : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %out[%i] [1] [1]
        : tensor<1xf32> into tensor<32xf32>
    }
  }
  %second = tensor.extract %exp[%c1] : tensor<32xf32>
  vector.print %second : f32
  return
}
