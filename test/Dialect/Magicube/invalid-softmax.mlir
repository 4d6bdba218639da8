// RUN: magicube-opt %s --split-input-file --verify-diagnostics

func.func @dense_scores(%s: tensor<16x24xi32>, %c: f32) {
  // expected-error@+1 {{expected scores to be one tensor with a #magicube.sr_bcrs encoding, but got 'tensor<16x24xi32>'}}
  %q, %f = magicube.softmax %s scale(%c) {unsigned_result} : (tensor<16x24xi32>, f32) -> (tensor<16x24xi8>, tensor<16x1xf32>)
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @no_scale(%s: tensor<16x24xi32, #w>) {
  // expected-error@+2 {{'magicube.softmax' op expected 'scale' next to scores of i32}}
  // expected-note@+1 {{say what a unit of the scores counts}}
  %q, %f = magicube.softmax %s {unsigned_result} : (tensor<16x24xi32, #w>) -> (tensor<16x24xi8, #w>, tensor<16x1xf32>)
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8, order = bank_aware>
func.func @bank_aware(%s: tensor<16x24xf32, #w>) {
  // expected-error@+2 {{expected scores in natural order, but got order = bank_aware}}
  // expected-note@+1 {{pack it with order = natural}}
  %p = magicube.softmax %s : (tensor<16x24xf32, #w>) -> tensor<16x24xf32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @scores_of_bytes(%s: tensor<16x24xi8, #w>, %c: f32) {
  // expected-error@+2 {{expected scores of i32, f32 or f16, but got 'i8'}}
  // expected-note@+1 {{scores are what magicube.sddmm makes}}
  %p = magicube.softmax %s scale(%c) : (tensor<16x24xi8, #w>, f32) -> tensor<16x24xf32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @scores_of_bf16(%s: tensor<16x24xbf16, #w>) {
  // expected-error@+2 {{expected scores of i32, f32 or f16, but got 'bf16'}}
  // expected-note@+1 {{scores are what magicube.sddmm makes}}
  %p = magicube.softmax %s : (tensor<16x24xbf16, #w>) -> tensor<16x24xf32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @scale_shape(%s: tensor<16x24xf32, #w>, %c: tensor<1x24xf32>) {
  // expected-error@+2 {{expected a number of f32, or a scale of f32 and shape 16x1, but got 'tensor<1x24xf32>'}}
  // expected-note@+1 {{there is one number for each row of the scores}}
  %p = magicube.softmax %s scale(%c) : (tensor<16x24xf32, #w>, tensor<1x24xf32>) -> tensor<16x24xf32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @result_of_12_bits(%s: tensor<16x24xf32, #w>) {
  // expected-error@+2 {{expected a result of i4, i8, i16, f32 or f16, but got 'i12'}}
  // expected-note@+1 {{integers are unsigned, for magicube.spmm; floats are probabilities}}
  %q, %f = magicube.softmax %s {unsigned_result} : (tensor<16x24xf32, #w>) -> (tensor<16x24xi12, #w>, tensor<16x1xf32>)
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @signed_result(%s: tensor<16x24xf32, #w>) {
  // expected-error@+2 {{expected unsigned_result on a result of integers, which are unsigned}}
  // expected-note@+1 {{add it, and unsigned_lhs on the product that takes the result}}
  %q, %f = magicube.softmax %s : (tensor<16x24xf32, #w>) -> (tensor<16x24xi8, #w>, tensor<16x1xf32>)
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @unsigned_floats(%s: tensor<16x24xf32, #w>) {
  // expected-error@+2 {{expected no unsigned_result on a result of floats}}
  // expected-note@+1 {{leave it out}}
  %p = magicube.softmax %s {unsigned_result} : (tensor<16x24xf32, #w>) -> tensor<16x24xf32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @no_factors(%s: tensor<16x24xf32, #w>) {
  // expected-error@+2 {{expected 2 results for 'i8', but got 1}}
  // expected-note@+1 {{integers come with the factors of their rows, floats alone}}
  %q = magicube.softmax %s {unsigned_result} : (tensor<16x24xf32, #w>) -> tensor<16x24xi8, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @factors_of_floats(%s: tensor<16x24xf32, #w>) {
  // expected-error@+2 {{expected 1 result for 'f32', but got 2}}
  // expected-note@+1 {{floats alone}}
  %p, %f = magicube.softmax %s : (tensor<16x24xf32, #w>) -> (tensor<16x24xf32, #w>, tensor<16x1xf32>)
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @factors_shape(%s: tensor<16x24xf32, #w>) {
  // expected-error@+2 {{expected factors of f32 and shape 16x1, but got 'tensor<1x24xf32>'}}
  // expected-note@+1 {{there is one number for each row of the scores}}
  %q, %f = magicube.softmax %s {unsigned_result} : (tensor<16x24xf32, #w>) -> (tensor<16x24xi8, #w>, tensor<1x24xf32>)
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
#u = #magicube.sr_bcrs<vector = 4>
func.func @other_encoding(%s: tensor<16x24xf32, #w>) {
  // expected-error@+2 {{expected a result with the encoding of the scores, #magicube.sr_bcrs<vector = 8>, but got 'tensor<16x24xf32, #magicube.sr_bcrs<vector = 4>>'}}
  // expected-note@+1 {{the result has its pointers and indices}}
  %p = magicube.softmax %s : (tensor<16x24xf32, #w>) -> tensor<16x24xf32, #u>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @value_scale_of_floats(%s: tensor<16x24xf32, #w>, %v: f32) {
  // expected-error@+2 {{expected no value_scale next to a result of 'f32'}}
  // expected-note@+1 {{it is multiplied into the factors}}
  %p = magicube.softmax %s value_scale(%v) : (tensor<16x24xf32, #w>, f32) -> tensor<16x24xf32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @mask_of_integer_scores(%s: tensor<16x24xi32, #w>, %c: f32, %m: tensor<16x24xf32, #w>) {
  // expected-error@+2 {{expected no mask for scores of i32}}
  // expected-note@+1 {{leave what is masked out of the pattern}}
  %p = magicube.softmax %s scale(%c) mask(%m) : (tensor<16x24xi32, #w>, f32, tensor<16x24xf32, #w>) -> tensor<16x24xf32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @mask_of_integers(%s: tensor<16x24xf32, #w>, %m: tensor<16x24xi8, #w>) {
  // expected-error@+2 {{expected a mask of f32 or f16, but got 'i8'}}
  // expected-note@+1 {{0 keeps an entry, -inf drops it}}
  %p = magicube.softmax %s mask(%m) : (tensor<16x24xf32, #w>, tensor<16x24xi8, #w>) -> tensor<16x24xf32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @dense_mask(%s: tensor<16x24xf32, #w>, %m: tensor<16x24xf32>) {
  // expected-error@+2 {{expected a mask of the shape and encoding of the scores, 'tensor<16x24xf32, #magicube.sr_bcrs<vector = 8>>', but got 'tensor<16x24xf32>'}}
  // expected-note@+1 {{a mask has a value for each stored entry of the scores, at the same pointers and indices}}
  %p = magicube.softmax %s mask(%m) : (tensor<16x24xf32, #w>, tensor<16x24xf32>) -> tensor<16x24xf32, #w>
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @mask_shape(%s: tensor<16x24xf32, #w>, %m: tensor<16x32xf32, #w>) {
  // expected-error@+2 {{expected a mask of the shape and encoding of the scores}}
  // expected-note@+1 {{at the same pointers and indices}}
  %p = magicube.softmax %s mask(%m) : (tensor<16x24xf32, #w>, tensor<16x32xf32, #w>) -> tensor<16x24xf32, #w>
  return
}

// -----

// 65535 * 65537 = 2^32 - 1.
#w = #magicube.sr_bcrs<vector = 8>
func.func @long_rows(%s: tensor<16x65537xf32, #w>, %t: tensor<16x65538xf32, #w>) {
  %q, %f = magicube.softmax %s {unsigned_result} : (tensor<16x65537xf32, #w>) -> (tensor<16x65537xi16, #w>, tensor<16x1xf32>)
  // expected-error@+2 {{expected rows of at most 65537 entries, whose values of 16 bits are summed in 32, but the scores have 65538 columns}}
  // expected-note@+1 {{take a result of fewer bits}}
  %r, %g = magicube.softmax %t {unsigned_result} : (tensor<16x65538xf32, #w>) -> (tensor<16x65538xi16, #w>, tensor<16x1xf32>)
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @no_overwrite(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xf32>, %p: memref<?xf32>) {
  // expected-error@+1 {{expected 'overwrite' next to outs: nothing is added to}}
  magicube.softmax storage(%ptr, %idx, %val) as tensor<16x24xf32, #w> outs(%p)
    : (memref<2x2xi32>, memref<?xi32>, memref<?xf32>, memref<?xf32>) -> ()
  return
}

// -----

#w = #magicube.sr_bcrs<vector = 8>
func.func @unpacked(%ptr: memref<2x2xi32>, %idx: memref<?xi32>, %val: memref<?xf32>, %q: memref<?xi4>, %f: memref<16x1xf32>) {
  // expected-error@+1 {{expected bytes and packed_result for a result of i4 in storage form, but got 'memref<?xi4>'}}
  magicube.softmax storage(%ptr, %idx, %val) as tensor<16x24xf32, #w> outs(%q, %f) {overwrite, unsigned_result}
    : (memref<2x2xi32>, memref<?xi32>, memref<?xf32>, memref<?xi4>, memref<16x1xf32>) -> ()
  return
}
