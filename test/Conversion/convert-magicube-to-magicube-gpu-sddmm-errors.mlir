// RUN: magicube-opt %s -split-input-file --convert-magicube-to-magicube-gpu -verify-diagnostics

#w = #magicube.sr_bcrs<vector = 8>

func.func @tensors(%a: tensor<64x32xi8>, %b: tensor<128x32xi8>, %p: tensor<64x128xi1, #w>) -> tensor<64x128xi32, #w> {
  // expected-error@+2 {{expected storage form on memrefs here}}
  // expected-note@+1 {{run convert-magicube-storage and one-shot-bufferize first}}
  %c = magicube.sddmm %a, %b, %p : (tensor<64x32xi8>, tensor<128x32xi8>, tensor<64x128xi1, #w>) -> tensor<64x128xi32, #w>
  return %c : tensor<64x128xi32, #w>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

func.func @gaps_between_elements(%a: memref<64x32xi8, strided<[64, 2]>>, %b: memref<128x32xi8>, %p: memref<8x2xi32>,
                                 %i: memref<?xi32>, %v: memref<?xi32>) {
  // expected-error@+2 {{expected rows of contiguous elements, but got 'memref<64x32xi8, strided<[64, 2]>>'}}
  // expected-note@+1 {{copy the operand to row-major memory first}}
  magicube.sddmm %a, %b, storage(%p, %i) as tensor<64x128xi1, #w> outs(%v) {overwrite}
    : (memref<64x32xi8, strided<[64, 2]>>, memref<128x32xi8>, memref<8x2xi32>, memref<?xi32>, memref<?xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

func.func @gaps_between_values(%a: memref<64x32xi8>, %b: memref<128x32xi8>, %p: memref<8x2xi32>,
                               %i: memref<?xi32>, %v: memref<?xi32, strided<[2]>>) {
  // expected-error@+2 {{expected a storage component without offset and gaps, but got 'memref<?xi32, strided<[2]>>'}}
  // expected-note@+1 {{copy the component to a buffer of its own first}}
  magicube.sddmm %a, %b, storage(%p, %i) as tensor<64x128xi1, #w> outs(%v) {overwrite}
    : (memref<64x32xi8>, memref<128x32xi8>, memref<8x2xi32>, memref<?xi32>, memref<?xi32, strided<[2]>>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// The access size depends on the shapes: 24 bytes are a multiple of 4 only.
func.func @narrow_rows(%a: memref<64x24xi8>, %b: memref<128x24xi8>, %p: memref<8x2xi32>,
                       %i: memref<?xi32>, %v: memref<?xi32>) {
  // expected-remark@+1 {{loads the rows of its operands with an access size of 4 instead of 16 bytes}}
  magicube.sddmm %a, %b, storage(%p, %i) as tensor<64x128xi1, #w> outs(%v) {overwrite}
    : (memref<64x24xi8>, memref<128x24xi8>, memref<8x2xi32>, memref<?xi32>, memref<?xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// expected-error@+1 {{expected warps from 1 to 32, but got 33}}
func.func private @too_many_warps() attributes {x = #magicube.sddmm_tiling<warps = 33>}

// -----

// expected-error@+1 {{expected ahead from 1 to 8, but got 9}}
func.func private @too_far_ahead() attributes {x = #magicube.sddmm_tiling<ahead = 9>}
