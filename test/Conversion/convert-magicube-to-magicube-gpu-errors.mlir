// RUN: magicube-opt %s --convert-magicube-to-magicube-gpu --split-input-file --verify-diagnostics

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>

//===----------------------------------------------------------------------===//
// Passes that have not run
//===----------------------------------------------------------------------===//

func.func @sparse_tensor(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) {
  // expected-error@+2 {{expected storage form on memrefs here}}
  // expected-note@+1 {{run convert-magicube-storage and one-shot-bufferize first}}
  %c = magicube.spmm %a, %b {schedule = #s}
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @no_schedule(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                       %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{has no schedule}}
  // expected-note@+1 {{run magicube-select-schedule first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @other_operation(%d: tensor<16x32xi8>) {
  // expected-error@+1 {{'magicube.pack' op has no lowering to a kernel}}
  %0 = magicube.pack %d : tensor<16x32xi8> -> tensor<16x32xi8, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
gpu.module @kernels {
  gpu.func @device_code(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                        %b: memref<32x16xi8>, %c: memref<16x16xi32>) kernel {
    // expected-error@+1 {{expected to be in host code, which launches its kernel}}
    magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c)
      : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
    gpu.return
  }
}

// -----

//===----------------------------------------------------------------------===//
// What there is no kernel for
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, layout = <form = transposed, order = paired>, placement = #magicube.gathered<smem_stages = 2>>
func.func @four_bits(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                     %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{operand layout 'transposed,paired' takes a sparse operand of 8, 12 or 16 bits, but got 4}}
  // expected-note@+1 {{layouts for it: transposed; transposed,stored}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi4, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @batched(%ptr: memref<4x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                   %b: memref<2x32x16xi8>, %c: memref<2x16x16xi32>) {
  // expected-error@+2 {{has no kernel yet for a batched product}}
  // expected-note@+1 {{loop over the batch and multiply matrices}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<2x16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<4x2xi32>, memref<?xi32>, memref<?xi8>, memref<2x32x16xi8>, memref<2x16x16xi32>) -> ()
  return
}

// -----

