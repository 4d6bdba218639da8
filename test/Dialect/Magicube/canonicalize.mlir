// RUN: magicube-opt %s --canonicalize --split-input-file | FileCheck %s

#w = #magicube.sr_bcrs<vector = 2>
!sparse = tensor<?x?xi8, #w>

// CHECK-LABEL: @assemble_disassembled(
// CHECK-SAME: %[[A:[^:]*]]:
// CHECK-NEXT: return %[[A]]
func.func @assemble_disassembled(%a: !sparse, %m: index) -> !sparse {
  %parts:3 = magicube.disassemble %a : !sparse -> tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>
  %0 = magicube.assemble %parts#0, %parts#1, %parts#2 dims(%m, %m)
     : (tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>) -> !sparse
  return %0 : !sparse
}

// Components of different tensors make a new one.
// CHECK-LABEL: @assemble_mixed
// CHECK: magicube.assemble
func.func @assemble_mixed(%a: !sparse, %b: !sparse, %m: index) -> !sparse {
  %a_parts:3 = magicube.disassemble %a : !sparse -> tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>
  %b_parts:3 = magicube.disassemble %b : !sparse -> tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>
  %0 = magicube.assemble %a_parts#0, %a_parts#1, %b_parts#2 dims(%m, %m)
     : (tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>) -> !sparse
  return %0 : !sparse
}

// CHECK-LABEL: @disassemble_assembled(
// CHECK-SAME: %[[PTR:[^:]*]]: {{[^,]*}}, %[[IDX:[^:]*]]: {{[^,]*}}, %[[VAL:[^:]*]]:
// CHECK-NEXT: return %[[PTR]], %[[IDX]], %[[VAL]]
func.func @disassemble_assembled(%ptr: tensor<?x2xi32>, %idx: tensor<?xi32>,
    %val: tensor<?xi8>, %m: index) -> (tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>) {
  %a = magicube.assemble %ptr, %idx, %val dims(%m, %m)
     : (tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>) -> !sparse
  %parts:3 = magicube.disassemble %a : !sparse -> tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>
  return %parts#0, %parts#1, %parts#2 : tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>
}

// CHECK-LABEL: @disassemble_other_types
// CHECK: magicube.disassemble
func.func @disassemble_other_types(%ptr: tensor<?x2xi32>, %idx: tensor<64xi32>,
    %val: tensor<?xi8>, %m: index) -> tensor<?xi32> {
  %a = magicube.assemble %ptr, %idx, %val dims(%m, %m)
     : (tensor<?x2xi32>, tensor<64xi32>, tensor<?xi8>) -> !sparse
  %parts:3 = magicube.disassemble %a : !sparse -> tensor<?x2xi32>, tensor<?xi32>, tensor<?xi8>
  return %parts#1 : tensor<?xi32>
}

// CHECK-LABEL: @unpack_packed(
// CHECK-SAME: %[[D:[^:]*]]:
// CHECK-NEXT: return %[[D]]
func.func @unpack_packed(%d: tensor<?x?xi8>) -> tensor<?x?xi8> {
  %0 = magicube.pack %d : tensor<?x?xi8> -> !sparse
  %1 = magicube.unpack %0 : !sparse -> tensor<?x?xi8>
  return %1 : tensor<?x?xi8>
}

// Stored zeros would get lost.
// CHECK-LABEL: @pack_unpacked
// CHECK: magicube.unpack
// CHECK: magicube.pack
func.func @pack_unpacked(%a: !sparse) -> !sparse {
  %0 = magicube.unpack %a : !sparse -> tensor<?x?xi8>
  %1 = magicube.pack %0 : tensor<?x?xi8> -> !sparse
  return %1 : !sparse
}

// -----

#w = #magicube.sr_bcrs<vector = 2>

// CHECK-LABEL: @fill_of_zero(
// CHECK-SAME: %[[INIT:[^:]*]]: tensor<16x16xi32>
// CHECK-NOT: linalg.fill
// CHECK: magicube.spmm {{.*}} outs(%[[INIT]]) {overwrite, unsigned_lhs}
func.func @fill_of_zero(%init: tensor<16x16xi32>, %a: tensor<16x32xi8, #w>,
                        %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %zero = arith.constant 0 : i32
  %fill = linalg.fill ins(%zero : i32) outs(%init : tensor<16x16xi32>) -> tensor<16x16xi32>
  %c = magicube.spmm %a, %b outs(%fill) {unsigned_lhs}
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}

