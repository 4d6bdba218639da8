// A whole program: two layers with the same sparse int8 weight, a requantization
// between them in plain linalg, and a check against dense arithmetic. Runs on the
// host SIMT device:
//
//   magicube-opt examples/whole-program.mlir --magicube-to-llvm |
//     mlir-runner -e main --entry-point-result=void \
//       --shared-libs=build/lib/libmagicube_runtime.so,$MLIR/libmlir_c_runner_utils.so
//
// or, with --magicube-to-llvm="chip=sm_90 format=isa" and MAGICUBE_DEVICE=cuda, on
// a GPU. It prints the number of wrong elements, 0.

#weight = #magicube.sr_bcrs<vector = 8, stride = 8>

func.func private @printI64(i64)
func.func private @printNewline()

// Products take and return tensors like any other function.
func.func private @layer(%w: tensor<16x16xi8, #weight>, %x: tensor<16x32xi8>)
    -> tensor<16x32xi32> {
  %y = magicube.spmm %w, %x
     : (tensor<16x16xi8, #weight>, tensor<16x32xi8>) -> tensor<16x32xi32>
  return %y : tensor<16x32xi32>
}

func.func private @dense_layer(%w: tensor<16x16xi8>, %x: tensor<16x32xi8>)
    -> tensor<16x32xi32> {
  %zero = arith.constant dense<0> : tensor<16x32xi32>
  %y = linalg.matmul ins(%w, %x : tensor<16x16xi8>, tensor<16x32xi8>)
                     outs(%zero : tensor<16x32xi32>) -> tensor<16x32xi32>
  return %y : tensor<16x32xi32>
}

// clamp(y >> 6) to int8.
func.func private @requantize(%y: tensor<16x32xi32>) -> tensor<16x32xi8> {
  %shift = arith.constant dense<6> : tensor<16x32xi32>
  %low = arith.constant dense<-128> : tensor<16x32xi32>
  %high = arith.constant dense<127> : tensor<16x32xi32>
  %0 = arith.shrsi %y, %shift : tensor<16x32xi32>
  %1 = arith.maxsi %0, %low : tensor<16x32xi32>
  %2 = arith.minsi %1, %high : tensor<16x32xi32>
  %3 = arith.trunci %2 : tensor<16x32xi32> to tensor<16x32xi8>
  return %3 : tensor<16x32xi8>
}

// The dense matrix that the components of the weight stand for: vector v of row r
// lies at positions pointers[r][0] to pointers[r][1], value i of position p at
// (p / 8) * 64 + i * 8 + p % 8.
func.func private @unpack(%pointers: tensor<2x2xi32>, %indices: tensor<16xi32>,
                          %values: tensor<128xi8>) -> tensor<16x16xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0> : tensor<16x16xi8>
  %dense = scf.for %row = %c0 to %c2 step %c1
      iter_args(%rows = %zero) -> tensor<16x16xi8> {
    %begin32 = tensor.extract %pointers[%row, %c0] : tensor<2x2xi32>
    %end32 = tensor.extract %pointers[%row, %c1] : tensor<2x2xi32>
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %filled = scf.for %p = %begin to %end step %c1
        iter_args(%vectors = %rows) -> tensor<16x16xi8> {
      %column32 = tensor.extract %indices[%p] : tensor<16xi32>
      %column = arith.index_cast %column32 : i32 to index
      %vector = scf.for %i = %c0 to %c8 step %c1
          iter_args(%elements = %vectors) -> tensor<16x16xi8> {
        %at = affine.apply affine_map<(p, i) ->
            ((p floordiv 8) * 64 + i * 8 + p mod 8)>(%p, %i)
        %value = tensor.extract %values[%at] : tensor<128xi8>
        %m = affine.apply affine_map<(r, i) -> (r * 8 + i)>(%row, %i)
        %next = tensor.insert %value into %elements[%m, %column]
            : tensor<16x16xi8>
        scf.yield %next : tensor<16x16xi8>
      }
      scf.yield %vector : tensor<16x16xi8>
    }
    scf.yield %filled : tensor<16x16xi8>
  }
  return %dense : tensor<16x16xi8>
}

func.func private @count_differences(%a: tensor<16x32xi32>,
                                     %b: tensor<16x32xi32>) -> i64 {
  %zero = arith.constant dense<0> : tensor<i64>
  // Not linalg.reduce: while `dimensions` is being typed, LLVM 22's parser of it
  // ends a language server.
  %sum = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>,
                       affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<16x32xi32>, tensor<16x32xi32>)
      outs(%zero : tensor<i64>) {
  ^bb0(%one: i32, %other: i32, %before: i64):
    %different = arith.cmpi ne, %one, %other : i32
    %number = arith.extui %different : i1 to i64
    %after = arith.addi %before, %number : i64
    linalg.yield %after : i64
  } -> tensor<i64>
  %count = tensor.extract %sum[] : tensor<i64>
  return %count : i64
}

