// Messages show types, operations and lines with many scales without the middle.

// RUN: not magicube-opt %s 2>&1 | FileCheck %s --check-prefixes=CHECK,OPT
// RUN: not magicube-compile %s --emit=mlir 2>&1 | FileCheck %s --check-prefixes=CHECK,COMPILE
// RUN: not magicube-run %s --entry=inline --device=sim 2>&1 | FileCheck %s --check-prefixes=CHECK,COMPILE

#w = #magicube.sr_bcrs<vector = 8>
!a = tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>

// CHECK: {{.*}}:[[#@LINE+9]]:[[#]]: error: 'magicube.spmm' op expected the rhs to express f32, but got '!quant.uniform<i8:f16:1, {{[{]}}5.000000e-01,5.000000e-01,{{[^ ]*}} ...,5.000000e-01,{{[^ ]*}},5.000000e-01{{.*}}>'{{$}}

// What is around the product; %c is at column 81.
// COMPILE-NEXT: {{^.*}} %c = magicube.spmm %a, %b : (!a, {{.*}}
// COMPILE-NEXT: {{^}}                                                                                ^{{$}}
// COMPILE-NOT: see current operation

// OPT: note: see current operation: %0 = "magicube.spmm"(%arg0, %arg1) {{.*5.000000e-01, ...,5.000000e-01.*}} -> tensor<16x120xf32>{{$}}
// CHECK: note: write the type as !quant.uniform<i8:f32, ...>
func.func @inline(%a: !a, %b: tensor<32x120x!quant.uniform<i8:f16:1, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}>>) -> tensor<16x120xf32> { %c = magicube.spmm %a, %b : (!a, tensor<32x120x!quant.uniform<i8:f16:1, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}>>) -> tensor<16x120xf32>
  return %c : tensor<16x120xf32>
}
