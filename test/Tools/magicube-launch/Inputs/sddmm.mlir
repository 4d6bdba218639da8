#w2 = #magicube.sr_bcrs<vector = 2, stride = 64>
#w8 = #magicube.sr_bcrs<vector = 8>
#w16 = #magicube.sr_bcrs<vector = 16, stride = 8, index = u16>
func.func @sums(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %p: tensor<?x?xi1, #w8>)
    -> tensor<?x?xi32, #w8> {
  %c = magicube.sddmm %a, %b, %p
     : (tensor<?x?xi8>, tensor<?x?xi8>, tensor<?x?xi1, #w8>) -> tensor<?x?xi32, #w8>
  return %c : tensor<?x?xi32, #w8>
}
func.func @floats(%p: tensor<?x?xi1, #w2>, %s: f32, %a: tensor<?x33xi4>,
                  %b: tensor<?x33xi4>, %t: tensor<1x?xf32>)
    -> tensor<?x?xf16, #w2> {
  %c = magicube.sddmm %a, %b, %p scale(%s, %t) {unsigned_rhs}
     : (tensor<?x33xi4>, tensor<?x33xi4>, tensor<?x?xi1, #w2>, f32,
        tensor<1x?xf32>) -> tensor<?x?xf16, #w2>
  return %c : tensor<?x?xf16, #w2>
}
func.func @bytes(%a: tensor<?x?xi16>, %b: tensor<?x?xi8>,
                 %p: tensor<?x?xi8, #w16>, %s: f32, %y: tensor<?x1xf32>)
    -> tensor<?x?xi8, #w16> {
  %c = magicube.sddmm %a, %b, %p scale(%s) bias(%y)
       {activation = #magicube.activation<relu>}
     : (tensor<?x?xi16>, tensor<?x?xi8>, tensor<?x?xi8, #w16>, f32,
        tensor<?x1xf32>) -> tensor<?x?xi8, #w16>
  return %c : tensor<?x?xi8, #w16>
}
func.func @nibbles(%a: tensor<64x512xi8>, %b: tensor<96x512xi8>,
                   %p: tensor<64x96xi1, #w8>, %s: tensor<64x1xf32>)
    -> tensor<64x96xi4, #w8> {
  %c = magicube.sddmm %a, %b, %p scale(%s) {unsigned_result}
     : (tensor<64x512xi8>, tensor<96x512xi8>, tensor<64x96xi1, #w8>,
        tensor<64x1xf32>) -> tensor<64x96xi4, #w8>
  return %c : tensor<64x96xi4, #w8>
}
