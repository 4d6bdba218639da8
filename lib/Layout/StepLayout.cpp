//===- StepLayout.cpp - One step of 32 stored vectors on Tensor Cores -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recipes as data, and the layouts that follow from them and MmaTable.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/StepLayout.h"

#include <algorithm>
#include <array>
#include <string_view>

using namespace mlir::magicube;

namespace {
/// One bit of a coordinate, as in "p2".
struct CoordinateBit {
  const char *name;
  int32_t bit;
};

/// Bit `bit` of the position, the column in a chunk.
constexpr CoordinateBit p(int32_t bit) { return {dim::position, bit}; }
constexpr CoordinateBit n(int32_t bit) { return {dim::column, bit}; }
/// The chunk of a group of two.
constexpr CoordinateBit c() { return {dim::chunk, 0}; }

/// What a bit of an MMA's column number stands for: a bit of the vector, the
/// parity of the dense column, or which digit of a wide operand.
enum class ColumnBit { Vector, Parity, Digit };

/// What differs between the ways to get operand A into registers. Bits are
/// listed from high to low, as they are written on paper.
struct StepRecipe {
  const char *name;
  /// The MMA, by shape and operand width.
  const char *mma;
  int32_t operandBits;
  /// Which bits of (position, chunk) a supplying lane's bits are, and which
  /// tell several ldmatrix calls apart.
  std::vector<CoordinateBit> laneBits;
  std::vector<CoordinateBit> callBits;
  /// Which bits of the column an MMA row's bits are.
  std::vector<CoordinateBit> rowBits;
  /// MMA operand A, register by register; empty: the raw registers.
  std::vector<BytePermute> permutes;
  /// Operand B by call; empty: the loaded registers.
  std::vector<LhsPermute> lhsPermutes;
  std::optional<LaneExchange> exchange;
  int32_t maxVectorLength;
  /// Operand B's registers alternate in the positions instead of its elements
  /// following one another: what the halves of 4-bit pairs give.
  bool registersAlternate;
  SlotKind slots;
  /// What the bits of an MMA column are, from high to low.
  std::array<ColumnBit, 3> columnBits;
  /// Widths of the operands.
  std::vector<int32_t> sparseBits, denseBits;
  /// MMAs of 4 bits: where their nibbles come from.
  Int4Form int4 = Int4Form::None;

  bool isNibbleLhs() const { return sparseBits.front() == 4; }
  bool sharesColumns() const { return columnBits.front() == ColumnBit::Parity; }
  bool isStacked() const { return columnBits.back() == ColumnBit::Digit; }
};
} // namespace

/// Columns of MMAs by what their bits are.
static constexpr std::array<ColumnBit, 3> kVectors = {
    ColumnBit::Vector, ColumnBit::Vector, ColumnBit::Vector};
static constexpr std::array<ColumnBit, 3> kParities = {
    ColumnBit::Parity, ColumnBit::Vector, ColumnBit::Vector};
static constexpr std::array<ColumnBit, 3> kStackedVectors = {
    ColumnBit::Vector, ColumnBit::Vector, ColumnBit::Digit};
static constexpr std::array<ColumnBit, 3> kStackedParities = {
    ColumnBit::Parity, ColumnBit::Vector, ColumnBit::Digit};

/// Digits are bytes, the MMAs' operands.
static constexpr int32_t kDigitBits = 8;