// How many pointers a vector-row has is part of the kernel.
#w = #magicube.sr_bcrs<vector = 8, slab = 16>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @slabs_of_dynamic_k(%ptr: memref<2x?x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                              %b: memref<?x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{expected a static number of rows of the dense operand for storage with slabs, but got 'memref<?x16xi8>'}}
  // expected-note@+1 {{compile for a static K, or encode the operand without 'slab'}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x?xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x?x2xi32>, memref<?xi32>, memref<?xi8>, memref<?x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @every_other_column(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8, strided<[64, 2]>>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{expected rows of contiguous elements, but got 'memref<32x16xi8, strided<[64, 2]>>'}}
  // expected-note@+1 {{copy the operand to row-major memory first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8, strided<[64, 2]>>,
       memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @rows_backwards(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8>, %c: memref<16x16xi32, strided<[-16, 1], offset: 240>>) {
  // expected-error@+2 {{expected rows of contiguous elements, but got 'memref<16x16xi32, strided<[-16, 1], offset: 240>>'}}
  // expected-note@+1 {{copy the operand to row-major memory first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>,
       memref<16x16xi32, strided<[-16, 1], offset: 240>>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @transposed(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8, affine_map<(i, j) -> (j, i)>>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{expected rows of contiguous elements}}
  // expected-note@+1 {{copy the operand to row-major memory first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>,
       memref<32x16xi8, affine_map<(i, j) -> (j, i)>>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @pointers_with_gaps(%ptr: memref<2x2xi32, strided<[4, 1]>>, %idx: memref<?xi32>,
    %val: memref<?xi8>, %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{expected a storage component without offset and gaps, but got 'memref<2x2xi32, strided<[4, 1]>>'}}
  // expected-note@+1 {{copy the component to a buffer of its own first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32, strided<[4, 1]>>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>,
       memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @values_with_offset(%ptr: memref<2x2xi32>, %idx: memref<?xi32>,
    %val: memref<?xi8, strided<[1], offset: 3>>, %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{expected a storage component without offset and gaps, but got 'memref<?xi8, strided<[1], offset: 3>>'}}
  // expected-note@+1 {{copy the component to a buffer of its own first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8, strided<[1], offset: 3>>, memref<32x16xi8>,
       memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @bias_with_gaps(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8>, %c: memref<16x16xf32>, %bias: memref<1x16xf32, strided<[16, 2]>>) {
  // expected-error@+2 {{expected scales and bias without gaps, but got 'memref<1x16xf32, strided<[16, 2]>>'}}
  // expected-note@+1 {{copy the operand to a buffer of its own first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b bias(%bias) outs(%c)
      {overwrite, schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>,
       memref<1x16xf32, strided<[16, 2]>>, memref<16x16xf32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @too_many_columns(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x3000000000xi8>, %c: memref<16x3000000000xi32>) {
  // expected-error@+1 {{expected at most 2147483647 columns, but got 3000000000}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x3000000000xi8>,
       memref<16x3000000000xi32>) -> ()
  return
}

// -----

//===----------------------------------------------------------------------===//
// What a stationary dense operand takes
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8, stride = 8>
#s = #magicube.schedule<tile_n = 64, warps = 4, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 108>>
func.func @stationary_stride_8(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                             %b: memref<32x64xi8>, %c: memref<16x64xi32>) {
  // expected-error@+2 {{expected a stride that is a multiple of 32 for a stationary dense operand, but got 8}}
  // expected-note@+1 {{encode the operand with stride = 32, or take a gathered schedule}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x64xi8>, memref<16x64xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8, stride = 16>
#s = #magicube.schedule<tile_n = 64, warps = 4, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 108>>
func.func @stationary_stride_16(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                              %b: memref<32x64xi8>, %c: memref<16x64xi32>) {
  // expected-error@+2 {{expected a stride that is a multiple of 32 for a stationary dense operand, but got 16}}
  // expected-note@+1 {{encode the operand with stride = 32, or take a gathered schedule}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x64xi8>, memref<16x64xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 64, warps = 4, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 108>>
func.func @stationary_dynamic_k(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                              %b: memref<?x64xi8>, %c: memref<16x64xi32>) {
  // expected-error@+2 {{expected a static number of rows of the dense operand for a stationary dense operand, but got 'memref<?x64xi8>'}}
  // expected-note@+1 {{compile for a static K, or take a gathered schedule}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x?xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<?x64xi8>, memref<16x64xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 64, warps = 4, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 108>>
module attributes {magicube.chip = "sm_80"} {
func.func @stationary_large_k(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                            %b: memref<2609x64xi8>, %c: memref<16x64xi32>) {
  // expected-error@+2 {{expected a block of a stationary schedule to take at most 166912 bytes of shared memory on sm_80, but it takes 167168 (dense rows: 167040 bytes, range starts: 128 bytes)}}
  // expected-note@+1 {{take a smaller tile_n or fewer warps, or encode the sparse operand with a slab, or take a gathered schedule}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x2609xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<2609x64xi8>, memref<16x64xi32>) -> ()
  return
}
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 64, warps = 4, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 108>>
func.func @stationary_larger_k(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                             %b: memref<2147483647x64xi8>, %c: memref<16x64xi32>) {
  // expected-error@+2 {{expected a block of a stationary schedule to take at most 232448 bytes of shared memory on any chip, but it takes 137438953600 (dense rows: 137438953472 bytes, range starts: 128 bytes)}}
  // expected-note@+1 {{take a smaller tile_n or fewer warps, or encode the sparse operand with a slab, or take a gathered schedule}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x2147483647xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<2147483647x64xi8>, memref<16x64xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8, slab = 16>
#s = #magicube.schedule<tile_n = 16, warps = 4, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 8>>
func.func @stationary_slabs_of_dynamic_k(%ptr: memref<2x?x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                                       %b: memref<?x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{expected a static number of rows of the dense operand for storage with slabs, but got 'memref<?x16xi8>'}}
  // expected-note@+1 {{compile for a static K, or encode the operand without 'slab'}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x?xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x?x2xi32>, memref<?xi32>, memref<?xi8>, memref<?x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8, stride = 16, slab = 16>
#s = #magicube.schedule<tile_n = 16, warps = 4, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 8>>
func.func @stationary_slabs_of_stride_16(%ptr: memref<2x2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                                       %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{expected a stride that is a multiple of 32 for a stationary dense operand, but got 16}}
  // expected-note@+1 {{encode the operand with stride = 32, or take a gathered schedule}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

// One of the two would fit.
#w = #magicube.sr_bcrs<vector = 8, slab = 5217>
#s = #magicube.schedule<tile_n = 16, warps = 4, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 8, smem_stages = 2>>
module attributes {magicube.chip = "sm_80"} {
func.func @large_slabs(%ptr: memref<2x4x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                       %b: memref<20000x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{expected a block of a stationary schedule to take at most 166912 bytes of shared memory on sm_80, but it takes 178816 (dense rows: 167168 bytes, sums of vector-rows: 10752 bytes, pointers: 768 bytes, range starts: 128 bytes)}}
  // expected-note@+1 {{take a smaller tile_n, slab or rows_per_cta, or fewer smem_stages or warps, or a gathered schedule}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x20000xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x4x2xi32>, memref<?xi32>, memref<?xi8>, memref<20000x16xi8>, memref<16x16xi32>) -> ()
  return
}
}

// -----

// A slab of more rows than there are has those.
#w = #magicube.sr_bcrs<vector = 8, slab = 100000>
#s = #magicube.schedule<tile_n = 16, warps = 4, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 8>>
func.func @slab_of_everything(%ptr: memref<2x1x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                              %b: memref<20000x16xi16>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{expected a block of a stationary schedule to take at most 232448 bytes of shared memory on any chip, but it takes 651136 (dense rows: 640000 bytes, sums of vector-rows: 10752 bytes, pointers: 256 bytes, range starts: 128 bytes)}}
  // expected-note@+1 {{take a smaller tile_n, slab or rows_per_cta, or fewer smem_stages or warps, or a gathered schedule}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x20000xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x1x2xi32>, memref<?xi32>, memref<?xi8>, memref<20000x16xi16>, memref<16x16xi32>) -> ()
  return
}

// -----

// Where a share of a group starts is computed with 32 bits.
#w = #magicube.sr_bcrs<vector = 8, slab = 65536>
#s = #magicube.schedule<tile_n = 16, warps = 4, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 8>>
func.func @slab_and_k(%ptr: memref<2x32768x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                      %b: memref<2147483647x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{expected slab x K to be below 2^42 for a stationary dense operand, but got 65536 x 2147483647}}
  // expected-note@+1 {{take a smaller slab, or a gathered schedule}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x2147483647xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x32768x2xi32>, memref<?xi32>, memref<?xi8>, memref<2147483647x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @workgroup_memory_of_ptr(
    %ptr: memref<2x2xi32, #gpu.address_space<workgroup>>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{'magicube.spmm' op expected operands in global memory, but got 'memref<2x2xi32, #gpu.address_space<workgroup>>'}}
  // expected-note@+1 {{copy the operand to a buffer without a memory space first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32, #gpu.address_space<workgroup>>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @workgroup_memory_of_idx(
    %ptr: memref<2x2xi32>, %idx: memref<?xi32, #gpu.address_space<workgroup>>, %val: memref<?xi8>,
    %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{'magicube.spmm' op expected operands in global memory, but got 'memref<?xi32, #gpu.address_space<workgroup>>'}}
  // expected-note@+1 {{copy the operand to a buffer without a memory space first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32, #gpu.address_space<workgroup>>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @workgroup_memory_of_val(
    %ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8, #gpu.address_space<workgroup>>,
    %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{'magicube.spmm' op expected operands in global memory, but got 'memref<?xi8, #gpu.address_space<workgroup>>'}}
  // expected-note@+1 {{copy the operand to a buffer without a memory space first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8, #gpu.address_space<workgroup>>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @workgroup_memory_of_b(
    %ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8, #gpu.address_space<workgroup>>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{'magicube.spmm' op expected operands in global memory, but got 'memref<32x16xi8, #gpu.address_space<workgroup>>'}}
  // expected-note@+1 {{copy the operand to a buffer without a memory space first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8, #gpu.address_space<workgroup>>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @workgroup_memory_of_c(
    %ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8>, %c: memref<16x16xi32, #gpu.address_space<workgroup>>) {
  // expected-error@+2 {{'magicube.spmm' op expected operands in global memory, but got 'memref<16x16xi32, #gpu.address_space<workgroup>>'}}
  // expected-note@+1 {{copy the operand to a buffer without a memory space first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @private_memory_of_ptr(
    %ptr: memref<2x2xi32, #gpu.address_space<private>>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{'magicube.spmm' op expected operands in global memory, but got 'memref<2x2xi32, #gpu.address_space<private>>'}}
  // expected-note@+1 {{copy the operand to a buffer without a memory space first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32, #gpu.address_space<private>>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @numbered_memory_of_ptr(
    %ptr: memref<2x2xi32, 3>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{'magicube.spmm' op expected operands in global memory, but got 'memref<2x2xi32, 3>'}}
  // expected-note@+1 {{copy the operand to a buffer without a memory space first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32, 3>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @named_memory_of_ptr(
    %ptr: memref<2x2xi32, "fast">, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{'magicube.spmm' op expected operands in global memory, but got 'memref<2x2xi32, "fast">'}}
  // expected-note@+1 {{copy the operand to a buffer without a memory space first}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32, "fast">, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

// What a GPU calls global memory is accepted.

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>
func.func @global_memory(
    %ptr: memref<2x2xi32, #gpu.address_space<global>>, %idx: memref<?xi32, 1>, %val: memref<?xi8, 1 : i64>,
    %b: memref<32x16xi8, #gpu.address_space<global>>, %c: memref<16x16xi32, 0>) {
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32, #gpu.address_space<global>>, memref<?xi32, 1>, memref<?xi8, 1 : i64>, memref<32x16xi8, #gpu.address_space<global>>, memref<16x16xi32, 0>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8, stride = 32, slab = 64>
func.func @softmax_of_dynamic_slabs(%ptr: memref<?x?x2xi32>,
    %idx: memref<?xi32>, %val: memref<?xi32>, %c: f32, %q: memref<?xi8>,
    %f: memref<?x1xf32>) {
  // expected-error@+2 {{'magicube.softmax' op expected a static number of columns for scores with slabs, but got 'tensor<?x?xi32}}
  // expected-note@+1 {{compile for a static extent, or encode without slab}}
  magicube.softmax storage(%ptr, %idx, %val) as tensor<?x?xi32, #w>
    scale(%c) outs(%q, %f) {overwrite, unsigned_result}
    : (memref<?x?x2xi32>, memref<?xi32>, memref<?xi32>, f32, memref<?xi8>,
       memref<?x1xf32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8, stride = 32>
func.func @softmax_into_a_part(%ptr: memref<?x2xi32>, %idx: memref<?xi32>,
    %val: memref<?xf32>, %p: memref<?xf32, strided<[1], offset: ?>>) {
  // expected-error@+2 {{'magicube.softmax' op expected a storage component without offset and gaps, but got 'memref<?xf32, strided<[1], offset: ?>>'}}
  // expected-note@+1 {{copy the component to a buffer of its own first}}
  magicube.softmax storage(%ptr, %idx, %val) as tensor<?x?xf32, #w>
    outs(%p) {overwrite}
    : (memref<?x2xi32>, memref<?xi32>, memref<?xf32>,
       memref<?xf32, strided<[1], offset: ?>>) -> ()
  return
}
