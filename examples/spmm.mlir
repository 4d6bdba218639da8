// One layer: a sparse int8 weight times dense int8 activations, in int32.
// Shapes are dynamic, so that one compiled file serves every layer:
//
//   magicube-compile examples/spmm.mlir --chip=sm_80 --emit=ptx -o spmm.ptx
//   magicube-run examples/spmm.mlir --entry=spmm --device=sim \
//     --arg=weight.smtx --arg=random:2304x512 --out=result.npy --check

#weight = #magicube.sr_bcrs<vector = 8>

func.func @spmm(%a: tensor<?x?xi8, #weight>, %b: tensor<?x?xi8>)
    -> tensor<?x?xi32> {
  %c = magicube.spmm %a, %b
     : (tensor<?x?xi8, #weight>, tensor<?x?xi8>) -> tensor<?x?xi32>
  return %c : tensor<?x?xi32>
}
