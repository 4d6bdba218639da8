// RUN: magicube-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(magicube-gpu-pipeline-loads)))" --split-input-file --verify-diagnostics

#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  // expected-error@+1 {{expected 'magicube_gpu.stages' from 1 to 8 around magicube_gpu.await_copies}}
  gpu.func @no_stages(%g: !llvm.ptr<1>, %n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
    scf.for %i = %c0 to %n step %c1 : i32 {
      magicube_gpu.cp_async_values %g at %i to %n into %t {encoding = #w} : <rows = 1, row_bytes = 256>
      magicube_gpu.await_copies
    }
    gpu.return
  }
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  // expected-error@+1 {{expected 'magicube_gpu.stages' from 1 to 8 around magicube_gpu.await_copies}}
  gpu.func @nine_stages(%g: !llvm.ptr<1>, %n: i32) kernel attributes {magicube_gpu.stages = 9 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
    scf.for %i = %c0 to %n step %c1 : i32 {
      magicube_gpu.cp_async_values %g at %i to %n into %t {encoding = #w} : <rows = 1, row_bytes = 256>
      magicube_gpu.await_copies
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @outside_of_loop() kernel attributes {magicube_gpu.stages = 2 : i64} {
    // expected-error@+1 {{expected an scf.for right around it}}
    magicube_gpu.await_copies
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @inside_of_branch(%p: i1, %n: i32) kernel attributes {magicube_gpu.stages = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.if %p {
        // expected-error@+1 {{expected an scf.for right around it}}
        magicube_gpu.await_copies
      }
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @loop_from_one(%n: i32) kernel attributes {magicube_gpu.stages = 2 : i64} {
    %c1 = arith.constant 1 : i32
    // expected-error@+1 {{expected to count from 0 in steps of 1 in i32 around magicube_gpu.await_copies}}
    scf.for %i = %c1 to %n step %c1 : i32 {
      magicube_gpu.await_copies
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @index_loop(%n: index) kernel attributes {magicube_gpu.stages = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{expected to count from 0 in steps of 1 in i32 around magicube_gpu.await_copies}}
    scf.for %i = %c0 to %n step %c1 {
      magicube_gpu.await_copies
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @nothing_to_wait_for(%n: i32) kernel attributes {magicube_gpu.stages = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-error@+1 {{expected copies before it in its loop}}
      magicube_gpu.await_copies
    }
    gpu.return
  }
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  gpu.func @two_waits(%g: !llvm.ptr<1>, %n: i32) kernel attributes {magicube_gpu.stages = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
    scf.for %i = %c0 to %n step %c1 : i32 {
      magicube_gpu.cp_async_values %g at %i to %n into %t {encoding = #w} : <rows = 1, row_bytes = 256>
      magicube_gpu.await_copies
      // expected-error@+1 {{expected to be the only one in its loop}}
      magicube_gpu.await_copies
    }
    gpu.return
  }
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  gpu.func @copy_after_wait(%g: !llvm.ptr<1>, %n: i32) kernel attributes {magicube_gpu.stages = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
    scf.for %i = %c0 to %n step %c1 : i32 {
      magicube_gpu.await_copies
      // expected-error@+1 {{expected to be before the loop's await_copies}}
      magicube_gpu.cp_async_values %g at %i to %n into %t {encoding = #w} : <rows = 1, row_bytes = 256>
    }
    gpu.return
  }
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  gpu.func @store_before_wait(%g: !llvm.ptr<1>, %n: i32) kernel attributes {magicube_gpu.stages = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
    scf.for %i = %c0 to %n step %c1 : i32 {
      magicube_gpu.cp_async_values %g at %i to %n into %t {encoding = #w} : <rows = 1, row_bytes = 256>
      // expected-error@+1 {{expected to be after the loop's await_copies: what is before it runs ahead}}
      llvm.store %i, %g : i32, !llvm.ptr<1>
      magicube_gpu.await_copies
    }
    gpu.return
  }
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  gpu.func @tile_of_iteration(%g: !llvm.ptr<1>, %n: i32) kernel attributes {magicube_gpu.stages = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
      // expected-error@+1 {{expected the tile of a magicube_gpu.alloc_tile outside of the loop}}
      magicube_gpu.cp_async_values %g at %i to %n into %t {encoding = #w} : <rows = 1, row_bytes = 256>
      magicube_gpu.await_copies
    }
    gpu.return
  }
}

// -----

// The next step's position depends on what a step computed.
#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  gpu.func @position_from_result(%g: !llvm.ptr<1>, %n: i32) kernel attributes {magicube_gpu.stages = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
    // expected-error@+1 {{cannot be pipelined over 2 stages}}
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%position = %c0) -> (i32) : i32 {
      // expected-error@+1 {{operation scheduled before its operands}}
      magicube_gpu.cp_async_values %g at %position to %n into %t {encoding = #w} : <rows = 1, row_bytes = 256>
      magicube_gpu.await_copies
      %next = llvm.load %g : !llvm.ptr<1> -> i32
      scf.yield %next : i32
    }
    gpu.return
  }
}

// -----

// A copy without a predicate cannot run ahead.
#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  gpu.func @fill_before_wait(%g: !llvm.ptr<1>, %n: i32) kernel attributes {magicube_gpu.stages = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
    scf.for %i = %c0 to %n step %c1 : i32 {
      magicube_gpu.cp_async_values %g at %i to %n into %t {encoding = #w} : <rows = 1, row_bytes = 256>
      // expected-error@+1 {{expected to be after the loop's await_copies: what is before it runs ahead}}
      magicube_gpu.cp_async_rows %g count %i stride %n at %n to %n into %t {alignment = 16 : i64} : <rows = 1, row_bytes = 256>
      magicube_gpu.await_copies
    }
    gpu.return
  }
}
