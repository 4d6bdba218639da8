// RUN: magicube-opt %s -o %t.text
// RUN: FileCheck %s --input-file=%t.text
// RUN: magicube-opt %t.text -o %t.again
// RUN: diff %t.text %t.again
// RUN: magicube-opt %s --mlir-print-op-generic | magicube-opt -o %t.generic
// RUN: diff %t.text %t.generic
// RUN: magicube-opt %s --emit-bytecode | magicube-opt -o %t.bytecode
// RUN: diff %t.text %t.bytecode

#w = #magicube.sr_bcrs<vector = 8>

// Every row of the MMA table and every sign. One stage and no layout are elided.
// CHECK-LABEL: @types
// CHECK-SAME: !magicube_gpu.fragment<"m16n8k32", a, si8>
// CHECK-SAME: !magicube_gpu.fragment<"m16n8k16", b, ui8>
// CHECK-SAME: !magicube_gpu.fragment<"m8n8k16", c, i32>
// CHECK-SAME: !magicube_gpu.fragment<"m16n8k64", a, ui4>
// CHECK-SAME: !magicube_gpu.fragment<"m16n8k32", b, si4>
// CHECK-SAME: !magicube_gpu.fragment<"m8n8k32", c, i32>
// CHECK-SAME: !magicube_gpu.registers<4>
// CHECK-SAME: !magicube_gpu.tile<rows = 32, row_bytes = 128>
// CHECK-SAME: !magicube_gpu.tile<rows = 32, row_bytes = 64, stages = 4, layout = <offset = 128, stage_bytes = 2048, pitch = 64, swizzle_mask = 3, swizzle_shift = 1>>
func.func private @types(
    !magicube_gpu.fragment<"m16n8k32", a, si8>, !magicube_gpu.fragment<"m16n8k16", b, ui8>,
    !magicube_gpu.fragment<"m8n8k16", c, i32>, !magicube_gpu.fragment<"m16n8k64", a, ui4>,
    !magicube_gpu.fragment<"m16n8k32", b, si4>, !magicube_gpu.fragment<"m8n8k32", c, i32>,
    !magicube_gpu.registers<4>, !magicube_gpu.tile<rows = 32, row_bytes = 128, stages = 1>,
    !magicube_gpu.tile<rows = 32, row_bytes = 64, stages = 4,
      layout = <offset = 128, stage_bytes = 2048, pitch = 64, swizzle_mask = 3, swizzle_shift = 1>>)