/// ldmatrix.trans leaves in raw register i of lane 4g + t the bytes
///
///     byte         3             2             1          0
///     supplied by  8i + 2t + 1   8i + 2t + 1   8i + 2t    8i + 2t    (lane)
///     column       2g + 1        2g            2g + 1     2g
///
/// Even bytes of two registers make four positions of column 2g, odd bytes of
/// column 2g + 1: MMA rows g and g + 8. The two pairs of selectors list the
/// four positions in different orders, which the gather makes up for.
///
/// Interleaved, bytes 0 and 1 are k slots of columns 2g and 2g + 1, and so are
/// 2 and 3, of the next position: B is the loaded bytes of the positions of
/// this call with zeros between them, (a, 0, b, 0) or (0, a, 0, b).
static const std::vector<StepRecipe> &recipes() {
  static const std::vector<StepRecipe> table = {
      {"transpose",
       "m16n8k32",
       8,
       {p(2), p(0), p(4), p(3), p(1)},
       {},
       {n(0), n(3), n(2), n(1)},
       {{0, 1, 0x6240}, {0, 1, 0x7351}, {2, 3, 0x6240}, {2, 3, 0x7351}},
       {},
       std::nullopt,
       16,
       false,
       SlotKind::Positions,
       kVectors,
       {8, 12, 16},
       {4, 8, 16}},
      {"transpose-paired",
       "m16n8k32",
       8,
       {p(2), p(1), p(4), p(3), p(0)},
       {},
       {n(0), n(3), n(2), n(1)},
       {{0, 1, 0x6420}, {0, 1, 0x7531}, {2, 3, 0x6420}, {2, 3, 0x7531}},
       {},
       std::nullopt,
       16,
       false,
       SlotKind::Positions,
       kVectors,
       {8, 12, 16},
       {4, 8, 16}},
      {"interleave",
       "m16n8k32",
       8,
       {p(2), c(), p(4), p(3), p(1)},
       {p(0)},
       {n(4), n(3), n(2), n(1)},
       {},
       {{0x4240, 0x2404}, {0x4341, 0x3414}},
       LaneExchange{/*laneBit=*/1, /*registerBit=*/1},
       4,
       false,
       SlotKind::Columns,
       kParities,
       {8, 12, 16},
       {4, 8}},
      {"transpose-nibble",
       "m16n8k32",
       8,
       {p(0), p(2), p(4), p(3), p(1)},
       {},
       {n(0), n(3), n(2), n(1)},
       {{0, 1, 0x6420}, {0, 1, 0x7531}, {2, 3, 0x6420}, {2, 3, 0x7531}},
       {},
       std::nullopt,
       16,
       true,
       SlotKind::Positions,
       kVectors,
       {4},
       {4, 8, 16}},
      {"interleave-paired",
       "m16n8k32",
       8,
       {p(2), c(), p(4), p(3), p(0)},
       {p(1)},
       {n(4), n(3), n(2), n(1)},
       {},
       {{0x4140, 0x1404}, {0x4342, 0x3424}},
       LaneExchange{/*laneBit=*/1, /*registerBit=*/1},
       4,
       false,
       SlotKind::Columns,
       kParities,
       {12, 16},
       {4, 8}},
      {"interleave-nibble",
       "m16n8k32",
       8,
       {p(0), c(), p(4), p(3), p(1)},
       {p(2)},
       {n(4), n(3), n(2), n(1)},
       {},
       {{0x4140, 0x1404}, {0x4342, 0x3424}},
       LaneExchange{/*laneBit=*/1, /*registerBit=*/1},
       4,
       true,
       SlotKind::Columns,
       kParities,
       {4},
       {4, 8}},
      {"transpose-stacked",
       "m16n8k32",
       8,
       {p(2), p(0), p(4), p(3), p(1)},
       {},
       {n(0), n(3), n(2), n(1)},
       {{0, 1, 0x6240}, {0, 1, 0x7351}, {2, 3, 0x6240}, {2, 3, 0x7351}},
       {},
       std::nullopt,
       4,
       false,
       SlotKind::Positions,
       kStackedVectors,
       {12, 16},
       {4, 8, 16}},
      {"interleave-stacked",
       "m16n8k32",
       8,
       {p(2), c(), p(4), p(3), p(0)},
       {p(1)},
       {n(4), n(3), n(2), n(1)},
       {},
       {{0x4140, 0x1404}, {0x4342, 0x3424}},
       LaneExchange{/*laneBit=*/1, /*registerBit=*/0},
       2,
       false,
       SlotKind::Columns,
       kStackedParities,
       {12, 16},
       {4, 8}},
      {"digits",
       "m16n8k32",
       8,
       {p(2), c(), p(4), p(3), p(1)},
       {p(0)},
       {n(3), n(2), n(1), n(0)},
       {},
       {{0x4240, 0x2404}, {0x4341, 0x3414}},
       std::nullopt,
       16,
       false,
       SlotKind::Digits,
       kVectors,
       {8, 12, 16},
       {16}},
      {"digits-nibble",
       "m16n8k32",
       8,
       {p(0), c(), p(4), p(3), p(1)},
       {p(2)},
       {n(3), n(2), n(1), n(0)},
       {},
       {{0x4140, 0x1404}, {0x4342, 0x3424}},
       std::nullopt,
       16,
       true,
       SlotKind::Digits,
       kVectors,
       {4},
       {16}},
      {"digits-stacked",
       "m16n8k32",
       8,
       {p(2), c(), p(4), p(3), p(1)},
       {p(0)},
       {n(3), n(2), n(1), n(0)},
       {},
       {{0x4240, 0x2404}, {0x4341, 0x3414}},
       std::nullopt,
       4,
       false,
       SlotKind::Digits,
       kStackedVectors,
       {8, 12, 16},
       {16}},
      {"transpose-nibble-ordered",
       "m16n8k32",
       8,
       {p(2), p(0), p(4), p(3), p(1)},
       {},
       {n(0), n(3), n(2), n(1)},
       {{0, 1, 0x6240}, {0, 1, 0x7351}, {2, 3, 0x6240}, {2, 3, 0x7351}},
       {},
       std::nullopt,
       16,
       false,
       SlotKind::Positions,
       kVectors,
       {4},
       {4, 8, 16}},
      {"int4-spread",
       "m16n8k64",
       4,
       {p(2), p(0), p(4), p(3), p(1)},
       {},
       {n(1), n(4), n(3), n(2)},
       {{0, 1, 0x6240}, {0, 1, 0x7351}, {2, 3, 0x6240}, {2, 3, 0x7351}},
       {},
       std::nullopt,
       16,
       false,
       SlotKind::Positions,
       kVectors,
       {8, 12, 16},
       {4},
       Int4Form::Spread},
      {"int4-spread-nibble",
       "m16n8k64",
       4,
       {p(0), p(2), p(4), p(3), p(1)},
       {},
       {n(1), n(4), n(3), n(2)},
       {{0, 1, 0x6420}, {0, 1, 0x7531}, {2, 3, 0x6420}, {2, 3, 0x7531}},
       {},
       std::nullopt,
       16,
       true,
       SlotKind::Positions,
       kVectors,
       {4},
       {4},
       Int4Form::Spread},
      {"int4-merge",
       "m16n8k32",
       4,
       {p(2), p(0), p(4), p(3), p(1)},
       {},
       {n(1), n(4), n(3), n(2)},
       {{0, 1, 0x6240}, {0, 1, 0x7351}, {2, 3, 0x6240}, {2, 3, 0x7351}},
       {},
       std::nullopt,
       16,
       false,
       SlotKind::Positions,
       kVectors,
       {8, 12, 16},
       {4},
       Int4Form::Merge},
      {"int4-merge-nibble",
       "m16n8k32",
       4,
       {p(0), p(2), p(4), p(3), p(1)},
       {},
       {n(1), n(4), n(3), n(2)},
       {{0, 1, 0x6420}, {0, 1, 0x7531}, {2, 3, 0x6420}, {2, 3, 0x7531}},
       {},
       std::nullopt,
       16,
       false,
       SlotKind::Positions,
       kVectors,
       {4},
       {4},
       Int4Form::Merge},
      {"int4-merge-ordered",
       "m16n8k32",
       4,
       {p(2), p(1), p(4), p(3), p(0)},
       {},
       {n(1), n(4), n(3), n(2)},
       {{0, 1, 0x6420}, {0, 1, 0x7531}, {2, 3, 0x6420}, {2, 3, 0x7531}},
       {},
       std::nullopt,
       16,
       false,
       SlotKind::Positions,
       kVectors,
       {4},
       {4},
       Int4Form::MergeOrdered},
  };
  return table;
}

