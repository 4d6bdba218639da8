//===- MmaTableTest.cpp - Tests of the MMA fragments ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table against the formulas of the PTX ISA, written out case by case and
// without LinearLayout, so that table and test cannot be wrong together.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/MmaTable.h"
#include "gtest/gtest.h"

using namespace mlir::magicube;

namespace {

struct Place {
  int32_t row, col;
};

/// The formulas of one section "Matrix Fragments for mma.<shape>": element i of
/// the fragment of the lane with this groupID and threadID_in_group.
struct PtxFormulas {
  const char *name;
  int32_t bits;
  int32_t aElements, bElements, cElements;
  Place (*a)(int32_t group, int32_t thread, int32_t i);
  Place (*b)(int32_t group, int32_t thread, int32_t i);
  Place (*c)(int32_t group, int32_t thread, int32_t i);
};

/// C of all shapes with m = 16.
Place c16(int32_t group, int32_t thread, int32_t i) {
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}
Place c8(int32_t group, int32_t thread, int32_t i) {
  return {group, thread * 2 + i};
}

const PtxFormulas kPtx[] = {
    {"m16n8k32", 8, 16, 8, 4,
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       bool upper = (0 <= i && i < 4) || (8 <= i && i < 12);
       return {upper ? group : group + 8,
               thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
     },
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
     },
     c16},
    {"m16n8k16", 8, 8, 4, 4,
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       return {i < 4 ? group : group + 8, thread * 4 + (i & 3)};
     },
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       return {thread * 4 + i, group};
     },
     c16},
    {"m8n8k16", 8, 4, 4, 2,
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       return {group, thread * 4 + i};
     },
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       return {thread * 4 + i, group};
     },
     c8},
    {"m16n8k64", 4, 32, 16, 4,
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       bool upper = (0 <= i && i < 8) || (16 <= i && i < 24);
       return {upper ? group : group + 8,
               thread * 8 + (i & 7) + (i < 16 ? 0 : 32)};
     },
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       return {thread * 8 + (i & 7) + (i < 8 ? 0 : 32), group};
     },
     c16},
    {"m16n8k32", 4, 16, 8, 4,
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       return {i < 8 ? group : group + 8, thread * 8 + (i & 7)};
     },
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       return {thread * 8 + (i & 7), group};
     },
     c16},
    {"m8n8k32", 4, 8, 8, 2,
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       return {group, thread * 8 + i};
     },
     [](int32_t group, int32_t thread, int32_t i) -> Place {
       return {thread * 8 + i, group};
     },
     c8},
};

/// How many elements of a fragment are not where `formula` has them; a wrong
/// element count makes all of them wrong.
int32_t countMismatches(const LinearLayout &layout, const char *row,
                        const char *col, int32_t elements,
                        Place (*formula)(int32_t, int32_t, int32_t)) {
  int32_t perRegister = layout.inputSize(dim::element);
  if (layout.inputSize(dim::reg) * perRegister != elements ||
      layout.inputSize(dim::lane) != kWarpSize)
    return kWarpSize * elements;
  int32_t mismatches = 0;
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    for (int32_t i = 0; i < elements; ++i) {
      LayoutPoint point{{dim::lane, lane},
                        {dim::reg, i / perRegister},
                        {dim::element, i % perRegister}};
      Place place = formula(lane >> 2, lane % 4, i);
      mismatches += layout.apply(point, row) != place.row ||
                    layout.apply(point, col) != place.col;
    }
  }
  return mismatches;
}

int32_t countMismatches(const MmaInstruction &mma, const PtxFormulas &ptx) {
  return countMismatches(mma.a, dim::m, dim::k, ptx.aElements, ptx.a) +
         countMismatches(mma.b, dim::k, dim::n, ptx.bElements, ptx.b) +
         countMismatches(mma.c, dim::m, dim::n, ptx.cElements, ptx.c);
}

TEST(MmaTable, EveryRowFollowsThePtxIsa) {
  EXPECT_EQ(mmaTable().size(), std::size(kPtx));
  for (const PtxFormulas &ptx : kPtx) {
    const MmaInstruction *mma = lookupMma(ptx.name, ptx.bits);
    ASSERT_NE(mma, nullptr) << ptx.name;
    EXPECT_EQ(countMismatches(*mma, ptx), 0) << ptx.name << " " << ptx.bits;
    EXPECT_EQ(mma->aRegisters() * mma->elementsPerRegister(), ptx.aElements);
    EXPECT_EQ(mma->bRegisters() * mma->elementsPerRegister(), ptx.bElements);
    EXPECT_EQ(mma->cRegisters(), ptx.cElements);
  }
}

TEST(MmaTable, EveryFragmentIsABijection) {
  for (const MmaInstruction &mma : mmaTable()) {
    EXPECT_TRUE(mma.a.isBijective()) << mma.name;
    EXPECT_TRUE(mma.b.isBijective()) << mma.name;
    EXPECT_TRUE(mma.c.isBijective()) << mma.name;
    EXPECT_EQ(mma.a.outputSize(dim::m), mma.m);
    EXPECT_EQ(mma.a.outputSize(dim::k), mma.k);
    EXPECT_EQ(mma.b.outputSize(dim::k), mma.k);
    EXPECT_EQ(mma.b.outputSize(dim::n), mma.n);
    EXPECT_EQ(mma.c.outputSize(dim::m), mma.m);
    EXPECT_EQ(mma.c.outputSize(dim::n), mma.n);
    EXPECT_FALSE(mma.reference.empty());
  }
}

