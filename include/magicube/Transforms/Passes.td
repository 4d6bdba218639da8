//===- Passes.td - Passes on the tensor-level dialect ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices and rewrites before a product becomes a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TRANSFORMS_PASSES_TD
#define MAGICUBE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MagicubePropagateQuantizationPass
    : Pass<"magicube-propagate-quantization", "::mlir::ModuleOp"> {
  let summary = "Make integer products with epilogues of quantized ones";
  let description = [{
    A `magicube.spmm` of `!quant.uniform` tensors becomes one of their stored
    integers. The sign of a storage type becomes `unsigned_lhs` or
    `unsigned_rhs`; the scales of operands and result become scales of the
    epilogue, multiplied in double precision and rounded to f32 once: one number
    if all are per tensor, else an `M x 1` tensor of what goes by rows (with the
    numbers) and a `1 x N` tensor of what goes by columns. The zero point of rhs
    is exact: a product of lhs and a column of its negative is added to the sums.
    The zero point of a quantized result is added after the scales, in f32, before
    the sum is rounded to nearest even and saturated.

    Then every quantized type in the module, also in signatures of functions,
    becomes its storage type (upstream's `strip-func-quant-types` for all
    operations); `quant.scast` goes away, `quant.dcast` becomes arithmetic as in
    upstream's `lower-quant-ops`, `quant.qcast` of a product's f32 result is
    folded into the product. Any other operation with a quantized value is an
    error if it does not merely hand it on.

    Before:

    ```mlir
    %c = magicube.spmm %a, %b
       : (tensor<16x32x!quant.uniform<i8:f32, 0.5>, #w>,
          tensor<32x8x!quant.uniform<u8:f32, 0.25:3>>) -> tensor<16x8xf32>
    ```

    After:

    ```mlir
    %cst = arith.constant 1.250000e-01 : f32
    %column = tensor.splat %c-3_i8 : tensor<32x1xi8>
    %0 = magicube.spmm %a, %column
       : (tensor<16x32xi8, #w>, tensor<32x1xi8>) -> tensor<16x1xi32>
    %1 = magicube.spmm %a, %b sum_bias(%0) scale(%cst) {unsigned_rhs}
       : (tensor<16x32xi8, #w>, tensor<32x8xi8>, tensor<16x1xi32>, f32)
       -> tensor<16x8xf32>
    ```

    *Guarantees*: no quantized type is left.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::magicube::MagicubeDialect", "::mlir::quant::QuantDialect",
    "::mlir::shape::ShapeDialect", "::mlir::tensor::TensorDialect"];
}

def MagicubeDecomposePrecisionPass
    : Pass<"magicube-decompose-precision", "::mlir::ModuleOp"> {
  let summary = "Choose the MMAs that compute every product";
  let description = [{
    Writes `compute`, the width of the MMAs' operands, on every product that has
    none: i4 for a rhs of 4 bits and a lhs of up to 12 on a chip that has such MMAs
    (sm_80 to sm_89), else i8; where there is a schedule, what its operand layout is for.
    With it the decomposition of an operand is fixed (lib/Layout's OperandPlanes):
    digits in radix 2^8 or 2^4, the low ones unsigned, the top one with the
    operand's sign; in i8, 4-bit values as bytes. A `compute` that is there already
    is kept if the chip has such MMAs; if not, that is an error. So is a module
    attribute `magicube.chip` that names another chip.

    *Guarantees*: every product has a compute type that exists on the chip.
  }];
  let dependentDialects = ["::mlir::magicube::MagicubeDialect"];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_80\"",
           "Chip to compile for: sm_80, sm_86, sm_89, sm_90, sm_100 or sm_120">];
}

def MagicubeSelectSchedulePass
    : Pass<"magicube-select-schedule", "::mlir::ModuleOp"> {
  let summary = "Choose the chip and give every product a schedule";
  let description = [{
    Writes the module attribute `magicube.chip` and, on every product that has
    none, a complete `#magicube.schedule`: the one that takes least time by a
    model of sizes, the product's `pattern` and the chip (docs/Schedules.md). A
    schedule that is there already is kept if it is legal on the chip; if not,
    that is an error that names the limit. So is a `magicube.chip` of another
    chip. Later passes take no option that changes code.

    *Guarantees*: every product has a schedule, none has a `pattern`.
  }];
  let dependentDialects = ["::mlir::magicube::MagicubeDialect"];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_80\"",
           "Chip to compile for: sm_80, sm_86, sm_89, sm_90, sm_100 or sm_120">];
}

