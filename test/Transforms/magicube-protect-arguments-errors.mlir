// RUN: magicube-opt %s --magicube-protect-arguments --split-input-file --verify-diagnostics

// expected-error @below {{'func.func' op expected row-major buffers, but argument #0 of 'f' has bufferization.buffer_layout = affine_map<(d0, d1) -> (d1, d0)>}}
// expected-note @below {{transpose it with linalg.transpose}}
func.func @f(%a: tensor<4x8xi8> {bufferization.buffer_layout = affine_map<(i, j) -> (j, i)>}) {
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// expected-note @below {{transpose it with linalg.transpose}}
func.func @product(%a: tensor<16x32xi8, #w>,
                   %b: tensor<32x16xi8> {bufferization.buffer_layout = affine_map<(i, j) -> (j, i)>}) -> tensor<16x16xi32> {
  // expected-error @below {{'magicube.spmm' op expected row-major buffers, but argument #1 of 'product' has bufferization.buffer_layout}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

// A sparse tensor is several buffers, none of its rank.

// expected-error @below {{'func.func' op expected row-major buffers, but argument #0}}
// expected-note @below {{transpose it}}
func.func private @sparse(%a: tensor<16x32xi8, #w> {bufferization.buffer_layout = affine_map<(i, j) -> (i, j)>})
