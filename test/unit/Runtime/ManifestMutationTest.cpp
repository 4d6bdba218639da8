//===- ManifestMutationTest.cpp - Manifests with one wrong field ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every field of a good manifest is left out or replaced, and what can still be
// read is run: an error or a launch, never a crash. The same with a kernel on
// device 'sim': an error or the same result.
//
//===----------------------------------------------------------------------===//

#include "BundleFixture.h"
#include "KernelHarness.h"

#include "magicube/Runtime/BundleProgram.h"
#include "magicube/Support/Json.h"

#include <numeric>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

//===----------------------------------------------------------------------===//
// A good bundle
//===----------------------------------------------------------------------===//

/// result[row][column] += rhs[row][column] + round(scale), by a thread each;
/// sparse operands are only read, at places where they are zero. Parameters:
/// pointers and indices, rhs, result, columns, strides, scale.
constexpr const char *kernelText = R"(
define ptx_kernel void @add(ptr addrspace(1) %pointers, ptr addrspace(1) %indices, ptr addrspace(1) %rhs, ptr addrspace(1) %out, i32 %columns, i32 %rhs_stride, i32 %out_stride, float %scale) {
  %row = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %column = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp ult i32 %column, %columns
  br i1 %inside, label %work, label %end
work:
  %pointer = load i32, ptr addrspace(1) %pointers, align 4
  %index = load i16, ptr addrspace(1) %indices, align 2
  %wide = zext i16 %index to i32
  %start = add i32 %pointer, %wide
  %a = mul i32 %row, %rhs_stride
  %b = add i32 %a, %column
  %p = getelementptr i8, ptr addrspace(1) %rhs, i32 %b
  %byte = load i8, ptr addrspace(1) %p, align 1
  %x = sext i8 %byte to i32
  %c = mul i32 %row, %out_stride
  %d = add i32 %c, %column
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %d
  %old = load i32, ptr addrspace(1) %q, align 4
  %s = fptosi float %scale to i32
  %sum = add i32 %old, %x
  %more = add i32 %sum, %s
  %last = add i32 %more, %start
  store i32 %last, ptr addrspace(1) %q, align 4
  br label %end
end:
  ret void
})";

constexpr int64_t numRows = 16, numColumns = 24;

