// RUN: magicube-opt %s --convert-magicube-storage --split-input-file | FileCheck %s --implicit-check-not='magicube.assemble' --implicit-check-not='magicube.disassemble'

#w = #magicube.sr_bcrs<vector = 2>

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @static(
// CHECK-SAME: %[[PTR:[^:]*]]: tensor<8x2xi32>, %[[IDX:[^:]*]]: tensor<?xi32>, %[[VAL:[^:]*]]: tensor<?xi8>, %[[B:[^:]*]]: tensor<32x16xi8>) -> tensor<16x16xi32>
// CHECK: %[[C:.*]] = tensor.empty() : tensor<16x16xi32>
// CHECK: magicube.spmm storage(%[[PTR]], %[[IDX]], %[[VAL]]) as tensor<16x32xi8, #magicube.sr_bcrs<vector = 2>>, %[[B]] outs(%[[C]]) {overwrite}
func.func @static(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}

// M comes with the sparse operand, N from the dense one.
// CHECK-LABEL: @dynamic(
// CHECK-SAME: tensor<?x2xi32>, %{{[^:]*}}: tensor<?xi32>, %{{[^:]*}}: tensor<?xi8>, %[[M:[^:]*]]: index, %[[K:[^:]*]]: index, %[[B:[^:]*]]: tensor<?x?xi8>
// CHECK: %[[N:.*]] = tensor.dim %[[B]], %c1
// CHECK: %[[C:.*]] = tensor.empty(%[[M]], %[[N]]) : tensor<?x?xi32>
// CHECK: magicube.spmm storage({{.*}} outs(%[[C]]) {overwrite}
// CHECK: return %{{.*}}, %[[K]]
func.func @dynamic(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>) -> (tensor<?x?xi32>, index) {
  %c1 = arith.constant 1 : index
  %c = magicube.spmm %a, %b : (tensor<?x?xi8, #w>, tensor<?x?xi8>) -> tensor<?x?xi32>
  %k = tensor.dim %a, %c1 : tensor<?x?xi8, #w>
  return %c, %k : tensor<?x?xi32>, index
}

// Attributes and other operands stay; a destination that is read is not made
// one that is overwritten.
// CHECK-LABEL: @attributes(
// CHECK: magicube.spmm storage({{.*}} outs(%{{.*}}) {mine = 1 : i32, pattern = #magicube.pattern<vectors = 9, longest = 8>, schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>, unsigned_lhs, unsigned_rhs}
// CHECK: magicube.spmm storage({{.*}} scale(%{{.*}}) bias(%{{.*}}) outs(%{{.*}}) {activation = #magicube.activation<relu>, overwrite}
// CHECK: magicube.spmm storage({{.*}} outs(%{{.*}}) {accumulate = f32, overwrite}
func.func @attributes(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>, %init: tensor<16x16xi32>,
                      %scale: f32, %bias: tensor<16x1xf32>, %wide: tensor<32x16xi16>) {
  %0 = magicube.spmm %a, %b outs(%init)
       {unsigned_lhs, unsigned_rhs, mine = 1 : i32,
        pattern = #magicube.pattern<vectors = 9, longest = 8>,
        schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 2>>}
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
  %1 = magicube.spmm %a, %b scale(%scale) bias(%bias) {activation = #magicube.activation<relu>}
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, f32, tensor<16x1xf32>) -> tensor<16x16xf32>
  %2 = magicube.spmm %a, %wide {accumulate = f32}
     : (tensor<16x32xi8, #w>, tensor<32x16xi16>) -> tensor<16x16xf32>
  return
}

// A result of i4 is its bytes and the number of columns, a constant where the type says it.
// CHECK-LABEL: @packed_result(
// CHECK-SAME: %[[B:[^:]*]]: tensor<32x7xi8>) -> tensor<16x4xi8>
// CHECK: %[[BYTES:.*]] = tensor.empty() : tensor<16x4xi8>
// CHECK: %[[C:.*]] = magicube.spmm storage({{.*}}, %[[B]] scale(%{{.*}}) columns(%c7) outs(%[[BYTES]])
// CHECK-SAME: {overwrite, packed_result = i4, unsigned_result}
// CHECK-SAME: -> tensor<16x4xi8>
// CHECK: return %[[C]] : tensor<16x4xi8>
func.func @packed_result(%a: tensor<16x32xi8, #w>, %scale: f32, %b: tensor<32x7xi8>) -> tensor<16x7xi4> {
  %c = magicube.spmm %a, %b scale(%scale) {unsigned_result}
     : (tensor<16x32xi8, #w>, tensor<32x7xi8>, f32) -> tensor<16x7xi4>
  return %c : tensor<16x7xi4>
}

// CHECK-LABEL: @packed_dynamic(
// CHECK-SAME: %[[B:[^:]*]]: tensor<32x?xi8>, %[[N:[^:]*]]: index) -> (tensor<16x?xi8>, index, tensor<16x?xi32>)
// CHECK: %[[BYTES:.*]] = arith.ceildivui %[[N]], %c2
// CHECK: %[[INIT:.*]] = tensor.empty(%[[BYTES]]) : tensor<16x?xi8>
// CHECK: %[[C:.*]] = magicube.spmm storage({{.*}}, %[[B]] scale(%{{.*}}) columns(%[[N]]) outs(%[[INIT]])
// CHECK-SAME: {overwrite, packed_result = i4, packed_rhs = i4}
// CHECK: %[[OUT:.*]] = tensor.empty(%[[N]]) : tensor<16x?xi32>
// CHECK: %[[D:.*]] = magicube.spmm storage({{.*}}, %[[C]] outs(%[[OUT]]) {overwrite, packed_rhs = i4}
// CHECK: return %[[C]], %[[N]], %[[D]]
func.func @packed_dynamic(%a: tensor<16x32xi8, #w>, %a2: tensor<16x16xi8, #w>, %scale: f32,
                          %b: tensor<32x?xi4>) -> (tensor<16x?xi4>, tensor<16x?xi32>) {
  %c = magicube.spmm %a, %b scale(%scale)
     : (tensor<16x32xi8, #w>, tensor<32x?xi4>, f32) -> tensor<16x?xi4>
  %d = magicube.spmm %a2, %c
     : (tensor<16x16xi8, #w>, tensor<16x?xi4>) -> tensor<16x?xi32>
  return %c, %d : tensor<16x?xi4>, tensor<16x?xi32>
}

// Into an init, whose columns are known; the cast is one of bytes.
// CHECK-LABEL: @packed_init(
// CHECK-SAME: %[[INIT:[^:]*]]: tensor<16x?xi8>, %[[N:[^:]*]]: index)
// CHECK: %[[C:.*]] = magicube.spmm storage({{.*}} columns(%[[N]]) outs(%[[INIT]]) {overwrite, packed_result = i4}
// CHECK: %[[CAST:.*]] = tensor.cast %[[C]] : tensor<16x?xi8> to tensor<?x3xi8>
// CHECK: return %[[CAST]] : tensor<?x3xi8>
func.func @packed_init(%a: tensor<16x32xi8, #w>, %scale: f32, %b: tensor<32x?xi8>,
                       %init: tensor<16x?xi4>) -> tensor<?x5xi4> {
  %c = magicube.spmm %a, %b scale(%scale) outs(%init) {overwrite}
     : (tensor<16x32xi8, #w>, tensor<32x?xi8>, f32, tensor<16x?xi4>) -> tensor<16x?xi4>
  %d = tensor.cast %c : tensor<16x?xi4> to tensor<?x5xi4>
  return %d : tensor<?x5xi4>
}

// The batch is rhs's, also where lhs is shared.
// CHECK-LABEL: @batched(
// CHECK-SAME: %[[B:[^:]*]]: tensor<?x32x16xi8>
// CHECK: %[[BATCH:.*]] = tensor.dim %[[B]], %c0
// CHECK: tensor.empty(%[[BATCH]]) : tensor<?x16x16xi32>
func.func @batched(%b: tensor<?x32x16xi8>, %a: tensor<16x32xi8, #w>) -> tensor<?x16x16xi32> {
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<?x32x16xi8>) -> tensor<?x16x16xi32>
  return %c : tensor<?x16x16xi32>
}

//===----------------------------------------------------------------------===//
// Components of every encoding
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @components(
// CHECK-SAME: tensor<1x2xi32>, %{{[^:]*}}: tensor<?xi32>,
// CHECK-SAME: tensor<?x3x2xi32>, %{{[^:]*}}: tensor<?xi16>, %{{[^:]*}}: tensor<?xi8>, %{{[^:]*}}: index,
// CHECK-SAME: tensor<6x2xi32>, %{{[^:]*}}: tensor<?xi32>, %{{[^:]*}}: tensor<?xi16>)
func.func @components(
    %pattern: tensor<16x9xi1, #magicube.sr_bcrs<vector = 16>>,
    %slabs: tensor<?x130xi4, #magicube.sr_bcrs<vector = 8, slab = 64, index = u16>>,
    %batched: tensor<3x8x9xi12, #magicube.sr_bcrs<vector = 4, order = bank_aware>>) {
  return
}

// -----

//===----------------------------------------------------------------------===//
// Components by hand
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 2>

// CHECK-LABEL: @assembled(
// CHECK-SAME: %[[PTR:[^:]*]]: tensor<8x2xi32>, %[[IDX:[^:]*]]: tensor<64xi32>, %[[VAL:[^:]*]]: tensor<?xi8>, %[[M:[^:]*]]: index,
// CHECK-DAG: %[[PTRS:.*]] = tensor.cast %[[PTR]] : tensor<8x2xi32> to tensor<?x2xi32>
// CHECK-DAG: %[[IDXS:.*]] = tensor.cast %[[IDX]] : tensor<64xi32> to tensor<?xi32>
// CHECK: tensor.empty(%[[M]])
// CHECK: magicube.spmm storage(%[[PTRS]], %[[IDXS]], %[[VAL]])
// CHECK: return %{{.*}}, %[[IDXS]], %[[M]]
func.func @assembled(%ptr: tensor<8x2xi32>, %idx: tensor<64xi32>, %val: tensor<?xi8>,
    %m: index, %b: tensor<32x16xi8>) -> (tensor<?x16xi32>, tensor<?xi32>, index) {
  %c0 = arith.constant 0 : index
  %a = magicube.assemble %ptr, %idx, %val dims(%m)
     : (tensor<8x2xi32>, tensor<64xi32>, tensor<?xi8>) -> tensor<?x32xi8, #w>
  %c = magicube.spmm %a, %b : (tensor<?x32xi8, #w>, tensor<32x16xi8>) -> tensor<?x16xi32>
  %parts:3 = magicube.disassemble %a
           : tensor<?x32xi8, #w> -> tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>
  %again = tensor.dim %a, %c0 : tensor<?x32xi8, #w>
  return %c, %parts#1, %again : tensor<?x16xi32>, tensor<?xi32>, index
}

// A cast that keeps the encoding: extents become values, or are forgotten.
// CHECK-LABEL: @cast(
// CHECK-SAME: %[[PTR:[^:]*]]: tensor<8x2xi32>, %[[IDX:[^:]*]]: tensor<?xi32>, %[[VAL:[^:]*]]: tensor<?xi8>)
// CHECK-DAG: %[[PTRS:.*]] = tensor.cast %[[PTR]] : tensor<8x2xi32> to tensor<?x2xi32>
// CHECK-DAG: %[[M:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[K:.*]] = arith.constant 32 : index
// CHECK: return %[[PTRS]], %[[IDX]], %[[VAL]], %[[M]], %[[K]]
func.func @cast(%a: tensor<16x32xi8, #w>) -> tensor<?x?xi8, #w> {
  %0 = tensor.cast %a : tensor<16x32xi8, #w> to tensor<?x?xi8, #w>
  return %0 : tensor<?x?xi8, #w>
}

// -----

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 2>
!sparse = tensor<16x?xi8, #w>

// CHECK: func.func private @declared(tensor<8x2xi32>, tensor<?xi32>, tensor<?xi8>, index, i32) -> (i32, tensor<8x2xi32>, tensor<?xi32>, tensor<?xi8>, index)
func.func private @declared(!sparse, i32) -> (i32, !sparse)

// CHECK-LABEL: @calls(
// CHECK-SAME: %[[PTR:[^:]*]]: tensor<8x2xi32>, %[[IDX:[^:]*]]: tensor<?xi32>, %[[VAL:[^:]*]]: tensor<?xi8>, %[[K:[^:]*]]: index, %[[I:[^:]*]]: i32)
// CHECK: %[[R:.*]]:5 = call @declared(%[[PTR]], %[[IDX]], %[[VAL]], %[[K]], %[[I]])
// CHECK: return %[[R]]#1, %[[R]]#2, %[[R]]#3, %[[R]]#4, %[[R]]#0
func.func @calls(%a: !sparse, %i: i32) -> (!sparse, i32) {
  %r:2 = call @declared(%a, %i) : (!sparse, i32) -> (i32, !sparse)
  return %r#1, %r#0 : !sparse, i32
}

// Attributes stay with their arguments and results; those of a sparse one go to
// its components, not to its extents.
// CHECK-LABEL: @argument_attributes(
// CHECK-SAME: tensor<8x2xi32> {bufferization.writable = false}, %{{[^:]*}}: tensor<?xi32> {bufferization.writable = false}, %{{[^:]*}}: tensor<?xi8> {bufferization.writable = false}, %{{[^:]*}}: index,
// CHECK-SAME: tensor<32x16xi8> {bufferization.writable = true})
// CHECK-SAME: -> (tensor<8x2xi32>, tensor<?xi32>, tensor<?xi8>, index, tensor<32x16xi8> {llvm.noundef})
func.func @argument_attributes(%a: !sparse {bufferization.writable = false},
                               %b: tensor<32x16xi8> {bufferization.writable = true})
    -> (!sparse, tensor<32x16xi8> {llvm.noundef}) {
  return %a, %b : !sparse, tensor<32x16xi8>
}

// -----

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

#w = #magicube.sr_bcrs<vector = 2>
!sparse = tensor<16x32xi8, #w>

// CHECK-LABEL: @branch(
// CHECK: %[[R:.*]]:3 = scf.if %{{.*}} -> (tensor<8x2xi32>, tensor<?xi32>, tensor<?xi8>)
// CHECK: return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @branch(%p: i1, %a: !sparse, %b: !sparse) -> !sparse {
  %r = scf.if %p -> !sparse {
    scf.yield %a : !sparse
  } else {
    scf.yield %b : !sparse
  }
  return %r : !sparse
}

// CHECK-LABEL: @loop(
// CHECK: %[[R:.*]]:7 = scf.for
// CHECK-SAME: -> (tensor<8x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<16x16xi32>, tensor<8x2xi32>, tensor<?xi32>, tensor<?xi8>)
// CHECK: magicube.spmm storage(
// CHECK: return %[[R]]#3
func.func @loop(%n: index, %a: !sparse, %b: !sparse, %x: tensor<32x16xi8>,
                %init: tensor<16x16xi32>) -> tensor<16x16xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %sum = %init, %q = %b)
      -> (!sparse, tensor<16x16xi32>, !sparse) {
    %next = magicube.spmm %p, %x outs(%sum)
          : (!sparse, tensor<32x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
    scf.yield %q, %next, %p : !sparse, tensor<16x16xi32>, !sparse
  }
  return %r#1 : tensor<16x16xi32>
}

// CHECK-LABEL: @while(
// CHECK: %[[R:.*]]:4 = scf.while
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x2xi32>, tensor<?xi32>, tensor<?xi8>, i32
// CHECK: return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @while(%a: !sparse, %n: i32) -> !sparse {
  %r:2 = scf.while (%x = %a, %i = %n) : (!sparse, i32) -> (!sparse, i32) {
    %p = arith.cmpi slt, %i, %n : i32
    scf.condition(%p) %x, %i : !sparse, i32
  } do {
  ^bb0(%x: !sparse, %i: i32):
    scf.yield %x, %i : !sparse, i32
  }
  return %r#0 : !sparse
}

// CHECK-LABEL: @switch(
// CHECK: scf.index_switch %{{.*}} -> tensor<8x2xi32>, tensor<?xi32>, tensor<?xi8>
func.func @switch(%i: index, %a: !sparse, %b: !sparse) -> !sparse {
  %r = scf.index_switch %i -> !sparse
  case 1 {
    scf.yield %a : !sparse
  }
  default {
    scf.yield %b : !sparse
  }
  return %r : !sparse
}

// CHECK-LABEL: @select(
// CHECK-SAME: %[[P:[^:]*]]: i1, %[[A0:[^:]*]]: {{[^,]*}}, %[[A1:[^:]*]]: {{[^,]*}}, %[[A2:[^:]*]]: {{[^,]*}}, %[[B0:[^:]*]]: {{[^,]*}}, %[[B1:[^:]*]]: {{[^,]*}}, %[[B2:[^:]*]]:
// CHECK: %[[R0:.*]] = arith.select %[[P]], %[[A0]], %[[B0]] : tensor<8x2xi32>
// CHECK: %[[R1:.*]] = arith.select %[[P]], %[[A1]], %[[B1]] : tensor<?xi32>
// CHECK: %[[R2:.*]] = arith.select %[[P]], %[[A2]], %[[B2]] : tensor<?xi8>
// CHECK: return %[[R0]], %[[R1]], %[[R2]]
func.func @select(%p: i1, %a: !sparse, %b: !sparse) -> !sparse {
  %r = arith.select %p, %a, %b : !sparse
  return %r : !sparse
}
