//===- BundleTest.cpp - Reading, writing and choosing of bundles ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleFixture.h"

#include "magicube/Runtime/BundleProgram.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

std::string parseError(const std::string &bytes) {
  Result<Bundle> bundle = Bundle::parse(bytes, "b");
  EXPECT_FALSE(bool(bundle));
  return bundle ? "" : bundle.error().message;
}

/// The bundle with the first `from` replaced, which must be of the same length
/// so that the header stays true.
std::string patched(const std::string &from, const std::string &to) {
  std::string bytes = makeBundle({"sm_80", "sm_90", "sim"});
  EXPECT_EQ(from.size(), to.size());
  size_t at = bytes.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? bytes : bytes.replace(at, from.size(), to);
}

TEST(Bundle, RoundTrip) {
  std::string bytes = makeBundle({"sm_80", "sim"});
  EXPECT_EQ(bytes, makeBundle({"sm_80", "sim"}));
  Result<Bundle> bundle = Bundle::parse(bytes, "b");
  ASSERT_TRUE(bool(bundle)) << bundle.error().message;
  const BundleManifest &manifest = bundle->manifest();
  EXPECT_EQ(manifest.entry, "spmm");
  ASSERT_EQ(manifest.arguments.size(), 3u);
  EXPECT_EQ(manifest.arguments[0].str(),
            "tensor<?x96xi8, #magicube.sr_bcrs<vector = 4, order = bank_aware, "
            "index = u16>>");
  EXPECT_FALSE(manifest.arguments[1].element.isSigned);
  EXPECT_EQ(manifest.arguments[1].str(), "tensor<96x?xi8>");
  EXPECT_EQ(manifest.results[0].type.str(), "tensor<?x?xi32>");
  EXPECT_EQ(manifest.results[0].init, 2u);
  ASSERT_EQ(manifest.operands.size(), 3u);
  EXPECT_EQ(manifest.findOperand("rhs")->index, 1u);
  EXPECT_TRUE(manifest.findOperand("result")->isResult);
  EXPECT_EQ(manifest.findOperand("bias"), nullptr);
  EXPECT_EQ(manifest.reference.op, "spmm");
  ASSERT_EQ(manifest.chips.size(), 2u);
  const BundleChip &chip = manifest.chips[0];
  EXPECT_EQ(chip.chip, "sm_80");
  EXPECT_EQ(chip.irHash, "00ff");
  ASSERT_EQ(chip.plan.launches.size(), 1u);
  const std::vector<PlanKernel> &kernels = chip.plan.launches[0].kernels;
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].parameters.size(), 9u);
  EXPECT_EQ(kernels[0].alignments[0].multiple, 16);
  EXPECT_EQ(kernels[1].grid[1].str(), "min(columns ceildiv 64, 65535)");
  EXPECT_EQ(kernels[1].sharedMemoryBytes, 65536);
  EXPECT_EQ(bundle->image(chip.images[0]), elfImage);
  EXPECT_EQ(bundle->image(chip.images[1]), ptxImage);
  EXPECT_EQ(bundle->image(manifest.chips[1].images[0]), bitcodeImage);
}

TEST(Bundle, ImagesAreAlignedInTheFile) {
  std::string bytes = makeBundle({"sm_80", "sm_90"});
  for (std::string_view image : {elfImage, ptxImage})
    for (size_t at = bytes.find(image); at != std::string::npos;
         at = bytes.find(image, at + 1))
      EXPECT_EQ(at % 16, 0u);
}

TEST(Bundle, HeaderErrors) {
  for (const char *text : {"", "magicube",
                           "\x7f"
                           "ELF",
                           "{}", "Magicube-bundle 1 2\n{}"})
    EXPECT_EQ(parseError(text).find("b is no bundle: expected it to begin with "
                                    "'magicube-bundle'"),
              0u);
  EXPECT_EQ(parseError("magicube-bundle"),
            "b: the header lies past the end of the file");
  EXPECT_EQ(parseError("magicube-bundle x"),
            "b: expected a version in the header");
  EXPECT_EQ(parseError("magicube-bundle 3 2\n{}"),
            "b: expected a bundle of version 2, but got version 3");
  EXPECT_EQ(parseError("magicube-bundle 1 2\n{}"),
            "b: expected a bundle of version 2, but got version 1");
  for (const char *text :
       {"magicube-bundle 2 \n", "magicube-bundle 2 x\n", "magicube-bundle 2 2",
        "magicube-bundle 2 -2\n{}", "magicube-bundle 2 2 {}"})
    EXPECT_EQ(parseError(text),
              "b: expected the manifest's length in the header");
  EXPECT_EQ(parseError("magicube-bundle 2 3\n{}"),
            "b: the manifest lies past the end of the file");
}