/// The row for a vector length. Spread, short vectors leave half of the MMA's
/// columns to the odd columns, as interleaving does; lanes then trade registers
/// to get neighbours.
static StepRecipe specialize(StepRecipe recipe, const MmaInstruction &mma,
                             int32_t vectorLength) {
  if (recipe.int4 == Int4Form::Spread && vectorLength <= mma.n / 2) {
    recipe.columnBits = kParities;
    recipe.exchange = LaneExchange{/*laneBit=*/1, /*registerBit=*/1};
  }
  return recipe;
}

const std::vector<std::string> &mlir::magicube::stepRecipes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const StepRecipe &recipe : recipes())
      result.push_back(recipe.name);
    return result;
  }();
  return names;
}

/// The basis of an input dimension whose bits, listed from high to low, are
/// bits of the outputs.
static LayoutBasis routeBits(const char *input,
                             const std::vector<CoordinateBit> &bits,
                             const std::vector<LayoutDim> &outputs) {
  LayoutBasis basis{input, {}};
  for (auto bit = bits.rbegin(); bit != bits.rend(); ++bit) {
    std::vector<int32_t> image;
    for (const LayoutDim &output : outputs)
      image.push_back(output.name == bit->name ? 1 << bit->bit : 0);
    basis.images.push_back(std::move(image));
  }
  return basis;
}

