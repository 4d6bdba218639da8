// RUN: magicube-opt %s --convert-magicube-storage | FileCheck %s

#w = #magicube.sr_bcrs<vector = 8>
#u = #magicube.sr_bcrs<vector = 2, stride = 16, index = u16>

// The result has the pattern's pointers and indices.
// CHECK-LABEL: func.func @integers(
// CHECK-SAME: %[[A:[^:]+]]: tensor<64x32xi8>, %[[B:[^:]+]]: tensor<128x32xi8>, %[[PTR:[^:]+]]: tensor<8x2xi32>, %[[IDX:[^:]+]]: tensor<?xi32>)
// CHECK-SAME: -> (tensor<8x2xi32>, tensor<?xi32>, tensor<?xi32>)
// CHECK: %[[STORED:.+]] = tensor.dim %[[IDX]], %c0
// CHECK: %[[SIZE:.+]] = arith.muli %[[STORED]], %c8
// CHECK: %[[EMPTY:.+]] = tensor.empty(%[[SIZE]]) : tensor<?xi32>
// CHECK: %[[C:.+]] = magicube.sddmm %[[A]], %[[B]], storage(%[[PTR]], %[[IDX]]) as tensor<64x128xi1, #{{.*}}> outs(%[[EMPTY]]) {overwrite}
// CHECK: return %[[PTR]], %[[IDX]], %[[C]]
func.func @integers(%a: tensor<64x32xi8>, %b: tensor<128x32xi8>,
                    %p: tensor<64x128xi1, #w>) -> tensor<64x128xi32, #w> {
  %c = magicube.sddmm %a, %b, %p
     : (tensor<64x32xi8>, tensor<128x32xi8>, tensor<64x128xi1, #w>)
     -> tensor<64x128xi32, #w>
  return %c : tensor<64x128xi32, #w>
}

// The pattern of a matrix with values, nibbles, dynamic extents.
// CHECK-LABEL: func.func @packed(
// CHECK-SAME: %[[A:[^:]+]]: tensor<?x?xi8>, %[[K:[^:]+]]: index, %[[B:[^:]+]]: tensor<?x?xi16>, %[[PTR:[^:]+]]: tensor<?x2xi32>, %[[IDX:[^:]+]]: tensor<?xi16>, %{{[^:]+}}: tensor<?xi8>, %[[M:[^:]+]]: index, %[[N:[^:]+]]: index, %[[S:[^:]+]]: f32)
// CHECK: arith.divui %{{.*}}, %c2
// CHECK: magicube.sddmm %[[A]], %[[B]], storage(%[[PTR]], %[[IDX]]) as tensor<?x?xi1, #{{.*}}> scale(%[[S]]) inner(%[[K]]) outs(%{{.*}}) {overwrite, packed_lhs = i4, packed_result = i4, unsigned_result}
// CHECK-SAME: tensor<?xi8>) -> tensor<?xi8>
// CHECK: return %[[PTR]], %[[IDX]], %{{.*}}, %[[M]], %[[N]]
func.func @packed(%a: tensor<?x?xi4>, %b: tensor<?x?xi16>,
                  %p: tensor<?x?xi8, #u>, %s: f32) -> tensor<?x?xi4, #u> {
  %c = magicube.sddmm %a, %b, %p scale(%s) {unsigned_result}
     : (tensor<?x?xi4>, tensor<?x?xi16>, tensor<?x?xi8, #u>, f32)
     -> tensor<?x?xi4, #u>
  return %c : tensor<?x?xi4, #u>
}

// A softmax takes what a product makes, and a product what a softmax makes.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[S:.+]] = magicube.sddmm %{{.*}}, %{{.*}}, storage(%[[PTR:.+]], %[[IDX:.+]]) as
// CHECK: %[[F:.+]] = tensor.empty() : tensor<64x1xf32>
// CHECK: %[[Q:.+]]:2 = magicube.softmax storage(%[[PTR]], %[[IDX]], %[[S]]) as tensor<64x64xi32, #{{.*}}> scale(%{{.*}}) outs(%{{.*}}, %[[F]]) {overwrite, unsigned_result}
// CHECK: magicube.spmm storage(%[[PTR]], %[[IDX]], %[[Q]]#0) as tensor<64x64xi8, #{{.*}}>, %{{.*}} scale(%[[Q]]#1)
func.func @chain(%a: tensor<64x32xi8>, %b: tensor<64x32xi8>,
                 %v: tensor<64x16xi8>, %p: tensor<64x64xi1, #w>, %c: f32)
    -> tensor<64x16xf32> {
  %s = magicube.sddmm %a, %b, %p
     : (tensor<64x32xi8>, tensor<64x32xi8>, tensor<64x64xi1, #w>)
     -> tensor<64x64xi32, #w>
  %q, %f = magicube.softmax %s scale(%c) {unsigned_result}
     : (tensor<64x64xi32, #w>, f32) -> (tensor<64x64xi8, #w>, tensor<64x1xf32>)
  %o = magicube.spmm %q, %v scale(%f) {unsigned_lhs}
     : (tensor<64x64xi8, #w>, tensor<64x16xi8>, tensor<64x1xf32>)
     -> tensor<64x16xf32>
  return %o : tensor<64x16xf32>
}

// A mask is its values.
// CHECK-LABEL: func.func @floats(
// CHECK-SAME: %[[PTR:[^:]+]]: tensor<8x2xi32>, %[[IDX:[^:]+]]: tensor<?xi32>, %[[VAL:[^:]+]]: tensor<?xf16>, %{{[^:]+}}: tensor<8x2xi32>, %{{[^:]+}}: tensor<?xi32>, %[[MASK:[^:]+]]: tensor<?xf32>)
// CHECK: magicube.softmax storage(%[[PTR]], %[[IDX]], %[[VAL]]) as tensor<64x128xf16, #{{.*}}> mask(%[[MASK]]) outs(%{{.*}}) {overwrite}
func.func @floats(%s: tensor<64x128xf16, #w>, %m: tensor<64x128xf32, #w>)
    -> tensor<64x128xf32, #w> {
  %p = magicube.softmax %s mask(%m)
     : (tensor<64x128xf16, #w>, tensor<64x128xf32, #w>) -> tensor<64x128xf32, #w>
  return %p : tensor<64x128xf32, #w>
}

// Control flow over the new types.
// CHECK-LABEL: func.func @select(
// CHECK-COUNT-3: arith.select
func.func @select(%c: i1, %s: tensor<64x128xf32, #w>, %t: tensor<64x128xf32, #w>)
    -> tensor<64x128xf32, #w> {
  %r = arith.select %c, %s, %t : tensor<64x128xf32, #w>
  return %r : tensor<64x128xf32, #w>
}

// Batches of a pattern each fold into its rows.
// CHECK-LABEL: func.func @batches(
// CHECK: magicube.sddmm %{{.*}}, %{{.*}}, storage(%{{.*}}, %{{.*}}) as tensor<2x64x128xi1, #{{.*}}> outs(%{{.*}}) {overwrite}
// CHECK-SAME: (tensor<2x64x32xi8>, tensor<2x128x32xi8>, tensor<16x2xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
// CHECK: magicube.softmax storage({{.*}}) as tensor<2x64x128xi32, #{{.*}}> scale(%{{.*}}) outs(%{{.*}}, %{{.*}}) {overwrite, unsigned_result}
// CHECK-SAME: -> (tensor<?xi8>, tensor<2x64x1xf32>)
func.func @batches(%a: tensor<2x64x32xi8>, %b: tensor<2x128x32xi8>,
                   %p: tensor<2x64x128xi1, #w>, %c: f32)
    -> (tensor<2x64x128xi8, #w>, tensor<2x64x1xf32>) {
  %s = magicube.sddmm %a, %b, %p
     : (tensor<2x64x32xi8>, tensor<2x128x32xi8>, tensor<2x64x128xi1, #w>)
     -> tensor<2x64x128xi32, #w>
  %q, %f = magicube.softmax %s scale(%c) {unsigned_result}
     : (tensor<2x64x128xi32, #w>, f32)
     -> (tensor<2x64x128xi8, #w>, tensor<2x64x1xf32>)
  return %q, %f : tensor<2x64x128xi8, #w>, tensor<2x64x1xf32>
}
