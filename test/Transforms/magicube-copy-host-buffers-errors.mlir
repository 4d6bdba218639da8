// RUN: magicube-opt %s --magicube-copy-host-buffers --split-input-file --verify-diagnostics

// expected-error @below {{'func.func' op expected buffers of known rank and row-major layout at an entry function, but got 'memref<*xi8>'}}
// expected-note @below {{make the function private, or leave host-buffers out and pass device memory}}
func.func @unranked(%a: memref<*xi8>) {
  return
}

// -----

// expected-error @below {{but got 'memref<4x4xi8, strided<[8, 1]>>'}}
// expected-note @below {{make the function private}}
func.func @strided(%a: memref<4x4xi8, strided<[8, 1]>>) {
  return
}

// -----

func.func private @inside(%a: memref<*xi8>, %b: memref<4x4xi8, strided<[8, 1]>>) {
  return
}