/// (call, lane) -> (position, chunk)
static Result<LinearLayout> buildGather(const StepRecipe &recipe) {
  int32_t chunks = 1;
  for (const auto *bits : {&recipe.laneBits, &recipe.callBits})
    for (CoordinateBit bit : *bits)
      if (std::string_view(bit.name) == dim::chunk)
        chunks *= 2;
  std::vector<LayoutDim> outputs = {{dim::position, kStepPositions},
                                    {dim::chunk, chunks}};
  return LinearLayout::create({routeBits(dim::call, recipe.callBits, outputs),
                               routeBits(dim::lane, recipe.laneBits, outputs)},
                              outputs);
}

/// The bits that number the matrices of all calls: those of the call, and those
/// of the lane above the rows of a matrix.
static std::vector<CoordinateBit> getMatrixBits(const StepRecipe &recipe) {
  std::vector<CoordinateBit> bits = recipe.callBits;
  for (size_t i = 0; i < recipe.laneBits.size(); ++i) {
    size_t laneBit = recipe.laneBits.size() - 1 - i;
    if (1 << laneBit >= kLdmatrixPhaseRows)
      bits.push_back(recipe.laneBits[i]);
  }
  return bits;
}

/// (position) -> (phase). A phase is one matrix of one call, so its number is
/// made of the position bits among the matrix bits; the higher position bit
/// first. Matrices that differ in the chunk alone have the same phase.
static Result<LinearLayout> buildPhase(const StepRecipe &recipe) {
  int32_t positionBits = 0;
  for (CoordinateBit bit : getMatrixBits(recipe))
    if (std::string_view(bit.name) == dim::position)
      positionBits |= 1 << bit.bit;

  LayoutBasis basis{dim::position, {}};
  int32_t phases = 1;
  for (int32_t position = 1; position < kStepPositions; position *= 2) {
    bool counts = (positionBits & position) != 0;
    basis.images.push_back({counts ? phases : 0});
    phases *= counts ? 2 : 1;
  }
  return LinearLayout::create({basis}, {{dim::phase, phases}});
}

