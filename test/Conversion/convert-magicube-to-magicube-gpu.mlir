// RUN: magicube-opt %s --convert-magicube-to-magicube-gpu --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// Gathered kernels: the launch plan, the operations of a step in order and what
// flows between them, parameters and the epilogue's operands, which products
// share kernels, which alignments have one, and the choice of one in host code.

//===----------------------------------------------------------------------===//
// A kernel and its launch
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>

// Operands are swapped: A is the dense one.
// CHECK: module attributes {gpu.container_module}
// The launch as data: what a result's shape is, what operands must fulfil, and kernels, best first.
// CHECK: gpu.module @magicube_kernels attributes {magicube_gpu.launch_plans = [{buffers = [],
// CHECK-SAME: checks = [{expected = "lhs.dim1", {{.*}}value = "rhs.dim0"}]
// CHECK-SAME: alignments = [{multiple = 16 : i64, values = ["rhs.address", "rhs_stride", "columns"]}, {multiple = 8 : i64, values = ["result.address", "result.stride0 * 4"]}]
// CHECK-SAME: block = [32, 1, 1]
// CHECK-SAME: name = "spmm_i8_i8_v8_align16"
// CHECK-SAME: parameters = [{pointer = "lhs.pointers"}, {pointer = "lhs.indices"}, {pointer = "lhs.values"}, {pointer = "rhs.address"}, {pointer = "result.address"}, {i32 = "columns"}, {i32 = "rhs_stride"}, {i32 = "result.stride0"}, {i32 = "vector_rows"}]
// CHECK-SAME: alignments = [{multiple = 4 : i64,
// CHECK-SAME: alignments = [],
// CHECK-SAME: unless_zero = ["vector_rows", "columns"]
// CHECK-SAME: results = [{operand = "result", shape = ["lhs.dim0", "rhs.dim1"]}]
// CHECK-SAME: values = [{name = "columns", value = "result.dim1"}, {name = "vector_rows", value = "result.dim0 floordiv 8"}, {name = "rhs_stride", value = "rhs.stride0"}]
// CHECK: gpu.func @spmm_i8_i8_v8_align16(
// CHECK-SAME: %[[PTR:[^:]*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[IDX:[^:]*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[VAL:[^:]*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[B:[^:]*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[C:[^:]*]]: !llvm.ptr<1> {llvm.noalias}, %[[N:[^:]*]]: i32, %[[B_STRIDE:[^:]*]]: i32, %[[C_STRIDE:[^:]*]]: i32, %[[VECTOR_ROWS:[^:]*]]: i32)
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>
// CHECK-SAME: magicube_gpu.stages = 2 : i64
// Blocks past the last column do nothing.
// CHECK: %[[IS_INSIDE:.*]] = arith.cmpi ult, %[[COLUMN:.*]], %[[N]]
// CHECK: scf.if %[[IS_INSIDE]]
// CHECK: %[[ROWS:.*]] = magicube_gpu.alloc_tile : <rows = 32, row_bytes = 16>
// CHECK: %[[VALUES:.*]] = magicube_gpu.alloc_tile {form = #magicube.shared_form<plain>} : <rows = 1, row_bytes = 256>
// The vector-row's start and end, a step for each 32 of them.
// CHECK: %[[RANGE:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: %[[START:.*]] = llvm.extractelement %[[RANGE]][%c0_i32
// CHECK: %[[END:.*]] = llvm.extractelement %[[RANGE]][%c1_i32
// CHECK: %[[LENGTH:.*]] = arith.subi %[[END]], %[[START]]
// CHECK: %[[STEPS:.*]] = arith.ceildivui %[[LENGTH]], %c32_i32
// CHECK: %[[ZERO:.*]] = magicube_gpu.zero : !magicube_gpu.fragment<"m16n8k32", c, i32>
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %c0_i32 to %[[STEPS]] step %c1_i32 iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK: %[[OFFSET:.*]] = arith.muli %[[I]], %c32_i32
// CHECK: %[[POSITION:.*]] = arith.addi %[[START]], %[[OFFSET]]
// CHECK: %[[K:.*]] = magicube_gpu.ldg_gather_indices %[[IDX]] at %[[POSITION]] to %[[END]] {{.*}}row_bytes = 16
// CHECK: magicube_gpu.cp_async_gathered_rows %[[B]][%[[K]]] stride %[[B_STRIDE]] at %[[COLUMN]] to %[[N]] into %[[ROWS]] {alignment = 16 : i64}
// CHECK: magicube_gpu.cp_async_values %[[VAL]] at %[[POSITION]] to %[[END]] into %[[VALUES]]
// CHECK: magicube_gpu.await_copies
// CHECK: %[[LHS:.*]] = magicube_gpu.lds_values %[[VALUES]] {{.*}} -> !magicube_gpu.fragment<"m16n8k32", b, si8>
// CHECK: %[[RAW:.*]] = magicube_gpu.lds_rows %[[ROWS]] chunk
// CHECK: %[[RHS:.*]] = magicube_gpu.transpose %[[RAW]] {{.*}} -> !magicube_gpu.fragment<"m16n8k32", a, si8>
// CHECK: %[[NEXT:.*]] = magicube_gpu.mma %[[RHS]], %[[LHS]], %[[ACC]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: magicube_gpu.store_result %[[SUM]] into %[[C]][%{{.*}}, %{{.*}}] stride %[[C_STRIDE]] to %[[N]]
// CHECK-NOT: accumulate

