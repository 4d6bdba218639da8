// A layer of a quantized network as its types say it: int8 weights with a scale
// for each output channel (a row), uint8 activations with a zero point. Compiled
// and run like any other product; arguments and results are the stored integers:
//
//   magicube-run examples/quantized.mlir --entry=layer --arg=random:8x64@0.3 \
//     --arg=random:64x32 --arg=random:8x1 --out=result.npy --check

#sparse = #magicube.sr_bcrs<vector = 8>

!weight = !quant.uniform<i8<-127:127>:f32:0,
    {0.011, 0.017, 0.008, 0.023, 0.014, 0.009, 0.031, 0.012}>
!input = !quant.uniform<u8:f32, 0.024:128>

func.func @layer(%w: tensor<8x64x!weight, #sparse>, %x: tensor<64x?x!input>,
                 %bias: tensor<8x1xf32>) -> tensor<8x?xf32> {
  %y = magicube.spmm %w, %x bias(%bias)
         {activation = #magicube.activation<relu>}
     : (tensor<8x64x!weight, #sparse>, tensor<64x?x!input>, tensor<8x1xf32>)
    -> tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}
