//===- StepLayout.cpp - One step of 32 stored vectors on Tensor Cores -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a layout means for lanes and registers, and the linear layouts that
// follow from it and MmaTable.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/StepLayout.h"

#include <algorithm>
#include <array>
#include <string_view>

using namespace mlir::magicube;

/// Bytes of a register, and bits of a `prmt` selector for one of them.
static constexpr int32_t kRegisterBytes = 4;
static constexpr int32_t kSelectorBits = 4;

namespace {
/// One bit of a coordinate, as in "p2".
struct CoordinateBit {
  const char *name;
  int32_t bit;
};

/// Bit `bit` of the position, the column in a group of chunks.
constexpr CoordinateBit p(int32_t bit) { return {dim::position, bit}; }
constexpr CoordinateBit n(int32_t bit) { return {dim::column, bit}; }
/// The chunk of a group of two.
constexpr CoordinateBit c() { return {dim::chunk, 0}; }

/// What a bit of an MMA's column number stands for: a bit of the vector, the
/// parity of the dense column, or which digit of a wide operand.
enum class ColumnBit { Vector, Parity, Digit };

/// What the three low bits of a stored position tell apart. (The high ones are
/// the lane of a group, t = (p4 p3), as a lane loads 8 positions.)
struct PositionBits {
  /// The loaded registers of operand B. Of 4 bits these are the low and the
  /// high halves of one word's bytes, the even and the odd positions.
  int32_t reg;
  /// The elements of such a register, from low to high.
  std::array<int32_t, 2> element;
  /// Neighbouring rows of a matrix of ldmatrix: one of the element bits.
  int32_t pair;
  /// The other element bit.
  int32_t other;

  /// The element at which the pair bit and the other bit have these values.
  int32_t getElement(int32_t pairValue, int32_t otherValue) const {
    return pair == element[0] ? pairValue | otherValue << 1
                              : otherValue | pairValue << 1;
  }
};

/// What differs between layouts. Bits are listed from high to low, as they are
/// written on paper.
struct StepForm {
  PositionBits position;
  /// Which bits of (position, chunk) a supplying lane's bits are, and which
  /// tell several ldmatrix calls apart.
  std::vector<CoordinateBit> laneBits;
  std::vector<CoordinateBit> callBits;
  /// Which bits of the column an MMA row's bits are.
  std::vector<CoordinateBit> rowBits;
  /// What the bits of an MMA column are.
  std::array<ColumnBit, 3> columnBits;
  std::optional<LaneExchange> exchange;
  SlotKind slots;
};
} // namespace

/// Digits are bytes, the MMAs' operands.
static constexpr int32_t kDigitBits = 8;

static PositionBits getPositionBits(OperandLayout layout,
                                    OperandWidths widths) {
  // Half of a byte's two positions are the even ones, unless they are moved.
  bool alternates = widths.sparse == 4 && layout.order != GatherOrder::Stored;
  PositionBits bits;
  bits.reg = alternates ? 0 : 2;
  bits.element =
      alternates ? std::array<int32_t, 2>{1, 2} : std::array<int32_t, 2>{0, 1};
  // Merged nibbles are put into the stored order from pairs.
  bool isPaired =
      layout.order == GatherOrder::Paired ||
      layout == OperandLayout{OperandForm::Merged, GatherOrder::Stored};
  bits.pair = isPaired ? 0 : 1;
  bits.other = bits.element[0] + bits.element[1] - bits.pair;
  return bits;
}

/// Whether one half of the MMA's columns stands for even and one for odd
/// columns of the dense operand.
static bool sharesColumns(OperandLayout layout, const MmaInstruction &mma,
                          int32_t vectorLength) {
  // Spread, short vectors leave half of the columns.
  return layout.form == OperandForm::Interleaved ||
         (layout.form == OperandForm::Spread && vectorLength <= mma.n / 2);
}

static SlotKind getSlots(OperandForm form) {
  switch (form) {
  case OperandForm::Transposed:
  case OperandForm::Spread:
  case OperandForm::Merged:
    return SlotKind::Positions;
  case OperandForm::Interleaved:
    return SlotKind::Columns;
  case OperandForm::Raw:
    return SlotKind::Digits;
  }
  return SlotKind::Positions;
}

/// MMA rows g and g + 8 of a lane's registers: transposed, the even and the odd
/// bytes of a chunk, 2g and 2g + 1; raw, the chunks of a group, with the parity
/// (or the digit) left to operand B. Of 4 bits a byte has two columns.
static std::vector<CoordinateBit> getRowBits(OperandForm form) {
  switch (form) {
  case OperandForm::Transposed:
    return {n(0), n(3), n(2), n(1)};
  case OperandForm::Interleaved:
    return {n(4), n(3), n(2), n(1)};
  case OperandForm::Raw:
    return {n(3), n(2), n(1), n(0)};
  case OperandForm::Spread:
  case OperandForm::Merged:
    return {n(1), n(4), n(3), n(2)};
  }
  return {};
}

