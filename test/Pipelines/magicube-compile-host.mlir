// What is left of tensor programs on the host: buffers where kernels reach them.
// RUN: magicube-opt %s --pass-pipeline="builtin.module(magicube-compile{chip=sm_80})" --split-input-file \
// RUN:   | FileCheck %s --implicit-check-not="tensor." --implicit-check-not="memref.alloc" --implicit-check-not="bufferization." --implicit-check-not="magicube.spmm"

#w = #magicube.sr_bcrs<vector = 8>

// The result is the only buffer: neither empty tensors nor fills with zero cost one.
// CHECK: module attributes {gpu.container_module, magicube.chip = "sm_80"}
// CHECK: gpu.module @magicube_kernels [#nvvm.target<chip = "sm_80", features = "+ptx70">]
// CHECK-LABEL: func.func @fill_and_multiply(
// CHECK-SAME: memref<2x2xi32>, %{{[^:]*}}: memref<?xi32>, %{{[^:]*}}: memref<?xi8>, %{{[^:]*}}: memref<32x16xi8>) -> memref<16x16xi32>
// CHECK: %[[C:.*]] = gpu.alloc host_shared () : memref<16x16xi32>
// CHECK-NOT: linalg
// CHECK-NOT: gpu.alloc
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_align16
// CHECK: return %[[C]]
func.func @fill_and_multiply(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<16x16xi32>
  %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<16x16xi32>) -> tensor<16x16xi32>
  %c = magicube.spmm %a, %b outs(%fill)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// An argument that is a destination is added to in place; the caller gets a copy