/// (position) -> (row): the row in its matrix, then the phase.
static Result<LinearLayout> buildTileRow(const LinearLayout &supplier,
                                         const LinearLayout &phase) {
  LayoutBasis basis{dim::position, {}};
  for (int32_t position = 1; position < kStepPositions; position *= 2) {
    LayoutPoint point = {{dim::position, position}};
    basis.images.push_back(
        {supplier.apply(point, dim::lane) % kLdmatrixPhaseRows +
         kLdmatrixPhaseRows * phase.apply(point, dim::phase)});
  }
  return LinearLayout::create({basis}, {{dim::row, kStepPositions}});
}

/// (call, lane) -> (row, chunk)
static Result<LinearLayout> buildReader(const LinearLayout &gather,
                                        const LinearLayout &tileRow) {
  return gather.compose(tileRow *
                        LinearLayout::identity1D(gather.outputSize(dim::chunk),
                                                 dim::chunk, dim::chunk));
}

/// (element) -> (position) inside of a register of operand B. Merged, nibbles
/// of two registers of four bytes alternate.
static LinearLayout buildElements(const StepRecipe &recipe,
                                  const MmaInstruction &mma) {
  constexpr int32_t bytesPerRegister = 4;
  if (recipe.int4 == Int4Form::Spread)
    return LinearLayout::identity1D(bytesPerRegister, dim::element,
                                    dim::position);
  if (recipe.int4 == Int4Form::Merge && !recipe.isNibbleLhs())
    return *LinearLayout::create({{dim::element, {{4}, {1}, {2}}}},
                                 {{dim::position, 2 * bytesPerRegister}});
  return LinearLayout::identity1D(mma.elementsPerRegister(), dim::element,
                                  dim::position);
}

/// (fragment, lane, register, element) -> (vector, position): consecutive
/// positions through the registers of a lane (or alternating between them),
/// then through the lanes of a group; groups and fragments are vectors. Lanes
/// whose MMA columns differ in parity or digit alone hold the same.
static LinearLayout buildLhs(const StepRecipe &recipe,
                             const MmaInstruction &mma, int32_t fragments) {
  using L = LinearLayout;
  L elements = buildElements(recipe, mma);
  L registers = L::identity1D(mma.bRegisters(), dim::reg, dim::position);
  L lhs = (recipe.registersAlternate ? registers * elements
                                     : elements * registers) *
          L::identity1D(kMmaGroupLanes, dim::lane, dim::position);
  for (auto bit = recipe.columnBits.rbegin(); bit != recipe.columnBits.rend();
       ++bit)
    lhs = lhs * (*bit == ColumnBit::Vector
                     ? L::identity1D(2, dim::lane, dim::vector)
                     : L::zeros1D(2, dim::lane, dim::vector));
  lhs = lhs * L::identity1D(fragments, dim::fragment, dim::vector);
  return lhs.sublayout({dim::fragment, dim::lane, dim::reg, dim::element},
                       {dim::vector, dim::position});
}

/// `layout` with a bit of the lane and a bit of the register exchanged.
static Result<LinearLayout> exchangeBits(const LinearLayout &layout,
                                         LaneExchange exchange) {
  std::vector<LayoutBasis> inputs;
  for (const LayoutDim &input : layout.inputs()) {
    LayoutBasis basis{input.name, {}};
    for (int32_t bit = 0; 1 << bit < input.size; ++bit) {
      std::string name = input.name;
      int32_t source = bit;
      if (name == dim::lane && bit == exchange.laneBit) {
        name = dim::reg;
        source = exchange.registerBit;
      } else if (name == dim::reg && bit == exchange.registerBit) {
        name = dim::lane;
        source = exchange.laneBit;
      }
      std::vector<int32_t> image;
      for (const LayoutDim &output : layout.outputs())
        image.push_back(layout.basis(name, source, output.name));
      basis.images.push_back(std::move(image));
    }
    inputs.push_back(std::move(basis));
  }
  return LinearLayout::create(inputs, layout.outputs());
}

