// RUN: magicube-opt %s | magicube-opt | FileCheck %s
// RUN: magicube-opt %s --mlir-print-op-generic | magicube-opt | FileCheck %s

#w = #magicube.sr_bcrs<vector = 8>

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// Defaults are elided.
// CHECK-LABEL: @encoding_defaults
// CHECK-SAME: tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>
func.func private @encoding_defaults(tensor<16x32xi8,
    #magicube.sr_bcrs<vector = 8, stride = 32, order = natural, slab = 0, index = i32>>)

// Parameters in any order.
// CHECK-LABEL: @encoding_all
// CHECK-SAME: #magicube.sr_bcrs<vector = 2, stride = 64, order = bank_aware, slab = 128, index = u16>
func.func private @encoding_all(tensor<16x?xi8,
    #magicube.sr_bcrs<index = u16, slab = 128, order = bank_aware, stride = 64, vector = 2>>)

// Every vector length, element type and rank; a pattern.
// CHECK-LABEL: @encoding_types
// CHECK-SAME: tensor<1x1xi1, #magicube.sr_bcrs<vector = 1>>
// CHECK-SAME: tensor<?x?xi4, #magicube.sr_bcrs<vector = 2>>
// CHECK-SAME: tensor<2x?x4x7xi12, #magicube.sr_bcrs<vector = 4>>
// CHECK-SAME: tensor<3x16x9xi16, #magicube.sr_bcrs<vector = 16>>
// CHECK-SAME: tensor<8x65535xi32, #magicube.sr_bcrs<vector = 8, index = u16>>
func.func private @encoding_types(
    tensor<1x1xi1, #magicube.sr_bcrs<vector = 1>>,
    tensor<?x?xi4, #magicube.sr_bcrs<vector = 2>>,
    tensor<2x?x4x7xi12, #magicube.sr_bcrs<vector = 4>>,
    tensor<3x16x9xi16, #magicube.sr_bcrs<vector = 16>>,
    tensor<8x65535xi32, #magicube.sr_bcrs<vector = 8, index = u16>>)

// CHECK: module @chip attributes {magicube.chip = "sm_90"}
module @chip attributes {magicube.chip = "sm_90"} {}

//===----------------------------------------------------------------------===//
// Components, dense tensors
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @assemble
// CHECK: magicube.assemble %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>) -> tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>
// CHECK: magicube.assemble %{{.*}}, %{{.*}}, %{{.*}} dims(%{{.*}}) : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>) -> tensor<16x?xi8, #magicube.sr_bcrs<vector = 8>>
func.func @assemble(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>, %k: index) {
  %0 = magicube.assemble %ptr, %idx, %val
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>) -> tensor<16x32xi8, #w>
  %1 = magicube.assemble %ptr, %idx, %val dims(%k)
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>) -> tensor<16x?xi8, #w>
  return
}

// A pattern has no values, 12 bits lie in 16, 4 bits in bytes; slabs add a
// dimension to the pointers.
// CHECK-LABEL: @disassemble
// CHECK: magicube.disassemble %{{.*}} : {{.*}} -> tensor<2x2xi32>, tensor<?xi32>
// CHECK: magicube.disassemble %{{.*}} : {{.*}} -> tensor<12x2xi32>, tensor<?xi32>, tensor<?xi16>
// CHECK: magicube.disassemble %{{.*}} : {{.*}} -> tensor<2x3x2xi32>, tensor<?xi16>, tensor<?xi8>
func.func @disassemble(%pattern: tensor<16x32xi1, #w>, %batched: tensor<2x3x16x32xi12, #w>,
    %slabs: tensor<16x36xi4, #magicube.sr_bcrs<vector = 8, slab = 16, index = u16>>) {
  %0:2 = magicube.disassemble %pattern
       : tensor<16x32xi1, #w> -> tensor<2x2xi32>, tensor<?xi32>
  %1:3 = magicube.disassemble %batched
       : tensor<2x3x16x32xi12, #w> -> tensor<12x2xi32>, tensor<?xi32>, tensor<?xi16>
  %2:3 = magicube.disassemble %slabs
       : tensor<16x36xi4, #magicube.sr_bcrs<vector = 8, slab = 16, index = u16>>
      -> tensor<2x3x2xi32>, tensor<?xi16>, tensor<?xi8>
  return
}

// CHECK-LABEL: @dense
// CHECK: magicube.pack %{{.*}} : tensor<16x32xi8> -> tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>
// CHECK: magicube.unpack %{{.*}} : tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>> -> tensor<16x32xi8>
func.func @dense(%dense: tensor<16x32xi8>) -> tensor<16x32xi8> {
  %0 = magicube.pack %dense : tensor<16x32xi8> -> tensor<16x32xi8, #w>
  %1 = magicube.unpack %0 : tensor<16x32xi8, #w> -> tensor<16x32xi8>
  return %1 : tensor<16x32xi8>
}

//===----------------------------------------------------------------------===//
// spmm
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @spmm
// CHECK: magicube.spmm %{{[^,]*}}, %{{[^,]*}} : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>, tensor<32x16xi8>) -> tensor<16x16xi32>
func.func @spmm(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}

// Every attribute, also one that is not ours.
// CHECK-LABEL: @spmm_attributes
// CHECK: magicube.spmm %{{[^,]*}}, %{{[^,]*}} outs(%{{.*}}) {mine = 1 : i32, overwrite, schedule = #magicube.schedule<tile_n = 64, warps = 2, placement = #magicube.gathered<smem_stages = 3>>, unsigned_lhs, unsigned_rhs}
func.func @spmm_attributes(%a: tensor<16x32xi8, #w>, %b: tensor<32x64xi8>,
                           %c: tensor<16x64xi32>) -> tensor<16x64xi32> {
  %d = magicube.spmm %a, %b outs(%c)
       {unsigned_lhs, unsigned_rhs, overwrite, mine = 1 : i32,
        schedule = #magicube.schedule<tile_n = 64, warps = 2, placement = #magicube.gathered<smem_stages = 3>>}
     : (tensor<16x32xi8, #w>, tensor<32x64xi8>, tensor<16x64xi32>) -> tensor<16x64xi32>
  return %d : tensor<16x64xi32>
}

// CHECK-LABEL: @spmm_pattern
// CHECK: {pattern = #magicube.pattern<vectors = 40, longest = 32>}
func.func @spmm_pattern(%a: tensor<16x32xi8, #w>, %b: tensor<32x64xi8>) -> tensor<16x64xi32> {
  %c = magicube.spmm %a, %b {pattern = #magicube.pattern<vectors = 40, longest = 32>}
     : (tensor<16x32xi8, #w>, tensor<32x64xi8>) -> tensor<16x64xi32>
  return %c : tensor<16x64xi32>
}

// CHECK-LABEL: @spmm_layout
// CHECK: schedule = #magicube.schedule<tile_n = 32, warps = 1, layout = <form = interleaved>, placement = #magicube.gathered<smem_stages = 2>>
// CHECK: schedule = #magicube.schedule<tile_n = 48, warps = 32, shared = padded, placement = #magicube.stationary<prefetch_stages = 4, num_ctas = 132>>
// CHECK: schedule = #magicube.schedule<tile_n = 16, warps = 8, placement = #magicube.stationary_k_tiles<prefetch_stages = 3, rows_per_cta = 40, smem_stages = 2>>
// CHECK: schedule = #magicube.schedule<tile_n = 16, warps = 8, placement = #magicube.stationary_k_tiles<prefetch_stages = 3, rows_per_cta = 1>>}
// CHECK: schedule = #magicube.schedule<tile_n = 32, warps = 2, shared = plain, placement = #magicube.gathered<smem_stages = 1>>
// CHECK: schedule = #magicube.schedule<tile_n = 32, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
func.func @spmm_layout(%a: tensor<16x32xi8, #magicube.sr_bcrs<vector = 4>>,
                       %slabs: tensor<16x32xi8, #magicube.sr_bcrs<vector = 4, slab = 16>>, %b: tensor<32x32xi8>) {
  %0 = magicube.spmm %a, %b
       {schedule = #magicube.schedule<tile_n = 32, warps = 1, layout = <form = interleaved>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 4>>, tensor<32x32xi8>) -> tensor<16x32xi32>
  %2 = magicube.spmm %a, %b
       {schedule = #magicube.schedule<shared = padded, tile_n = 48, warps = 32, placement = #magicube.stationary<prefetch_stages = 4, num_ctas = 132>>}
     : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 4>>, tensor<32x32xi8>) -> tensor<16x32xi32>
  %4 = magicube.spmm %slabs, %b
       {schedule = #magicube.schedule<tile_n = 16, warps = 8, placement = #magicube.stationary_k_tiles<prefetch_stages = 3, rows_per_cta = 40, smem_stages = 2>>}
     : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 4, slab = 16>>, tensor<32x32xi8>) -> tensor<16x32xi32>
  %5 = magicube.spmm %slabs, %b
       {schedule = #magicube.schedule<tile_n = 16, warps = 8, placement = #magicube.stationary_k_tiles<prefetch_stages = 3, rows_per_cta = 1>>}
     : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 4, slab = 16>>, tensor<32x32xi8>) -> tensor<16x32xi32>
  %3 = magicube.spmm %a, %b
       {schedule = #magicube.schedule<tile_n = 32, warps = 2, shared = plain, placement = #magicube.gathered<smem_stages = 1>>}
     : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 4>>, tensor<32x32xi8>) -> tensor<16x32xi32>
  %1 = magicube.spmm %a, %b
       {schedule = #magicube.schedule<tile_n = 32, warps = 1, layout = <form = transposed>, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 4>>, tensor<32x32xi8>) -> tensor<16x32xi32>
  return
}

// CHECK-LABEL: @spmm_epilogue
// CHECK: magicube.spmm %{{[^,]*}}, %{{[^,]*}} scale(%{{.*}}, %{{.*}}) bias(%{{.*}}) outs(%{{.*}}) {activation = #magicube.activation<gelu>, overwrite}
// CHECK: magicube.spmm %{{[^,]*}}, %{{[^,]*}} {accumulate = f32}
func.func @spmm_epilogue(%a: tensor<16x32xi16, #w>, %b: tensor<32x16xi4>, %s: f32,
    %rows: tensor<16x1xf32>, %columns: tensor<1x16xf32>, %init: tensor<16x16xf16>) {
  %0 = magicube.spmm %a, %b scale(%s, %rows) bias(%columns) outs(%init)
       {activation = #magicube.activation<gelu>, overwrite}
     : (tensor<16x32xi16, #w>, tensor<32x16xi4>, f32, tensor<16x1xf32>,
        tensor<1x16xf32>, tensor<16x16xf16>) -> tensor<16x16xf16>
  %1 = magicube.spmm %a, %b {accumulate = f32}
     : (tensor<16x32xi16, #w>, tensor<32x16xi4>) -> tensor<16x16xf32>
  return
}

// An integer bias comes before the conversion to f32; an i32 result may have it too.
// CHECK-LABEL: @spmm_sum_bias
// CHECK: magicube.spmm %{{[^,]*}}, %{{[^,]*}} sum_bias(%{{.*}}) outs(%{{.*}}) : ({{.*}}, tensor<1x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
// CHECK: magicube.spmm %{{[^,]*}}, %{{[^,]*}} sum_bias(%{{.*}}) scale(%{{.*}}) bias(%{{.*}}) : ({{.*}}, tensor<16x1xi32>, f32, tensor<1x16xf32>) -> tensor<16x16xf16>
func.func @spmm_sum_bias(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %s: f32,
    %row: tensor<16x1xi32>, %column: tensor<1x16xi32>, %bias: tensor<1x16xf32>, %init: tensor<16x16xi32>) {
  %0 = magicube.spmm %a, %b sum_bias(%column) outs(%init)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<1x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
  %1 = magicube.spmm %a, %b sum_bias(%row) scale(%s) bias(%bias)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x1xi32>, f32, tensor<1x16xf32>) -> tensor<16x16xf16>
  return
}

// A sparse operand per batch, or one for all; no columns at all.
// CHECK-LABEL: @spmm_shapes
// CHECK: -> tensor<2x16x16xi32>
// CHECK: -> tensor<2x16x16xi32>
// CHECK: -> tensor<16x0xi32>
func.func @spmm_shapes(%a: tensor<2x16x32xi8, #w>, %shared: tensor<16x32xi8, #w>,
                       %b: tensor<2x32x16xi8>, %none: tensor<32x0xi8>) {
  %0 = magicube.spmm %a, %b
     : (tensor<2x16x32xi8, #w>, tensor<2x32x16xi8>) -> tensor<2x16x16xi32>
  %1 = magicube.spmm %shared, %b
     : (tensor<16x32xi8, #w>, tensor<2x32x16xi8>) -> tensor<2x16x16xi32>
  %2 = magicube.spmm %shared, %none
     : (tensor<16x32xi8, #w>, tensor<32x0xi8>) -> tensor<16x0xi32>
  return
}

// CHECK-LABEL: @spmm_storage
// CHECK: magicube.spmm storage(%{{.*}}, %{{.*}}, %{{.*}}) as tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>, %{{.*}} outs(%{{.*}}) {overwrite} : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
// CHECK: magicube.spmm storage(%{{.*}}, %{{.*}}, %{{.*}}) as tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>, %{{.*}} outs(%{{.*}}) : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
func.func @spmm_storage(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>,
    %b: tensor<32x16xi8>, %c: tensor<16x16xi32>, %ptr_buffer: memref<2x2xi32>,
    %idx_buffer: memref<?xi32>, %val_buffer: memref<?xi8>, %b_buffer: memref<32x16xi8>,
    %c_buffer: memref<16x16xi32>) {
  %0 = magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
       {overwrite}
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>,
        tensor<16x16xi32>) -> tensor<16x16xi32>
  magicube.spmm storage(%ptr_buffer, %idx_buffer, %val_buffer)
      as tensor<16x32xi8, #w>, %b_buffer outs(%c_buffer)
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>,
       memref<16x16xi32>) -> ()
  return
}