/// ldmatrix.trans leaves in raw register i of lane 4g + t the bytes
///
///     byte         3             2             1          0
///     supplied by  8i + 2t + 1   8i + 2t + 1   8i + 2t    8i + 2t    (lane)
///     column       2g + 1        2g            2g + 1     2g
///
/// so the lowest bit of a supplying lane is the pair bit, the next two are the
/// lane t that multiplies, and the matrix is registers of operand B and, with
/// raw registers, the chunk.
static StepForm getForm(OperandLayout layout, OperandWidths widths,
                        const MmaInstruction &mma, int32_t vectorLength) {
  StepForm form;
  form.position = getPositionBits(layout, widths);
  bool isRaw = layout.hasRawRegisters();
  CoordinateBit other = p(form.position.other);
  form.laneBits = {p(form.position.reg), isRaw ? c() : other, p(4), p(3),
                   p(form.position.pair)};
  if (isRaw)
    form.callBits = {other};
  form.rowBits = getRowBits(layout.form);
  form.slots = getSlots(layout.form);
  bool hasParity = sharesColumns(layout, mma, vectorLength);
  form.columnBits = {hasParity ? ColumnBit::Parity : ColumnBit::Vector,
                     ColumnBit::Vector,
                     layout.hasDigits() ? ColumnBit::Digit : ColumnBit::Vector};
  // Lanes whose MMA columns differ in parity trade registers to get neighbours.
  // Digits in neighbouring registers have been added before.
  if (hasParity)
    form.exchange = LaneExchange{/*laneBit=*/1,
                                 /*registerBit=*/layout.hasDigits() ? 0 : 1};
  return form;
}

/// Even bytes of two raw registers make four positions of column 2g, odd bytes
/// of column 2g + 1: MMA rows g and g + 8. The bytes of a raw register differ
/// in the pair bit, the registers in the other one.
static std::vector<BytePermute> getPermutes(OperandLayout layout,
                                            const PositionBits &position) {
  if (layout.hasRawRegisters())
    return {};
  uint16_t even = 0, odd = 0;
  for (int32_t pair : {0, 1})
    for (int32_t other : {0, 1}) {
      int32_t shift = kSelectorBits * position.getElement(pair, other);
      int32_t byte = 2 * pair + kRegisterBytes * other;
      even |= byte << shift;
      odd |= (byte + 1) << shift;
    }
  return {{0, 1, even}, {0, 1, odd}, {2, 3, even}, {2, 3, odd}};
}

