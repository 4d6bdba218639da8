// RUN: magicube-opt %s --magicube-gpu-assign-shared-memory --split-input-file --verify-diagnostics

module attributes {magicube.chip = "sm_86"} {
  gpu.module @kernels {
    // expected-error@+2 {{needs 104448 bytes of shared memory, but a block has at most 101376 on sm_86}}
    // expected-note@+1 {{give the product a schedule with a smaller tile_n, or fewer smem_stages, warps or rows_per_cta}}
    gpu.func @too_much_memory() kernel {
      %0 = magicube_gpu.alloc_tile : <rows = 51, row_bytes = 1024, stages = 2>
      gpu.return
    }
  }
}

// -----

module attributes {magicube.chip = "sm_86"} {
  gpu.module @kernels {
    // expected-error@+2 {{needs 102400 bytes of shared memory, but a block has at most 101376 on sm_86}}
    // expected-note@+1 {{give the product a schedule with a smaller tile_n, or fewer smem_stages, warps or rows_per_cta}}
    gpu.func @too_large_slab(%g: !llvm.ptr<1>, %i: i32) kernel {
      %0 = magicube_gpu.alloc_tile : <rows = 1600, row_bytes = 64>
      %count = arith.constant 1600 : i32
      magicube_gpu.cp_async_rows %g count %count stride %i at %i to %i into %0 {alignment = 16 : i64}
          : <rows = 1600, row_bytes = 64>
      gpu.return
    }
  }
}

// -----

// expected-error@+1 {{expected the module attribute 'magicube.chip': run magicube-select-schedule first}}
module {
  gpu.module @no_chip {
  }
}