/// Every prefix is an error, never a crash.
TEST(Bundle, EveryTruncationIsAnError) {
  std::string bytes = makeBundle({"sm_80", "sim"});
  for (size_t size = 0; size < bytes.size(); ++size)
    parseError(bytes.substr(0, size));
  EXPECT_EQ(parseError(bytes.substr(0, bytes.size() - 1)),
            "b: LLVM bitcode for sim lies past the end of the file");
}

TEST(Bundle, ManifestErrors) {
  EXPECT_EQ(parseError("magicube-bundle 2 2\n[]              "),
            "b (manifest): expected an object, but got an array");
  EXPECT_EQ(parseError("magicube-bundle 2 1\n{               "),
            "b (manifest):1:2: syntax error while parsing object key - "
            "unexpected end of input; expected string literal");
  const std::array<const char *, 3> rows[] = {
      {"\"entry\"", "\"entrx\"",
       "expected a member 'entry', but there is none"},
      {"\"i32\"", "\"i33\"",
       "arguments[2].element: expected an element type such as i8 or u4, but "
       "got 'i33'"},
      {"\"vector\": 4", "\"vector\": 5", "expected vector length to be one of"},
      {"\"stride\": 32", "\"stride\": 33", "expected stride to be one of"},
      {"\"bank_aware\"", "\"bank_awarf\"",
       "arguments[0].sparse.order: unknown keyword 'bank_awarf'"},
      {"\"init\": 2", "\"init\": 1",
       "results[0].init: expected an argument of the result's type "
       "tensor<?x?xi32>, but argument #1 is tensor<96x?xi8>"},
      {"\"init\": 2", "\"init\": 3",
       "results[0].init: expected an integer from 0 to 2, but got 3"},
      {"\"argument\": 1", "\"argument\": 2",
       "operands: 'rhs' is argument #2, which is the init of a result already"},
      {"\"argument\": 1", "\"argument\": 3",
       "operands[1].argument: expected an integer from 0 to 2, but got 3"},
      {"\"name\": \"rhs\"", "\"name\": \"lhs\"",
       "operands[1].name: expected each operand once, but 'lhs' is repeated"},
      {"\"name\": \"rhs\"", "\"name\": \"r-s\"",
       "operands[1].name: expected a name of letters, digits and underscores, "
       "but got 'r-s'"},
      {"\"name\": \"rhs\"", "\"name\": \"rhz\"",
       "chips[0].plan.results[0].shape[1]: unknown name 'rhs.dim1'"},
      {"\"lhs.dim0\"", "\"lhs.dim9\"", "unknown name 'lhs.dim9'"},
      {"\"columns\",", "\"nothing\",", "unknown name 'columns'"},
      {"\"pointer\"", "\"painter\"", "unknown kind of kernel parameter"},
      {"\"multiple\": 16", "\"multiple\": -1",
       "multiple: expected an integer from 1 to 1048576, but got -1"},
      {"{rhs}", "{rhz}", "checks[0].message: unknown operand 'rhz'"},
      {"\"shared_memory\": 1024", "\"shared_memory\": null",
       "shared_memory: expected an integer, but got null"},
      {"\"launches\"", "\"launchez\"", "expected a member 'launches'"},
      {"\"cubin\"", "\"cubim\"", "unknown image format 'cubim'"},
      {"\"chip\": \"sm_90\"", "\"chip\": \"sm_80\"",
       "chips[1].chip: expected each chip once, but 'sm_80' is repeated"},
      {"\"bytes\": 8", "\"bytes\": 0", "bytes: expected an integer from 1"}};
  for (const auto &[from, to, message] : rows) {
    std::string error = parseError(patched(from, to));
    EXPECT_NE(error.find(message), std::string::npos) << from << ": " << error;
  }
}

/// A manifest with a number, a row of sums, a column of floats, a scratch
/// buffer, and a result of bf16.
BundleManifest makeWideManifest() {
  BundleManifest manifest = makeManifest({"sm_90"});
  MatrixType sums, number, column;
  sums.element.bits = 32;
  sums.rows = 1;
  number.isFloat = number.isNumber = true;
  number.rows = number.cols = 1;
  column.isFloat = true;
  column.cols = 1;
  manifest.arguments.insert(manifest.arguments.end(), {sums, number, column});
  MatrixType &result = manifest.results[0].type;
  result.isFloat = true;
  result.format = FloatFormat::BF16;
  manifest.results[0].init.reset();
  auto end = manifest.operands.end() - 1;
  manifest.operands.insert(
      end, {{"sum_bias", false, 3}, {"scale_0", false, 4}, {"bias", false, 5}});
  manifest.reference.attributes["activation"] = "gelu";
  LaunchPlan &plan = manifest.chips[0].plan;
  plan.buffers = {{"partial", expr("columns * 8")}};
  for (PlanKernel &kernel : plan.launches[0].kernels) {
    using Kind = PlanParameter::Kind;
    kernel.parameters.insert(kernel.parameters.end(),
                             {{Kind::Pointer, expr("sum_bias.address")},
                              {Kind::F32, expr("scale_0")},
                              {Kind::Pointer, expr("bias.address + 16")},
                              {Kind::Pointer, expr("partial.address")},
                              {Kind::I64, expr("lhs.dim0 * lhs.dim1")}});
  }
  return manifest;
}

