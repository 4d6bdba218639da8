// The assembler takes the kernels of every vector length, and none spills.
// REQUIRES: ptxas
// RUN: magicube-opt %S/magicube-compile-vectors.mlir --pass-pipeline="builtin.module(magicube-compile{chip=sm_80},gpu-module-to-binary{format=isa})" \
// RUN:   | %{unescape-ptx} | sed -n '/^\/\/ Generated/,/^"/{/^"/!p}' > %t.sm_80.ptx
// RUN: %{ptxas} -v -arch=sm_80 %t.sm_80.ptx -o %t.sm_80.cubin 2>&1 | FileCheck %s
// RUN: magicube-opt %S/magicube-compile-vectors.mlir --pass-pipeline="builtin.module(magicube-compile{chip=sm_90},gpu-module-to-binary{format=isa})" \
// RUN:   | %{unescape-ptx} | sed -n '/^\/\/ Generated/,/^"/{/^"/!p}' > %t.sm_90.ptx
// RUN: %{ptxas} -v -arch=sm_90 %t.sm_90.ptx -o %t.sm_90.cubin 2>&1 | FileCheck %s

// CHECK-COUNT-15: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