// CHECK-LABEL: gpu.func @operations
gpu.module @kernels {
  gpu.func @operations(%g: !llvm.ptr<1>, %i: i32, %p: i1, %f: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, magicube_gpu.stages = 2 : i64} {
    // CHECK: %[[ROWS:.*]] = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 32, stages = 2>
    // CHECK: %[[VALUES:.*]] = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
    %rows = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 32, stages = 2>
    %values = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>

    // With and without what is optional.
    // CHECK: magicube_gpu.load_indices %{{.*}} at %{{.*}} to %{{.*}} {encoding = #magicube.sr_bcrs<vector = 8>, recipe = "transpose", row_bytes = 32 : i64} : i32, i32
    // CHECK: magicube_gpu.load_indices %{{.*}} at %{{.*}} to %{{.*}} if %{{.*}} {encoding
    %columns:2 = magicube_gpu.load_indices %g at %i to %i
        {encoding = #w, recipe = "transpose", row_bytes = 32 : i64} : i32, i32
    %more:2 = magicube_gpu.load_indices %g at %i to %i if %p
        {encoding = #w, recipe = "transpose", row_bytes = 32 : i64} : i32, i32

    // CHECK: magicube_gpu.gather_rows %{{.*}}[%{{.*}}, %{{.*}}] stride %{{.*}} at %{{.*}} to %{{.*}} into %[[ROWS]] {alignment = 16 : i64} : <rows = 32, row_bytes = 32, stages = 2>
    // CHECK: magicube_gpu.gather_rows %{{.*}}[%{{.*}}, %{{.*}}] stride %{{.*}} at %{{.*}} to %{{.*}} into %[[ROWS]] slot %{{.*}} if %{{.*}} {alignment = 1 : i64}
    magicube_gpu.gather_rows %g[%columns#0, %columns#1] stride %i at %i to %i into %rows
        {alignment = 16 : i64} : <rows = 32, row_bytes = 32, stages = 2>
    magicube_gpu.gather_rows %g[%more#0, %more#1] stride %i at %i to %i into %rows slot %i if %p
        {alignment = 1 : i64} : <rows = 32, row_bytes = 32, stages = 2>

    // CHECK: magicube_gpu.copy_values %{{.*}} at %{{.*}} to %{{.*}} into %[[VALUES]] {encoding = #magicube.sr_bcrs<vector = 8>} : <rows = 1, row_bytes = 256>
    // CHECK: magicube_gpu.copy_values %{{.*}} at %{{.*}} to %{{.*}} into %[[VALUES]] slot %{{.*}} if %{{.*}} {encoding
    magicube_gpu.copy_values %g at %i to %i into %values {encoding = #w} : <rows = 1, row_bytes = 256>
    magicube_gpu.copy_values %g at %i to %i into %values slot %i if %p {encoding = #w}
        : <rows = 1, row_bytes = 256>
    // CHECK: magicube_gpu.await_copies
    magicube_gpu.await_copies

    // CHECK: %[[RAW:.*]] = magicube_gpu.load_rows %[[ROWS]] chunk %{{.*}} {recipe = "transpose"} : <rows = 32, row_bytes = 32, stages = 2> -> <4>
    // CHECK: magicube_gpu.load_rows %[[ROWS]] chunk %{{.*}} slot %{{.*}} {recipe = "transpose"}
    %raw = magicube_gpu.load_rows %rows chunk %i {recipe = "transpose"}
        : <rows = 32, row_bytes = 32, stages = 2> -> <4>
    %raw_slot = magicube_gpu.load_rows %rows chunk %i slot %i {recipe = "transpose"}
        : <rows = 32, row_bytes = 32, stages = 2> -> <4>
    // CHECK: %[[A:.*]] = magicube_gpu.transpose %[[RAW]] {recipe = "transpose"} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
    %a = magicube_gpu.transpose %raw {recipe = "transpose"} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
    // CHECK: %[[B:.*]] = magicube_gpu.load_values %[[VALUES]] slot %{{.*}} {encoding = #magicube.sr_bcrs<vector = 8>, recipe = "transpose"} : <rows = 1, row_bytes = 256> -> !magicube_gpu.fragment<"m16n8k32", b, ui8>
    %b = magicube_gpu.load_values %values slot %i {encoding = #w, recipe = "transpose"}
        : <rows = 1, row_bytes = 256> -> !magicube_gpu.fragment<"m16n8k32", b, ui8>
    // CHECK: %[[ZERO:.*]] = magicube_gpu.zero : <"m16n8k32", c, i32>
    %zero = magicube_gpu.zero : <"m16n8k32", c, i32>
    // CHECK: %[[C:.*]] = magicube_gpu.mma %[[A]], %[[B]], %[[ZERO]] : <"m16n8k32", a, si8>, <"m16n8k32", b, ui8>, <"m16n8k32", c, i32>
    %c = magicube_gpu.mma %a, %b, %zero
        : <"m16n8k32", a, si8>, <"m16n8k32", b, ui8>, <"m16n8k32", c, i32>
    // CHECK: magicube_gpu.store_result %[[C]] into %{{.*}}[%{{.*}}, %{{.*}}] stride %{{.*}} to %{{.*}} {accumulate, alignment = 4 : i64, component = 0 : i64, encoding = #magicube.sr_bcrs<vector = 8>, recipe = "transpose", result_type = i32} : !magicube_gpu.fragment<"m16n8k32", c, i32>
    magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i
        {accumulate, alignment = 4 : i64, component = 0 : i64, encoding = #w, recipe = "transpose",
         result_type = i32}
        : !magicube_gpu.fragment<"m16n8k32", c, i32>
    // CHECK: magicube_gpu.store_result %[[C]] into %{{.*}} scale(%{{.*}}, %{{.*}} : f32, !llvm.ptr<1>) bias(%{{.*}}) {activation = #magicube.activation<relu>, alignment = 16 : i64, bias_axis = 1 : i64, component = 0 : i64, {{.*}}result_type = bf16, scale_axes = array<i64: -1, 0>}
    magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i scale(%f, %g : f32, !llvm.ptr<1>) bias(%g)
        {alignment = 16 : i64, component = 0 : i64, encoding = #w, recipe = "transpose",
         scale_axes = array<i64: -1, 0>, bias_axis = 1 : i64,
         activation = #magicube.activation<relu>, result_type = bf16} : !magicube_gpu.fragment<"m16n8k32", c, i32>
    // CHECK: magicube_gpu.store_result %[[C]] into %{{.*}} sum_bias(%{{.*}}) scale(%{{.*}} : f32) {{{.*}}result_type = i4, {{.*}}sum_bias_axis = 1 : i64, unsigned_result}
    magicube_gpu.store_result %c into %g[%i, %i] stride %i to %i sum_bias(%g) scale(%f : f32)
        {alignment = 1 : i64, component = 0 : i64, encoding = #w, recipe = "transpose", scale_axes = array<i64: -1>,
         sum_bias_axis = 1 : i64, result_type = i4, unsigned_result} : !magicube_gpu.fragment<"m16n8k32", c, i32>
    // CHECK: %[[SUM:.*]] = magicube_gpu.combine_float %[[C]], %[[C]] {shifts = array<i64: 0, 8>} : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32> -> <"m16n8k32", c, f32>
    // CHECK: magicube_gpu.store_result %[[SUM]]
    %sum = magicube_gpu.combine_float %c, %c {shifts = array<i64: 0, 8>}
        : !magicube_gpu.fragment<"m16n8k32", c, i32>, !magicube_gpu.fragment<"m16n8k32", c, i32>
       -> !magicube_gpu.fragment<"m16n8k32", c, f32>
    magicube_gpu.store_result %sum into %g[%i, %i] stride %i to %i
        {alignment = 4 : i64, component = 0 : i64, encoding = #w, recipe = "transpose", result_type = f32}
        : !magicube_gpu.fragment<"m16n8k32", c, f32>
    gpu.return
  }
}

// CHECK: #magicube_gpu.shared_layout<offset = 0, stage_bytes = 512, pitch = 16, swizzle_mask = 0, swizzle_shift = 0>
func.func private @shared_layout() attributes {
    here = #magicube_gpu.shared_layout<offset = 0, stage_bytes = 512, pitch = 16, swizzle_mask = 0, swizzle_shift = 0>}