TEST(Bundle, WideRoundTrip) {
  Result<Bundle> bundle =
      Bundle::parse(writeWithImages(makeWideManifest()), "b");
  ASSERT_TRUE(bool(bundle)) << bundle.error().message;
  const BundleManifest &manifest = bundle->manifest();
  EXPECT_EQ(manifest.arguments[4].str(), "f32");
  EXPECT_TRUE(manifest.arguments[4].isNumber);
  EXPECT_EQ(manifest.arguments[5].str(), "tensor<?x1xf32>");
  EXPECT_EQ(manifest.results[0].type.str(), "tensor<?x?xbf16>");
  EXPECT_EQ(manifest.results[0].init, std::nullopt);
  EXPECT_EQ(manifest.reference.attributes.at("activation"), "gelu");
  EXPECT_EQ(manifest.chips[0].plan.buffers[0].bytes.str(), "columns * 8");
}

TEST(Bundle, WideErrors) {
  auto check = [](auto change, const std::string &message) {
    BundleManifest manifest = makeWideManifest();
    change(manifest, manifest.chips[0].plan);
    std::string error = parseError(writeWithImages(manifest));
    EXPECT_NE(error.find(message), std::string::npos) << error;
  };
  using Manifest = BundleManifest;
  using Plan = LaunchPlan;
  auto parameters = [](Plan & plan) -> auto & {
    return plan.launches[0].kernels[0].parameters;
  };
  check([&](Manifest &, Plan &p) { parameters(p)[10].value = expr("bias"); },
        "parameters[10].f32: unknown name 'bias'");
  check(
      [&](Manifest &, Plan &p) { parameters(p)[10].value = expr("bias.dim0"); },
      "parameters[10].f32: 'bias.dim0' is a size, which may not stand here");
  check([&](Manifest &,
            Plan &p) { parameters(p)[10].value = expr("scale_0 + scale_0"); },
        "parameters[10].f32: expected the name of a number");
  check([&](Manifest &, Plan &p) { parameters(p)[5].value = expr("scale_0"); },
        "parameters[5].i32: 'scale_0' is a number of f32, which may not stand "
        "here");
  check(
      [&](Manifest &, Plan &p) {
        p.launches[0].kernels[0].grid[2] = expr("bias.address");
      },
      "grid[2]: 'bias.address' is an address, which may not stand here");
  check([](Manifest &, Plan &p) { p.results[0].shape[0] = expr("columns"); },
        "shape[0]: unknown name 'columns'");
  check(
      [](Manifest &, Plan &p) {
        p.values.push_back({"columns", expr("2")});
      },
      "values[2].name: 'columns' is something else already");
  check([](Manifest &, Plan &p) { p.values[0].value = expr("vector_rows"); },
        "values[0].value: unknown name 'vector_rows'");
  check([](Manifest &, Plan &p) { p.launches[0].kernels[1].block[2] = 9; },
        "kernels[1].block: expected at most 1024 threads, but got 1152");
  check([](Manifest &, Plan &p) { p.launches[0].kernels[1].cluster[1] = 17; },
        "kernels[1].cluster[1]: expected an integer from 1 to 16, but got 17");
  check([](Manifest &m, Plan &) { m.arguments[4].rows = kDynamic; },
        "arguments[4].number: expected a number to be of f32 and 1 x 1");
  check([](Manifest &m, Plan &) { m.arguments[5].format = FloatFormat::F16; },
        "arguments[5].element: expected integers or f32 of an argument, but "
        "got 'f16'");
  check([](Manifest &m,
           Plan &) { m.arguments[1].element = ElementType::pattern(); },
        "arguments[1].element: expected a sparse matrix, which alone may be a "
        "pattern, but it is dense");
  check([](Manifest &m, Plan &) { m.arguments[0].rows = 97; },
        "arguments[0]: ");
  check([](Manifest &m, Plan &) { m.arguments[0].cols = 65536; },
        "arguments[0]: ");
  check([](Manifest &m, Plan &) { m.results[0].type = m.arguments[0]; },
        "results[0]: expected a member 'pattern', but there is none");
  check([](Manifest &m, Plan &) { m.results[0].type = m.arguments[4]; },
        "results[0]: expected a matrix, but got a number");
  check([](Manifest &m, Plan &) { m.results.clear(); },
        "results: expected at least one result");
  check([](Manifest &m, Plan &) { m.operands.pop_back(); },
        "operands: expected 1 results, but got 0");
  check([](Manifest &m, Plan &) { std::swap(m.operands[4], m.operands[5]); },
        "operands: expected arguments first and then all results in order, "
        "but 'bias' is out of order");
  check(
      [](Manifest &m, Plan &) {
        m.results.push_back(m.results[0]);
        m.operands.push_back({"second", true, 0});
      },
      "'second' is out of order");
}

