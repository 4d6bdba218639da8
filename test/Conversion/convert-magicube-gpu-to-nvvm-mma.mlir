// Every row of the MMA table with every mix of signs, and always wrapping.
// RUN: magicube-opt %s --pass-pipeline="builtin.module(gpu.module(convert-magicube-gpu-to-nvvm))" | FileCheck %s --implicit-check-not=satfinite

gpu.module @kernels {
// CHECK-LABEL: gpu.func @int8(
// CHECK: nvvm.mma.sync A[%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] B[%{{[^,]*}}, %{{[^,]*}}] C[{{.*}}] {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>} {{.*}} -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK: nvvm.mma.sync A[%{{[^,]*}}, %{{[^,]*}}] B[%{{[^,]*}}] C[{{.*}}mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<u8>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} {{.*}} -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK: nvvm.mma.sync A[%{{[^,]*}}] B[%{{[^,]*}}] C[{{.*}}mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<u8>, multiplicandBPtxType = #nvvm.mma_type<u8>, shape = #nvvm.shape<m = 8, n = 8, k = 16>} {{.*}} -> !llvm.struct<(i32, i32)>
  gpu.func @int8() kernel {
    %a0 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
    %b0 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", b, si8>
    %c0 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
    %d0 = magicube_gpu.mma %a0, %b0, %c0 : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
    %a1 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k16", a, si8>
    %b1 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k16", b, ui8>
    %c1 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k16", c, i32>
    %d1 = magicube_gpu.mma %a1, %b1, %c1 : <"m16n8k16", a, si8>, <"m16n8k16", b, ui8>, <"m16n8k16", c, i32>
    %a2 = magicube_gpu.zero : !magicube_gpu.fragment<"m8n8k16", a, ui8>
    %b2 = magicube_gpu.zero : !magicube_gpu.fragment<"m8n8k16", b, ui8>
    %c2 = magicube_gpu.zero : !magicube_gpu.fragment<"m8n8k16", c, i32>
    %d2 = magicube_gpu.mma %a2, %b2, %c2 : <"m8n8k16", a, ui8>, <"m8n8k16", b, ui8>, <"m8n8k16", c, i32>
    gpu.return
  }

// CHECK-LABEL: gpu.func @int4(
// CHECK: nvvm.mma.sync A[%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] B[%{{[^,]*}}, %{{[^,]*}}] C[{{.*}}mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<u4>, multiplicandBPtxType = #nvvm.mma_type<s4>, shape = #nvvm.shape<m = 16, n = 8, k = 64>}
// CHECK: nvvm.mma.sync A[%{{[^,]*}}, %{{[^,]*}}] B[%{{[^,]*}}] C[{{.*}}mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<s4>, multiplicandBPtxType = #nvvm.mma_type<u4>, shape = #nvvm.shape<m = 16, n = 8, k = 32>}
// CHECK: nvvm.mma.sync A[%{{[^,]*}}] B[%{{[^,]*}}] C[{{.*}}mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<s4>, multiplicandBPtxType = #nvvm.mma_type<s4>, shape = #nvvm.shape<m = 8, n = 8, k = 32>}
  gpu.func @int4() kernel {
    %a0 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k64", a, ui4>
    %b0 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k64", b, si4>
    %c0 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k64", c, i32>
    %d0 = magicube_gpu.mma %a0, %b0, %c0 : <"m16n8k64", a, ui4>, <"m16n8k64", b, si4>, <"m16n8k64", c, i32>
    %a1 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si4>
    %b1 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", b, ui4>
    %c1 = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
    %d1 = magicube_gpu.mma %a1, %b1, %c1 : <"m16n8k32", a, si4>, <"m16n8k32", b, ui4>, <"m16n8k32", c, i32>
    %a2 = magicube_gpu.zero : !magicube_gpu.fragment<"m8n8k32", a, si4>
    %b2 = magicube_gpu.zero : !magicube_gpu.fragment<"m8n8k32", b, si4>
    %c2 = magicube_gpu.zero : !magicube_gpu.fragment<"m8n8k32", c, i32>
    %d2 = magicube_gpu.mma %a2, %b2, %c2 : <"m8n8k32", a, si4>, <"m8n8k32", b, si4>, <"m8n8k32", c, i32>
    gpu.return
  }
}