func.func @main() {
  // The weight: 5 vectors of 8 rows in the first vector-row, 3 in the second, each
  // padded to a stride of 8 with index -1 and values 0.
  %pointers = arith.constant dense<[[0, 5], [8, 11]]> : tensor<2x2xi32>
  %indices = arith.constant dense<[0, 3, 4, 9, 15, -1, -1, -1,
                                   2, 7, 8, -1, -1, -1, -1, -1]> : tensor<16xi32>
  %values = tensor.generate {
  ^bb0(%i: index):
    %p = affine.apply affine_map<(i) -> (i mod 8)>(%i)
    %count = affine.apply affine_map<(i) -> (5 - (i floordiv 64) * 2)>(%i)
    %stored = arith.cmpi ult, %p, %count : index
    %c37 = arith.constant 37 : index
    %product = arith.muli %i, %c37 : index
    %some = arith.index_cast %product : index to i8
    %zero = arith.constant 0 : i8
    %value = arith.select %stored, %some, %zero : i8
    tensor.yield %value : i8
  } : tensor<128xi8>
  %w = magicube.assemble %pointers, %indices, %values
     : (tensor<2x2xi32>, tensor<16xi32>, tensor<128xi8>)
     -> tensor<16x16xi8, #weight>

  %x = tensor.generate {
  ^bb0(%k: index, %n: index):
    %mixed = affine.apply affine_map<(k, n) -> (k * 29 + n * 53 + 7)>(%k, %n)
    %value = arith.index_cast %mixed : index to i8
    tensor.yield %value : i8
  } : tensor<16x32xi8>

  %hidden = call @layer(%w, %x)
      : (tensor<16x16xi8, #weight>, tensor<16x32xi8>) -> tensor<16x32xi32>
  %hidden8 = call @requantize(%hidden) : (tensor<16x32xi32>) -> tensor<16x32xi8>
  %result = call @layer(%w, %hidden8)
      : (tensor<16x16xi8, #weight>, tensor<16x32xi8>) -> tensor<16x32xi32>

  %dense = call @unpack(%pointers, %indices, %values)
      : (tensor<2x2xi32>, tensor<16xi32>, tensor<128xi8>) -> tensor<16x16xi8>
  %d_hidden = call @dense_layer(%dense, %x)
      : (tensor<16x16xi8>, tensor<16x32xi8>) -> tensor<16x32xi32>
  %d_hidden8 = call @requantize(%d_hidden)
      : (tensor<16x32xi32>) -> tensor<16x32xi8>
  %expected = call @dense_layer(%dense, %d_hidden8)
      : (tensor<16x16xi8>, tensor<16x32xi8>) -> tensor<16x32xi32>

  %differences = call @count_differences(%result, %expected)
      : (tensor<16x32xi32>, tensor<16x32xi32>) -> i64
  call @printI64(%differences) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
