// What comes back from bytecode is what was written, for all that the round trip
// test has.
// RUN: magicube-opt %S/roundtrip.mlir -o %t.text
// RUN: magicube-opt %S/roundtrip.mlir --emit-bytecode -o %t.bytecode
// RUN: magicube-opt %t.bytecode -o %t.again
// RUN: diff %t.text %t.again
// RUN: FileCheck %S/roundtrip.mlir --input-file=%t.again