// of its own.
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[C:[^:]*]]: memref<16x16xi32>
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_align16_accumulate
// CHECK: %[[COPY:.*]] = gpu.alloc host_shared () : memref<16x16xi32>
// CHECK: memref.copy %[[C]], %[[COPY]]
// CHECK: return %[[COPY]]
func.func @accumulate(%c: tensor<16x16xi32> {bufferization.writable = true}, %a: tensor<16x32xi8, #w>,
                      %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %d = magicube.spmm %a, %b outs(%c)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
  return %d : tensor<16x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// Any other argument is not written.
// CHECK-LABEL: func.func @read_only(
// CHECK-SAME: %[[C:[^:]*]]: memref<16x16xi32>
// CHECK: %[[COPY:.*]] = gpu.alloc host_shared () : memref<16x16xi32>
// CHECK: memref.copy %[[C]], %[[COPY]]
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_align16_accumulate
// CHECK: return %[[COPY]]
func.func @read_only(%c: tensor<16x16xi32>, %a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %d = magicube.spmm %a, %b outs(%c)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
  return %d : tensor<16x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// A chain: arithmetic on a whole tensor between two products of one kernel.
// CHECK-LABEL: func.func @chain(
// CHECK: gpu.launch_func @magicube_kernels::@[[KERNEL:spmm_i8_i8_v8_align16]]
// CHECK: linalg.generic
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: gpu.launch_func @magicube_kernels::@[[KERNEL]]
// Both temporaries are freed.
// CHECK-COUNT-2: gpu.dealloc
// CHECK: return
func.func @chain(%a: tensor<16x32xi8, #w>, %a2: tensor<32x16xi8, #w>, %b: tensor<32x16xi8>) -> tensor<32x16xi32> {
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  %narrow = arith.trunci %c : tensor<16x16xi32> to tensor<16x16xi8>
  %d = magicube.spmm %a2, %narrow : (tensor<32x16xi8, #w>, tensor<16x16xi8>) -> tensor<32x16xi32>
  return %d : tensor<32x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
!sparse = tensor<?x?xi8, #w>

// Sparse tensors that change places in a loop.
// CHECK-LABEL: func.func @swapped_in_loop(
// CHECK: scf.for
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_align16_accumulate
func.func @swapped_in_loop(%a: !sparse, %b: !sparse, %n: index, %x: tensor<?x?xi8>,
                           %init: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b, %sum = %init)
      -> (!sparse, !sparse, tensor<?x?xi32>) {
    %next = magicube.spmm %p, %x outs(%sum)
          : (!sparse, tensor<?x?xi8>, tensor<?x?xi32>) -> tensor<?x?xi32>
    scf.yield %q, %p, %next : !sparse, !sparse, tensor<?x?xi32>
  }
  return %r#2 : tensor<?x?xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// Weights in the program: each component is copied to where kernels reach it.
// CHECK-LABEL: func.func @constant_weights(
// CHECK-COUNT-3: memref.copy
// CHECK: gpu.launch_func
// CHECK-COUNT-3: gpu.dealloc
func.func @constant_weights(%b: tensor<32x16xi8>) -> tensor<8x16xi32> {
  %ptr = arith.constant dense<[[0, 1]]> : tensor<1x2xi32>
  %idx = arith.constant dense<3> : tensor<32xi32>
  %val = arith.constant dense<2> : tensor<256xi8>
  %a = magicube.assemble %ptr, %idx, %val
     : (tensor<1x2xi32>, tensor<32xi32>, tensor<256xi8>) -> tensor<8x32xi8, #w>
  %c = magicube.spmm %a, %b : (tensor<8x32xi8, #w>, tensor<32x16xi8>) -> tensor<8x16xi32>
  return %c : tensor<8x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// A batch by hand: slices are read and written where they are.
// CHECK-LABEL: func.func @batch(
// CHECK: %[[ALL:.*]] = gpu.alloc host_shared () : memref<2x16x16xi32>
// CHECK: scf.for
// CHECK-NOT: memref.copy
// CHECK: gpu.launch_func
// CHECK: return %[[ALL]]
func.func @batch(%a: tensor<16x32xi8, #w>, %b: tensor<2x32x16xi8>) -> tensor<2x16x16xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %empty = tensor.empty() : tensor<2x16x16xi32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%all = %empty) -> tensor<2x16x16xi32> {
    %one = tensor.extract_slice %b[%i, 0, 0] [1, 32, 16] [1, 1, 1] : tensor<2x32x16xi8> to tensor<32x16xi8>
    %c = magicube.spmm %a, %one : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
    %next = tensor.insert_slice %c into %all[%i, 0, 0] [1, 16, 16] [1, 1, 1]
          : tensor<16x16xi32> into tensor<2x16x16xi32>
    scf.yield %next : tensor<2x16x16xi32>
  }
  return %r : tensor<2x16x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// Sparse tensors through calls, and a declaration.
// CHECK: func.func private @external(memref<2x2xi32>, memref<?xi32>, memref<?xi8>, index) -> (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, index)
// CHECK-LABEL: func.func private @layer(
// CHECK: gpu.launch_func
// CHECK-LABEL: func.func @calls(
// CHECK: call @external(
// CHECK: call @layer(
func.func private @external(tensor<16x?xi8, #w>) -> tensor<16x?xi8, #w>
func.func private @layer(%a: tensor<16x?xi8, #w>, %b: tensor<?x16xi8>) -> tensor<16x16xi32> {
  %c = magicube.spmm %a, %b : (tensor<16x?xi8, #w>, tensor<?x16xi8>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}
func.func @calls(%a: tensor<16x?xi8, #w>, %b: tensor<?x16xi8>) -> tensor<16x16xi32> {
  %0 = call @external(%a) : (tensor<16x?xi8, #w>) -> tensor<16x?xi8, #w>
  %1 = call @layer(%0, %b) : (tensor<16x?xi8, #w>, tensor<?x16xi8>) -> tensor<16x16xi32>
  return %1 : tensor<16x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// Nothing to compute, nothing to launch.
// CHECK-LABEL: func.func @no_columns(
// CHECK-NOT: gpu.launch_func
// CHECK: return
func.func @no_columns(%a: tensor<16x32xi8, #w>, %b: tensor<32x0xi8>) -> tensor<16x0xi32> {
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x0xi8>) -> tensor<16x0xi32>
  return %c : tensor<16x0xi32>
}
