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
  EXPECT_EQ(manifest.product.lhs, 0u);
  EXPECT_EQ(manifest.product.rhs, 1u);
  EXPECT_EQ(manifest.product.init, 2u);
  ASSERT_EQ(manifest.chips.size(), 2u);
  const BundleChip &chip = manifest.chips[0];
  EXPECT_EQ(chip.chip, "sm_80");
  EXPECT_EQ(chip.irHash, "00ff");
  ASSERT_EQ(chip.kernels.size(), 2u);
  EXPECT_EQ(chip.kernels[0].parameters.size(), kNumSpmmParameters);
  EXPECT_EQ(chip.kernels[0].alignment.rhs, 16);
  EXPECT_EQ(chip.kernels[1].tile.columns, 64);
  EXPECT_EQ(chip.kernels[1].sharedMemoryBytes, 65536u);
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
      {"\"op\": \"spmm\"", "\"op\": \"spma\"",
       "product.op: expected 'spmm', but got 'spma'"},
      {"\"lhs\": 0", "\"lhs\": 1",
       "product.lhs: expected the number of a sparse argument, but got 1"},
      {"\"rhs\": 1", "\"rhs\": 3",
       "product.rhs: expected an integer from 0 to 2, but got 3"},
      {"\"rule\": \"spmm\"", "\"rule\": \"sddm\"",
       "chips[0].kernels[0].rule: unknown launch rule 'sddm'"},
      {"\"result_stride\"", "\"result_stridf\"",
       "parameters[7]: unknown kernel parameter 'result_stridf'"},
      {"\"threads\": 64", "\"threads\": 00",
       "unexpected number literal; expected '}'"},
      {"\"threads\": 64", "\"threads\": -1",
       "threads: expected an integer from 1 to 1024, but got -1"},
      {"\"columns\": 64", "\"columns\":\"64",
       "invalid string: control character"},
      {"\"kernels\"", "\"kernelz\"", "expected a member 'kernels'"},
      {"\"cubin\"", "\"cubim\"", "unknown image format 'cubim'"},
      {"\"chip\": \"sm_90\"", "\"chip\": \"sm_80\"",
       "chips[1].chip: expected each chip once, but 'sm_80' is repeated"},
      {"\"bytes\": 8", "\"bytes\": 0", "bytes: expected an integer from 1"}};
  for (const auto &[from, to, message] : rows) {
    std::string error = parseError(patched(from, to));
    EXPECT_NE(error.find(message), std::string::npos) << from << ": " << error;
  }
}

/// A manifest whose product has every operand of an epilogue.
BundleManifest makeEpilogueManifest() {
  BundleManifest manifest = makeManifest({"sm_80"});
  MatrixType sums, number, row;
  sums.element.bits = 32;
  sums.rows = 1;
  number.isFloat = number.isNumber = true;
  number.rows = number.cols = 1;
  row.isFloat = true;
  row.cols = 1;
  manifest.arguments.insert(manifest.arguments.end(), {sums, number, row});
  MatrixType &result = manifest.results[0];
  result.isFloat = true;
  result.format = FloatFormat::BF16;
  BundleProduct &product = manifest.product;
  product.init.reset();
  product.epilogue.operands = {{EpilogueRole::SumBias, 3},
                               {EpilogueRole::Scale, 4},
                               {EpilogueRole::Scale, 5},
                               {EpilogueRole::Bias, 5}};
  product.epilogue.activation = Activation::Gelu;
  for (BundleKernel &kernel : manifest.chips[0].kernels)
    kernel.parameters.insert(kernel.parameters.end(),
                             kSpmmEpilogueNames.begin(),
                             kSpmmEpilogueNames.end());
  return manifest;
}

std::string writeEpilogue(const BundleManifest &manifest) {
  return writeBundle(manifest,
                     {{std::string(elfImage), std::string(ptxImage)}});
}

TEST(Bundle, EpilogueRoundTrip) {
  Result<Bundle> bundle =
      Bundle::parse(writeEpilogue(makeEpilogueManifest()), "b");
  ASSERT_TRUE(bool(bundle)) << bundle.error().message;
  const BundleManifest &manifest = bundle->manifest();
  EXPECT_EQ(manifest.arguments[4].str(), "f32");
  EXPECT_TRUE(manifest.arguments[4].isNumber);
  EXPECT_EQ(manifest.arguments[5].str(), "tensor<?x1xf32>");
  EXPECT_EQ(manifest.results[0].str(), "tensor<?x?xbf16>");
  const BundleProduct &product = manifest.product;
  EXPECT_EQ(product.init, std::nullopt);
  const Epilogue<size_t> &epilogue = product.epilogue;
  ASSERT_EQ(epilogue.operands.size(), 4u);
  EXPECT_EQ(*epilogue.find(EpilogueRole::SumBias), 3u);
  EXPECT_EQ(*epilogue.find(EpilogueRole::Scale), 4u);
  EXPECT_EQ(*epilogue.find(EpilogueRole::Scale, 1), 5u);
  EXPECT_EQ(*epilogue.find(EpilogueRole::Bias), 5u);
  EXPECT_EQ(epilogue.activation, Activation::Gelu);
  EXPECT_FALSE(epilogue.hasFloatSums);
  EXPECT_EQ(manifest.chips[0].kernels[0].parameters.back(), "bias");
}