def MagicubeLiftControlFlowPass
    : Pass<"magicube-lift-control-flow", "::mlir::func::FuncOp"> {
  let summary = "Make structured control flow of branches between blocks";
  let description = [{
    Upstream's `lift-cf-to-scf`, with an empty tensor, dense or sparse, where it has
    `ub.poison` of a tensor type. Afterwards the patterns for structured control
    flow are all that sparse tensors need, and deallocation, which knows only
    structured loops, takes every function.

    Before:

    ```mlir
      cf.cond_br %p, ^end(%a : tensor<?xi32>), ^end(%b : tensor<?xi32>)
    ^end(%c: tensor<?xi32>):
      return %c : tensor<?xi32>
    ```

    After:

    ```mlir
    %c = scf.if %p -> (tensor<?xi32>) {
      scf.yield %a : tensor<?xi32>
    } else {
      scf.yield %b : tensor<?xi32>
    }
    return %c : tensor<?xi32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::magicube::MagicubeDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect"];
}

def MagicubeProtectArgumentsPass
    : Pass<"magicube-protect-arguments", "::mlir::ModuleOp"> {
  let summary = "Keep public functions from writing into their arguments";
  let description = [{
    Writes `bufferization.writable = false` on every tensor argument of a public
    function that does not have the attribute, so that one-shot-bufferize copies
    what it would otherwise overwrite. An argument with `bufferization.writable =
    true` is a destination: the function may leave anything in it. Arguments of
    private functions stay as they are; a call copies what its caller still
    needs.

    Before:

    ```mlir
    func.func @add(%a: tensor<4xi32>,
                   %b: tensor<4xi32> {bufferization.writable = true})
        -> tensor<4xi32>
    ```

    After:

    ```mlir
    func.func @add(%a: tensor<4xi32> {bufferization.writable = false},
                   %b: tensor<4xi32> {bufferization.writable = true})
        -> tensor<4xi32>
    ```

    An argument whose `bufferization.buffer_layout` is not row-major is an error.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def MagicubeExpandElementwisePass
    : Pass<"magicube-expand-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Make linalg operations of arithmetic on whole tensors";
  let description = [{
    Upstream's `convert-elementwise-to-linalg`, except for an `arith.select` of
    tensors by one condition. That is a choice of a whole tensor, whose extents
    are those of the chosen operand; upstream's loop would have the extents of the
    first. One-shot-bufferize makes it a choice of buffers.

    With `only-dynamic`, arithmetic on tensors of static extents, sparse tensors or
    tensors of i4 stays. Canonicalization is then right on all of it: upstream folds
    `arith.cmpi eq, %a, %a` of a `tensor<?xi32>` to a constant without extents.

    Before:

    ```mlir
    %0 = arith.select %condition, %a, %b : tensor<?xi32>
    %1 = arith.addi %0, %c : tensor<?xi32>
    ```

    After:

    ```mlir
    %0 = arith.select %condition, %a, %b : tensor<?xi32>
    %1 = linalg.generic ... ins(%0, %c : tensor<?xi32>, tensor<?xi32>)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"onlyDynamic", "only-dynamic", "bool", /*default=*/"false",
           "Leave alone what canonicalization can fold">];
}

def MagicubeEliminateEmptyTensorsPass
    : Pass<"magicube-eliminate-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "Compute tensors in the place that they are inserted into";
  let description = [{
    Upstream's `eliminate-empty-tensors`, except where the place depends on a result
    of an operation that the empty tensor is inside of. Upstream then makes IR that
    uses this result before there is one.

    Before:

    ```mlir
    %empty = tensor.empty() : tensor<4xi32>
    %0 = linalg.fill ins(%zero : i32) outs(%empty : tensor<4xi32>) -> tensor<4xi32>
    %1 = tensor.insert_slice %0 into %a[0] [4] [1] : tensor<4xi32> into tensor<8xi32>
    ```

    After:

    ```mlir
    %place = tensor.extract_slice %a[0] [4] [1] : tensor<8xi32> to tensor<4xi32>
    %0 = linalg.fill ins(%zero : i32) outs(%place : tensor<4xi32>) -> tensor<4xi32>
    %1 = tensor.insert_slice %0 into %a[0] [4] [1] : tensor<4xi32> into tensor<8xi32>
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::tensor::TensorDialect"];
}

def MagicubeCopyStridedBuffersPass
    : Pass<"magicube-copy-strided-buffers", "::mlir::func::FuncOp"> {
  let summary = "Copy buffers with gaps where row-major ones are expected";
  let description = [{
    Where a function takes or returns row-major buffers, one-shot-bufferize casts
    what it has to that type if the strides in the types permit: also a slice of
    some columns, whose rows are not next to one another. Such a cast becomes a
    copy.

    Before:

    ```mlir
    %1 = memref.cast %0 : memref<?x?xi32, strided<[?, 1]>> to memref<?x?xi32>
    ```

    After:

    ```mlir
    %1 = memref.alloc(%rows, %columns) : memref<?x?xi32>
    memref.copy %0, %1 : memref<?x?xi32, strided<[?, 1]>> to memref<?x?xi32>
    ```

    *Assumes*: bufferized, without deallocations. *Guarantees*: a buffer of a
    row-major type is row-major, if those of the program's arguments are.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def MagicubeSeparateResultsPass
    : Pass<"magicube-separate-results", "::mlir::ModuleOp"> {
  let summary = "Give every result of a function memory of its own";
  let description = [{
    A result that may be the memory of an earlier result, or a view of it, becomes
    a copy. Upstream's deallocation takes it that callers own each result; it
    copies only what the function does not own.

    Before:

    ```mlir
    %0 = memref.alloc() : memref<4xi32>
    return %0, %0 : memref<4xi32>, memref<4xi32>
    ```

    After:

    ```mlir
    %0 = memref.alloc() : memref<4xi32>
    %1 = bufferization.clone %0 : memref<4xi32> to memref<4xi32>
    return %0, %1 : memref<4xi32>, memref<4xi32>
    ```

    *Assumes*: bufferized, without deallocations. *Guarantees*: no two results of
    one call share memory, once deallocation has copied what the function does not
    own.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def MagicubeAllocateOnDevicePass
    : Pass<"magicube-allocate-on-device", "::mlir::ModuleOp"> {
  let summary = "Allocate buffers where kernels and host code reach them";
  let description = [{
    Replaces `memref.alloc` and `memref.dealloc` of host functions by `gpu.alloc
    host_shared` and `gpu.dealloc`: kernels write the buffers, host loops may
    read them. A constant (`memref.get_global`) is copied to such a buffer on
    entry to its function.

    Before:

    ```mlir
    %0 = memref.get_global @weights : memref<512xi8>
    %1 = memref.alloc() : memref<16x16xi32>
    ```

    After:

    ```mlir
    %0 = memref.get_global @weights : memref<512xi8>
    %1 = gpu.alloc host_shared () : memref<512xi8>
    memref.copy %0, %1 : memref<512xi8> to memref<512xi8>
    %2 = gpu.alloc host_shared () : memref<16x16xi32>
    ```

    *Assumes*: bufferized, with deallocations. *Guarantees*: no `memref.alloc` or
    `memref.dealloc` is left outside of GPU modules.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

def MagicubeCopyHostBuffersPass
    : Pass<"magicube-copy-host-buffers", "::mlir::ModuleOp"> {
  let summary = "Let entry functions take and return buffers of the host";
  let description = [{
    A public function that takes or returns buffers becomes an entry: it copies
    its arguments to buffers that kernels reach, calls what was its body, copies
    arguments that may have been written back, and returns its results on the
    host's heap, for the caller to `free`. Calls inside of the module go to the
    body.

    Before:

    ```mlir
    func.func @layer(%b: memref<32x16xi8>) -> memref<16x16xi32> { ... }
    ```

    After:

    ```mlir
    func.func @layer(%b: memref<32x16xi8>) -> memref<16x16xi32> {
      %0 = gpu.alloc host_shared () : memref<32x16xi8>
      // gpu.memcpy %0, %b
      %1 = call @layer_on_device(%0) : (memref<32x16xi8>) -> memref<16x16xi32>
      %2 = memref.alloc() : memref<16x16xi32>
      // gpu.dealloc %0, gpu.memcpy %2, %1, gpu.dealloc %1
      return %2 : memref<16x16xi32>
    }
    func.func private @layer_on_device(%b: memref<32x16xi8>)
        -> memref<16x16xi32> { ... }
    ```

    *Assumes*: `magicube-allocate-on-device` has run; what a function returns is
    owned by its caller, and no two results share memory
    (`magicube-separate-results`). Buffers that external functions return are taken to be
    the device's.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

def MagicubePrepareHostPass
    : Pass<"magicube-prepare-host", "::mlir::ModuleOp"> {
  let summary = "Make host code ready for upstream's lowering";
  let description = [{
    Requests a C interface (`_mlir_ciface_<name>`) for every public function with
    a body and makes private ones internal to the object file, drops the
    dialect's module attributes, so that tools without the dialect read the
    module, and makes loops of copies between buffers with gaps, for which
    upstream would call its runner library.

    *Assumes*: kernels are serialized.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def MagicubeVerifyHostPass
    : Pass<"magicube-verify-host", "::mlir::ModuleOp"> {
  let summary = "Report host operations that have no lowering";
  let description = [{
    *Guarantees*: besides casts that are to be reconciled, the module holds only
    operations that translate to LLVM IR. Anything else is an error that names
    it.
  }];
}

#endif // MAGICUBE_TRANSFORMS_PASSES_TD