/// Raw, bytes 0 and 1 of operand A are k slots of columns 2g and 2g + 1 (or
/// digits), and so are 2 and 3, of the position with the other pair bit: B is
/// the loaded bytes of the positions of this call with zeros between them,
/// (a, 0, b, 0) or (0, a, 0, b).
static std::vector<LhsPermute> getLhsPermutes(OperandLayout layout,
                                              const PositionBits &position) {
  if (!layout.hasRawRegisters())
    return {};
  constexpr uint16_t zeros = 0x4444; // bytes of the second source, zero
  std::vector<LhsPermute> permutes;
  for (int32_t call : {0, 1}) {
    LhsPermute permute{zeros, zeros};
    for (int32_t pair : {0, 1}) {
      int32_t byte = kRegisterBytes ^ position.getElement(pair, call);
      // In place of a zero.
      permute.evenSelector ^= byte << (kSelectorBits * 2 * pair);
      permute.oddSelector ^= byte << (kSelectorBits * (2 * pair + 1));
    }
    permutes.push_back(permute);
  }
  return permutes;
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
static Result<LinearLayout> buildGather(const StepForm &form) {
  int32_t chunks = 1;
  for (const auto *bits : {&form.laneBits, &form.callBits})
    for (CoordinateBit bit : *bits)
      if (std::string_view(bit.name) == dim::chunk)
        chunks *= 2;
  std::vector<LayoutDim> outputs = {{dim::position, kStepPositions},
                                    {dim::chunk, chunks}};
  return LinearLayout::create({routeBits(dim::call, form.callBits, outputs),
                               routeBits(dim::lane, form.laneBits, outputs)},
                              outputs);
}

/// The bits that number the matrices of all calls: those of the call, and those
/// of the lane above the rows of a matrix.
static std::vector<CoordinateBit> getMatrixBits(const StepForm &form) {
  std::vector<CoordinateBit> bits = form.callBits;
  for (size_t i = 0; i < form.laneBits.size(); ++i) {
    size_t laneBit = form.laneBits.size() - 1 - i;
    if (1 << laneBit >= kLdmatrixPhaseRows)
      bits.push_back(form.laneBits[i]);
  }
  return bits;
}

/// (position) -> (phase). A phase is one matrix of one call, so its number is
/// made of the position bits among the matrix bits; the higher position bit
/// first. Matrices that differ in the chunk alone have the same phase.
static Result<LinearLayout> buildPhase(const StepForm &form) {
  int32_t positionBits = 0;
  for (CoordinateBit bit : getMatrixBits(form))
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
static LinearLayout buildElements(OperandLayout layout, OperandWidths widths,
                                  const MmaInstruction &mma) {
  if (layout.form == OperandForm::Spread)
    return LinearLayout::identity1D(kRegisterBytes, dim::element,
                                    dim::position);
  if (layout.form == OperandForm::Merged && widths.sparse > mma.operandBits)
    return *LinearLayout::create({{dim::element, {{4}, {1}, {2}}}},
                                 {{dim::position, 2 * kRegisterBytes}});
  return LinearLayout::identity1D(mma.elementsPerRegister(), dim::element,
                                  dim::position);
}

/// (fragment, lane, register, element) -> (vector, position): consecutive
/// positions through the registers of a lane (or alternating between them),
/// then through the lanes of a group; groups and fragments are vectors. Lanes
/// whose MMA columns differ in parity or digit alone hold the same.
static LinearLayout buildLhs(const StepForm &form, const StepLayout &step,
                             int32_t fragments) {
  using L = LinearLayout;
  const MmaInstruction &mma = *step.mma;
  L elements = buildElements(step.layout, step.widths, mma);
  L registers = L::identity1D(mma.bRegisters(), dim::reg, dim::position);
  L lhs =
      (step.registersAlternate ? registers * elements : elements * registers) *
      L::identity1D(kMmaGroupLanes, dim::lane, dim::position);
  for (auto bit = form.columnBits.rbegin(); bit != form.columnBits.rend();
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
static LinearLayout buildColumnMeaning(const StepForm &form) {
  using L = LinearLayout;
  L meaning;
  for (auto bit = form.columnBits.rbegin(); bit != form.columnBits.rend();
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

/// Which lane supplies what: the gather, the tile it is read from, the phases.
static Status addGather(const StepForm &form, StepLayout &step) {
  Result<LinearLayout> gather = buildGather(form);
  if (!gather)
    return gather.error();
  Result<LinearLayout> supplier = gather->invert();
  if (!supplier)
    return supplier.error();
  Result<LinearLayout> phase = buildPhase(form);
  if (!phase)
    return phase.error();
  Result<LinearLayout> tileRow = buildTileRow(*supplier, *phase);
  if (!tileRow)
    return tileRow.error();
  Result<LinearLayout> reader = buildReader(*gather, *tileRow);
  if (!reader)
    return reader.error();
  step.gather = *gather;
  step.tileRow = *tileRow;
  step.reader = *reader;
  step.phase = *phase;
  return Status::success();
}

/// Who ends with which result.
static Status addOutput(const StepForm &form, int32_t fragments,
                        StepLayout &step) {
  const MmaInstruction &mma = *step.mma;
  // Each bit of an MMA row is a bit of the column; the parity may come from B.
  bool hasParity = step.slots == SlotKind::Columns || step.layout.isInt4();
  std::vector<LayoutDim> columns = {
      {dim::column, hasParity ? 2 * mma.m : mma.m}};
  Result<LinearLayout> rowColumn =
      LinearLayout::create({routeBits(dim::m, form.rowBits, columns)}, columns);
  if (!rowColumn)
    return rowColumn.error();
  step.rowColumn = *rowColumn;
  step.columnMeaning = buildColumnMeaning(form);
  Result<LinearLayout> output =
      getStepOutput(mma, step.columnMeaning, *rowColumn,
                    /*isFolded=*/step.foldShift != 0, step.exchange, fragments);
  // Of 4 bits, the lowest bit of the column may still be free.
  if (output && step.layout.isInt4() && !step.sharesColumns)
    output = addParts(*output);
  if (!output)
    return output.error();
  step.output = *output;
  return Status::success();
}

Result<StepLayout> mlir::magicube::getStepLayout(OperandLayout layout,
                                                 OperandWidths widths,
                                                 int32_t vectorLength) {
  if (Status status = verifyOperands(layout, widths, vectorLength); !status)
    return status.error();
  StepLayout step;
  step.layout = layout;
  step.widths = widths;
  step.mma = getMma(layout);
  step.vectorLength = vectorLength;
  StepForm form = getForm(layout, widths, *step.mma, vectorLength);
  step.permutes = getPermutes(layout, form.position);
  step.lhsPermutes = getLhsPermutes(layout, form.position);
  // Merged, a register has all 8 positions of a lane.
  step.registersAlternate =
      form.position.reg == 0 && layout.form != OperandForm::Merged;
  step.slots = form.slots;
  // Lane 4g + t holds column g of operand B.
  constexpr int32_t lowestColumnLaneBit = 2, highestColumnLaneBit = 4;
  step.parityLaneBit = highestColumnLaneBit;
  step.digitLaneBit = lowestColumnLaneBit;
  step.foldShift = layout.hasDigits() ? kDigitBits : 0;
  step.exchange = form.exchange;
  step.sharesColumns = form.columnBits.front() == ColumnBit::Parity;
  int32_t fragments = std::max(1, vectorLength / step.mma->n);
  step.lhs = buildLhs(form, step, fragments);
  if (Status status = addGather(form, step); !status)
    return status.error();
  if (Status status = addOutput(form, fragments, step); !status)
    return status.error();
  return step;
}
