// RUN: magicube-opt %s --one-shot-bufferize="bufferize-function-boundaries" --verify-diagnostics

#w = #magicube.sr_bcrs<vector = 8>
func.func @before_storage_conversion(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  // expected-error@+3 {{failed to bufferize op}}
  // expected-error@+2 {{has a sparse tensor operand, which has no buffer}}
  // expected-note@+1 {{run convert-magicube-storage before bufferization}}
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}
