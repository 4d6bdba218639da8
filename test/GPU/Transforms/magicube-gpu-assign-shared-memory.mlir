// RUN: magicube-opt %s --magicube-gpu-assign-shared-memory | FileCheck %s

#transposed = #magicube_gpu.step<layout = <form = transposed>>
module attributes {gpu.container_module, magicube.chip = "sm_80"} {

gpu.module @kernels {
// Rings one after the other, each 128-byte aligned. The swizzle follows from the
// chunks of a row (16 bytes each): 1, 2, 4, 8 or more.
// CHECK-LABEL: gpu.func @places
// CHECK-SAME: magicube_gpu.shared_memory = 14208 : i64
// CHECK-NEXT: <rows = 32, row_bytes = 16, stages = 2, layout = <offset = 0, stage_bytes = 512, pitch = 16, swizzle_mask = 0, swizzle_shift = 0>>
// CHECK-NEXT: <rows = 32, row_bytes = 32, layout = <offset = 1024, stage_bytes = 1024, pitch = 32, swizzle_mask = 1, swizzle_shift = 2>>
// CHECK-NEXT: <rows = 1, row_bytes = 32, layout = <offset = 2048, stage_bytes = 128, pitch = 32, swizzle_mask = 1, swizzle_shift = 2>>
// CHECK-NEXT: <rows = 32, row_bytes = 64, layout = <offset = 2176, stage_bytes = 2048, pitch = 64, swizzle_mask = 3, swizzle_shift = 1>>
// CHECK-NEXT: <rows = 32, row_bytes = 48, layout = <offset = 4224, stage_bytes = 1536, pitch = 48, swizzle_mask = 0, swizzle_shift = 0>>
// CHECK-NEXT: <rows = 32, row_bytes = 256, layout = <offset = 5760, stage_bytes = 8192, pitch = 256, swizzle_mask = 7, swizzle_shift = 0>>
// CHECK-NEXT: <rows = 1, row_bytes = 256, layout = <offset = 13952, stage_bytes = 256,
  gpu.func @places() kernel {
    %0 = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 16, stages = 2>
    %1 = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 32>
    %2 = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 32>
    %3 = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 64>
    %4 = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 48>
    %5 = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 256>
    %6 = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
    gpu.return
  }

// What uses a tile sees its place.
// CHECK-LABEL: gpu.func @users
// CHECK: magicube_gpu.lds_rows {{.*}} : <rows = 32, row_bytes = 32, layout = <offset = 0,
  gpu.func @users(%i: i32) kernel {
    %0 = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 32>
    %1 = magicube_gpu.lds_rows %0 chunk %i {step = #transposed} : <rows = 32, row_bytes = 32> -> <4>
    gpu.return
  }

// All that the chip has: 163 KB.
// CHECK-LABEL: gpu.func @full
// CHECK-SAME: magicube_gpu.shared_memory = 166912 : i64
  gpu.func @full() kernel {
    %0 = magicube_gpu.alloc_tile : <rows = 163, row_bytes = 1024>
    gpu.return
  }
}

// A kernel of somebody else that happens to have the same name.
// CHECK: gpu.func @places() kernel {
gpu.module @others {
  gpu.func @places() kernel {
    gpu.return
  }
}

// Every launch gets the size, the other kernels' keep theirs.
// CHECK-LABEL: func.func @launches
// CHECK: %[[PLACES:.*]] = arith.constant 14208 : i32
// CHECK-NEXT: gpu.launch_func @kernels::@places {{.*}} dynamic_shared_memory_size %[[PLACES]]
// CHECK: %[[FULL:.*]] = arith.constant 166912 : i32
// CHECK-NEXT: gpu.launch_func @kernels::@full {{.*}} dynamic_shared_memory_size %[[FULL]]
// CHECK: gpu.launch_func @others::@places {{.*}} dynamic_shared_memory_size %c7_i32
func.func @launches() {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  gpu.launch_func @kernels::@places blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  gpu.launch_func @kernels::@full blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      dynamic_shared_memory_size %c7
  gpu.launch_func @others::@places blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      dynamic_shared_memory_size %c7
  return
}
}
