// RUN: magicube-opt %s | FileCheck %s
// RUN: magicube-opt %s -emit-bytecode | magicube-opt | FileCheck %s

// CHECK-LABEL: func.func private @sums
// CHECK-SAME: a = #magicube.epilogue<-> i32>
// CHECK-SAME: b = #magicube.epilogue<sum_bias row -> i32>
func.func private @sums() attributes {
  a = #magicube.epilogue<-> i32>,
  b = #magicube.epilogue<sum_bias row -> i32>}

// CHECK-LABEL: func.func private @all
// CHECK-SAME: a = #magicube.epilogue<sum_bias row, scale none, scale column, bias column, gelu -> ui8>
// CHECK-SAME: b = #magicube.epilogue<float_sums, relu -> bf16>
// CHECK-SAME: c = #magicube.epilogue<float_sums -> f16>
func.func private @all() attributes {
  a = #magicube.epilogue<sum_bias row, scale none, scale column, bias column, gelu -> ui8>,
  b = #magicube.epilogue<float_sums, relu -> bf16>,
  c = #magicube.epilogue<float_sums -> f16>}
