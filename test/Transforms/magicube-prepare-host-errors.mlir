// RUN: magicube-opt %s --magicube-prepare-host --verify-diagnostics

func.func @unranked(%a: memref<*xi8>, %b: memref<4xi8>) {
  // expected-error @below {{'memref.copy' op expected buffers of known rank, but got 'memref<*xi8>' and 'memref<4xi8>'}}
  memref.copy %a, %b : memref<*xi8> to memref<4xi8>
  return
}
