// Products with epilogues, one for each kind of operand and result.

#w = #magicube.sr_bcrs<vector = 8>

func.func @integers(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>, %z: tensor<1x?xi32>) -> tensor<?x?xi32> {
  %c = magicube.spmm %a, %b sum_bias(%z)
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>, tensor<1x?xi32>) -> tensor<?x?xi32>
  return %c : tensor<?x?xi32>
}

// The arguments in another order than the operands.
func.func @halves(%bias: tensor<?x1xf32>, %b: tensor<?x?xi8>, %per_column: tensor<1x?xf32>, %s: f32,
                  %a: tensor<?x?xi8, #w>) -> tensor<?x?xf16> {
  %c = magicube.spmm %a, %b scale(%s, %per_column) bias(%bias) {activation = #magicube.activation<gelu>}
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>, f32, tensor<1x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf16>
  return %c : tensor<?x?xf16>
}

func.func @gates(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>, %s: f32) -> tensor<?x?xf32> {
  %c = magicube.spmm %a, %b scale(%s) {activation = #magicube.activation<silu>}
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>, f32) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

func.func @brains(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>, %per_row: tensor<?x1xf32>) -> tensor<?x?xbf16> {
  %c = magicube.spmm %a, %b scale(%per_row) {activation = #magicube.activation<relu>}
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>, tensor<?x1xf32>) -> tensor<?x?xbf16>
  return %c : tensor<?x?xbf16>
}

func.func @bytes(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>, %z: tensor<1x?xi32>, %s: f32) -> tensor<?x?xi8> {
  %c = magicube.spmm %a, %b sum_bias(%z) scale(%s) {unsigned_result}
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>, tensor<1x?xi32>, f32) -> tensor<?x?xi8>
  return %c : tensor<?x?xi8>
}

func.func @nibbles(%a: tensor<?x?xi4, #w>, %b: tensor<?x?xi4>, %s: f32) -> tensor<?x?xi4> {
  %c = magicube.spmm %a, %b scale(%s)
     : (tensor<?x?xi4, #w>, tensor<?x?xi4>, f32) -> tensor<?x?xi4>
  return %c : tensor<?x?xi4>
}

func.func @float_sums(%a: tensor<?x?xi16, #w>, %b: tensor<?x?xi16>) -> tensor<?x?xf32> {
  %c = magicube.spmm %a, %b {accumulate = f32}
     : (tensor<?x?xi16, #w>, tensor<?x?xi16>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
