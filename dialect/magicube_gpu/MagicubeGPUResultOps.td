//===- MagicubeGPUResultOps.td - From sums to memory -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three parts of a result: lanes exchange registers, an epilogue finishes
// elements, a store puts them where an address map says.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_RESULT_OPS_TD
#define MAGICUBE_GPU_RESULT_OPS_TD

// Included by MagicubeGPUOps.td, which has the classes of operations.
include "dialect/magicube_gpu/MagicubeGPUTypes.td"

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

def MagicubeGPU_LaneIdOp : MagicubeGPU_Op<"lane_id", [Pure]> {
  let summary = "number of the thread in its warp";
  let results = (outs I32:$lane);
  let assemblyFormat = "attr-dict";
}

def MagicubeGPU_ExchangeLanesOp : MagicubeGPU_Op<"exchange_lanes", [Pure]> {
  let summary = "add neighbouring registers and swap registers between lanes";
  let description = [{
    What lib/Layout's StepLayout wants done to accumulators before they are what
    its output layout says:

    * `fold_shift`, if not 0: registers 2i and 2i + 1 are digits of one number
      and become one register, the first plus the second shifted left.
    * `lane_bit` and `register_bit`: of each pair of registers whose numbers
      differ in `register_bit`, a lane gives away the one whose bit is not bit
      `lane_bit` of its number, and takes the other lane's in its place
      (lib/Layout's LaneExchange).

    ```mlir
    %r = magicube_gpu.exchange_lanes %sum lane(%lane) {lane_bit = 0 : i64, register_bit = 1 : i64}
       : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.registers<4>
    ```
  }];
  let arguments = (ins MagicubeGPU_FragmentType:$fragment, I32:$lane,
                       DefaultValuedAttr<I64Attr, "0">:$fold_shift,
                       OptionalAttr<I64Attr>:$lane_bit,
                       OptionalAttr<I64Attr>:$register_bit);
  let results = (outs MagicubeGPU_RegistersType:$registers);
  let assemblyFormat = [{
    $fragment `lane` `(` $lane `)` attr-dict
    `:` type($fragment) `->` type($registers)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

def MagicubeGPU_Sum : AnyTypeOf<[I32, F32, MagicubeGPU_FragmentType]>;
def MagicubeGPU_Finished
    : AnyTypeOf<[I32, F32, F16, BF16, MagicubeGPU_FragmentType]>;

def MagicubeGPU_EpilogueOp : MagicubeGPU_Op<"epilogue", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "scale, bias, activation and conversion of sums";
  let description = [{
    What `epilogue` describes (docs/Epilogue.md), done to one element or to all
    elements of an accumulator: operand by operand, then the activation, then the
    conversion, each rounded to nearest even, nothing fused. An operand is a
    number (f32) or a pointer to i32 or f32, indexed by `row` or `column` as the
    description says; numbers alone need neither.

    Integers of 8 and 4 bits saturate, a NaN is 0; they come as i32 in their
    range. The sum is i32, or f32 if the description says `float_sums`.

    ```mlir
    %x = magicube_gpu.epilogue %sum[%row, %column] (%s, %t : f32, !llvm.ptr<1>)
         {epilogue = #magicube.epilogue<scale none, scale column, relu -> f16>} : i32 -> f16
    %y = magicube_gpu.epilogue %c (%s : f32) {epilogue = #magicube.epilogue<scale none -> f32>}
       : !magicube_gpu.fragment<"m16n8k32", c, i32> -> !magicube_gpu.fragment<"m16n8k32", c, f32>
    ```
  }];
  let arguments = (ins MagicubeGPU_Sum:$sum, Optional<I32>:$row,
                       Optional<I32>:$column,
                       Variadic<AnyTypeOf<[F32, MagicubeGPU_GlobalPointer]>>:$inputs,
                       Magicube_EpilogueAttr:$epilogue);
  let results = (outs MagicubeGPU_Finished:$result);
  let assemblyFormat = [{
    $sum (`[` $row^ `,` $column `]`)? (`(` $inputs^ `:` type($inputs) `)`)?
    attr-dict `:` type($sum) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def MagicubeGPU_ResultMapAttr : AttrDef<MagicubeGPU_Dialect, "ResultMap"> {
  let mnemonic = "result_map";
  let summary = "how elements of a result lie in memory";
  let description = [{
    * `order`: element (row, column) is at `row * stride + column`
      (`row_major`).
    * `alignment`: 16, 4 or 1, that of cp_async_gathered_rows. From 4 on, the start of the
      result, `stride` and `limit` allow stores of two columns at once.
    * `streaming`: stores of whole words are marked as not read again soon
      (`st.global.cs`), so that a large result does not push operands out of
      the L2.

    Example: `#magicube_gpu.result_map<order = row_major, alignment = 16>`.
  }];
  let parameters = (ins
    EnumParameter<MagicubeGPU_ResultOrder>:$order, "int64_t":$alignment,
    DefaultValuedParameter<"bool", "false">:$streaming);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def MagicubeGPU_StoreResultOp : MagicubeGPU_Op<"store_result", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "store a warp's part of a result through an address map";
  let description = [{
    Sums of one group of chunks, one value per column set of the dense operand,
    from column `column` and vector component `component` on, as the step's output
    layout says; where the step exchanges registers,
    `exchange_lanes` has done so. Component v of column n goes to element
    (`row` + v, n) of `base`, where `map` says that is; columns from `limit` on
    and components from the vector length on are dropped. With `accumulate` the
    sums are added to what is there.

    The body makes the element that is stored, of type `result_type`, of a sum,
    its row and its column; without a body the sums are stored, as i32. Results
    of i8 and i4 come as i32 in their range. Lanes then trade bytes until each
    has words of neighbouring columns; rows start on a byte: for i4, `stride` is in
    bytes, element 0 of a row is a low nibble, and the odd nibble at its end is
    written as 0. Words are stored whole where `base` and `stride` are multiples of
    4 bytes, which the kernel looks at, else byte by byte. There the body is also
    run for lanes without an element, with a row and a column that exist.

    ```mlir
    magicube_gpu.store_result %sum into %c[%row, %column] stride %n to %n lane(%lane)
      {component = 0 : i64, encoding = #w, step = #step, result_type = f16,
       map = #magicube_gpu.result_map<order = row_major, alignment = 16>}
      : !magicube_gpu.fragment<"m16n8k32", c, i32> {
    ^bb0(%s: i32, %i: i32, %j: i32):
      %x = magicube_gpu.epilogue %s (%f : f32) {epilogue = #magicube.epilogue<scale none -> f16>} : i32 -> f16
      magicube_gpu.yield %x : f16
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[MagicubeGPU_FragmentType,
                                           MagicubeGPU_RegistersType]>>:$fragments,
                       MagicubeGPU_GlobalPointer:$base, I32:$row, I32:$column,
                       I32:$stride, I32:$limit, I32:$lane,
                       Magicube_SRBCRSAttr:$encoding, MagicubeGPU_StepAttr:$step,
                       I64Attr:$component,
                       MagicubeGPU_ResultMapAttr:$map, UnitAttr:$accumulate,
                       TypeAttrOf<AnyTypeOf<[I32, F32, F16, BF16, I<8>, I<4>]>>:$result_type);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    $fragments `into` $base `[` $row `,` $column `]` `stride` $stride `to` $limit
    `lane` `(` $lane `)` attr-dict `:` type($fragments) ($body^)?
  }];
  let builders = [
    OpBuilder<(ins "const ::mlir::magicube_gpu::StoreResultFields &":$fields)>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Type of the sums: i32, or f32 as the body says.
    ::mlir::Type getSumType();
  }];
}

def MagicubeGPU_YieldOp : MagicubeGPU_Op<"yield", [
    Pure, Terminator, ParentOneOf<["StoreResultOp", "StoreVectorsOp"]>]> {
  let summary = "the element that is stored";
  let arguments = (ins AnyTypeOf<[I32, F32, F16, BF16]>:$element);
  let assemblyFormat = "$element attr-dict `:` type($element)";
}

#endif // MAGICUBE_GPU_RESULT_OPS_TD
