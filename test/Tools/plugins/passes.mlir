// Stock mlir-opt runs our passes and pipelines, and upstream's after them.

// RUN: %{stock-opt} %s --pass-pipeline='builtin.module(convert-magicube-storage,canonicalize)' \
// RUN:   | FileCheck %s --check-prefix=STORAGE
// RUN: %{stock-opt} %s --pass-pipeline='builtin.module(magicube-compile{chip=sm_90},gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s --check-prefix=COMPILE
// RUN: %{stock-opt} %s --pass-pipeline='builtin.module(magicube-to-llvm{host-buffers})' \
// RUN:   | FileCheck %s --check-prefix=LLVM

// STORAGE: func.func @layer(%{{.*}}: tensor<8x2xi32>, %{{.*}}: tensor<?xi32>, %{{.*}}: tensor<?xi8>, %{{.*}}: tensor<32x16xi8>)
// STORAGE: magicube.spmm storage(

// COMPILE: gpu.binary @magicube_kernels
// COMPILE-SAME: chip = "sm_90"
// COMPILE-SAME: mma.sync.aligned.m16n8k32

// LLVM: gpu.binary @magicube_kernels
// LLVM: llvm.func @_mlir_ciface_layer(

#w = #magicube.sr_bcrs<vector = 8>

func.func @layer(%a: tensor<64x32xi8, #w>, %b: tensor<32x16xi8>)
    -> tensor<64x16xi32> {
  %c = magicube.spmm %a, %b
     : (tensor<64x32xi8, #w>, tensor<32x16xi8>) -> tensor<64x16xi32>
  return %c : tensor<64x16xi32>
}