// One kernel per alignment of the rows, chosen at run time.
// CHECK: gpu.func @spmm_i8_i8_v8_align4(
// CHECK: magicube_gpu.cp_async_gathered_rows {{.*}} {alignment = 4 : i64}
// CHECK: gpu.func @spmm_i8_i8_v8_align1(
// CHECK: magicube_gpu.cp_async_gathered_rows {{.*}} {alignment = 1 : i64}

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[B:[^:]*]]: memref<?x?xi8>, %[[C:[^:]*]]: memref<?x?xi32>
// CHECK-DAG: %[[M:.*]] = memref.dim %[[C]], %c0
// CHECK-DAG: %[[N:.*]] = memref.dim %[[C]], %c1
// CHECK: %[[ROWS:.*]] = arith.divui %[[M]], %c8
// Nothing is launched for an empty result.
// CHECK: %[[SIZE:.*]] = arith.muli %[[ROWS]], %[[N]]
// CHECK: arith.cmpi ne, %[[SIZE]], %c0
// CHECK: scf.if
// CHECK: scf.if
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[N]], %c16
// CHECK: %[[Y:.*]] = arith.minui %[[TILES]], %c65535
// CHECK: %[[Z:.*]] = arith.ceildivui %[[TILES]], %c65535
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_align16 blocks in (%[[ROWS]], %[[Y]], %[[Z]]) threads in (%c32, %c1, %c1)
// CHECK: else
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_align4
// CHECK: else
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_align1
// CHECK-NOT: magicube.spmm
func.func @dynamic(%b: memref<?x?xi8>, %c: memref<?x?xi32>, %ptr: memref<?x2xi32>,
                   %idx: memref<?xi32>, %val: memref<?xi8>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<?x?xi8, #w>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
    : (memref<?x2xi32>, memref<?xi32>, memref<?xi8>, memref<?x?xi8>, memref<?x?xi32>) -> ()
  return
}

// -----

//===----------------------------------------------------------------------===//
// What makes another kernel
//===----------------------------------------------------------------------===//

