// The whole way down: what stock tools take, in every form of kernels.

// RUN: magicube-opt %s --magicube-to-llvm | FileCheck %s --check-prefixes=CHECK,BITCODE
// RUN: magicube-opt %s --magicube-to-llvm="chip=sm_90 format=isa" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,PTX
// RUN: magicube-opt %s --magicube-to-llvm="host-buffers" \
// RUN:   | FileCheck %s --check-prefix=HOST
// RUN: magicube-opt %s --magicube-to-llvm | mlir-translate --mlir-to-llvmir \
// RUN:   | FileCheck %s --check-prefix=TRANSLATED

// No attribute of ours is left.
// CHECK: module attributes {gpu.container_module} {
// BITCODE: gpu.binary @magicube_kernels [#gpu.object<{{.*}}sm_80{{.*}}, offload = "BC
// PTX: gpu.binary @magicube_kernels [#gpu.object<{{.*}}sm_90{{.*}}, assembly = "
// CHECK: llvm.func @layer(
// CHECK: llvm.func @_mlir_ciface_layer(
// CHECK: llvm.func internal @inner(
// CHECK: gpu.launch_func @magicube_kernels::
// CHECK-NOT: _mlir_ciface_inner

// HOST: llvm.func @layer(
// HOST: llvm.call @layer_on_device(
// HOST: llvm.func internal @layer_on_device(

// TRANSLATED: @magicube_kernels_binary = internal constant
// TRANSLATED: define void @_mlir_ciface_layer(
// TRANSLATED: call void @mgpuLaunchKernel(

#w = #magicube.sr_bcrs<vector = 8>

func.func @layer(%a: tensor<64x32xi8, #w>, %b: tensor<32x16xi8>)
    -> tensor<64x16xi32> {
  %c = call @inner(%a, %b)
     : (tensor<64x32xi8, #w>, tensor<32x16xi8>) -> tensor<64x16xi32>
  return %c : tensor<64x16xi32>
}

func.func private @inner(%a: tensor<64x32xi8, #w>, %b: tensor<32x16xi8>)
    -> tensor<64x16xi32> {
  %c = magicube.spmm %a, %b
     : (tensor<64x32xi8, #w>, tensor<32x16xi8>) -> tensor<64x16xi32>
  return %c : tensor<64x16xi32>
}
