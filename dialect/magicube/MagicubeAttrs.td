//===- MagicubeAttrs.td - Attributes of the tensor-level dialect -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The storage of a sparse operand, the schedule of a product, the activation of
// an epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_ATTRS_TD
#define MAGICUBE_ATTRS_TD

include "dialect/magicube/MagicubeDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Magicube_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Magicube_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

/// An enumeration of a library without LLVM, written as a keyword; `values` is
/// the array of all values.
class Magicube_LibraryEnum<string cppEnum, string values, string desc>
    : AttrParameter<cppEnum, desc> {
  let parser = "parseKeywordOf<" # cppEnum # ">($_parser, " # values # ")";
  let printer = "$_printer << ::mlir::magicube::spelling($_self)";
}

/// The same with a default, which is elided.
class Magicube_DefaultLibraryEnum<string cppEnum, string default, string values,
                                  string desc>
    : Magicube_LibraryEnum<cppEnum, values, desc> {
  let defaultValue = cppEnum # "::" # default;
}

def Magicube_SRBCRSAttr : Magicube_Attr<"SRBCRS", "sr_bcrs",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Strided row-major blocked compressed row storage";
  let description = [{
    The encoding of a sparse tensor of shape `[batch...] x M x K` whose entries
    are kept or dropped as *vectors* of `vector` consecutive rows of a column
    (paper section 4; docs/Storage.md has a worked example). A *vector-row* is a
    group of `vector` rows; M is a multiple of `vector`. Stored components:

    * pointers, `[M / vector][2]` x i32: first stored vector and unpadded end of
      each vector-row, in vectors; every start is a multiple of `stride`.
      With a slab, `[M / vector][ceil(K / slab)][2]`.
    * indices, `[stored]` x i32 (or u16): column of each stored vector; padding
      is -1 (0xFFFF).
    * values, stride by stride; in a stride row-major `vector x stride`:
      component v of position p is element
      `(p / stride) * stride * vector + v * stride + p % stride`. 4-bit elements
      are packed two to a byte, element 0 in the low nibble; 12-bit elements are
      extended to 16. Padding is zero. Absent for a pattern (i1).

    Parameters:

    * `vector`: rows of a vector: 1, 2, 4, 8 or 16.
    * `stride`: vectors of a stride: 8, 16, 32 (default) or 64.
    * `order`: `natural` (default): ascending columns, padding at the end of a
      vector-row. `bank_aware`: an order that spreads shared-memory banks;
      padding carries a real column and zero values. Any order is valid for
      every kernel: this is a promise about speed.
    * `slab`: vectors of a row are grouped by `floor(column / slab)`; 0
      (default) is no grouping.
    * `index`: `i32` (default) or `u16` (K at most 65535).

    Elements are signless integers of 1 (a pattern), 4, 8, 12, 16 or 32 bits,
    f32, f16, bf16, or `!quant.uniform` types with such an integer as storage
    type and zero points of 0: what is not stored is the integer 0. Values of 32
    bits and floats come of `magicube.sddmm` and `magicube.softmax`, and have no
    containers but themselves.

    Defaults are elided. Example: `#magicube.sr_bcrs<vector = 8, stride = 16>`.
  }];
  let parameters = (ins
    "int64_t":$vector,
    DefaultValuedParameter<"int64_t", "32">:$stride,
    Magicube_DefaultLibraryEnum<"::mlir::magicube::VectorOrder", "Natural",
                                "kVectorOrders",
                                "order of the vectors in a vector-row">:$order,
    DefaultValuedParameter<"int64_t", "0">:$slab,
    Magicube_DefaultLibraryEnum<"::mlir::magicube::IndexWidth", "I32",
                                "kIndexWidths",
                                "container of a column index">:$index);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same parameters for the libraries without MLIR.
    ::mlir::magicube::SRBCRSEncoding getFormat() const;
  }];
}

//===----------------------------------------------------------------------===//
// Pattern
//===----------------------------------------------------------------------===//

