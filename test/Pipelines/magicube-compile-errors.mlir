// RUN: magicube-opt %s --pass-pipeline="builtin.module(magicube-compile)" --split-input-file --verify-diagnostics
// RUN: not magicube-opt %{examples}/spmm.mlir --pass-pipeline="builtin.module(magicube-compile{chip=sm_70})" 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not magicube-opt %{examples}/spmm.mlir --pass-pipeline="builtin.module(magicube-compile{chip=gfx942})" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Once each, without a "failed to legalize" behind it.
// OLD: error: chip sm_70 is below the minimum sm_80
// OLD-NOT: error
// UNKNOWN: error: unknown chip 'gfx942', expected one of sm_80, sm_86, sm_89, sm_90, sm_100, sm_120
// UNKNOWN-NOT: error

#w = #magicube.sr_bcrs<vector = 8>
func.func @unpack(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  // expected-error@+2 {{'magicube.unpack' op runs on the host, for which there is no lowering yet}}
  // expected-note@+1 {{pass the sparse tensor to the function as an argument}}
  %dense = magicube.unpack %a : tensor<16x32xi8, #w> -> tensor<16x32xi8>
  %d = linalg.matmul ins(%dense, %b : tensor<16x32xi8>, tensor<32x16xi8>)
                     outs(%c : tensor<16x16xi32>) -> tensor<16x16xi32>
  return %d : tensor<16x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @four_bits_elsewhere(%a: tensor<16x32xi4, #w>, %b: tensor<32x16xi4>) -> tensor<16x16xi32> {
  // expected-error@+2 {{'arith.addi' op has a dense tensor of i4, which is stored two to a byte}}
  // expected-note@+1 {{only products, calls and control flow take one}}
  %d = arith.addi %b, %b : tensor<32x16xi4>
  %c = magicube.spmm %a, %d : (tensor<16x32xi4, #w>, tensor<32x16xi4>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @batched(%a: tensor<16x32xi8, #w>, %b: tensor<2x32x16xi8>) -> tensor<2x16x16xi32> {
  // expected-error@+2 {{has no kernel yet for a batched product}}
  // expected-note@+1 {{loop over the batch and multiply matrices}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<2x32x16xi8>) -> tensor<2x16x16xi32>
  return %c : tensor<2x16x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @slice_of_components(%ptr: tensor<2x2xi32>, %idx: tensor<64xi32>, %val: tensor<1024xi8>,
                               %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %slice = tensor.extract_slice %val[3] [512] [1] : tensor<1024xi8> to tensor<512xi8>
  %a = magicube.assemble %ptr, %idx, %slice
     : (tensor<2x2xi32>, tensor<64xi32>, tensor<512xi8>) -> tensor<16x32xi8, #w>
  // expected-error@+2 {{expected a storage component without offset and gaps}}
  // expected-note@+1 {{copy the component to a buffer of its own first}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}