// Signs go with the swapped operands. A destination that is read is added to.
// CHECK: gpu.func @spmm_u8_i8_v2_align16_accumulate(
// CHECK: magicube_gpu.mma {{.*}} : <"m16n8k32", a, si8>, <"m16n8k32", b, ui8>
// CHECK: magicube_gpu.store_result {{.*}} {accumulate,
// CHECK: gpu.func @spmm_i8_u8_v16_align16(
// Two fragments of the sparse operand reach 16 rows.
// CHECK: %[[LHS:.*]]:2 = magicube_gpu.lds_values
// CHECK: magicube_gpu.mma %[[RHS:.*]], %[[LHS]]#0, %{{.*}} : <"m16n8k32", a, ui8>, <"m16n8k32", b, si8>
// CHECK: magicube_gpu.mma %[[RHS]], %[[LHS]]#1, %{{.*}} : <"m16n8k32", a, ui8>, <"m16n8k32", b, si8>
// CHECK: magicube_gpu.store_result {{.*}}component = 0 : i64
// CHECK: magicube_gpu.store_result {{.*}}component = 8 : i64
#v2 = #magicube.sr_bcrs<vector = 2>
#v16 = #magicube.sr_bcrs<vector = 16>
#one_warp = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @signs(%ptr: memref<16x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                 %b: memref<32x16xi8>, %c: memref<32x16xi32>, %ptr_v16: memref<2x2xi32>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<32x32xi8, #v2>, %b outs(%c)
      {unsigned_lhs, schedule = #one_warp}
    : (memref<16x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<32x16xi32>) -> ()
  magicube.spmm storage(%ptr_v16, %idx, %val) as tensor<32x32xi8, #v16>, %b outs(%c)
      {unsigned_rhs, overwrite, schedule = #one_warp}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<32x16xi32>) -> ()
  return
}

// -----

// A warp owns tile_n / warps columns: here two chunks, read as one operand each.
// CHECK: gpu.func @spmm_i8_i8_v8_align16(
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME: magicube_gpu.stages = 3
// CHECK: magicube_gpu.alloc_tile : <rows = 32, row_bytes = 64>
// CHECK: magicube_gpu.ldg_gather_indices {{.*}} : i32, i32
// CHECK: magicube_gpu.lds_values
// CHECK-COUNT-2: magicube_gpu.mma
// CHECK-COUNT-2: magicube_gpu.store_result
#v8 = #magicube.sr_bcrs<vector = 8>
func.func @schedule(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                    %b: memref<32x64xi8>, %c: memref<16x64xi32>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #v8>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 64, warps = 2, placement = #magicube.gathered<smem_stages = 3>>}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x64xi8>, memref<16x64xi32>) -> ()
  return
}

// -----

// An epilogue comes with parameters of its own, after the others.
// CHECK: gpu.func @spmm_i8_i8_f16_v8_align16(
// CHECK-SAME: %{{[^:]*}}: i32, %[[SCALE:[^:]*]]: f32, %[[ROWS:[^:]*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[BIAS:[^:]*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly})
// CHECK: magicube_gpu.store_result {{.*}}result_type = f16, step = #{{step[0-9]*}}}
// CHECK: magicube_gpu.epilogue {{.*}} (%[[SCALE]], %[[ROWS]], %[[BIAS]] : f32, !llvm.ptr<1>, !llvm.ptr<1>) {epilogue = #magicube.epilogue<scale none, scale row, bias column, relu -> f16>}
// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME: %[[S:[^:]*]]: f32
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_f16_v8_align16 {{.*}}%[[S]] : f32, %{{[^,]*}} : !llvm.ptr<1>, %{{[^,]*}} : !llvm.ptr<1>)
#v8 = #magicube.sr_bcrs<vector = 8>
func.func @epilogue(%scale: f32, %ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                    %b: memref<32x16xi8>, %c: memref<16x16xf16>, %rows: memref<16x1xf32>,
                    %bias: memref<1x16xf32>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #v8>, %b
      scale(%scale, %rows) bias(%bias) outs(%c)
      {overwrite, activation = #magicube.activation<relu>,
       schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, f32, memref<16x1xf32>,
       memref<1x16xf32>, memref<16x16xf16>) -> ()
  return
}

// -----

// With one row a 1 x N operand goes by column, a 1 x 1 one is that row's.
// CHECK: magicube_gpu.epilogue {{.*}}#magicube.epilogue<scale column, scale row -> f32>
// CHECK-LABEL: func.func @epilogue_of_one_row(
#v1 = #magicube.sr_bcrs<vector = 1>
func.func @epilogue_of_one_row(%ptr: memref<1x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8>, %c: memref<1x16xf32>, %columns: memref<1x16xf32>, %row: memref<1x1xf32>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<1x32xi8, #v1>, %b scale(%columns, %row) outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
    : (memref<1x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<1x16xf32>,
       memref<1x1xf32>, memref<1x16xf32>) -> ()
  return
}

// -----