/// (n) -> (vector, column): what an MMA column stands for.
static LinearLayout buildColumnMeaning(const StepRecipe &recipe) {
  using L = LinearLayout;
  L meaning;
  for (auto bit = recipe.columnBits.rbegin(); bit != recipe.columnBits.rend();
       ++bit)
    meaning =
        meaning *
        (*bit == ColumnBit::Vector   ? L::identity1D(2, dim::n, dim::vector)
         : *bit == ColumnBit::Parity ? L::identity1D(2, dim::n, dim::column)
                                     : L::zeros1D(2, dim::n, dim::vector));
  return meaning;
}

/// `layout` without the lowest bit of the register, and the registers above
/// renumbered: both values of that bit are added.
static Result<LinearLayout> foldRegisters(const LinearLayout &layout) {
  std::vector<LayoutBasis> inputs;
  for (const LayoutDim &input : layout.inputs()) {
    LayoutBasis basis{input.name, {}};
    for (int32_t bit = input.name == dim::reg; 1 << bit < input.size; ++bit) {
      std::vector<int32_t> image;
      for (const LayoutDim &output : layout.outputs())
        image.push_back(layout.basis(input.name, bit, output.name));
      basis.images.push_back(std::move(image));
    }
    inputs.push_back(std::move(basis));
  }
  return LinearLayout::create(inputs, layout.outputs());
}

Result<LinearLayout> mlir::magicube::getStepOutput(
    const MmaInstruction &mma, const LinearLayout &columnMeaning,
    const LinearLayout &rows, bool isFolded,
    const std::optional<LaneExchange> &exchange, int32_t fragments) {
  std::vector<LayoutDim> outputs = {
      {dim::vector, columnMeaning.outputSize(dim::vector)},
      {dim::column, rows.outputSize(dim::column)}};
  std::vector<LayoutBasis> inputs;
  for (const char *operand : {dim::m, dim::n}) {
    LayoutBasis basis{operand, {}};
    int32_t size = operand == dim::m ? mma.m : mma.n;
    for (int32_t bit = 0; 1 << bit < size; ++bit)
      basis.images.push_back({columnMeaning.basis(operand, bit, dim::vector),
                              columnMeaning.basis(operand, bit, dim::column) ^
                                  rows.basis(operand, bit, dim::column)});
    inputs.push_back(std::move(basis));
  }
  Result<LinearLayout> problem = LinearLayout::create(inputs, outputs);
  if (!problem)
    return problem.error();
  Result<LinearLayout> output = mma.c.compose(*problem);
  if (output && isFolded)
    output = foldRegisters(*output);
  if (output && exchange)
    output = exchangeBits(*output, *exchange);
  if (!output)
    return output.error();
  LinearLayout all =
      *output * LinearLayout::identity1D(fragments, dim::fragment, dim::vector);
  return all.sublayout({dim::fragment, dim::lane, dim::reg},
                       {dim::vector, dim::column});
}

/// `output` with one more input, the part, which is the lowest bit of the
/// column.
static Result<LinearLayout> addParts(const LinearLayout &output) {
  std::vector<LayoutBasis> inputs;
  std::vector<int32_t> odd;
  for (const LayoutDim &dimension : output.outputs())
    odd.push_back(dimension.name == dim::column ? 1 : 0);
  inputs.push_back({dim::part, {odd}});
  for (const char *name : {dim::fragment, dim::lane, dim::reg}) {
    LayoutBasis basis{name, {}};
    for (int32_t bit = 0; 1 << bit < output.inputSize(name); ++bit) {
      std::vector<int32_t> image;
      for (const LayoutDim &dimension : output.outputs())
        image.push_back(output.basis(name, bit, dimension.name));
      basis.images.push_back(std::move(image));
    }
    inputs.push_back(std::move(basis));
  }
  return LinearLayout::create(inputs, output.outputs());
}

