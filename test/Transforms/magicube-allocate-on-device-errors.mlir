// RUN: magicube-opt %s --magicube-allocate-on-device --split-input-file --verify-diagnostics

#w = #magicube.sr_bcrs<vector = 8>

memref.global "private" @mutable : memref<8x4xi8>

func.func @global(%p: memref<2x2xi32>, %i: memref<?xi32>, %v: memref<?xi8>,
                  %c: memref<16x4xi32>) {
  // expected-note @below {{allocate it with memref.alloc}}
  %b = memref.get_global @mutable : memref<8x4xi8>
  // expected-error @below {{'magicube.spmm' op expected operands in memory that a GPU reaches, but one is in the host's: 'memref<8x4xi8>'}}
  magicube.spmm storage(%p, %i, %v) as tensor<16x8xi8, #w>, %b outs(%c) {overwrite}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<8x4xi8>,
       memref<16x4xi32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>

func.func @stack(%p: memref<2x2xi32>, %i: memref<?xi32>, %v: memref<?xi8>,
                 %b: memref<8x4xi8>) {
  // expected-note @below {{allocate it with memref.alloc}}
  %c = memref.alloca() : memref<32x4xi32>
  %view = memref.subview %c[0, 0] [16, 4] [1, 1]
      : memref<32x4xi32> to memref<16x4xi32, strided<[4, 1]>>
  // expected-error @below {{one is in the host's: 'memref<16x4xi32, strided<[4, 1]>>'}}
  magicube.spmm storage(%p, %i, %v) as tensor<16x8xi8, #w>, %b outs(%view) {overwrite}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xi8>, memref<8x4xi8>,
       memref<16x4xi32, strided<[4, 1]>>) -> ()
  return
}