/// A manifest of a product at the places of a pattern: two dense arguments, the
/// pattern, sums at its places, and a number for each row.
BundleManifest makeSampledManifest() {
  BundleManifest manifest = makeManifest({"sm_90"});
  MatrixType dense, sparse, factors;
  sparse.encoding = SRBCRSEncoding();
  sparse.cols = 96;
  MatrixType pattern = sparse;
  pattern.element = ElementType::pattern();
  sparse.element.bits = 32;
  factors.isFloat = true;
  factors.cols = 1;
  manifest.arguments = {dense, dense, pattern};
  manifest.results = {{sparse, /*init=*/{}, /*pattern=*/2}, {factors}};
  manifest.operands = {{"lhs", false, 0},
                       {"rhs", false, 1},
                       {"pattern", false, 2},
                       {"result", true, 0},
                       {"factors", true, 1}};
  LaunchPlan &plan = manifest.chips[0].plan;
  SizeExpr rows = expr("pattern.dim0");
  plan.results = {{"result", {rows, expr("pattern.dim1")}},
                  {"factors", {rows, 1}}};
  plan.values.clear();
  plan.checks.clear();
  PlanKernel kernel;
  kernel.name = "k";
  for (const char *pointer :
       {"pattern.indices", "result.pointers", "result.indices", "result.values",
        "factors.address"})
    kernel.parameters.push_back({PlanParameter::Kind::Pointer, expr(pointer)});
  kernel.grid = {expr("result.stored"), 1, 1};
  plan.launches = {{{expr("pattern.stored")}, {kernel}}};
  return manifest;
}

TEST(Bundle, SparseResults) {
  auto parse = [](auto change) {
    BundleManifest manifest = makeSampledManifest();
    change(manifest);
    return Bundle::parse(writeWithImages(manifest), "b");
  };
  Result<Bundle> bundle = parse([](BundleManifest &) {});
  ASSERT_TRUE(bool(bundle)) << bundle.error().message;
  const BundleManifest &manifest = bundle->manifest();
  EXPECT_TRUE(manifest.arguments[2].element.isPattern());
  EXPECT_EQ(manifest.results[0].pattern, 2u);
  EXPECT_EQ(manifest.results[0].type.encoding, manifest.arguments[2].encoding);
  EXPECT_EQ(manifest.results[1].pattern, std::nullopt);
  for (FloatFormat format :
       {FloatFormat::F32, FloatFormat::F16, FloatFormat::BF16}) {
    auto toFloats = [&](MatrixType &type) {
      type.isFloat = true;
      type.format = format;
    };
    bundle = parse([&](BundleManifest &m) {
      toFloats(m.arguments[2]);
      toFloats(m.results[0].type);
    });
    ASSERT_TRUE(bool(bundle)) << bundle.error().message;
    EXPECT_EQ(bundle->manifest().results[0].type.format, format);
    EXPECT_TRUE(bundle->manifest().arguments[2].isFloat);
  }
  for (int bits : {4, 8, 16, 32})
    EXPECT_TRUE(bool(parse([&](BundleManifest &m) {
      m.results[0].type.element = {bits, /*isSigned=*/false};
    })));
}

