// The example as PTX: one kernel per alignment, made of the A100's largest int8 MMA.
// RUN: magicube-opt %{examples}/spmm.mlir --pass-pipeline="builtin.module(magicube-compile{chip=sm_80},gpu-module-to-binary{format=isa})" \
// RUN:   | %{unescape-ptx} | FileCheck %s
// RUN: magicube-opt %{examples}/spmm.mlir --pass-pipeline="builtin.module(magicube-compile{chip=sm_90},gpu-module-to-binary{format=isa})" \
// RUN:   | %{unescape-ptx} | FileCheck %s --check-prefixes=CHECK-SM90
// RUN: magicube-opt %{examples}/spmm.mlir --pass-pipeline="builtin.module(magicube-compile{chip=sm_120},gpu-module-to-binary{format=isa})" \
// RUN:   | %{unescape-ptx} | FileCheck %s --check-prefixes=CHECK-SM120

// CHECK: .version 7.0
// CHECK: .target sm_80
// CHECK: .extern .shared .align 128 .b8 smem[];
// CHECK: .visible .entry spmm_i8_i8_v8_align16(
// CHECK: .maxntid 64, 1, 1
// Indices take the read-only path.
// CHECK: ld.global.nc
// CHECK: cp.async.cg.shared.global [%{{.*}}], [%{{.*}}], 16,
// CHECK: cp.async.commit_group
// The order in which blocks of code come out is LLVM's: wait or compute first.
// CHECK-DAG: cp.async.wait_group 0
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-DAG: prmt.b32 %{{.*}}, 0x6240U
// CHECK-DAG: prmt.b32 %{{.*}}, 0x7351U
// CHECK-DAG: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK: st.global.v2.b32
// CHECK: .visible .entry spmm_i8_i8_v8_align4(
// CHECK: cp.async.ca.shared.global [%{{.*}}], [%{{.*}}], 4,
// CHECK: .visible .entry spmm_i8_i8_v8_align1(
// CHECK: ld.global.nc.b8

// CHECK-SM90: .version 7.8
// CHECK-SM90: .target sm_90
// CHECK-SM90: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32

// CHECK-SM120: .version 8.7
// CHECK-SM120: .target sm_120
// CHECK-SM120: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
