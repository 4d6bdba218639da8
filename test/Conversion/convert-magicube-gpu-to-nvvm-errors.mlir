// RUN: magicube-opt %s --pass-pipeline="builtin.module(gpu.module(convert-magicube-gpu-to-nvvm))" --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Passes that have not run
//===----------------------------------------------------------------------===//

gpu.module @kernels {
  gpu.func @waits() kernel {
    // expected-error@+1 {{is still here: run magicube-gpu-pipeline-loads first}}
    magicube_gpu.await_copies
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @tile_without_place() kernel {
    // expected-error@+1 {{has no place in shared memory: run magicube-gpu-assign-shared-memory first}}
    %t = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 32>
    gpu.return
  }
}

// -----

//===----------------------------------------------------------------------===//
// The block
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  gpu.func @no_block_size(%g: !llvm.ptr<1>, %i: i32) kernel {
    // expected-error@+1 {{expected a gpu.func with a known_block_size of one dimension around it}}
    %k = magicube_gpu.ldg_gather_indices %g at %i to %i {encoding = #w, step = #magicube_gpu.step<layout = <form = transposed>>, row_bytes = 16 : i64} : i32
    gpu.return
  }
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  gpu.func @block_of_two_dimensions(%g: !llvm.ptr<1>, %i: i32) kernel attributes {known_block_size = array<i32: 16, 2, 1>} {
    // expected-error@+1 {{expected a gpu.func with a known_block_size of one dimension around it}}
    %k = magicube_gpu.ldg_gather_indices %g at %i to %i {encoding = #w, step = #magicube_gpu.step<layout = <form = transposed>>, row_bytes = 16 : i64} : i32
    gpu.return
  }
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  gpu.func @too_few_indices(%g: !llvm.ptr<1>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{expected the block's threads to share 2 x 32 chunks evenly, but got 32 threads with 1 each}}
    %k = magicube_gpu.ldg_gather_indices %g at %i to %i {encoding = #w, step = #magicube_gpu.step<layout = <form = transposed>>, row_bytes = 32 : i64} : i32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @row_longer_than_block(%g: !llvm.ptr<1>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 1024, layout = <offset = 0, stage_bytes = 32768, pitch = 1024, swizzle_mask = 7, swizzle_shift = 0>>
    // expected-error@+1 {{expected the block's threads to share 64 x 32 chunks evenly, but got 32 threads with 2 each}}
    magicube_gpu.cp_async_gathered_rows %g[%i, %i] stride %i at %i to %i into %t {alignment = 16 : i64}
        : <rows = 32, row_bytes = 1024, layout = <offset = 0, stage_bytes = 32768, pitch = 1024, swizzle_mask = 7, swizzle_shift = 0>>
    gpu.return
  }
}

// -----

//===----------------------------------------------------------------------===//
// Other operations with values of the dialect
//===----------------------------------------------------------------------===//

gpu.module @kernels {
  // expected-error@+1 {{'gpu.func' op has a value of type '!magicube_gpu.fragment<"m16n8k32", c, i32>', which only magicube_gpu and scf operations know}}
  gpu.func @fragment_argument(%f: !magicube_gpu.fragment<"m16n8k32", c, i32>) {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @cast() kernel {
    %a = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
    // expected-error@+1 {{'builtin.unrealized_conversion_cast' op has a value of type '!magicube_gpu.fragment<"m16n8k32", c, i32>', which only magicube_gpu and scf operations know}}
    %b = builtin.unrealized_conversion_cast %a : !magicube_gpu.fragment<"m16n8k32", c, i32> to vector<4xi32>
    gpu.return
  }
}

// -----

!slab = !magicube_gpu.tile<rows = 8, row_bytes = 32, layout = <offset = 0, stage_bytes = 256, pitch = 32, swizzle_mask = 0, swizzle_shift = 0>>
gpu.module @kernels {
  gpu.func @fill_by_no_block(%g: !llvm.ptr<1>, %i: i32) kernel {
    %t = magicube_gpu.alloc_tile : !slab
    %count = arith.constant 8 : i32
    // expected-error@+1 {{expected a gpu.func with a known_block_size of one dimension around it}}
    magicube_gpu.cp_async_rows %g count %count stride %i at %i to %i into %t {alignment = 16 : i64} : !slab
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{has the name of the kernels' shared memory, 'smem'}}
  gpu.func @smem() {
    gpu.return
  }
}
