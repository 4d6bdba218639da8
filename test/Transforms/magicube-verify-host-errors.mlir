// RUN: magicube-opt %s --magicube-verify-host --verify-diagnostics

llvm.func @left_over() {
  // expected-error @below {{'tensor.empty' op has no lowering to host code}}
  // expected-note @below {{lower it before the magicube pipelines}}
  %0 = tensor.empty() : tensor<4xi8>
  llvm.return
}
