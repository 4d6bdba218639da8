// A product that keeps its dense operand in shared memory: K is static.
#w = #magicube.sr_bcrs<vector = 8>
#s = #magicube.schedule<tile_n = 32, warps = 4, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 12>>

func.func @spmm(%a: tensor<?x96xi8, #w>, %b: tensor<96x?xi8>) -> tensor<?x?xi32> {
  %c = magicube.spmm %a, %b {schedule = #s}
     : (tensor<?x96xi8, #w>, tensor<96x?xi8>) -> tensor<?x?xi32>
  return %c : tensor<?x?xi32>
}
