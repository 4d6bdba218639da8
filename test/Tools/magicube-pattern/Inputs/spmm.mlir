#w = #magicube.sr_bcrs<vector = 8>
func.func @f(%a: tensor<2048x512xi8, #w>, %b: tensor<512x256xi8>) -> tensor<2048x256xi32> {
  %c = magicube.spmm %a, %b : (tensor<2048x512xi8, #w>, tensor<512x256xi8>) -> tensor<2048x256xi32>
  return %c : tensor<2048x256xi32>
}