/// The argument that operand `i` of the epilogue is.
size_t &operand(BundleManifest &manifest, size_t i) {
  return manifest.product.epilogue.operands[i].ref;
}

void erase(BundleManifest &manifest, size_t i) {
  auto &operands = manifest.product.epilogue.operands;
  operands.erase(operands.begin() + static_cast<ptrdiff_t>(i));
}

TEST(Bundle, EpilogueErrors) {
  auto check = [](auto change, const std::string &message) {
    BundleManifest manifest = makeEpilogueManifest();
    change(manifest);
    std::string error = parseError(writeEpilogue(manifest));
    EXPECT_NE(error.find(message), std::string::npos) << error;
  };
  check([](BundleManifest &m) { operand(m, 3) = 4; },
        "product.bias: expected the number of a float matrix argument, but got "
        "4");
  check([](BundleManifest &m) { operand(m, 0) = 5; },
        "product.sum_bias: expected the number of a dense argument, but got 5");
  check([](BundleManifest &m) { operand(m, 2) = 1; },
        "product.scales[1]: expected the number of a float argument, but got "
        "1");
  check(
      [](BundleManifest &m) {
        m.product.epilogue.operands.push_back({EpilogueRole::Scale, 4});
      },
      "product.scales: expected at most 2 scales, but got 3");
  check([](BundleManifest &m) { m.product.rhs = 5; },
        "product.rhs: expected the number of a dense argument, but got 5");
  // Parameters without an operand.
  check([](BundleManifest &m) { erase(m, 2); },
        "parameters[11]: unknown kernel parameter 'scale_1'");
  check([](BundleManifest &m) { erase(m, 3); },
        "parameters[12]: unknown kernel parameter 'bias'");
  check([](BundleManifest &m) { erase(m, 0); },
        "parameters[9]: unknown kernel parameter 'sum_bias'");
  std::string bytes = writeEpilogue(makeEpilogueManifest());
  bytes.replace(bytes.find("\"gelu\""), 6, "\"silu\"");
  EXPECT_EQ(parseError(bytes),
            "b (manifest): product.activation: unknown activation 'silu'");
}