/// Read off the figures by hand.
TEST(MmaTable, GoldenLanes) {
  const MmaInstruction *s8 = lookupMma("m16n8k32", 8);
  ASSERT_NE(s8, nullptr);
  // Figure 88: T13 (g = 3, t = 1), a9 = register 2, byte 1.
  EXPECT_EQ(s8->a.apply({{"lane", 13}, {"register", 2}, {"element", 1}}),
            (LayoutPoint{{"m", 3}, {"k", 21}}));
  // Figure 91: T31, b7.
  EXPECT_EQ(s8->b.apply({{"lane", 31}, {"register", 1}, {"element", 3}}),
            (LayoutPoint{{"k", 31}, {"n", 7}}));
  // Figure 92: T6, c3.
  EXPECT_EQ(s8->c.apply({{"lane", 6}, {"register", 3}}),
            (LayoutPoint{{"m", 9}, {"n", 5}}));
  const MmaInstruction *s4 = lookupMma("m16n8k64", 4);
  ASSERT_NE(s4, nullptr);
  // Figure 93: T2, a31 = register 3, nibble 7.
  EXPECT_EQ(s4->a.apply({{"lane", 2}, {"register", 3}, {"element", 7}}),
            (LayoutPoint{{"m", 8}, {"k", 55}}));
}

/// Exchanges two basis vectors of an input dimension: two strides swapped.
LinearLayout swapBits(const LinearLayout &layout, const char *input,
                      int32_t bitA, int32_t bitB) {
  std::vector<LayoutBasis> bases;
  for (const LayoutDim &in : layout.inputs()) {
    LayoutBasis basis{in.name, {}};
    for (int32_t bit = 0; (1 << bit) < in.size; ++bit) {
      std::vector<int32_t> image;
      for (const LayoutDim &out : layout.outputs())
        image.push_back(layout.basis(in.name, bit, out.name));
      basis.images.push_back(image);
    }
    if (in.name == input)
      std::swap(basis.images[bitA], basis.images[bitB]);
    bases.push_back(basis);
  }
  return *LinearLayout::create(bases, layout.outputs());
}

/// Any two strides swapped still give a bijection, but not the PTX fragment.
TEST(MmaTable, SwappedStridesAreNoticed) {
  for (const PtxFormulas &ptx : kPtx) {
    const MmaInstruction *row = lookupMma(ptx.name, ptx.bits);
    ASSERT_NE(row, nullptr);
    for (LinearLayout MmaInstruction::*operand :
         {&MmaInstruction::a, &MmaInstruction::b, &MmaInstruction::c}) {
      for (int32_t bitA = 0; bitA < 5; ++bitA) {
        for (int32_t bitB = bitA + 1; bitB < 5; ++bitB) {
          MmaInstruction wrong = *row;
          wrong.*operand = swapBits(row->*operand, dim::lane, bitA, bitB);
          EXPECT_TRUE((wrong.*operand).isBijective());
          EXPECT_GT(countMismatches(wrong, ptx), 0)
              << ptx.name << " lane bits " << bitA << " " << bitB;
        }
      }
      if ((row->*operand).inputSize(dim::reg) < 4)
        continue;
      MmaInstruction wrong = *row;
      wrong.*operand = swapBits(row->*operand, dim::reg, 0, 1);
      EXPECT_GT(countMismatches(wrong, ptx), 0) << ptx.name;
    }
  }
}

TEST(MmaTable, LookupIsByShapeAndWidth) {
  for (const MmaInstruction &mma : mmaTable())
    EXPECT_EQ(lookupMma(mma.name, mma.operandBits), &mma);
  EXPECT_EQ(lookupMma("m16n8k64", 8), nullptr);
  EXPECT_EQ(lookupMma("m16n8k8", 8), nullptr);
}

TEST(MmaTable, Int4IsNativeUpToSm89) {
  for (const GpuTarget &target : gpuTargets()) {
    const MmaInstruction *s8 = largestNativeMma(target, 8);
    ASSERT_NE(s8, nullptr);
    EXPECT_EQ(s8->name, "m16n8k32");
    const MmaInstruction *s4 = largestNativeMma(target, 4);
    if (target.computeCapability < 90) {
      ASSERT_NE(s4, nullptr);
      EXPECT_EQ(s4->name, "m16n8k64");
    } else {
      EXPECT_EQ(s4, nullptr);
    }
  }
  // The m16 shapes came with sm_80, the m8 shapes with sm_75.
  GpuTarget turing{"sm_75", 75, 64 * 1024, "+ptx65", true, 40, 1.59, 4.0};
  EXPECT_FALSE(lookupMma("m16n8k32", 8)->isNativeOn(turing));
  EXPECT_TRUE(lookupMma("m8n8k16", 8)->isNativeOn(turing));
  EXPECT_TRUE(lookupMma("m8n8k32", 4)->isNativeOn(turing));
}

/// PTX ISA, "ldmatrix": without .trans lane l gets of each matrix row l / 4,
/// elements 2 (l % 4) and + 1; with .trans the matrix is transposed first.
TEST(MmaTable, LdmatrixTransFollowsThePtxIsa) {
  LinearLayout layout = ldmatrixTransLayout();
  EXPECT_TRUE(layout.isBijective());
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    for (int32_t matrix = 0; matrix < 4; ++matrix) {
      for (int32_t byte = 0; byte < 4; ++byte) {
        int32_t transposedRow = lane / 4;
        int32_t transposedColumn = 2 * (lane % 4) + byte / 2;
        EXPECT_EQ(
            layout.apply(
                {{"lane", lane}, {"register", matrix}, {"element", byte}}),
            (LayoutPoint{{"row", 8 * matrix + transposedColumn},
                         {"column", 2 * transposedRow + byte % 2}}));
      }
    }
  }
}

} // namespace