TEST(Bundle, SparseResultErrors) {
  auto check = [](auto change, const std::string &message) {
    BundleManifest manifest = makeSampledManifest();
    change(manifest);
    std::string error = parseError(writeWithImages(manifest));
    EXPECT_NE(error.find(message), std::string::npos) << error;
  };
  using Manifest = BundleManifest;
  check([](Manifest &m) { m.results[0].pattern = 3; },
        "results[0].pattern: expected an integer from 0 to 2, but got 3");
  check([](Manifest &m) { m.results[1].pattern = 2; },
        "results[1].pattern: expected none of a dense result");
  check([](Manifest &m) { m.results[0].pattern.reset(); },
        "results[0]: expected a member 'pattern', but there is none");
  check([](Manifest &m) { m.results[0].pattern = 1; },
        "results[0].pattern: expected a sparse argument of the extents and the "
        "encoding of the result, ");
  check([](Manifest &m) { m.results[0].type.encoding->stride = 64; },
        "but argument #2 is tensor<?x96xi1, #magicube.sr_bcrs<vector = 8>>");
  check([](Manifest &m) { m.results[0].type.cols = 97; },
        "but argument #2 is tensor<?x96xi1, #magicube.sr_bcrs<vector = 8>>");
  check(
      [](Manifest &m) {
        m.arguments[2].element = ElementType();
        for (MatrixType *type : {&m.arguments[2], &m.results[0].type})
          type->encoding->order = VectorOrder::BankAware;
      },
      "results[0].pattern: expected an argument in natural order, but argument "
      "#2 is");
  check([](Manifest &m) { m.results[0].init = 1; },
        "results[0].init: expected an argument of the result's type");
  check(
      [](Manifest &m) {
        m.arguments[2] = m.results[0].type;
        m.results[0].init = 2;
      },
      "results[0].init: expected none of a sparse result");
  for (int bits : {1, 12})
    check(
        [&](Manifest &m) {
          m.results[0].type.element = {bits, /*isSigned=*/bits != 1};
        },
        "results[0].element: expected floats or integers of 4, 8, 16 or 32 "
        "bits of a sparse result, but got 'i" +
            std::to_string(bits) + "'");
  check([](Manifest &m) { m.arguments[0].element = ElementType::pattern(); },
        "arguments[0].element: expected a sparse matrix, which alone may be a "
        "pattern, but it is dense");
  check([](Manifest &m) { m.results[0].type.rows = 97; }, "results[0]: ");
  check(
      [](Manifest &m) {
        m.chips[0].plan.launches[0].kernels[0].parameters[0].value =
            expr("pattern.stored");
        m.chips[0].plan.launches[0].unlessZero = {expr("pattern.indices")};
      },
      "unless_zero[0]: 'pattern.indices' is an address, which may not stand "
      "here");
}

TEST(Bundle, NeedsKernelsImagesAndChips) {
  EXPECT_EQ(parseError(makeBundle({})),
            "b (manifest): chips: expected at least one chip");
  BundleManifest manifest = makeManifest({"sm_80"});
  manifest.chips[0].plan.launches[0].kernels.clear();
  EXPECT_EQ(parseError(writeBundle(manifest, {{"x", "y"}})),
            "b (manifest): chips[0].plan.launches[0].kernels: expected at "
            "least one kernel");
  manifest.chips[0].plan.launches.clear();
  EXPECT_EQ(parseError(writeBundle(manifest, {{"x", "y"}})),
            "b (manifest): chips[0].plan.launches: expected at least one "
            "launch");
  manifest = makeManifest({"sm_80"});
  manifest.chips[0].images.clear();
  EXPECT_EQ(parseError(writeBundle(manifest, {{}})),
            "b (manifest): chips[0].images: expected at least one image");
}

TEST(Bundle, ImageErrors) {
  EXPECT_EQ(parseError(patched("\"offset\": 16", "\"offset\": 17")),
            "b: PTX text for sm_80 is at offset 17, which is no multiple of "
            "16");
  EXPECT_EQ(parseError(patched("\"offset\": 16", "\"offset\": 32")),
            "b: expected PTX text for sm_80 at offset 32, but got an ELF "
            "object (cubin)");
  EXPECT_EQ(parseError(patched("\"offset\": 16", "\"offset\": 96")),
            "b: PTX text for sm_80 lies past the end of the file");
  // A byte at the end of the last image.
  std::string damaged = makeBundle({"sm_80", "sim"});
  damaged.back() ^= 4;
  std::string error = parseError(damaged);
  EXPECT_EQ(error.find("b: expected LLVM bitcode for sim at offset 32 to have "
                       "the checksum "),
            0u)
      << error;
  BundleManifest manifest = makeManifest({"sm_80"});
  EXPECT_EQ(parseError(writeBundle(manifest, {{"no ELF", "no PTX"}})),
            "b: expected an ELF object (cubin) for sm_80 at offset 0, but got "
            "an image of unknown format");
}

