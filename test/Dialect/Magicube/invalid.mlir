// RUN: magicube-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Components, dense tensors
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 8>
func.func @assemble_without_values(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>) {
  // expected-error@+1 {{expected 3 components for 'tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>', but got 2}}
  %0 = magicube.assemble %ptr, %idx : (tensor<2x2xi32>, tensor<?xi32>) -> tensor<16x32xi8, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @assemble_wrong_rows(%ptr: tensor<3x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>) {
  // expected-error@+1 {{expected pointers to be compatible with 'tensor<2x2xi32>', but got 'tensor<3x2xi32>'}}
  %0 = magicube.assemble %ptr, %idx, %val
     : (tensor<3x2xi32>, tensor<?xi32>, tensor<?xi8>) -> tensor<16x32xi8, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8, index = u16>
func.func @assemble_wide_indices(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>) {
  // expected-error@+1 {{expected indices to be compatible with 'tensor<?xi16>', but got 'tensor<?xi32>'}}
  %0 = magicube.assemble %ptr, %idx, %val
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>) -> tensor<16x32xi8, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @assemble_unpacked_values(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi4>) {
  // expected-error@+1 {{expected values to be compatible with 'tensor<?xi8>', but got 'tensor<?xi4>'}}
  %0 = magicube.assemble %ptr, %idx, %val
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi4>) -> tensor<16x32xi4, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @assemble_without_dims(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>) {
  // expected-error@+1 {{expected one of dims per dynamic dimension of 'tensor<16x?xi8, #magicube.sr_bcrs<vector = 8>>', that is 1, but got 0}}
  %0 = magicube.assemble %ptr, %idx, %val
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>) -> tensor<16x?xi8, #w>
  return
}

// -----

func.func @assemble_dense(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>, %val: tensor<?xi8>) {
  // expected-error@+1 {{result #0 must be tensor with a #magicube.sr_bcrs encoding, but got 'tensor<16x32xi8>'}}
  %0 = magicube.assemble %ptr, %idx, %val
     : (tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>) -> tensor<16x32xi8>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @disassemble_values_of_pattern(%a: tensor<16x32xi1, #w>) {
  // expected-error@+1 {{expected 2 components for 'tensor<16x32xi1, #magicube.sr_bcrs<vector = 8>>', but got 3}}
  %0:3 = magicube.disassemble %a
       : tensor<16x32xi1, #w> -> tensor<2x2xi32>, tensor<?xi32>, tensor<?xi8>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @pack_other_type(%dense: tensor<16x32xi16>) {
  // expected-error@+1 {{expected the dense tensor to have the shape and element type of the sparse one, 'tensor<16x32xi8>', but got 'tensor<16x32xi16>'}}
  %0 = magicube.pack %dense : tensor<16x32xi16> -> tensor<16x32xi8, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @unpack_other_shape(%a: tensor<16x32xi8, #w>) {
  // expected-error@+1 {{expected the dense tensor to have the shape and element type of the sparse one, 'tensor<16x32xi8>', but got 'tensor<16x?xi8>'}}
  %0 = magicube.unpack %a : tensor<16x32xi8, #w> -> tensor<16x?xi8>
  return
}