TEST(Bundle, NeedsKernelsImagesAndChips) {
  EXPECT_EQ(parseError(makeBundle({})),
            "b (manifest): chips: expected at least one chip");
  BundleManifest manifest = makeManifest({"sm_80"});
  manifest.chips[0].kernels.clear();
  EXPECT_EQ(parseError(writeBundle(manifest, {{"x", "y"}})),
            "b (manifest): chips[0].kernels: expected at least one kernel");
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

class BundleProgramTest : public testing::Test {
protected:
  void SetUp() override {
    device = makeGpu("90");
    Result<Bundle> bundle = Bundle::parse(makeBundle({"sm_90"}), "b");
    ASSERT_TRUE(device && bundle);
    Result<std::unique_ptr<BundleProgram>> loaded =
        BundleProgram::load(*device, *bundle);
    ASSERT_TRUE(bool(loaded));
    program = std::move(*loaded);
    operands.vectorRows = 100;
    operands.columns = operands.rhsStride = operands.resultStride = 256;
  }

  std::string kernelName() {
    Result<SpmmLaunch> launch = program->plan(operands);
    if (!launch)
      return launch.error().message;
    return launch->kernel ? launch->kernel->name : "none";
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<BundleProgram> program;
  SpmmOperands operands;
};

TEST_F(BundleProgramTest, TheFirstKernelWhoseAlignmentHolds) {
  EXPECT_EQ(kernelName(), "k16");
  operands.columns = 250;
  EXPECT_EQ(kernelName(), "k1");
  operands.columns = 256;
  operands.rhsStride = 257;
  EXPECT_EQ(kernelName(), "k1");
  operands.rhsStride = 256;
  operands.resultStride = 257;
  EXPECT_EQ(kernelName(), "k1");
  operands.resultStride = 256;
  operands.rhs = reinterpret_cast<const void *>(uintptr_t(8));
  EXPECT_EQ(kernelName(), "k1");
  operands.rhs = nullptr;
  operands.result = reinterpret_cast<void *>(uintptr_t(4));
  EXPECT_EQ(kernelName(), "k1");
}

TEST_F(BundleProgramTest, Grids) {
  auto grid = [&] {
    Dim3 grid = program->plan(operands)->grid;
    return std::array<uint32_t, 3>{grid.x, grid.y, grid.z};
  };
  EXPECT_EQ(grid(), (std::array<uint32_t, 3>{100, 2, 1}));
  operands.columns = 1;
  EXPECT_EQ(grid(), (std::array<uint32_t, 3>{100, 1, 1}));
  // Tiles of 64 columns, 65536 of them: y is full.
  operands.columns = 65536 * 64 - 1;
  EXPECT_EQ(grid(), (std::array<uint32_t, 3>{100, 65535, 2}));
}

/// The grid of tiles of 64 columns that `blocks` blocks share.
static std::array<uint32_t, 3> gridOfBlocks(Device &device, int64_t blocks,
                                            SpmmOperands operands) {
  BundleManifest manifest = makeManifest({"sm_90"});
  for (BundleKernel &kernel : manifest.chips[0].kernels)
    kernel.tile = {/*vectorRows=*/1, /*columns=*/64, blocks};
  std::string bytes =
      writeBundle(manifest, {{std::string(elfImage), std::string(ptxImage)}});
  Result<Bundle> bundle = Bundle::parse(bytes, "b");
  if (!bundle || bundle->manifest().chips[0].kernels[0].tile.blocks != blocks)
    return {};
  auto program = BundleProgram::load(device, *bundle);
  if (!program)
    return {};
  Dim3 grid = (*program)->plan(operands)->grid;
  return {grid.x, grid.y, grid.z};
}

TEST_F(BundleProgramTest, GridsOfSoManyBlocks) {
  using Grid = std::array<uint32_t, 3>;
  // 4 tiles of columns.
  EXPECT_EQ(gridOfBlocks(*device, 12, operands), (Grid{3, 4, 1}));
  EXPECT_EQ(gridOfBlocks(*device, 15, operands), (Grid{3, 4, 1}));
  // At least one for a tile, at most one for a vector-row.
  EXPECT_EQ(gridOfBlocks(*device, 1, operands), (Grid{1, 4, 1}));
  EXPECT_EQ(gridOfBlocks(*device, 65535, operands), (Grid{100, 4, 1}));
  operands.vectorRows = 2;
  EXPECT_EQ(gridOfBlocks(*device, 12, operands), (Grid{2, 4, 1}));
}

TEST_F(BundleProgramTest, NothingToComputeLaunchesNothing) {
  operands.vectorRows = 0;
  EXPECT_EQ(kernelName(), "none");
  takeLog();
  EXPECT_TRUE(bool(program->launch(operands, nullptr)));
  EXPECT_EQ(program->time({operands}, 3)->medianMicroseconds, 0);
  EXPECT_EQ(takeLog().find("cuLaunchKernel"), std::string::npos);
}

TEST_F(BundleProgramTest, SizesBeyondTheKernels) {
  operands.columns = int64_t(1) << 31;
  EXPECT_EQ(kernelName(),
            "expected columns from 0 to 2147483647, but got 2147483648");
  operands.columns = 256;
  operands.rhsStride = -1;
  EXPECT_EQ(kernelName(), "expected row stride of the dense operand from 0 to "
                          "2147483647, but got -1");
}

TEST_F(BundleProgramTest, LaunchesAsPlanned) {
  operands.columns = operands.rhsStride = operands.resultStride = 250;
  takeLog();
  EXPECT_TRUE(bool(program->launch(operands, nullptr)));
  std::string log = takeLog();
  EXPECT_NE(log.find("cuModuleGetFunction k1\n"), std::string::npos);
  EXPECT_NE(log.find("cuFuncSetAttribute 65536\n"), std::string::npos);
  EXPECT_NE(log.find("cuLaunchKernel 100x4x1 128x1x1 65536\n"),
            std::string::npos)
      << log;
}

/// The manifest's result says how many bytes an element has.
TEST_F(BundleProgramTest, AlignmentOfNarrowResults) {
  BundleManifest manifest = makeManifest({"sm_90"});
  manifest.results[0].element.bits = 8;
  Result<Bundle> bundle = Bundle::parse(writeEpilogue(manifest), "b");
  ASSERT_TRUE(bool(bundle)) << bundle.error().message;
  Result<std::unique_ptr<BundleProgram>> loaded =
      BundleProgram::load(*device, *bundle);
  ASSERT_TRUE(bool(loaded));
  program = std::move(*loaded);
  operands.resultStride = 264;
  EXPECT_EQ(kernelName(), "k16");
  operands.resultStride = 258; // 4 bytes an element: a multiple of 8
  EXPECT_EQ(kernelName(), "k1");
}

TEST_F(BundleProgramTest, MissingKernelInTheImage) {
  setenv("FAKE_CUDA_FAIL", "cuModuleGetFunction=500", 1);
  Status status = program->launch(operands, nullptr);
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().message, "the module has no kernel 'k16'");
}

} // namespace