// With any number of rows a 1 x 1 operand is a row's if there are more columns than one.
// CHECK: magicube_gpu.epilogue {{.*}}#magicube.epilogue<scale row -> f32>
// CHECK-LABEL: func.func @epilogue_of_one_value(
#v1 = #magicube.sr_bcrs<vector = 1>
func.func @epilogue_of_one_value(%ptr: memref<?x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8>, %c: memref<?x16xf32>, %row: memref<1x1xf32>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<?x32xi8, #v1>, %b scale(%row) outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
    : (memref<?x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<1x1xf32>,
       memref<?x16xf32>) -> ()
  return
}

// -----

//===----------------------------------------------------------------------===//
// What shares a kernel
//===----------------------------------------------------------------------===//

// Sizes, the order of vectors and the slice of the result are no part of a kernel;
// u16 indices are. Kernels of one name are numbered.
// CHECK: gpu.module @magicube_kernels
// CHECK-COUNT-3: gpu.func @spmm_i8_i8_v8_align{{16|4|1}}(
// CHECK: gpu.func @spmm_i8_i8_v8_align16_0(
// CHECK: magicube_gpu.ldg_gather_indices {{.*}}index = u16
// CHECK-LABEL: func.func @shared
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_align16 {{.*}}%c128_i32 : i32
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_align16 {{.*}}%c32_i32 : i32
// CHECK: gpu.launch_func @magicube_kernels::@spmm_i8_i8_v8_align16_0
#natural = #magicube.sr_bcrs<vector = 8>
#bank_aware = #magicube.sr_bcrs<vector = 8, order = bank_aware>
#u16 = #magicube.sr_bcrs<vector = 8, index = u16>
#one_warp = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @shared(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                  %b: memref<64x16xi8>, %c: memref<16x16xi32, strided<[128, 1], offset: ?>>,
                  %x: memref<8x32xi8>, %y: memref<16x32xi32>, %narrow: memref<?xi16>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x64xi8, #natural>, %b outs(%c)
      {overwrite, schedule = #one_warp}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<64x16xi8>,
       memref<16x16xi32, strided<[128, 1], offset: ?>>) -> ()
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x8xi8, #bank_aware>, %x outs(%y)
      {overwrite, schedule = #one_warp}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<8x32xi8>, memref<16x32xi32>) -> ()
  magicube.spmm storage(%ptr, %narrow, %val) as tensor<16x8xi8, #u16>, %x outs(%y)
      {overwrite, schedule = #one_warp}
    : (memref<2x2xi32>, memref<?xi16>, memref<?xi8>, memref<8x32xi8>, memref<16x32xi32>) -> ()
  return
}

// -----

//===----------------------------------------------------------------------===//
// Alignments that the types rule out
//===----------------------------------------------------------------------===//

// CHECK: gpu.module
// CHECK-NEXT: gpu.func @spmm_i8_i8_v8_align4(
// CHECK: gpu.func @spmm_i8_i8_v8_align1(
// CHECK-NOT: gpu.func
// CHECK-LABEL: func.func @twelve_columns
#v8 = #magicube.sr_bcrs<vector = 8>
func.func @twelve_columns(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                          %b: memref<32x12xi8>, %c: memref<16x12xi32>) {
  // expected-remark@+1 {{gathers the dense operand with an access size of 4 instead of 16 bytes: length or distance of the rows of 'memref<32x12xi8>' is no multiple of that}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #v8>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x12xi8>, memref<16x12xi32>) -> ()
  return
}

// -----

// CHECK: gpu.module
// CHECK-NEXT: gpu.func @spmm_i8_i8_v8_align1(
// CHECK-NOT: gpu.func
// CHECK-LABEL: func.func @rows_of_17
// CHECK-NOT: scf.if
#v8 = #magicube.sr_bcrs<vector = 8>
func.func @rows_of_17(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                      %b: memref<32x16xi8, strided<[17, 1]>>, %c: memref<16x16xi32>) {
  // expected-remark@+1 {{gathers the dense operand with an access size of 1 instead of 16 bytes}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #v8>, %b outs(%c)
      {overwrite, schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8, strided<[17, 1]>>,
       memref<16x16xi32>) -> ()
  return
}
