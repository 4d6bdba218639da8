// After the last stage kernels hold only llvm and nvvm operations, and no addresses
// of shared memory but @smem's.
// RUN: magicube-opt %{examples}/spmm.mlir --pass-pipeline="builtin.module(magicube-compile)" \
// RUN:   | FileCheck %s --implicit-check-not="magicube_gpu.zero"

// CHECK: gpu.module @magicube_kernels
// CHECK-COUNT-1: llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 128 : i64
// CHECK: llvm.func @spmm_i8_i8_v8_align16(
// CHECK-SAME: !llvm.ptr<1> {llvm.noalias, llvm.readonly}
// CHECK-NOT: {{^ *(%[^ ]+ = )?(arith|scf|memref|gpu|func|cf|index)\.}}
// CHECK: llvm.func @spmm_i8_i8_v8_align4(
// CHECK-NOT: {{^ *(%[^ ]+ = )?(arith|scf|memref|gpu|func|cf|index)\.}}
// CHECK: llvm.func @spmm_i8_i8_v8_align1(
// CHECK-NOT: {{^ *(%[^ ]+ = )?(arith|scf|memref|gpu|cf|index)\.}}
// CHECK: func.func @spmm(