/// Fills in what follows from the recipe's rows and the MMA table. Fails only
/// if a row of either table is inconsistent.
static Result<StepLayout> buildStep(const StepRecipe &recipe,
                                    const MmaInstruction &mma,
                                    int32_t vectorLength) {
  int32_t fragments = std::max(1, vectorLength / mma.n);
  // Each bit of an MMA row is a bit of the column; the parity may come from B.
  bool hasParity =
      recipe.slots == SlotKind::Columns || recipe.int4 != Int4Form::None;
  std::vector<LayoutDim> columns = {
      {dim::column, hasParity ? 2 * mma.m : mma.m}};
  Result<LinearLayout> gather = buildGather(recipe);
  if (!gather)
    return gather.error();
  Result<LinearLayout> supplier = gather->invert();
  if (!supplier)
    return supplier.error();
  Result<LinearLayout> phase = buildPhase(recipe);
  if (!phase)
    return phase.error();
  Result<LinearLayout> tileRow = buildTileRow(*supplier, *phase);
  if (!tileRow)
    return tileRow.error();
  Result<LinearLayout> reader = buildReader(*gather, *tileRow);
  if (!reader)
    return reader.error();
  Result<LinearLayout> rowColumn = LinearLayout::create(
      {routeBits(dim::m, recipe.rowBits, columns)}, columns);
  if (!rowColumn)
    return rowColumn.error();
  LinearLayout columnMeaning = buildColumnMeaning(recipe);
  Result<LinearLayout> output =
      getStepOutput(mma, columnMeaning, *rowColumn, recipe.isStacked(),
                    recipe.exchange, fragments);
  // Of 4 bits, the lowest bit of the column may still be free.
  if (output && recipe.int4 != Int4Form::None && !recipe.sharesColumns())
    output = addParts(*output);
  if (!output)
    return output.error();
  // Lane 4g + t holds column g of operand B.
  constexpr int32_t lowestColumnLaneBit = 2, highestColumnLaneBit = 4;
  return StepLayout{recipe.name,
                    recipe.sparseBits,
                    recipe.denseBits,
                    &mma,
                    vectorLength,
                    *gather,
                    *tileRow,
                    *reader,
                    recipe.permutes,
                    buildLhs(recipe, mma, fragments),
                    recipe.registersAlternate,
                    recipe.slots,
                    recipe.lhsPermutes,
                    /*parityLaneBit=*/highestColumnLaneBit,
                    /*digitLaneBit=*/lowestColumnLaneBit,
                    recipe.isStacked() ? kDigitBits : 0,
                    columnMeaning,
                    *rowColumn,
                    recipe.exchange,
                    *output,
                    *phase,
                    recipe.int4,
                    recipe.isNibbleLhs(),
                    recipe.sharesColumns()};
}

Result<StepLayout> mlir::magicube::getStepLayout(std::string_view recipe,
                                                 int32_t vectorLength) {
  constexpr int32_t lengths[] = {1, 2, 4, 8, 16};
  if (std::find(std::begin(lengths), std::end(lengths), vectorLength) ==
      std::end(lengths))
    return Error{"vector length must be one of 1, 2, 4, 8, 16, but got " +
                 std::to_string(vectorLength)};
  std::string known;
  for (const StepRecipe &row : recipes()) {
    if (row.name == recipe) {
      if (vectorLength > row.maxVectorLength)
        return Error{"recipe '" + std::string(recipe) +
                     "' takes vectors of length up to " +
                     std::to_string(row.maxVectorLength) + ", but got " +
                     std::to_string(vectorLength)};
      const MmaInstruction *mma = lookupMma(row.mma, row.operandBits);
      if (!mma)
        return Error{"the MMA table has no " + std::string(row.mma) + " of " +
                     std::to_string(row.operandBits) + " bits"};
      return buildStep(specialize(row, *mma, vectorLength), *mma, vectorLength);
    }
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return Error{"unknown step recipe '" + std::string(recipe) +
               "', expected one of " + known};
}
