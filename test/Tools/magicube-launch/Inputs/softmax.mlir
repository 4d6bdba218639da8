#w2 = #magicube.sr_bcrs<vector = 2>
#w8 = #magicube.sr_bcrs<vector = 8, stride = 16, index = u16>
func.func @integers(%s: tensor<?x?xi32, #w2>, %c: f32)
    -> (tensor<?x?xi8, #w2>, tensor<?x1xf32>) {
  %q, %f = magicube.softmax %s scale(%c) {unsigned_result}
     : (tensor<?x?xi32, #w2>, f32) -> (tensor<?x?xi8, #w2>, tensor<?x1xf32>)
  return %q, %f : tensor<?x?xi8, #w2>, tensor<?x1xf32>
}
func.func @nibbles(%c: tensor<?x1xf32>, %s: tensor<?x96xi32, #w8>, %v: f32)
    -> (tensor<?x96xi4, #w8>, tensor<?x1xf32>) {
  %q, %f = magicube.softmax %s scale(%c) value_scale(%v) {unsigned_result}
     : (tensor<?x96xi32, #w8>, tensor<?x1xf32>, f32)
     -> (tensor<?x96xi4, #w8>, tensor<?x1xf32>)
  return %q, %f : tensor<?x96xi4, #w8>, tensor<?x1xf32>
}
func.func @masked(%s: tensor<?x?xf16, #w8>, %m: tensor<?x?xf32, #w8>)
    -> tensor<?x?xf32, #w8> {
  %p = magicube.softmax %s mask(%m)
     : (tensor<?x?xf16, #w8>, tensor<?x?xf32, #w8>) -> tensor<?x?xf32, #w8>
  return %p : tensor<?x?xf32, #w8>
}
