//===- MagicubeOps.td - Operations of the tensor-level dialect -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse tensors from and to their components, from and to dense tensors, the
// product of a sparse and a dense matrix (SpMM), the product of dense matrices
// at the places of a pattern (SDDMM), and softmax of what is stored.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_OPS_TD
#define MAGICUBE_OPS_TD

include "dialect/magicube/MagicubeAttrs.td"
include "dialect/magicube/MagicubeInterfaces.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Magicube_Op<string mnemonic, list<Trait> traits = []>
    : Op<Magicube_Dialect, mnemonic, traits>;

def Magicube_IsSparse
    : CPred<"::mlir::magicube::getSparseEncoding($_self) != nullptr">;
def Magicube_SparseTensor : Type<And<[AnyRankedTensor.predicate, Magicube_IsSparse]>,
    "tensor with a #magicube.sr_bcrs encoding", "::mlir::RankedTensorType">;
def Magicube_DenseTensor
    : Type<And<[AnyRankedTensor.predicate,
                CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">]>,
      "dense tensor", "::mlir::RankedTensorType">;
def Magicube_DenseOperand
    : Type<Or<[Magicube_DenseTensor.predicate, AnyMemRef.predicate]>,
      "dense tensor or memref", "::mlir::ShapedType">;

//===----------------------------------------------------------------------===//
// Components
//===----------------------------------------------------------------------===//

def Magicube_AssembleOp : Magicube_Op<"assemble", [Pure, AttrSizedOperandSegments]> {
  let summary = "make a sparse tensor from its stored components";
  let description = [{
    Names pointers, indices and values (absent for a pattern, element type i1)
    as the components of a sparse tensor, without copying. Their types are those
    that `#magicube.sr_bcrs` documents: values in containers (i8 bytes for 4 and
    8 bits, i16 for 12 and 16 bits). `dims` gives one extent per dynamic
    dimension of the result. Contents are not checked; a kernel reads what the
    pointers and indices say. It wants the buffer of each component to start at a
    multiple of 16 bytes.

    ```mlir
    %a = magicube.assemble %ptr, %idx, %val
       : (tensor<512x2xi32>, tensor<?xi32>, tensor<?xi8>) -> tensor<4096x512xi8, #w>
    %d = magicube.assemble %ptr, %idx, %val dims(%k)
       : (tensor<512x2xi32>, tensor<?xi32>, tensor<?xi8>) -> tensor<4096x?xi8, #w>
    ```
  }];
  let arguments = (ins Variadic<Magicube_DenseTensor>:$components,
                       Variadic<Index>:$dims);
  let results = (outs Magicube_SparseTensor:$result);
  let assemblyFormat = [{
    $components (`dims` `(` $dims^ `)`)? attr-dict `:`
    `(` type($components) `)` `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Magicube_DisassembleOp : Magicube_Op<"disassemble", [Pure]> {
  let summary = "the stored components of a sparse tensor";
  let description = [{
    The inverse of `magicube.assemble`, without its `dims` (ask `tensor.dim`).

    ```mlir
    %ptr, %idx, %val = magicube.disassemble %a
       : tensor<4096x512xi8, #w> -> tensor<512x2xi32>, tensor<?xi32>, tensor<?xi8>
    ```
  }];
  let arguments = (ins Magicube_SparseTensor:$source);
  let results = (outs Variadic<Magicube_DenseTensor>:$components);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) `->` type($components)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Magicube_PackOp : Magicube_Op<"pack", [Pure]> {
  let summary = "a sparse tensor from a dense one";
  let description = [{
    Stores every vector that has an element other than zero. Shapes and element
    types of source and result agree.

    ```mlir
    %a = magicube.pack %d : tensor<64x32xi8> -> tensor<64x32xi8, #w>
    ```
  }];
  let arguments = (ins Magicube_DenseTensor:$source);
  let results = (outs Magicube_SparseTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Magicube_UnpackOp : Magicube_Op<"unpack", [Pure]> {
  let summary = "a dense tensor from a sparse one";
  let description = [{
    Elements that are not stored are zero. Shapes and element types agree.

    ```mlir
    %d = magicube.unpack %a : tensor<64x32xi8, #w> -> tensor<64x32xi8>
    ```
  }];
  let arguments = (ins Magicube_SparseTensor:$source);
  let results = (outs Magicube_DenseTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// An operation with kernels. Its inits are its last operands, one for each
/// result (MagicubeDestination.h).
class Magicube_ComputeOp<string mnemonic> : Magicube_Op<mnemonic, [
    AttrSizedOperandSegments, Magicube_SparseComputeOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
      ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
       "getAliasingValues", "bufferize"]>]> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance>
            &effects) {
      ::mlir::magicube::getDestinationEffects(*this, effects);
    }
    bool $cppClass::bufferizesToMemoryRead(
        ::mlir::OpOperand &operand,
        const ::mlir::bufferization::AnalysisState &) {
      return ::mlir::magicube::readsOperand(*this, operand);
    }
    bool $cppClass::bufferizesToMemoryWrite(
        ::mlir::OpOperand &operand,
        const ::mlir::bufferization::AnalysisState &) {
      return ::mlir::magicube::getInitNumber(*this, operand).has_value();
    }
    ::mlir::bufferization::AliasingValueList $cppClass::getAliasingValues(
        ::mlir::OpOperand &operand,
        const ::mlir::bufferization::AnalysisState &) {
      return ::mlir::magicube::getAliasingResults(*this, operand);
    }
    ::llvm::LogicalResult $cppClass::bufferize(
        ::mlir::RewriterBase &rewriter,
        const ::mlir::bufferization::BufferizationOptions &options,
        ::mlir::bufferization::BufferizationState &state) {
      return ::mlir::magicube::bufferizeDestinations(*this, rewriter, options,
                                                     state);
    }
  }];
}

def Magicube_SpmmOp : Magicube_ComputeOp<"spmm"> {
  let summary = "sparse times dense matrix product";
  let description = [{
    `result = epilogue(lhs * rhs [+ init])` with lhs `[batch...] x M x K` sparse,
    rhs `[batch...] x K x N` and the result `[batch...] x M x N` dense. A rank-2
    lhs in a batched product is shared by the batch.

    Operands are integers of 4, 8, 12 or 16 bits (lhs) and 4, 8 or 16 bits
    (rhs), signed unless `unsigned_lhs` / `unsigned_rhs` says otherwise. Products
    and sums are exact modulo 2^32 (they wrap, like `arith.muli` and
    `arith.addi`).

    * `compute`: the operand type of the MMAs, i8 (default) or, for rhs elements
      of 4 bits on sm_80 to sm_89, i4; written by `magicube-decompose-precision`.
    * `outs(%init)`: the product is added to it (destination style); with
      `overwrite` its contents are not read. Same type as the result. Added
      before the epilogue, so only an i32 result takes an init that is read.
    * `sum_bias(%z)`: an i32 `M x 1` or `1 x N` tensor added to the i32 sum,
      wrapping, before anything else: the integer bias of quantized layers, or the
      correction of a zero point. An i32 result may have it too, also next to an
      init that is read.
    * `scale(%s...)`: the i32 (or f32) sum is multiplied by each of up to two
      f32 factors: a scalar, an `M x 1` or a `1 x N` tensor. The result is then
      f32, f16, bf16, i8 or i4.
    * `bias(%b)`: an f32 `M x 1` or `1 x N` tensor added after the scale.
    * `activation`: `#magicube.activation<relu>`, `<gelu>` or `<silu>`, applied last;
      silu is x / (1 + e^-x), with the error that docs/Epilogue.md states; gelu is
      x * Phi(x), with the error that docs/Precision.md states.
    * `unsigned_result`: the integers of an i8 or i4 result are unsigned.
    * `accumulate = f32`, for operands of more than 8 bits: operands are split into
      digits of 8 bits (the low one unsigned, the high one with the operand's
      sign); S_d, the sum of all products of digits of weight 2^d, is an i32 sum
      as above. The result, or what the scales are applied to, is
      f32(S_16), f32(S_8), f32(S_0) combined from the highest weight there is down
      by r = fma(r, 2^8, f32(S_d)), so that 16 times 16 bits do not wrap.
    * `pattern`: numbers of the lhs that guide the choice of a schedule
      (`#magicube.pattern`); without it, assumptions do (docs/Schedules.md).
    * `schedule`: tiling and pipelining (`#magicube.schedule`), written by
      `magicube-select-schedule`, which then removes `pattern`.

    Every step rounds to f32, to nearest even, and nothing is fused; so does the
    conversion to f16 and bf16. Integer results are rounded to nearest even and
    saturate; a NaN is 0.

    ```mlir
    %c = magicube.spmm %a, %b
       : (tensor<4096x512xi8, #w>, tensor<512x256xi8>) -> tensor<4096x256xi32>
    %d = magicube.spmm %a, %b outs(%c) {unsigned_rhs}
       : (tensor<4096x512xi8, #w>, tensor<512x256xi8>, tensor<4096x256xi32>)
       -> tensor<4096x256xi32>
    ```

    *Quantized types.* Operands may be of `!quant.uniform` types instead, per
    tensor or per axis (rows of lhs, columns of rhs; the result: either), that
    express f32; the sign of their storage wins over the attributes. The result
    is then quantized (stored as i4 or i8; as i32 for the bare sums) or f32, f16
    or bf16. `magicube-propagate-quantization` makes scales and biases of what
    the types say; docs/Precision.md has the formula.

    ```mlir
    %c = magicube.spmm %a, %b
       : (tensor<4096x512x!quant.uniform<i8:f32, 0.5>, #w>,
          tensor<512x256x!quant.uniform<u8:f32, 0.25:128>>) -> tensor<4096x256xf32>
    ```

    *Storage form.* `convert-magicube-storage` replaces the sparse operand by its
    components and keeps its type; `outs` is then always there. A rhs of i4 is
    replaced by its bytes, `K x ceil(N / 2)` with element 0 of a row in a low
    nibble, and its element type goes to `packed_rhs`. A result of i4 likewise,
    with `packed_result` and the number of columns, N, as `columns(%n)`; the odd
    nibble at the end of a row is written as 0. Operands are tensors as long as
    there is a result; after bufferization all are memrefs and there is none:

    ```mlir
    magicube.spmm storage(%ptr, %idx, %val) as tensor<4096x512xi8, #w>, %b
      outs(%c) {overwrite}
      : (memref<512x2xi32>, memref<?xi32>, memref<?xi8>, memref<512x256xi8>,
         memref<4096x256xi32>) -> ()
    ```
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$lhs,
    Magicube_DenseOperand:$rhs,
    Optional<Magicube_DenseOperand>:$sum_bias,
    Variadic<AnyTypeOf<[F32, Magicube_DenseOperand]>>:$scales,
    Optional<Magicube_DenseOperand>:$bias,
    Optional<Index>:$columns,
    Optional<Magicube_DenseOperand>:$init,
    OptionalAttr<TypeAttrOf<Magicube_SparseTensor>>:$storage,
    OptionalAttr<TypeAttrOf<I<4>>>:$packed_rhs,
    OptionalAttr<TypeAttrOf<I<4>>>:$packed_result,
    OptionalAttr<TypeAttrOf<AnyTypeOf<[I<4>, I<8>]>>>:$compute,
    UnitAttr:$unsigned_lhs,
    UnitAttr:$unsigned_rhs,
    UnitAttr:$unsigned_result,
    UnitAttr:$overwrite,
    OptionalAttr<TypeAttrOf<F32>>:$accumulate,
    OptionalAttr<Magicube_ActivationAttr>:$activation,
    OptionalAttr<Magicube_PatternAttr>:$pattern,
    OptionalAttr<Magicube_ScheduleAttr>:$schedule);
  let results = (outs Optional<Magicube_DenseTensor>:$result);
  let assemblyFormat = [{
    custom<SparseOperand>($lhs, $storage) `,` $rhs
    (`sum_bias` `(` $sum_bias^ `)`)? (`scale` `(` $scales^ `)`)?
    (`bias` `(` $bias^ `)`)? (`columns` `(` $columns^ `)`)?
    (`outs` `(` $init^ `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result,
                   "const ::mlir::magicube::SpmmFields &":$fields)>];
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Type of the sparse operand, in either form: shape, element type and
    /// encoding.
    ::mlir::RankedTensorType getLhsType();
    ::mlir::magicube::SRBCRSAttr getEncoding();
    /// Operand type of the MMAs that compute the product.
    ::mlir::Type getComputeType() {
      return getCompute().value_or(
          ::mlir::IntegerType::get(getContext(), 8));
    }
    /// Integers that store the elements of the sparse operand.
    ::mlir::Type getLhsElementType();
    /// Those of the dense operand, also where it is replaced by bytes.
    ::mlir::Type getRhsElementType();
    /// Bits of the elements of both operands.
    ::mlir::magicube::OperandWidths getWidths() {
      return {static_cast<int32_t>(getLhsElementType().getIntOrFloatBitWidth()),
              static_cast<int32_t>(getRhsElementType().getIntOrFloatBitWidth())};
    }
    /// Element type of the result, also where it is replaced by bytes.
    ::mlir::Type getOutputElementType();
    /// N as far as the types and a constant `columns` tell, else dynamic.
    int64_t getNumColumns();
    /// Bits of an element of the result, also of a packed one.
    int64_t getResultBits();
    /// Whether the sparse operand has been replaced by its components.
    bool isStorageForm() { return getStorageAttr() != nullptr; }
    /// Whether the sum is converted to f32 and goes on from there. A sum_bias
    /// alone leaves it an integer.
    bool hasEpilogue() {
      return !getScales().empty() || getBias() || getActivation();
    }
    ::llvm::SmallVector<::mlir::magicube::ComputeOperand> getComputeOperands();
    /// What is done with the sums, operand by operand.
    ::mlir::magicube::Epilogue<::mlir::Value> getEpilogue();
    /// What indexes an operand of the epilogue of type `type`. A 1 x 1 operand
    /// goes by row if M is 1 or N is known not to be, else by column.
    ::mlir::magicube::BroadcastAxis getBroadcastAxis(::mlir::Type type);
    /// Type of the result tensor or, on memrefs, of the destination.
    ::mlir::ShapedType getOutputType();
    /// Elements of the results, with their signs.
    ::llvm::SmallVector<::mlir::magicube::ResultElement> getResultElements() {
      return {getEpilogue().element};
    }
  }];
}

def Magicube_SparseOrBuffer : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;

def Magicube_SddmmOp : Magicube_ComputeOp<"sddmm"> {
  let summary = "dense times dense matrix product at the places of a pattern";
  let description = [{
    `result = epilogue(lhs * rhs^T)` at the stored vectors of `pattern`: lhs
    `[batch...] x M x K` and rhs `[batch...] x N x K` are dense, both with K
    contiguous; pattern is a sparse tensor of shape `[batch...] x M x N`, a
    pattern (i1) or one with values, which are not read. The result is a sparse
    tensor of the pattern's shape and encoding: the same pointers and indices, new
    values, zeros as padding. The pattern is in natural order.

    Operands are integers of 4, 8 or 16 bits, signed unless `unsigned_lhs` /
    `unsigned_rhs` says otherwise. Products and sums are exact modulo 2^32. What
    follows the sum of an element, at row i and column j of the M x N result, is
    the epilogue of `magicube.spmm`, with the same words: `sum_bias`, `scale`,
    `bias`, `activation`, `accumulate`, `unsigned_result`. The result is of i32,
    f32, f16, bf16, i8 or i4.

    * `compute`: operand type of the MMAs, i8 (default) or, for two operands of 4
      bits on sm_80 to sm_89, i4; written by `magicube-decompose-precision`.
    * `pattern_info`: numbers of the pattern (`#magicube.pattern`).
    * `tiling`: how the kernel is tiled, where the compiler shall not choose
      (`#magicube.sddmm_tiling`).

    ```mlir
    %c = magicube.sddmm %a, %b, %p
       : (tensor<64x32xi8>, tensor<128x32xi8>, tensor<64x128xi1, #w>)
       -> tensor<64x128xi32, #w>
    ```

    *Storage form.* `convert-magicube-storage` replaces the pattern by its
    pointers and indices and keeps its type, with i1; the result is its values
    alone, which `outs` has room for, one for each stored one; `overwrite` is
    always there, as nothing is added to. Operands of i4 are replaced by their
    bytes, `ceil(K / 2)` in a row, and their type goes to `packed_lhs` and
    `packed_rhs`; K is then the operand `inner`. Values of i4 are bytes too, with
    `packed_result`.

    ```mlir
    magicube.sddmm %a, %b, storage(%ptr, %idx) as tensor<64x128xi1, #w>
      outs(%values) {overwrite}
      : (memref<64x32xi8>, memref<128x32xi8>, memref<8x2xi32>, memref<?xi32>,
         memref<?xi32>) -> ()
    ```
  }];
  let arguments = (ins
    Magicube_DenseOperand:$lhs,
    Magicube_DenseOperand:$rhs,
    Variadic<Magicube_SparseOrBuffer>:$pattern,
    Optional<Magicube_DenseOperand>:$sum_bias,
    Variadic<AnyTypeOf<[F32, Magicube_DenseOperand]>>:$scales,
    Optional<Magicube_DenseOperand>:$bias,
    Optional<Index>:$inner,
    Optional<Magicube_DenseOperand>:$init,
    OptionalAttr<TypeAttrOf<Magicube_SparseTensor>>:$storage,
    OptionalAttr<TypeAttrOf<I<4>>>:$packed_lhs,
    OptionalAttr<TypeAttrOf<I<4>>>:$packed_rhs,
    OptionalAttr<TypeAttrOf<I<4>>>:$packed_result,
    OptionalAttr<TypeAttrOf<AnyTypeOf<[I<4>, I<8>]>>>:$compute,
    UnitAttr:$unsigned_lhs,
    UnitAttr:$unsigned_rhs,
    UnitAttr:$unsigned_result,
    UnitAttr:$overwrite,
    OptionalAttr<TypeAttrOf<F32>>:$accumulate,
    OptionalAttr<Magicube_ActivationAttr>:$activation,
    OptionalAttr<Magicube_PatternAttr>:$pattern_info,
    OptionalAttr<Magicube_SddmmTilingAttr>:$tiling);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<SparseOperand>($pattern, $storage)
    (`sum_bias` `(` $sum_bias^ `)`)? (`scale` `(` $scales^ `)`)?
    (`bias` `(` $bias^ `)`)? (`inner` `(` $inner^ `)`)?
    (`outs` `(` $init^ `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result,
                   "const ::mlir::magicube::SddmmFields &":$fields)>];
  let extraClassDeclaration = [{
    /// Type of the pattern, in either form: shape and encoding.
    ::mlir::RankedTensorType getPatternType();
    ::mlir::magicube::SRBCRSAttr getEncoding();
    /// Operand type of the MMAs that compute the product.
    ::mlir::Type getComputeType() {
      return getCompute().value_or(
          ::mlir::IntegerType::get(getContext(), 8));
    }
    /// Integers that store the elements of the operands, also where they are
    /// replaced by bytes.
    ::mlir::Type getLhsElementType();
    ::mlir::Type getRhsElementType();
    /// Element type of the result, also where it is replaced by bytes.
    ::mlir::Type getOutputElementType();
    /// K as far as the types and a constant `inner` tell, else dynamic.
    int64_t getInnerExtent();
    /// Whether the pattern has been replaced by its components.
    bool isStorageForm() { return getStorageAttr() != nullptr; }
    /// Whether the sum is converted to f32 and goes on from there. A sum_bias
    /// alone leaves it an integer.
    bool hasEpilogue() {
      return !getScales().empty() || getBias() || getActivation();
    }
    ::llvm::SmallVector<::mlir::magicube::ComputeOperand> getComputeOperands();
    ::mlir::magicube::Epilogue<::mlir::Value> getEpilogue();
    /// As that of magicube.spmm, by the rows and columns of the M x N result.
    ::mlir::magicube::BroadcastAxis getBroadcastAxis(::mlir::Type type);
    /// Type of the result or, on memrefs, of the values' destination.
    ::mlir::ShapedType getOutputType();
    ::llvm::SmallVector<::mlir::magicube::ResultElement> getResultElements() {
      return {getEpilogue().element};
    }
    ::mlir::magicube::PatternAttr getPatternAttr() {
      return getPatternInfoAttr();
    }
    void setPatternAttr(::mlir::magicube::PatternAttr pattern) {
      setPatternInfoAttr(pattern);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

def Magicube_SoftmaxOp : Magicube_ComputeOp<"softmax"> {
  let summary = "softmax of the stored entries of each row";
  let description = [{
    With x an entry's score (and mask, added), m the largest x of its row and
    c = scale * log2(e): e = 2^(c * (x - m)), over the sum of its row. Rows
    without entries give nothing. The bits depend on nothing but the operands
    (include/magicube/Format/EvaluateSoftmax.h).

    Scores are a sparse tensor of i32, f32 or f16, in natural order. `scale` is a
    number of f32, or `[batch...] x M x 1`; scores of i32 need one. `mask`, for
    scores of f32 and f16, is a sparse tensor of f32 or f16 of the scores' shape
    and encoding, *with the scores' pointers and indices*, which is not checked.

    There are two kinds of results, both with the scores' pointers and indices:

    * Integers, ready to be the lhs of `magicube.spmm`: q, unsigned
      (`unsigned_result`), of 4, 8 or 16 bits, and the factors of the rows,
      `[batch...] x M x 1` of f32, rn(value_scale / L) with L the sum of the row's
      q, 0 where L = 0. `value_scale` is a number of f32, 1 by default.
    * Floats: e / L of f32 or f16, 0 where L = 0. There are no factors.

    ```mlir
    %q, %f = magicube.softmax %s scale(%c) value_scale(%v) {unsigned_result}
       : (tensor<64x128xi32, #w>, f32, f32)
       -> (tensor<64x128xi8, #w>, tensor<64x1xf32>)
    %p = magicube.softmax %t mask(%m)
       : (tensor<64x128xf16, #w>, tensor<64x128xf16, #w>)
       -> tensor<64x128xf16, #w>
    ```

    *Storage form.* The scores are replaced by their components and keep their
    type, the mask by its values, the result by its values, which `outs` has room
    for, as well as for the factors; `overwrite` is always there. Values of i4 are
    bytes, with `packed_result`.

    ```mlir
    magicube.softmax storage(%ptr, %idx, %val) as tensor<64x128xi32, #w> scale(%c)
      outs(%q, %f) {overwrite, unsigned_result}
      : (memref<8x2xi32>, memref<?xi32>, memref<?xi32>, f32, memref<?xi8>,
         memref<64x1xf32>) -> ()
    ```
  }];
  let arguments = (ins
    Variadic<Magicube_SparseOrBuffer>:$scores,
    Optional<AnyTypeOf<[F32, Magicube_DenseOperand]>>:$scale,
    Optional<F32>:$value_scale,
    Optional<Magicube_SparseOrBuffer>:$mask,
    Variadic<Magicube_DenseOperand>:$inits,
    OptionalAttr<TypeAttrOf<Magicube_SparseTensor>>:$storage,
    OptionalAttr<TypeAttrOf<I<4>>>:$packed_result,
    UnitAttr:$unsigned_result,
    UnitAttr:$overwrite);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    custom<SparseOperand>($scores, $storage)
    (`scale` `(` $scale^ `)`)? (`value_scale` `(` $value_scale^ `)`)?
    (`mask` `(` $mask^ `)`)? (`outs` `(` $inits^ `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$outputs,
                   "const ::mlir::magicube::SoftmaxFields &":$fields)>];
  let extraClassDeclaration = [{
    /// Type of the scores, in either form: shape, element type and encoding.
    ::mlir::RankedTensorType getScoresType();
    ::mlir::magicube::SRBCRSAttr getEncoding();
    /// The values and, of integer results, the factors; null on memrefs.
    ::mlir::Value getResult() {
      return getOutputs().empty() ? ::mlir::Value() : getOutputs().front();
    }
    ::mlir::Value getFactors() {
      return getOutputs().size() < 2 ? ::mlir::Value() : getOutputs()[1];
    }
    /// Element type of the values, also where it is replaced by bytes.
    ::mlir::Type getOutputElementType();
    /// Whether the values are integers, next to which there are factors.
    bool hasFactors() {
      return ::mlir::isa<::mlir::IntegerType>(getOutputElementType());
    }
    /// Whether the scores have been replaced by their components.
    bool isStorageForm() { return getStorageAttr() != nullptr; }
    ::llvm::SmallVector<::mlir::magicube::ComputeOperand> getComputeOperands();
    /// Type of the values or, on memrefs, of their destination.
    ::mlir::ShapedType getOutputType();
    ::llvm::SmallVector<::mlir::magicube::ResultElement> getResultElements();
  }];
}

#endif // MAGICUBE_OPS_TD
