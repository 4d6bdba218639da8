// RUN: magicube-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(magicube-gpu-pipeline-loads)),canonicalize,cse)" | FileCheck %s --implicit-check-not=await_copies

#w = #magicube.sr_bcrs<vector = 8>
#transposed = #magicube_gpu.step<layout = <form = transposed>>
!acc = !magicube_gpu.fragment<"m16n8k32", c, i32>

gpu.module @kernels {

// Three tiles: in iteration i, copies of step i + 2 and indices of step i + 3.
// CHECK-LABEL: gpu.func @three_stages(
// CHECK-SAME: %[[IDX:[^:]*]]: !llvm.ptr<1>, %[[B:[^:]*]]: !llvm.ptr<1>, %[[VAL:[^:]*]]: !llvm.ptr<1>, %[[START:[^:]*]]: i32, %[[END:[^:]*]]: i32, %[[N:[^:]*]]: i32)
// CHECK-DAG: %[[ROWS:.*]] = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 16, stages = 3>
// CHECK-DAG: %[[VALUES:.*]] = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256, stages = 3>
//
// Before the loop: two steps of copies, three of indices, each only if the loop
// gets that far.
// CHECK: %[[HAS0:.*]] = arith.cmpi sgt, %[[N]], %c0_i32
// CHECK: %[[K0:.*]] = magicube_gpu.ldg_gather_indices %[[IDX]] at %[[START]] to %[[END]] if %[[HAS0]]
// CHECK: %[[HAS1:.*]] = arith.cmpi sgt, %[[N]], %c1_i32
// CHECK: magicube_gpu.cp_async_gathered_rows %[[B]][%[[K0]]] {{.*}} into %[[ROWS]] slot %c0_i32 if %[[HAS0]]
// CHECK: magicube_gpu.cp_async_values %[[VAL]] at %[[START]] to %[[END]] into %[[VALUES]] slot %c0_i32 if %[[HAS0]]
// CHECK: nvvm.cp.async.commit.group
// CHECK: %[[P1:.*]] = arith.addi %[[START]], %c32_i32
// CHECK: %[[K1:.*]] = magicube_gpu.ldg_gather_indices %[[IDX]] at %[[P1]] to %[[END]] if %[[HAS1]]
// CHECK: %[[HAS2:.*]] = arith.cmpi sgt, %[[N]], %c2_i32
// CHECK: magicube_gpu.cp_async_gathered_rows %[[B]][%[[K1]]] {{.*}} into %[[ROWS]] slot %c1_i32 if %[[HAS1]]
// CHECK: magicube_gpu.cp_async_values %[[VAL]] at %[[P1]] to %[[END]] into %[[VALUES]] slot %c1_i32 if %[[HAS1]]
// CHECK: nvvm.cp.async.commit.group
// CHECK: %[[P2:.*]] = arith.addi %[[START]], %c64_i32
// CHECK: %[[K2:.*]] = magicube_gpu.ldg_gather_indices %[[IDX]] at %[[P2]] to %[[END]] if %[[HAS2]]
// CHECK-NOT: nvvm.cp.async
//
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %[[N]] step %c1_i32 iter_args(%{{.*}} = %{{.*}}, %[[K:.*]] = %[[K2]], %[[P:.*]] = %[[P2]])
// CHECK-DAG: %[[LAST3:.*]] = arith.subi %[[N]], %c3_i32
// CHECK-DAG: %[[HAS_I3:.*]] = arith.cmpi slt, %[[I]], %[[LAST3]]
// CHECK-DAG: %[[LAST2:.*]] = arith.subi %[[N]], %c2_i32
// CHECK-DAG: %[[HAS_I2:.*]] = arith.cmpi slt, %[[I]], %[[LAST2]]
// Of the two groups in flight the older has to be there.
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK: %[[I2:.*]] = arith.addi %[[I]], %c2_i32
// CHECK: %[[FILLED:.*]] = arith.remui %[[I2]], %c3_i32
// CHECK: magicube_gpu.cp_async_gathered_rows %[[B]][%[[K]]] {{.*}} into %[[ROWS]] slot %[[FILLED]] if %[[HAS_I2]]
// CHECK: magicube_gpu.cp_async_values %[[VAL]] at %[[P]] to %[[END]] into %[[VALUES]] slot %[[FILLED]] if %[[HAS_I2]]
// CHECK: nvvm.cp.async.commit.group
// CHECK: %[[I3:.*]] = arith.addi %[[I]], %c3_i32
// CHECK: %[[O3:.*]] = arith.muli %[[I3]], %c32_i32
// CHECK: %[[P3:.*]] = arith.addi %[[START]], %[[O3]]
// CHECK: %[[K3:.*]] = magicube_gpu.ldg_gather_indices %[[IDX]] at %[[P3]] to %[[END]] if %[[HAS_I3]]
// CHECK: %[[READ:.*]] = arith.remui %[[I]], %c3_i32
// CHECK: magicube_gpu.lds_values %[[VALUES]] slot %[[READ]]
// CHECK: magicube_gpu.lds_rows %[[ROWS]] chunk %{{.*}} slot %[[READ]]
// CHECK: %[[SUM:.*]] = magicube_gpu.mma
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield %[[SUM]], %[[K3]], %[[P3]]
gpu.func @three_stages(%idx: !llvm.ptr<1>, %b: !llvm.ptr<1>, %val: !llvm.ptr<1>, %start: i32,
                       %end: i32, %n: i32) kernel attributes {magicube_gpu.stages = 3 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %rows = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 16>
  %values = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %offset = arith.muli %i, %c32 : i32
    %position = arith.addi %start, %offset : i32
    %k = magicube_gpu.ldg_gather_indices %idx at %position to %end
        {encoding = #w, step = #transposed, row_bytes = 16 : i64} : i32
    magicube_gpu.cp_async_gathered_rows %b[%k] stride %n at %c0 to %n into %rows {alignment = 16 : i64}
        : <rows = 32, row_bytes = 16>
    magicube_gpu.cp_async_values %val at %position to %end into %values {encoding = #w}
        : <rows = 1, row_bytes = 256>
    magicube_gpu.await_copies
    %lhs = magicube_gpu.lds_values %values {encoding = #w, step = #transposed}
        : <rows = 1, row_bytes = 256> -> !magicube_gpu.fragment<"m16n8k32", b, si8>
    %raw = magicube_gpu.lds_rows %rows chunk %c0 {step = #transposed}
        : <rows = 32, row_bytes = 16> -> <4>
    %rhs = magicube_gpu.transpose %raw {step = #transposed} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
    %next = magicube_gpu.mma %rhs, %lhs, %acc
        : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
    scf.yield %next : !acc
  }
  gpu.return
}

// Four tiles: indices come two steps before the copies that need them. Two steps an
// iteration, so that they stay in their registers.
// CHECK-LABEL: gpu.func @four_stages(
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c2_i32 iter_args(%{{.*}} = %{{.*}}, %[[K0:.*]] = %{{.*}}, %[[K1:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: magicube_gpu.cp_async_gathered_rows %{{.*}}[%[[K0]]]
// CHECK: %[[N0:.*]] = magicube_gpu.ldg_gather_indices
// CHECK: magicube_gpu.mma
// CHECK: magicube_gpu.cp_async_gathered_rows %{{.*}}[%[[K1]]]
// CHECK: %[[N1:.*]] = magicube_gpu.ldg_gather_indices
// CHECK: magicube_gpu.mma
// CHECK: scf.yield %{{.*}}, %[[N0]], %[[N1]], %{{.*}}, %{{.*}}
gpu.func @four_stages(%idx: !llvm.ptr<1>, %b: !llvm.ptr<1>, %val: !llvm.ptr<1>, %start: i32,
                       %end: i32, %n: i32) kernel attributes {magicube_gpu.stages = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %rows = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 16>
  %values = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %offset = arith.muli %i, %c32 : i32
    %position = arith.addi %start, %offset : i32
    %k = magicube_gpu.ldg_gather_indices %idx at %position to %end
        {encoding = #w, step = #transposed, row_bytes = 16 : i64} : i32
    magicube_gpu.cp_async_gathered_rows %b[%k] stride %n at %c0 to %n into %rows {alignment = 16 : i64}
        : <rows = 32, row_bytes = 16>
    magicube_gpu.cp_async_values %val at %position to %end into %values {encoding = #w}
        : <rows = 1, row_bytes = 256>
    magicube_gpu.await_copies
    %lhs = magicube_gpu.lds_values %values {encoding = #w, step = #transposed}
        : <rows = 1, row_bytes = 256> -> !magicube_gpu.fragment<"m16n8k32", b, si8>
    %raw = magicube_gpu.lds_rows %rows chunk %c0 {step = #transposed}
        : <rows = 32, row_bytes = 16> -> <4>
    %rhs = magicube_gpu.transpose %raw {step = #transposed} : !magicube_gpu.registers<4> -> !magicube_gpu.fragment<"m16n8k32", a, si8>
    %next = magicube_gpu.mma %rhs, %lhs, %acc
        : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
    scf.yield %next : !acc
  }
  gpu.return
}

// Nothing overlaps: all copies are waited for, and a barrier keeps the tile until
// every warp has read it.
// CHECK-LABEL: gpu.func @one_stage(
// CHECK: %[[VALUES:.*]] = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
// CHECK: scf.for
// CHECK-NEXT: magicube_gpu.cp_async_values {{.*}} into %[[VALUES]] {encoding
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: magicube_gpu.lds_values %[[VALUES]] {encoding
// CHECK-NEXT: magicube_gpu.mma
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.yield
gpu.func @one_stage(%val: !llvm.ptr<1>, %n: i32) kernel attributes {magicube_gpu.stages = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %values = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    magicube_gpu.cp_async_values %val at %i to %n into %values {encoding = #w} : <rows = 1, row_bytes = 256>
    magicube_gpu.await_copies
    %lhs = magicube_gpu.lds_values %values {encoding = #w, step = #transposed}
        : <rows = 1, row_bytes = 256> -> !magicube_gpu.fragment<"m16n8k32", b, si8>
    %next = magicube_gpu.mma %rhs, %lhs, %acc
        : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
    scf.yield %next : !acc
  }
  %lane1 = magicube_gpu.lane_id
  magicube_gpu.store_result %sum into %val[%n, %n] stride %n to %n lane(%lane1)
      {component = 0 : i64, encoding = #w, step = #transposed, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>}
      : !magicube_gpu.fragment<"m16n8k32", c, i32>
  gpu.return
}

// Two tiles: nothing may be in flight but what was just waited for. A predicate
// that is there already holds on, and reads inside of a branch get their slot too.
// CHECK-LABEL: gpu.func @two_stages(
// CHECK-SAME: %[[P:[^:]*]]: i1
// CHECK: %[[PROLOGUE:.*]] = arith.andi %[[P]],
// CHECK: magicube_gpu.cp_async_values {{.*}} slot %c0_i32 if %[[PROLOGUE]]
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: %[[BOTH:.*]] = arith.andi %[[P]],
// CHECK: magicube_gpu.cp_async_values {{.*}} if %[[BOTH]]
// CHECK: %[[READ:.*]] = arith.remui %[[I]], %c2_i32
// CHECK: scf.if %[[P]]
// CHECK: magicube_gpu.lds_values %{{.*}} slot %[[READ]]
gpu.func @two_stages(%p: i1, %val: !llvm.ptr<1>, %n: i32) kernel attributes {magicube_gpu.stages = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %values = magicube_gpu.alloc_tile : <rows = 1, row_bytes = 256>
  %rhs = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", a, si8>
  %zero = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    magicube_gpu.cp_async_values %val at %i to %n into %values if %p {encoding = #w} : <rows = 1, row_bytes = 256>
    magicube_gpu.await_copies
    %next = scf.if %p -> !acc {
      %lhs = magicube_gpu.lds_values %values {encoding = #w, step = #transposed}
          : <rows = 1, row_bytes = 256> -> !magicube_gpu.fragment<"m16n8k32", b, si8>
      %some = magicube_gpu.mma %rhs, %lhs, %acc
          : <"m16n8k32", a, si8>, <"m16n8k32", b, si8>, <"m16n8k32", c, i32>
      scf.yield %some : !acc
    } else {
      scf.yield %acc : !acc
    }
    scf.yield %next : !acc
  }
  %lane2 = magicube_gpu.lane_id
  magicube_gpu.store_result %sum into %val[%n, %n] stride %n to %n lane(%lane2)
      {component = 0 : i64, encoding = #w, step = #transposed, result_type = i32, map = #magicube_gpu.result_map<order = row_major, alignment = 4>}
      : !magicube_gpu.fragment<"m16n8k32", c, i32>
  gpu.return
}

// A kernel without such a loop needs no attribute and is left alone.
// CHECK-LABEL: gpu.func @no_loop
// CHECK-NEXT: gpu.return
gpu.func @no_loop() kernel {
  gpu.return
}
}
