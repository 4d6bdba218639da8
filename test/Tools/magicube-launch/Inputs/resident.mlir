// A product that keeps its dense operand in shared memory: K is static.
#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 32, warps = 4, stages = 2, rhs = resident, blocks = 12>

func.func @spmm(%a: tensor<?x96xi8, #w>, %b: tensor<96x?xi8>) -> tensor<?x?xi32> {
  %c = magicube.spmm %a, %b {schedule = #s}
     : (tensor<?x96xi8, #w>, tensor<96x?xi8>) -> tensor<?x?xi32>
  return %c : tensor<?x?xi32>
}
