// One layer for a C++ program: a sparse int8 weight times dense int8 activations,
// in int32. CMakeLists.txt makes an object file of it, with its kernels inside:
//
//   magicube-compile layer.mlir --emit=obj --host-buffers --format=offloading \
//     -o layer.o
//
// or, step by step with upstream's tools,
//
//   magicube-opt layer.mlir --magicube-to-llvm="host-buffers" |
//     mlir-translate --mlir-to-llvmir |
//     llc -filetype=obj -relocation-model=pic -o layer.o

#weight = #magicube.sr_bcrs<vector = 8>

func.func @layer(%w: tensor<?x?xi8, #weight>, %x: tensor<?x?xi8>)
    -> tensor<?x?xi32> {
  %y = magicube.spmm %w, %x
     : (tensor<?x?xi8, #weight>, tensor<?x?xi8>) -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
