// Functions that are one product, and some that are not.

#v8 = #magicube.sr_bcrs<vector = 8>
#v4 = #magicube.sr_bcrs<vector = 4, order = bank_aware, index = u16>

func.func @spmm(%a: tensor<?x?xi8, #v8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> {
  %c = magicube.spmm %a, %b
     : (tensor<?x?xi8, #v8>, tensor<?x?xi8>) -> tensor<?x?xi32>
  return %c : tensor<?x?xi32>
}

func.func @add(%c: tensor<32x?xi32>, %a: tensor<32x96xi8, #v4>,
               %b: tensor<96x?xi8>) -> tensor<32x?xi32> {
  %d = magicube.spmm %a, %b outs(%c) {unsigned_lhs, unsigned_rhs}
     : (tensor<32x96xi8, #v4>, tensor<96x?xi8>, tensor<32x?xi32>)
    -> tensor<32x?xi32>
  return %d : tensor<32x?xi32>
}

func.func @two(%a: tensor<8x32xi8, #v8>, %b: tensor<32x16xi8>) -> tensor<8x16xi32> {
  %c = magicube.spmm %a, %b
     : (tensor<8x32xi8, #v8>, tensor<32x16xi8>) -> tensor<8x16xi32>
  %d = magicube.spmm %a, %b outs(%c)
     : (tensor<8x32xi8, #v8>, tensor<32x16xi8>, tensor<8x16xi32>)
    -> tensor<8x16xi32>
  return %d : tensor<8x16xi32>
}

func.func @none(%b: tensor<32x16xi8>) -> tensor<32x16xi8> {
  return %b : tensor<32x16xi8>
}

func.func @scaled(%a: tensor<8x32xi8, #v8>, %b: tensor<32x16xi8>, %t: f32) -> tensor<8x16xf32> {
  %s = arith.mulf %t, %t : f32
  %c = magicube.spmm %a, %b scale(%s)
     : (tensor<8x32xi8, #v8>, tensor<32x16xi8>, f32) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

func.func @constant(%a: tensor<8x32xi8, #v8>) -> tensor<8x16xi32> {
  %b = arith.constant dense<1> : tensor<32x16xi8>
  %c = magicube.spmm %a, %b
     : (tensor<8x32xi8, #v8>, tensor<32x16xi8>) -> tensor<8x16xi32>
  return %c : tensor<8x16xi32>
}

func.func @both(%a: tensor<8x32xi8, #v8>, %b: tensor<32x16xi8>)
    -> (tensor<8x16xi32>, tensor<32x16xi8>) {
  %c = magicube.spmm %a, %b
     : (tensor<8x32xi8, #v8>, tensor<32x16xi8>) -> tensor<8x16xi32>
  return %c, %b : tensor<8x16xi32>, tensor<32x16xi8>
}
