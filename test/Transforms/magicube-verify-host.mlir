// RUN: magicube-opt %s --magicube-verify-host | FileCheck %s

// CHECK: llvm.func @fine
llvm.func @fine(%a: i64) {
  %0 = builtin.unrealized_conversion_cast %a : i64 to index
  llvm.return
}
