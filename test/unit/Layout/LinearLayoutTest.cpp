//===- LinearLayoutTest.cpp - Tests of the layout algebra -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws of the algebra on hand-made and on random layouts.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/LinearLayout.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::magicube;

namespace {

using L = LinearLayout;

/// The example of the header: accumulators of m16n8k32.
L accumulators() {
  return L::identity1D(2, "register", "column") *
         L::identity1D(4, "lane", "column") * L::identity1D(8, "lane", "row") *
         L::identity1D(2, "register", "row");
}

/// A layout with dimensions a, b -> x, y, 3 and 2 bits each, drawn at random.
L randomLayout(std::mt19937 &rng, std::string a = "a", std::string b = "b",
               std::string x = "x", std::string y = "y") {
  auto image = [&] {
    return std::vector<int32_t>{int32_t(rng() % 8), int32_t(rng() % 4)};
  };
  return *L::create({{a, {image(), image(), image()}}, {b, {image(), image()}}},
                    {{x, 8}, {y, 4}});
}

/// Draws until the layout is a bijection (about every third is).
L randomBijection(std::mt19937 &rng, std::string a = "a", std::string b = "b",
                  std::string x = "x", std::string y = "y") {
  for (;;)
    if (L layout = randomLayout(rng, a, b, x, y); layout.isBijective())
      return layout;
}

TEST(LinearLayout, TheHeadersExample) {
  L layout = accumulators();
  EXPECT_EQ(layout.inputSize("lane"), 32);
  EXPECT_EQ(layout.inputSize("register"), 4);
  EXPECT_EQ(layout.outputSize("row"), 16);
  EXPECT_EQ(layout.outputSize("column"), 8);
  EXPECT_EQ(layout.apply({{"lane", 6}, {"register", 3}}),
            (LayoutPoint{{"row", 9}, {"column", 5}}));
  EXPECT_EQ(layout.basis("lane", 1, "column"), 4);
  EXPECT_EQ(layout.basis("register", 1, "row"), 8);
  EXPECT_TRUE(layout.isBijective());
}

TEST(LinearLayout, ToStringIsOneLinePerBit) {
  L layout = L::identity1D(4, "lane", "row") * L::zeros1D(1, "call", "chunk");
  EXPECT_EQ(layout.toString(), "lane 1 -> row 1 chunk 0\n"
                               "lane 2 -> row 2 chunk 0\n"
                               "call: no bits\n"
                               "outputs: row[4] chunk[1]\n");
}

TEST(LinearLayout, CreateReportsWhatIsWrong) {
  auto message = [](const std::vector<LayoutBasis> &inputs,
                    std::vector<LayoutDim> outputs) {
    Result<L> layout = L::create(inputs, std::move(outputs));
    return layout ? std::string() : layout.error().message;
  };
  EXPECT_EQ(message({{"a", {{1}}}, {"a", {{1}}}}, {{"x", 2}}),
            "layout dimension 'a' is named twice");
  EXPECT_EQ(message({{"a", {{1}}}}, {{"x", 6}}),
            "layout dimension 'x' must have a power of two of at most 2^30 as "
            "size, but got 6");
  EXPECT_EQ(message({{"a", {{1, 2}}}}, {{"x", 2}}),
            "basis vector of 'a' must have 1 entries, but got 2");
  EXPECT_EQ(message({{"a", {{4}}}}, {{"x", 4}}),
            "basis vector of 'a' must be below 4 in 'x', but got 4");
  EXPECT_EQ(message({{"a", {{-1}}}}, {{"x", 4}}),
            "basis vector of 'a' must be below 4 in 'x', but got -1");
  int32_t big = 1 << 30;
  EXPECT_EQ(message({}, {{"x", big}, {"y", big}, {"z", big}}),
            "a layout has at most 63 bits, but got 90");
  std::vector<std::vector<int32_t>> images(31, {0});
  EXPECT_EQ(message({{"a", images}}, {{"x", 2}}),
            "layout dimension 'a' must have at most 30 basis vectors, but got "
            "31");
}

TEST(LinearLayout, ApplyIsLinear) {
  std::mt19937 rng(1);
  for (int round = 0; round < 20; ++round) {
    L layout = randomLayout(rng);
    for (int32_t i = 0; i < 32; ++i) {
      for (int32_t j = 0; j < 32; ++j) {
        LayoutPoint p{{"a", i & 7}, {"b", i >> 3}};
        LayoutPoint q{{"a", j & 7}, {"b", j >> 3}};
        LayoutPoint both{{"a", (i ^ j) & 7}, {"b", (i ^ j) >> 3}};
        EXPECT_EQ(layout.apply(both, "x"),
                  layout.apply(p, "x") ^ layout.apply(q, "x"));
      }
    }
  }
}

TEST(LinearLayout, ApplyTreatsWhatIsMissingAsZero) {
  L layout = accumulators();
  EXPECT_EQ(layout.apply({{"lane", 6}}, "row"), 1);
  EXPECT_EQ(layout.apply({{"lane", 6}, {"warp", 3}}, "row"), 1);
  EXPECT_EQ(layout.apply({{"lane", 6}}, "depth"), 0);
  EXPECT_EQ(layout.apply({{"lane", 32 + 6}}, "row"), 1);
  EXPECT_EQ(layout.inputSize("warp"), 1);
  EXPECT_EQ(layout.basis("lane", 5, "row"), 0);
  EXPECT_EQ(layout.basis("lane", -1, "row"), 0);
}

TEST(LinearLayout, ProductStacksSharedDimensions) {
  L low = L::identity1D(4, "a", "x");
  L high = L::identity1D(2, "a", "y") * L::identity1D(2, "b", "x");
  L product = low * high;
  for (int32_t a = 0; a < 8; ++a)
    for (int32_t b = 0; b < 2; ++b)
      EXPECT_EQ(product.apply({{"a", a}, {"b", b}}),
                (LayoutPoint{{"x", (a & 3) | b << 2}, {"y", a >> 2}}));
}

TEST(LinearLayout, ProductIsAssociativeWithTheEmptyLayoutAsUnit) {
  std::mt19937 rng(2);
  for (int round = 0; round < 20; ++round) {
    L a = randomLayout(rng), b = randomLayout(rng, "b", "c", "y", "z"),
      c = randomLayout(rng, "c", "a", "z", "x");
    EXPECT_EQ((a * b) * c, a * (b * c));
    EXPECT_EQ(a * L(), a);
    EXPECT_EQ(L() * a, a);
  }
}

TEST(LinearLayout, ZerosBroadcast) {
  L layout = L::identity1D(4, "lane", "row") * L::zeros1D(8, "lane", "row");
  for (int32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(layout.apply({{"lane", lane}}, "row"), lane & 3);
  EXPECT_FALSE(layout.isInjective());
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_TRUE((L::zeros1D(1, "a", "x", 4)).isInjective());
  EXPECT_FALSE((L::zeros1D(1, "a", "x", 4)).isSurjective());
}

TEST(LinearLayout, ComposeAppliesOneAfterTheOther) {
  std::mt19937 rng(3);
  for (int round = 0; round < 20; ++round) {
    L inner = randomLayout(rng);
    // The same names in another order.
    L outer = randomLayout(rng, "x", "y", "u", "v");
    Result<L> both = inner.compose(outer);
    ASSERT_TRUE(bool(both));
    for (int32_t i = 0; i < 32; ++i) {
      LayoutPoint point{{"a", i & 7}, {"b", i >> 3}};
      EXPECT_EQ(both->apply(point), outer.apply(inner.apply(point)));
    }
  }
}

TEST(LinearLayout, ComposeMatchesByNameNotByOrder) {
  L inner = L::identity1D(4, "a", "x") * L::identity1D(2, "b", "y");
  L outer = L::identity1D(2, "y", "v") * L::identity1D(4, "x", "u");
  Result<L> both = inner.compose(outer);
  ASSERT_TRUE(bool(both));
  EXPECT_EQ(both->apply({{"a", 3}, {"b", 1}}),
            (LayoutPoint{{"u", 3}, {"v", 1}}));
}

TEST(LinearLayout, ComposeNamesTheMismatch) {
  L inner = L::identity1D(4, "a", "x");
  EXPECT_EQ(inner.compose(L::identity1D(8, "x", "y")).error().message,
            "cannot compose layouts: output 'x' of size 4 is not an input of "
            "that size of the outer layout");
  L outer = L::identity1D(4, "x", "y") * L::identity1D(2, "z", "y");
  EXPECT_EQ(inner.compose(outer).error().message,
            "cannot compose layouts: input 'z' of the outer layout is not an "
            "output of the inner");
}

TEST(LinearLayout, InvertUndoes) {
  std::mt19937 rng(4);
  L identity = L::identity1D(8, "a", "a") * L::identity1D(4, "b", "b");
  for (int round = 0; round < 50; ++round) {
    L layout = randomBijection(rng);
    Result<L> inverse = layout.invert();
    ASSERT_TRUE(bool(inverse));
    EXPECT_EQ(*layout.compose(*inverse), identity);
    EXPECT_EQ(*inverse->invert(), layout);
  }
}

TEST(LinearLayout, InverseOfACompositionIsReversed) {
  std::mt19937 rng(5);
  for (int round = 0; round < 20; ++round) {
    L inner = randomBijection(rng);
    L outer = randomBijection(rng, "x", "y", "u", "v");
    EXPECT_EQ(*inner.compose(outer)->invert(),
              *outer.invert()->compose(*inner.invert()));
  }
}

TEST(LinearLayout, InvertRefusesWhatIsNoBijection) {
  L twice = L::identity1D(4, "a", "x") * L::zeros1D(2, "a", "x");
  EXPECT_EQ(twice.invert().error().message,
            "cannot invert a layout of 3 input bits, 2 output bits and rank 2");
  L missing = L::identity1D(2, "a", "x") * L::zeros1D(1, "a", "x", 2);
  EXPECT_FALSE(bool(missing.invert()));
}

TEST(LinearLayout, InjectiveAndSurjectiveAgreeWithCounting) {
  std::mt19937 rng(6);
  for (int round = 0; round < 200; ++round) {
    L layout = randomLayout(rng).sublayout({"a"}, {"x", "y"});
    L onto = randomLayout(rng).sublayout({"a", "b"}, {"x"});
    std::vector<int32_t> seen(32), hit(8);
    for (int32_t i = 0; i < 32; ++i) {
      LayoutPoint point{{"a", i & 7}, {"b", i >> 3}};
      if (i < 8)
        ++seen[layout.apply(point, "x") + 8 * layout.apply(point, "y")];
      ++hit[onto.apply(point, "x")];
    }
    bool once = true, all = true;
    for (int32_t count : seen)
      once &= count <= 1;
    for (int32_t count : hit)
      all &= count > 0;
    EXPECT_EQ(layout.isInjective(), once);
    EXPECT_EQ(onto.isSurjective(), all);
  }
}

TEST(LinearLayout, SublayoutRestrictsAndReorders) {
  L layout = accumulators();
  L part = layout.sublayout({"register", "lane", "none"}, {"row", "none"});
  EXPECT_EQ(part.inputs(),
            (std::vector<LayoutDim>{{"register", 4}, {"lane", 32}}));
  EXPECT_EQ(part.outputs(), (std::vector<LayoutDim>{{"row", 16}}));
  for (int32_t lane = 0; lane < 32; ++lane)
    for (int32_t reg = 0; reg < 4; ++reg)
      EXPECT_EQ(part.apply({{"lane", lane}, {"register", reg}}, "row"),
                layout.apply({{"lane", lane}, {"register", reg}}, "row"));
}

TEST(LinearLayout, RenameKeepsTheFunction) {
  L layout =
      accumulators().renameInput("lane", "thread").renameOutput("row", "m");
  EXPECT_EQ(layout.apply({{"thread", 6}, {"register", 3}}),
            (LayoutPoint{{"m", 9}, {"column", 5}}));
  EXPECT_EQ(accumulators().renameInput("none", "x"), accumulators());
}

TEST(LinearLayout, FieldsReproduceApply) {
  std::mt19937 rng(7);
  for (int round = 0; round < 50; ++round) {
    L layout = randomLayout(rng);
    for (int32_t i = 0; i < 32; ++i) {
      LayoutPoint point{{"a", i & 7}, {"b", i >> 3}};
      for (const LayoutDim &output : layout.outputs()) {
        uint32_t value = 0, merged = 0;
        for (const LayoutDim &input : layout.inputs()) {
          for (BitField field : layout.fields(input.name, output.name)) {
            value ^= field.apply(point[input.name]);
            merged |= field.apply(point[input.name]);
          }
        }
        EXPECT_EQ(int32_t(value), layout.apply(point, output.name));
        if (layout.isDisjoint(output.name)) {
          EXPECT_EQ(merged, value);
        }
      }
    }
  }
}

TEST(LinearLayout, FieldsAreFew) {
  // column = 2t + (register & 1): one field each.
  EXPECT_EQ(accumulators().fields("lane", "column"),
            (std::vector<BitField>{{3, 1}}));
  EXPECT_EQ(accumulators().fields("lane", "row"),
            (std::vector<BitField>{{0x1C, -2}}));
  EXPECT_TRUE(accumulators().isDisjoint("column"));
  // An XOR swizzle of 8 chunks: chunk ^ row.
  L swizzle = *L::create({{"row", {{1}, {2}, {4}}}, {"chunk", {{1}, {2}, {4}}}},
                         {{"place", 8}});
  EXPECT_EQ(swizzle.fields("row", "place"), (std::vector<BitField>{{7, 0}}));
  EXPECT_FALSE(swizzle.isDisjoint("place"));
  EXPECT_TRUE(swizzle.fields("row", "none").empty());
  // One input bit that reaches two output bits.
  L copy = *L::create({{"a", {{5}}}}, {{"x", 8}});
  EXPECT_EQ(copy.fields("a", "x"), (std::vector<BitField>{{1, 0}, {1, 2}}));
}

TEST(LinearLayout, EqualityLooksAtNamesSizesAndBases) {
  EXPECT_EQ(L::identity1D(4, "a", "x"), L::identity1D(4, "a", "x"));
  EXPECT_NE(L::identity1D(4, "a", "x"), L::identity1D(4, "b", "x"));
  EXPECT_NE(L::identity1D(4, "a", "x"), L::identity1D(8, "a", "x"));
  EXPECT_NE(L::identity1D(4, "a", "x"), L::zeros1D(4, "a", "x", 4));
}

} // namespace