BundleManifest makeAddManifest() {
  BundleManifest manifest = makeManifest({"sim"});
  MatrixType number;
  number.isFloat = number.isNumber = true;
  number.rows = number.cols = 1;
  manifest.arguments[0].cols = manifest.arguments[1].rows = numRows;
  manifest.arguments[1].element.isSigned = true;
  manifest.arguments.push_back(number);
  manifest.arguments[0].encoding->order = VectorOrder::Natural;
  MatrixType marks = manifest.arguments[0];
  marks.element.bits = 32;
  manifest.results.push_back({marks, /*init=*/{}, /*pattern=*/0});
  manifest.operands = {{"lhs", false, 0},
                       {"rhs", false, 1},
                       {"scale_0", false, 3},
                       {"result", true, 0},
                       {"marks", true, 1}};
  manifest.reference.attributes["activation"] = "relu";
  LaunchPlan &plan = manifest.chips[0].plan;
  plan.results.push_back({"marks", {expr("lhs.dim0"), expr("lhs.dim1")}});
  plan.values = {{"columns", expr("result.dim1")}};
  plan.buffers = {{"scratch", expr("columns * 4")}};
  PlanKernel kernel;
  kernel.name = "add";
  using Kind = PlanParameter::Kind;
  kernel.parameters = {{Kind::Pointer, expr("lhs.pointers")},
                       {Kind::Pointer, expr("marks.indices")},
                       {Kind::Pointer, expr("rhs.address")},
                       {Kind::Pointer, expr("result.address")},
                       {Kind::I32, expr("columns")},
                       {Kind::I32, expr("rhs.stride0")},
                       {Kind::I32, expr("result.stride0")},
                       {Kind::F32, expr("scale_0")}};
  kernel.alignments = {{{expr("rhs.address"), expr("rhs.stride0")}, 8}};
  kernel.grid = {expr("result.dim0"), expr("min(marks.stored, 1)"), 1};
  kernel.block = {32, 1, 1};
  plan.launches = {{{expr("columns"), expr("result.dim0")}, {kernel}}};
  return manifest;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Memory of a device with the operands of the program, made from what a caller
/// knows and not from what the manifest says.
class Runner {
public:
  Runner() {
    Result<std::unique_ptr<Device>> created = createDevice("sim");
    EXPECT_TRUE(bool(created));
    device = std::move(*created);
    rhsBytes.resize(numRows * numColumns);
    std::iota(rhsBytes.begin(), rhsBytes.end(), int8_t(-100));
    sums.resize(numRows * numColumns, 1000);
    std::vector<int32_t> pointers(2 * numRows);
    ProgramOperand lhs, rhs, sum, number;
    lhs.shape = {numRows, numRows};
    lhs.pointers = upload(pointers);
    lhs.indices = upload(std::vector<uint16_t>(32));
    lhs.values = upload(std::vector<int8_t>(4 * 32));
    lhs.stored = 32;
    ProgramOperand marks;
    marks.shape = lhs.shape;
    marks.stored = lhs.stored;
    marks.values = upload(std::vector<int32_t>(4 * 32));
    rhs.shape = {numRows, numColumns};
    rhs.data = upload(rhsBytes);
    sum.shape = {numRows, numColumns};
    rhs.rowStride = sum.rowStride = numColumns;
    number.number = 2.0f;
    operands.arguments = {lhs, rhs, sum, number};
    sum.data = upload(sums);
    operands.results = {sum, marks};
  }

  /// "" for the right result, or the error.
  std::string run(const std::string &bytes) {
    Result<Bundle> bundle = Bundle::parse(bytes, "b");
    if (!bundle)
      return bundle.error().message;
    auto program = BundleProgram::load(*device, *bundle);
    if (!program)
      return program.error().message;
    auto *result = const_cast<void *>(operands.results[0].data);
    Simulation::check(device->copy(result, sums.data(), 4 * sums.size(),
                                   /*stream=*/nullptr));
    Status status = (*program)->launch(operands, /*stream=*/nullptr);
    if (!status)
      return status.error().message;
    std::vector<int32_t> actual(sums.size());
    Simulation::check(device->copy(actual.data(), result, 4 * actual.size(),
                                   /*stream=*/nullptr));
    for (size_t i = 0; i < actual.size(); ++i)
      if (actual[i] != 1000 + rhsBytes[i] + 2)
        return "wrong result";
    return "";
  }

  /// Of the sparse result.
  void setStored(int64_t stored) { operands.results[1].stored = stored; }

private:
  template <typename T>
  const void *upload(const std::vector<T> &values) {
    Result<void *> memory = device->allocate(values.size() * sizeof(T),
                                             MemoryKind::Device, nullptr);
    EXPECT_TRUE(bool(memory));
    Simulation::check(device->copy(*memory, values.data(),
                                   values.size() * sizeof(T), nullptr));
    return *memory;
  }

  std::unique_ptr<Device> device;
  ProgramOperands operands;
  std::vector<int8_t> rhsBytes;
  std::vector<int32_t> sums;
};

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

/// The file with another manifest.
std::string withManifest(const std::string &file, const Json &manifest) {
  size_t lineEnd = file.find('\n'), space = file.rfind(' ', lineEnd);
  size_t length = std::stoul(file.substr(space + 1, lineEnd - space));
  auto alignUp = [](size_t size) { return (size + 15) / 16 * 16; };
  size_t images = alignUp(lineEnd + 1 + length);
  std::string text = toJson(manifest);
  std::string head =
      file.substr(0, space + 1) + std::to_string(text.size()) + "\n" + text;
  head.resize(alignUp(head.size()));
  return head + file.substr(images);
}

Json getManifest(const std::string &file) {
  size_t lineEnd = file.find('\n'), space = file.rfind(' ', lineEnd);
  size_t length = std::stoul(file.substr(space + 1, lineEnd - space));
  Result<Json> json = parseJson(file.substr(lineEnd + 1, length), "m");
  EXPECT_TRUE(bool(json));
  return *json;
}

/// Values of every kind, and some that mean something elsewhere.
std::vector<Json> getReplacements(const Json &value) {
  std::vector<Json> values = {nullptr,
                              true,
                              -1,
                              0,
                              1,
                              2,
                              3,
                              7,
                              1000,
                              2147483648,
                              INT64_MAX,
                              UINT64_MAX,
                              0.5,
                              "",
                              "i4",
                              "i16",
                              "i32",
                              "f16",
                              "f32",
                              "lhs",
                              "result",
                              "lhs.dim0",
                              "result.address",
                              "rhs.address + 8",
                              "result.address + 1",
                              "rhs.stride0 * 2",
                              "columns * 9223372036854775807",
                              "columns - 24",
                              "scale_0",
                              Json::array(),
                              Json::array({1, 2, 3}),
                              Json::object()};
  if (value.is_number_integer())
    for (int64_t step : {-1, 1})
      values.push_back(value.get<int64_t>() + step);
  if (value.is_array() && !value.empty()) {
    Json shorter = value, longer = value;
    shorter.erase(shorter.size() - 1);
    longer.push_back(value.back());
    values.push_back(shorter);
    values.push_back(longer);
    for (const Json &element : value)
      values.push_back(element);
  }
  return values;
}

/// Calls `check` with each wrong value in each place of a document, from
/// `value` down; all is as it was afterwards.
template <typename Check>
void mutate(Json &value, Check check) {
  const Json original = value;
  for (const Json &replacement : getReplacements(original)) {
    value = replacement;
    check();
  }
  value = original;
  if (value.is_object())
    for (const auto &[key, member] : original.items()) {
      value.erase(key);
      check();
      value = original;
    }
  if (value.is_structured())
    for (Json &member : value)
      mutate(member, check);
}

TEST(ManifestMutation, StoredVectorsOfResults) {
  std::string file = writeBundle(makeAddManifest(), {{assemble(kernelText)}});
  Runner runner;
  for (int64_t stored : {-1, 0, 31, 33}) {
    runner.setStored(stored);
    EXPECT_EQ(runner.run(file),
              stored < 0 ? "expected result #1 to have 0 or more stored "
                           "vectors, but got -1"
                         : "expected result #1 to have 32 stored vectors, as "
                           "argument #0, but got " +
                               std::to_string(stored));
  }
  runner.setStored(32);
  EXPECT_EQ(runner.run(file), "");
}

TEST(ManifestMutation, AnErrorOrTheSameResult) {
  std::string file = writeBundle(makeAddManifest(), {{assemble(kernelText)}});
  const Json manifest = getManifest(file);
  Runner runner;
  ASSERT_EQ(runner.run(withManifest(file, manifest)), "");
  size_t numRight = 0, numWrong = 0, numErrors = 0;
  Json mutated = manifest;
  mutate(mutated, [&] {
    std::string outcome = runner.run(withManifest(file, mutated));
    ++(outcome.empty()             ? numRight
       : outcome == "wrong result" ? numWrong
                                   : numErrors);
  });
  EXPECT_EQ(mutated, manifest);
  // Some make sense and say something else: a parameter that is another size, a
  // grid that leaves rows out.
  EXPECT_GT(numErrors, 10 * (numRight + numWrong));
  EXPECT_GT(numRight, 50u);
  EXPECT_LT(numWrong, 100u);
}

} // namespace