// CHECK-LABEL: @fill_of_one
// CHECK: linalg.fill
// CHECK: magicube.spmm
// CHECK-NOT: overwrite
func.func @fill_of_one(%init: tensor<16x16xi32>, %a: tensor<16x32xi8, #w>,
                       %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %one = arith.constant 1 : i32
  %fill = linalg.fill ins(%one : i32) outs(%init : tensor<16x16xi32>) -> tensor<16x16xi32>
  %c = magicube.spmm %a, %b outs(%fill)
     : (tensor<16x32xi8, #w>, tensor<32x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}

// The storage form keeps its outs.
// CHECK-LABEL: @zero_in_storage_form
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<16x16xi32>
// CHECK: magicube.spmm storage({{.*}} outs(%[[EMPTY]]) {overwrite}
func.func @zero_in_storage_form(%ptr: tensor<8x2xi32>, %idx: tensor<?xi32>,
    %val: tensor<?xi8>, %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %c = magicube.spmm storage(%ptr, %idx, %val) as tensor<16x32xi8, #w>, %b outs(%zero)
     : (tensor<8x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<32x16xi8>,
        tensor<16x16xi32>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}

// -----

#w = #magicube.sr_bcrs<vector = 2>

// Static extents pass from rhs through the product.
// CHECK-LABEL: @cast_of_rhs(
// CHECK-SAME: %[[A:[^:]*]]: {{.*}}, %[[B:[^:]*]]: tensor<32x16xi8>
// CHECK-NEXT: %[[C:.*]] = magicube.spmm %[[A]], %[[B]] {{.*}} -> tensor<16x16xi32>
// CHECK-NEXT: tensor.cast %[[C]] : tensor<16x16xi32> to tensor<16x?xi32>
func.func @cast_of_rhs(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) -> tensor<16x?xi32> {
  %0 = tensor.cast %b : tensor<32x16xi8> to tensor<?x?xi8>
  %c = magicube.spmm %a, %0 : (tensor<16x32xi8, #w>, tensor<?x?xi8>) -> tensor<16x?xi32>
  return %c : tensor<16x?xi32>
}

// This cast says more than its source.
// CHECK-LABEL: @narrowing_cast_of_rhs
// CHECK: tensor.cast
// CHECK: magicube.spmm
func.func @narrowing_cast_of_rhs(%a: tensor<16x32xi8, #w>, %b: tensor<?x?xi8>) -> tensor<16x16xi32> {
  %0 = tensor.cast %b : tensor<?x?xi8> to tensor<32x16xi8>
  %c = magicube.spmm %a, %0 : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}

// This cast drops an encoding: rhs has to stay dense.
// CHECK-LABEL: @cast_of_sparse_rhs
// CHECK: tensor.cast
// CHECK: magicube.spmm {{.*}}, tensor<32x?xi8>)
func.func @cast_of_sparse_rhs(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8, #w>) -> tensor<16x?xi32> {
  %0 = tensor.cast %b : tensor<32x16xi8, #w> to tensor<32x?xi8>
  %c = magicube.spmm %a, %0 : (tensor<16x32xi8, #w>, tensor<32x?xi8>) -> tensor<16x?xi32>
  return %c : tensor<16x?xi32>
}

// The batch is known from lhs alone.
// CHECK-LABEL: @batch_of_lhs
// CHECK: magicube.spmm {{.*}} -> tensor<3x16x8xi32>
func.func @batch_of_lhs(%a: tensor<3x16x32xi8, #w>, %b: tensor<?x32x8xi8>) -> tensor<?x?x?xi32> {
  %c = magicube.spmm %a, %b : (tensor<3x16x32xi8, #w>, tensor<?x32x8xi8>) -> tensor<?x?x?xi32>
  return %c : tensor<?x?x?xi32>
}

// CHECK-LABEL: @dead
// CHECK-NEXT: return
func.func @dead(%a: tensor<16x32xi8, #w>, %b: tensor<32x16xi8>) {
  %c = magicube.spmm %a, %b : (tensor<16x32xi8, #w>, tensor<32x16xi8>) -> tensor<16x16xi32>
  return
}