def Magicube_PatternAttr : Magicube_Attr<"Pattern", "pattern"> {
  let summary = "What is known of a sparse operand's pattern";
  let description = [{
    Numbers of the matrix that a product is compiled for, which its type does not
    say. They guide `magicube-select-schedule` and change nothing else: the
    kernel is right for any matrix of the type.

    * `vectors`: stored vectors of the whole matrix, without padding.
    * `longest`: those of the longest vector-row.

    `magicube-compile --pattern=FILE` reads them from a matrix. Example:
    `#magicube.pattern<vectors = 58982, longest = 301>`.
  }];
  let parameters = (ins "int64_t":$vectors, "int64_t":$longest);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Operand layout
//===----------------------------------------------------------------------===//

def Magicube_OperandLayoutAttr
    : Magicube_Attr<"OperandLayout", "operand_layout"> {
  let summary = "How operands become those of MMAs";
  let description = [{
    The choices from which lib/Layout's StepLayout computes who gathers what,
    which bytes are permuted and which MMA is used. Each is for some widths of
    the sparse and the dense operand:

    | form | order | idle_columns | sparse | dense | V up to | |
    |---|---|---|---|---|---|---|
    | transposed | | | any | any | 16 | |
    | transposed | | digits | 12, 16 | any | 4 | unsigned lhs |
    | transposed | paired | | 8, 12, 16 | any | 16 | for comparison |
    | transposed | stored | | 4 | any | 16 | for comparison |
    | interleaved | | | any | 4, 8 | 4 | |
    | interleaved | paired | | 12, 16 | 4, 8 | 4 | |
    | interleaved | paired | digits | 12, 16 | 4, 8 | 2 | unsigned lhs |
    | raw | | | any | 16 | 16 | |
    | raw | | digits | 8, 12, 16 | 16 | 4 | unsigned rhs |
    | spread | | | any | 4 | 16 | `compute` = i4 |
    | merged | | | any | 4 | 16 | `compute` = i4 |
    | merged | stored | | 4 | 4 | 16 | for comparison, `compute` = i4 |

    * `form`: what MMA operand A is made of: a byte permute of the registers that
      ldmatrix leaves (`transposed`), these registers (`interleaved`: even and
      odd columns alternate; `raw`: low and high bytes of 16-bit values), or, for
      MMAs of 4 bits, transposed bytes as they are (`spread`) or joined nibbles
      (`merged`).
    * `order`: which stored positions are neighbours when they are gathered:
      `standard` (default), `paired` (those that are neighbours in storage) or
      `stored` (values of 4 bits are moved to their places in registers, which
      the other orders save).
    * `idle_columns`: what MMA columns that short vectors leave are used for:
      `none` (default; a form may use them) or `digits` of wide unsigned values.

    A warp owns a multiple of 16 bytes of a dense row; of 32 if interleaved or
    raw, or with dense operands of 16 bits.

    Defaults are elided. Example:
    `#magicube.operand_layout<form = interleaved, order = paired>`.
  }];
  let parameters = (ins
    Magicube_LibraryEnum<"::mlir::magicube::OperandForm", "kOperandForms",
                         "what MMA operand A is made of">:$form,
    Magicube_DefaultLibraryEnum<"::mlir::magicube::GatherOrder", "Standard",
                                "kGatherOrders",
                                "which positions are neighbours">:$order,
    Magicube_DefaultLibraryEnum<"::mlir::magicube::IdleColumns", "None",
                                "kIdleColumns",
                                "what idle MMA columns hold">:$idle_columns);
  let assemblyFormat = "`<` struct(params) `>`";
  let builders = [
    AttrBuilder<(ins "::mlir::magicube::OperandLayout":$layout), [{
      return $_get($_ctxt, layout.form, layout.order, layout.idleColumns);
    }]>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same for the libraries without MLIR.
    ::mlir::magicube::OperandLayout getLayout() const {
      return {getForm(), getOrder(), getIdleColumns()};
    }
  }];
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def Magicube_SharedForm : I32EnumAttr<"SharedForm",
    "how the rows of a shared-memory tile avoid bank conflicts", [
      I32EnumAttrCase<"ConflictFree", 0, "conflict_free">,
      I32EnumAttrCase<"Padded", 1, "padded">,
      I32EnumAttrCase<"Plain", 2, "plain">]> {
  let cppNamespace = "::mlir::magicube";
  let genSpecializedAttr = 0;
}

def Magicube_SharedFormAttr
    : EnumAttr<Magicube_Dialect, Magicube_SharedForm, "shared_form"> {
  let assemblyFormat = "`<` $value `>`";
}

def Magicube_GatheredAttr : Magicube_Attr<"Gathered", "gathered"> {
  let summary = "Placement: rows of the dense operand are gathered for each step";
  let description = [{
    A thread block makes a `vector x tile_n` tile of the result from one
    vector-row; its warps own `tile_n / warps` columns each. The gathered rows of
    the dense operand pass through a ring of `smem_stages` shared-memory tiles of
    32 rows: 1 (no prefetch) to 8. Column indices are loaded another
    `smem_stages / 2` steps ahead.

    `tile_n` is a power of two from 16 on, and 16 to 256 bytes of a row of the
    dense operand; a warp has at least 16 columns.

    Example: `#magicube.gathered<smem_stages = 2>`.
  }];
  let parameters = (ins "int64_t":$smem_stages);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Magicube_StationaryAttr : Magicube_Attr<"Stationary", "stationary"> {
  let summary = "Placement: all rows of the dense operand stay in shared memory";
  let description = [{
    A block keeps all K rows of `tile_n` columns of the dense operand in shared
    memory and multiplies many vector-rows with them. Each warp makes whole tiles
    of `vector x tile_n`; the stored vectors are dealt to the warps of all blocks
    evenly, whatever the lengths of the vector-rows. K must be static, the
    storage without slabs.

    * `prefetch_stages`: steps of values and indices in registers, 1 (no
      prefetch) to 8.
    * `num_ctas`: blocks of the launch, as far as there is work for them; a small
      multiple of the chip's multiprocessors.

    `tile_n` is a multiple of 16 of at most 512, such that K rows fit in shared
    memory, and after them in their place the sums of a tile a warp (4 bytes
    each, vectors of less than 8 counted as 8).

    Example: `#magicube.stationary<prefetch_stages = 4, num_ctas = 132>`.
  }];
  let parameters = (ins "int64_t":$prefetch_stages, "int64_t":$num_ctas);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Magicube_StationaryKTilesAttr
    : Magicube_Attr<"StationaryKTiles", "stationary_k_tiles"> {
  let summary = "Placement: K-tiles of the dense operand stay in shared memory";
  let description = [{
    As `#magicube.stationary`, on storage with slabs: a block holds `slab` rows at
    a time. It goes through all of these K-tiles, and its vector-rows' sums wait
    in shared memory.

    * `prefetch_stages`: steps of values and indices in registers, 1 (no
      prefetch) to 8.
    * `rows_per_cta`: vector-rows of a block, on average. The sums of twice as
      many must fit in shared memory.
    * `smem_stages`: K-tiles in shared memory at once, 1 (default) to 8; those of
      later ones are copied while a block works on one.

    Example:
    `#magicube.stationary_k_tiles<prefetch_stages = 4, rows_per_cta = 31>`.
  }];
  let parameters = (ins "int64_t":$prefetch_stages, "int64_t":$rows_per_cta,
                        DefaultValuedParameter<"int64_t", "1">:$smem_stages);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Magicube_ScheduleAttr : Magicube_Attr<"Schedule", "schedule"> {
  let summary = "How a product is tiled and pipelined";
  let description = [{
    Every choice that changes a kernel's code. docs/Schedules.md says which one
    pays when.

    * `tile_n`: columns of a block's tile; the placement has its limits.
    * `warps`: warps of a block: a power of two of at most 32.
    * `layout`: how operands become those of MMAs (`#magicube.operand_layout`;
      default: transposed).
    * `shared`: how rows in shared memory avoid bank conflicts: `conflict_free`
      (default; swizzled where that is needed), `padded` (to an odd number of 16
      bytes: no swizzle to compute) or `plain` (neither, for comparison).
    * `placement`: where the dense operand's rows are when a step reads them:
      `#magicube.gathered`, `#magicube.stationary` or
      `#magicube.stationary_k_tiles`, with what only this placement has.

    `magicube-select-schedule` fills it in; a schedule that is already there is
    kept and checked. Defaults are elided. Example:
    `#magicube.schedule<tile_n = 64, warps = 2, placement =
    #magicube.gathered<smem_stages = 2>>`.
  }];
  let parameters = (ins "int64_t":$tile_n, "int64_t":$warps,
                        "::mlir::magicube::OperandLayoutAttr":$layout,
                        "::mlir::magicube::SharedForm":$shared,
                        "::mlir::Attribute":$placement);
  // As struct(params), and fields of older versions get their new names.
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kMaxStages = 8;
    bool isStationary() const {
      return !::mlir::isa<GatheredAttr>(getPlacement());
    }
    /// K-steps under way at once: tiles in the ring, or steps in registers.
    int64_t getStages() const;
    /// Columns that a warp makes.
    int64_t getWarpColumns() const {
      return isStationary() ? getTileN() : getTileN() / getWarps();
    }
  }];
}

def Magicube_SddmmTilingAttr : Magicube_Attr<"SddmmTiling", "sddmm_tiling"> {
  let summary = "How a sampled product is tiled";
  let description = [{
    Choices that change a kernel's code and not its result; those that are left
    out are made by the compiler (lib/CostModel).

    * `warps`: warps of a block, each of another vector-row: at most 32.
    * `steps`: most steps of 32 stored vectors that a warp gets of a vector-row
      of mean length.
    * `resident`: most registers of a lane that hold the lhs through all steps;
      what takes more is loaded again in each.
    * `ahead`: chunks of 64 bytes of each row of the rhs that are loaded before
      they are needed: at most 8.

    Example: `#magicube.sddmm_tiling<warps = 8, steps = 4>`.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$warps,
                        DefaultValuedParameter<"int64_t", "0">:$steps,
                        DefaultValuedParameter<"int64_t", "-1">:$resident,
                        DefaultValuedParameter<"int64_t", "0">:$ahead);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

/// The enumeration itself is in lib/Format's Epilogue.h.
def Magicube_ActivationAttr : Magicube_Attr<"Activation", "activation"> {
  let summary = "Elementwise function applied last in an epilogue";
  let parameters = (ins
    Magicube_LibraryEnum<"::mlir::magicube::Activation",
                          "::mlir::magicube::kActivations",
                          "the function">:$value);
  let assemblyFormat = "`<` $value `>`";
  // Operations give the enumeration.
  let returnType = "::mlir::magicube::Activation";
  let convertFromStorage = "$_self.getValue()";
}

/// An operand and what indexes it.
def Magicube_EpilogueOperands : ArrayRefParameter<
    "::mlir::magicube::EpilogueOperand<::mlir::magicube::BroadcastAxis>",
    "operands in the order that they are applied in">;

def Magicube_EpilogueAttr : Magicube_Attr<"Epilogue", "epilogue"> {
  let summary = "What is done with sums";
  let description = [{
    lib/Format's description of an epilogue (docs/Epilogue.md): what each operand
    does and what indexes it, the activation, and the elements of the result.
    With `float_sums` the sums are f32, else i32. Integers of the result are
    signed (`i8`) or unsigned (`ui8`).

    Examples: `#magicube.epilogue<-> i32>` (the sums themselves),
    `#magicube.epilogue<sum_bias row, scale none, scale column, gelu -> ui8>`.
  }];
  let parameters = (ins Magicube_EpilogueOperands:$operands,
                        "std::optional<::mlir::magicube::Activation>":$activation,
                        "bool":$float_sums, "::mlir::Type":$element);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "const ::mlir::magicube::Epilogue<"
                     "::mlir::magicube::BroadcastAxis> &":$epilogue)>];
  let extraClassDeclaration = [{
    /// The same for the libraries without MLIR.
    ::mlir::magicube::Epilogue<::mlir::magicube::BroadcastAxis>
    getDescription() const;
  }];
}

#endif // MAGICUBE_ATTRS_TD