TEST(Bundle, FilesThatAreNotThere) {
  Result<Bundle> bundle = Bundle::read("/nowhere/x.bundle");
  ASSERT_FALSE(bool(bundle));
  EXPECT_NE(bundle.error().message.find("/nowhere/x.bundle"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// A GPU of the fake driver.
std::unique_ptr<Device> makeGpu(const char *chip) {
  setenv("MAGICUBE_CUDA_DRIVER", MAGICUBE_FAKE_CUDA, 1);
  setenv("FAKE_CUDA_CHIP", chip, 1);
  unsetenv("FAKE_CUDA_FAIL");
  Result<std::unique_ptr<Device>> device = createDevice("cuda");
  return device ? std::move(*device) : nullptr;
}

/// "CHIP FORMAT", or the error.
std::string choose(const std::vector<std::string> &chips, const char *gpu) {
  BundleManifest manifest = makeManifest(chips);
  std::unique_ptr<Device> device = makeGpu(gpu);
  Result<BundleChoice> choice = chooseImage(manifest, *device);
  if (!choice)
    return choice.error().message + "; " + choice.error().note;
  return choice->chip->chip + " " +
         std::string(describeImage(choice->image->format));
}

TEST(BundleChoice, NearestMachineCodeThenNearestPtx) {
  const std::vector<std::string> chips = {"sm_80", "sm_86", "sm_90", "sim"};
  EXPECT_EQ(choose(chips, "80"), "sm_80 an ELF object (cubin)");
  EXPECT_EQ(choose(chips, "89"), "sm_86 an ELF object (cubin)");
  EXPECT_EQ(choose(chips, "90"), "sm_90 an ELF object (cubin)");
  EXPECT_EQ(choose(chips, "100"), "sm_90 PTX text");
  EXPECT_EQ(choose(chips, "120"), "sm_90 PTX text");
  EXPECT_EQ(choose({"sm_100", "sm_80"}, "90"), "sm_80 PTX text");
}

TEST(BundleChoice, NoneForTheDevice) {
  EXPECT_EQ(choose({"sm_90", "sim"}, "80"),
            "the bundle has kernels for sm_90, sim, but none for GPU 'Fake "
            "GPU' (sm_80); compile with --chip=sm_80");
  EXPECT_EQ(choose({"sm_86"}, "80"),
            "the bundle has kernels for sm_86, but none for GPU 'Fake GPU' "
            "(sm_80); compile with --chip=sm_80");
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// What was called on the fake driver since the last time.
std::string takeLog() {
  void *library = dlopen(MAGICUBE_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  auto *log =
      reinterpret_cast<const char *(*)()>(dlsym(library, "fakeCudaLog"));
  return log ? log() : "";
}

/// A ?x96 by 96x? product: 400 rows in vectors of 4, 256 columns.
ProgramOperands makeOperands() {
  ProgramOperands operands;
  ProgramOperand lhs, rhs, sum;
  lhs.shape = {400, 96};
  rhs.shape = {96, 256};
  sum.shape = {400, 256};
  rhs.rowStride = sum.rowStride = 256;
  operands.arguments = {lhs, rhs, sum};
  operands.results = {sum};
  return operands;
}

class BundleProgramTest : public testing::Test {
protected:
  void SetUp() override {
    device = makeGpu("90");
    load(makeManifest({"sm_90"}));
  }

  void load(const BundleManifest &manifest) {
    Result<Bundle> bundle = Bundle::parse(writeWithImages(manifest), "b");
    ASSERT_TRUE(device && bundle) << bundle.error().message;
    Result<std::unique_ptr<BundleProgram>> loaded =
        BundleProgram::load(*device, *bundle);
    ASSERT_TRUE(bool(loaded));
    program = std::move(*loaded);
  }

  ProgramOperand &lhs() { return operands.arguments[0]; }
  ProgramOperand &rhs() { return operands.arguments[1]; }
  ProgramOperand &result() { return operands.results[0]; }
  void setColumns(int64_t columns) {
    rhs().shape[1] = operands.arguments[2].shape[1] = result().shape[1] =
        columns;
  }
  void setRows(int64_t rows) {
    lhs().shape[0] = operands.arguments[2].shape[0] = result().shape[0] = rows;
  }

  std::string kernelName() {
    Result<std::vector<PlannedLaunch>> launches = program->plan(operands);
    if (!launches)
      return launches.error().message;
    return launches->empty() ? "none" : launches->front().kernel->name;
  }
  std::array<uint32_t, 3> grid() {
    Result<std::vector<PlannedLaunch>> launches = program->plan(operands);
    if (!launches || launches->empty())
      return {};
    Dim3 grid = launches->front().grid;
    return {grid.x, grid.y, grid.z};
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<BundleProgram> program;
  ProgramOperands operands = makeOperands();
};

TEST_F(BundleProgramTest, ResultShapes) {
  auto shapes = program->getResultShapes(operands.arguments);
  ASSERT_TRUE(bool(shapes)) << shapes.error().message;
  EXPECT_EQ(*shapes, (std::vector<ProgramShape>{{400, 256}}));
}

TEST_F(BundleProgramTest, TheFirstKernelWhoseAlignmentHolds) {
  EXPECT_EQ(kernelName(), "k16");
  setColumns(250);
  EXPECT_EQ(kernelName(), "k1");
  setColumns(256);
  rhs().rowStride = 257;
  EXPECT_EQ(kernelName(), "k1");
  rhs().rowStride = 256;
  result().rowStride = 257;
  EXPECT_EQ(kernelName(), "k1");
  result().rowStride = 256;
  rhs().data = reinterpret_cast<const void *>(uintptr_t(8));
  EXPECT_EQ(kernelName(), "k1");
  rhs().data = nullptr;
  result().data = reinterpret_cast<void *>(uintptr_t(4));
  EXPECT_EQ(kernelName(), "k1");
}

TEST_F(BundleProgramTest, NoKernelForTheAlignment) {
  BundleManifest manifest = makeManifest({"sm_90"});
  manifest.chips[0].plan.launches[0].kernels.pop_back();
  load(manifest);
  setColumns(250);
  EXPECT_EQ(kernelName(),
            "no kernel of 'spmm' takes operands of this alignment");
}

TEST_F(BundleProgramTest, Grids) {
  EXPECT_EQ(grid(), (std::array<uint32_t, 3>{100, 2, 1}));
  setColumns(1);
  EXPECT_EQ(grid(), (std::array<uint32_t, 3>{100, 1, 1}));
  // Tiles of 64 columns, 65536 of them: y is full.
  setColumns(65536 * 64 - 1);
  EXPECT_EQ(grid(), (std::array<uint32_t, 3>{100, 65535, 2}));
}

TEST_F(BundleProgramTest, GridsBeyondTheDevice) {
  auto gridError = [&](size_t axis, const char *extent) {
    BundleManifest manifest = makeManifest({"sm_90"});
    manifest.chips[0].plan.launches[0].kernels[0].grid[axis] = expr(extent);
    load(manifest);
    return kernelName();
  };
  EXPECT_EQ(gridError(0, "columns * 8388608"),
            "expected columns * 8388608 from 1 to 2147483647, but got "
            "2147483648");
  EXPECT_EQ(gridError(1, "columns * 256"),
            "expected columns * 256 from 1 to 65535, but got 65536");
  EXPECT_EQ(gridError(2, "columns - 256"),
            "expected columns - 256 from 1 to 65535, but got 0");
  EXPECT_EQ(gridError(2, "columns floordiv (vector_rows - 100)"),
            "'columns floordiv (vector_rows - 100)' has no value of 64 bits "
            "for 256 and 0");
}

TEST_F(BundleProgramTest, NothingToComputeLaunchesNothing) {
  setRows(0);
  EXPECT_EQ(kernelName(), "none");
  takeLog();
  EXPECT_TRUE(bool(program->launch(operands, nullptr)));
  EXPECT_EQ(program->time({operands}, 3)->medianMicroseconds, 0);
  EXPECT_EQ(takeLog().find("cuLaunchKernel"), std::string::npos);
}

TEST_F(BundleProgramTest, SizesBeyondTheKernels) {
  setColumns(int64_t(1) << 31);
  EXPECT_EQ(kernelName(),
            "expected rhs.dim1 from 0 to 2147483647, but got 2147483648");
  setColumns(256);
  rhs().rowStride = int64_t(1) << 31;
  EXPECT_EQ(kernelName(),
            "expected rhs.stride0 from 0 to 2147483647, but got 2147483648");
  rhs().rowStride = -1;
  EXPECT_EQ(kernelName(), "expected the row stride of argument #1 to be 0 or "
                          "more, but got -1");
}

TEST_F(BundleProgramTest, OperandsThatDoNotFit) {
  auto error = [&](auto change) {
    operands = makeOperands();
    change();
    return kernelName();
  };
  EXPECT_EQ(error([&] { operands.arguments.pop_back(); }),
            "expected 3 arguments, but got 2");
  EXPECT_EQ(error([&] { operands.results.clear(); }),
            "expected 1 results, but got 0");
  EXPECT_EQ(error([&] { rhs().shape[0] = 97; }),
            "expected argument #1 to be a matrix for tensor<96x?xi8>, but got "
            "97x256");
  EXPECT_EQ(error([&] { lhs().shape[0] = 402; }),
            "expected argument #0 to have a multiple of 4 rows, but got 402");
  EXPECT_EQ(error([&] { result().shape[0] = 404; }),
            "expected result #0 to be a matrix of 400x256, but got 404x256");
  EXPECT_EQ(error([&] { operands.arguments[2].shape[1] = 255; }),
            "expected argument #2 to be a matrix of 400x256, but got 400x255");
}

/// What a plan asks for in its own words.
TEST_F(BundleProgramTest, ChecksOfThePlan) {
  BundleManifest manifest = makeManifest({"sm_90"});
  manifest.arguments[1].rows = kDynamic;
  load(manifest);
  EXPECT_EQ(kernelName(), "k16");
  rhs().shape[0] = 95;
  EXPECT_EQ(kernelName(), "expected argument #1 to have as many rows as "
                          "argument #0 has columns, 96, but got 95");
}

TEST_F(BundleProgramTest, LaunchesAsPlanned) {
  setColumns(250);
  takeLog();
  EXPECT_TRUE(bool(program->launch(operands, nullptr)));
  std::string log = takeLog();
  EXPECT_NE(log.find("cuModuleGetFunction k1\n"), std::string::npos);
  EXPECT_NE(log.find("cuFuncSetAttribute 65536\n"), std::string::npos);
  EXPECT_NE(log.find("cuLaunchKernel 100x4x1 128x1x1 65536\n"),
            std::string::npos)
      << log;
}

/// A plan for another kernel of the same name.
TEST_F(BundleProgramTest, OtherNumberOfParameters) {
  setenv("FAKE_CUDA_PARAMETERS", "3", 1);
  Status status = program->launch(operands, nullptr);
  unsetenv("FAKE_CUDA_PARAMETERS");
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().message,
            "kernel 'k16': expected 3 parameters, but got 9");
}

/// Numbers, addresses of scratch buffers and sizes of 64 bits.
TEST_F(BundleProgramTest, ParametersOfEveryKind) {
  load(makeWideManifest());
  ProgramOperand sums, number, column;
  sums.shape = {1, 256};
  number.number = 0.5f;
  column.shape = {400, 1};
  column.data = reinterpret_cast<const void *>(uintptr_t(64));
  operands.arguments.insert(operands.arguments.end(), {sums, number, column});
  Result<std::vector<PlannedLaunch>> launches = program->plan(operands);
  ASSERT_TRUE(bool(launches)) << launches.error().message;
  const std::vector<uint64_t> &parameters = launches->front().parameters;
  ASSERT_EQ(parameters.size(), 14u);
  EXPECT_EQ(parameters[10], 0x3F000000u);
  EXPECT_EQ(parameters[11], 80u);
  EXPECT_EQ(parameters[12], 0u);
  EXPECT_EQ(parameters[13], 400u * 96);
  takeLog();
  EXPECT_TRUE(bool(program->launch(operands, nullptr)));
  std::string log = takeLog();
  size_t allocated = log.find("2048"), launched = log.find("cuLaunchKernel");
  EXPECT_LT(allocated, launched) << log;
  EXPECT_NE(log.find("Free", launched), std::string::npos) << log;
}

/// One after another; those with nothing to compute are left out.
TEST_F(BundleProgramTest, SeveralLaunches) {
  BundleManifest manifest = makeManifest({"sm_90"});
  std::vector<PlanLaunch> &launches = manifest.chips[0].plan.launches;
  PlanLaunch second = launches[0];
  second.unlessZero = {expr("columns floordiv 256")};
  second.kernels[0].name = "second";
  second.kernels[0].block = {96, 1, 1};
  launches.push_back(second);
  load(manifest);
  EXPECT_EQ(program->plan(operands)->size(), 2u);
  takeLog();
  EXPECT_TRUE(bool(program->launch(operands, nullptr)));
  std::string log = takeLog();
  EXPECT_LT(log.find("cuModuleGetFunction k16\n"),
            log.find("cuModuleGetFunction second\n"));
  takeLog();
  Result<LaunchTiming> timing = program->time({operands, operands}, 3);
  ASSERT_TRUE(bool(timing)) << timing.error().message;
  EXPECT_GT(timing->medianMicroseconds, 0);
  log = takeLog();
  size_t capture = log.find("cuStreamBeginCapture");
  size_t kernel = log.find("cuLaunchKernel 100x2x1 64x1x1", capture);
  ASSERT_NE(kernel, std::string::npos) << log;
  EXPECT_NE(log.find("cuLaunchKernel 100x2x1 96x1x1", kernel),
            std::string::npos)
      << log;
  // A copy that leaves a launch out is no copy.
  ProgramOperands narrow = operands;
  narrow.arguments[1].shape[1] = narrow.arguments[2].shape[1] =
      narrow.results[0].shape[1] = 16;
  EXPECT_EQ(program->time({operands, narrow}, 3).error().message,
            "expected copies of the operands that the same kernels take, but "
            "copy 0 and copy 1 need different ones");
  setColumns(16);
  EXPECT_EQ(program->plan(operands)->size(), 1u);
}

TEST_F(BundleProgramTest, ClustersAreNotLaunched) {
  BundleManifest manifest = makeManifest({"sm_90"});
  manifest.chips[0].plan.launches[0].kernels[0].cluster = {2, 1, 1};
  load(manifest);
  EXPECT_EQ(program->launch(operands, nullptr).error().message,
            "kernel 'k16' needs clusters of blocks, which this runtime does "
            "not launch");
}

TEST_F(BundleProgramTest, MissingKernelInTheImage) {
  setenv("FAKE_CUDA_FAIL", "cuModuleGetFunction=500", 1);
  Status status = program->launch(operands, nullptr);
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().message, "the module has no kernel 'k16'");
}

} // namespace
