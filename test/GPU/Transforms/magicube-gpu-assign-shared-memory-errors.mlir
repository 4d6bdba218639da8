// RUN: magicube-opt %s --magicube-gpu-assign-shared-memory --split-input-file --verify-diagnostics

module attributes {magicube.chip = "sm_86"} {
  gpu.module @kernels {
    // expected-error@+2 {{needs 104448 bytes of shared memory, but a block has at most 101376 on sm_86}}
    // expected-note@+1 {{give the product a schedule with a smaller tile_n or fewer stages}}
    gpu.func @too_much_memory() kernel {
      %0 = magicube_gpu.alloc_tile : <rows = 51, row_bytes = 1024, stages = 2>
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
