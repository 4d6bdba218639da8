// RUN: magicube-opt %s --convert-magicube-to-magicube-gpu --split-input-file --verify-diagnostics

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>

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
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
func.func @four_bits(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                     %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{recipe 'transpose' takes a sparse operand of 8, 12 or 16 bits, but got 4}}
  // expected-note@+1 {{recipes for it: transpose-nibble}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi4, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
func.func @batched(%ptr: memref<4x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                   %b: memref<2x32x16xi8>, %c: memref<2x16x16xi32>) {
  // expected-error@+2 {{has no kernel yet for a batched product}}
  // expected-note@+1 {{loop over the batch and multiply matrices}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<2x16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<4x2xi32>, memref<?xi32>, memref<?xi8>, memref<2x32x16xi8>, memref<2x16x16xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8, slab = 16>
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
func.func @slabs(%ptr: memref<2x2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
                 %b: memref<32x16xi8>, %c: memref<16x16xi32>) {
  // expected-error@+2 {{has no kernel yet for storage with slabs}}
  // expected-note@+1 {{encode the operand without 'slab'}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x16xi8>, memref<16x16xi32>) -> ()
  return
}

// -----

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
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
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
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
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
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
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
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
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
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
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
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
#s = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>
func.func @too_many_columns(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xi8>,
    %b: memref<32x3000000000xi8>, %c: memref<16x3000000000xi32>) {
  // expected-error@+1 {{expected at most 2147483647 columns, but got 3000000000}}
  magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%c) {schedule = #s}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<32x3000000000xi8>,
       memref<16x3000000000xi32>) -> ()
  return
}
