// RUN: magicube-opt --split-input-file --convert-magicube-to-magicube-gpu --canonicalize --cse %s | FileCheck %s

// A block of 4 warps takes a vector-row of 8 rows; integers have factors.

#w = #magicube.sr_bcrs<vector = 8, stride = 32>

// CHECK-LABEL: gpu.module @magicube_kernels
// CHECK-SAME: block = [128, 1, 1]
// CHECK-SAME: grid = ["vector_rows", "1", "1"]
// CHECK-SAME: name = "softmax_i32_u8_v8"
// CHECK-SAME: parameters = [{pointer = "scores.pointers"}, {pointer = "scores.values"}, {f32 = "scale"}, {pointer = "result.values"}, {pointer = "factors.address"}]
// CHECK-SAME: unless_zero = ["vector_rows"]
// CHECK-SAME: results = [{operand = "result", shape = ["scores.dim0", "scores.dim1"]}, {operand = "factors", shape = ["scores.dim0", "1"]}]
// CHECK: gpu.func @softmax_i32_u8_v8
// CHECK-SAME: %[[VALUES:arg1]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}
// CHECK-SAME: %[[RESULT:arg3]]: !llvm.ptr<1> {llvm.noalias}
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// Maxima and sums of the warps meet in tables of a word a row and warp.
// CHECK-COUNT-2: magicube_gpu.alloc_tile {{.*}} : <rows = 1, row_bytes = 128>
// Four groups are loaded before anything is computed of them, 16 bytes at once.
// CHECK-COUNT-8: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: arith.maxsi
// Longer rows load what is beyond them again in each pass.
// CHECK: scf.for
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: arith.uitofp {{.*}} : i32 to f32
// CHECK: llvm.nvvm.fma.rn.sat.f
// CHECK: nvvm.prmt
// CHECK: scf.if
// CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xi32>
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: arith.divf
// CHECK-LABEL: func.func @integers
// CHECK: %[[ROWS:.*]] = memref.dim %arg0, %c0
// CHECK: gpu.launch_func @magicube_kernels::@softmax_i32_u8_v8 blocks in (%{{.*}}, %c1, %c1) threads in (%c128, %c1, %c1)
func.func @integers(%ptr: memref<?x2xi32>, %idx: memref<?xi32>,
    %val: memref<?xi32>, %c: f32, %q: memref<?xi8>, %f: memref<?x1xf32>) {
  magicube.softmax storage(%ptr, %idx, %val) as tensor<?x?xi32, #w> scale(%c)
    outs(%q, %f) {overwrite, unsigned_result}
    : (memref<?x2xi32>, memref<?xi32>, memref<?xi32>, f32, memref<?xi8>,
       memref<?x1xf32>) -> ()
  return
}

// -----

// A warp alone: nothing in shared memory. Sums of floats have 64 bits.

#w = #magicube.sr_bcrs<vector = 2, stride = 8>

// CHECK-LABEL: gpu.module @magicube_kernels
// CHECK-SAME: parameters = [{pointer = "scores.pointers"}, {pointer = "scores.values"}, {pointer = "mask.values"}, {pointer = "scale.address"}, {pointer = "result.values"}]
// CHECK: gpu.func @softmax_f16_f16_v2_mask
// CHECK-NOT: alloc_tile
// CHECK-NOT: gpu.barrier
// CHECK: llvm.intr.maxnum
// CHECK: llvm.nvvm.f2ui.rn
// CHECK: arith.extui {{.*}} : i32 to i64
// CHECK: arith.divf
// CHECK: arith.truncf {{.*}} : f32 to f16
// CHECK-LABEL: func.func @floats
func.func @floats(%ptr: memref<?x2xi32>, %idx: memref<?xi32>,
    %val: memref<?xf16>, %c: memref<?x1xf32>, %m: memref<?xf32>,
    %p: memref<?xf16>) {
  magicube.softmax storage(%ptr, %idx, %val) as tensor<?x?xf16, #w> scale(%c)
    mask(%m) outs(%p) {overwrite}
    : (memref<?x2xi32>, memref<?xi32>, memref<?xf16>, memref<?x1xf32>,
       memref<?xf32>, memref<?xf16>) -> ()
  return
}

// -----

// With slabs, indices tell padding.

#w = #magicube.sr_bcrs<vector = 8, stride = 32, slab = 64, index = u16>

// CHECK-LABEL: gpu.module @magicube_kernels
// CHECK-SAME: parameters = [{pointer = "scores.pointers"}, {pointer = "scores.indices"},
// CHECK: llvm.load {{.*}} -> vector<8xi16>
// CHECK: arith.cmpi ne, %{{.*}}, %{{.*}} : i16
// CHECK-LABEL: func.func @slabs
func.func @slabs(%ptr: memref<?x3x2xi32>, %idx: memref<?xi16>,
    %val: memref<?xi32>, %c: f32, %q: memref<?xi16>, %f: memref<?x1xf32>) {
  magicube.softmax storage(%ptr, %idx, %val) as tensor<?x192xi32, #w> scale(%c)
    outs(%q, %f) {overwrite, unsigned_result}
    : (memref<?x3x2xi32>, memref<?xi16>, memref<?xi32>, f32, memref<?xi16>,
       memref<?x1xf32>) -> ()
  return
}
