//===- KernelHarness.cpp - Runs LLVM IR kernels on the simulator ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

/// What NVPTX modules of LLVM 22 carry.
static const char *const moduleHeader = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@smem = external addrspace(3) global [0 x i8], align 128
)";

std::string test::assembleModule(const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, diagnostic, context);
  std::string result;
  llvm::raw_string_ostream stream(result);
  if (module) {
    llvm::WriteBitcodeToFile(*module, stream);
    return result;
  }
  diagnostic.print("kernel", stream);
  ADD_FAILURE() << result << text;
  return "";
}

std::string test::assemble(const std::string &body) {
  return assembleModule(moduleHeader + body);
}

//===----------------------------------------------------------------------===//
// CallKernel
//===----------------------------------------------------------------------===//

static bool isLiteral(const std::string &operand) {
  return operand.find(' ') != std::string::npos;
}

size_t CallKernel::wordsIn() const {
  size_t words = 0;
  for (const std::string &operand : operands)
    words += isLiteral(operand) ? 0 : operand == "i64" ? 2 : 1;
  return words;
}

std::string CallKernel::text() const {
  std::string code = "define ptx_kernel void @k(ptr addrspace(1) %in, "
                     "ptr addrspace(1) %out) {\n"
                     "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
  std::string arguments;
  auto element = [&](const char *base, size_t perThread, size_t index,
                     const std::string &name) {
    code += "%" + name + ".m = mul i32 %t, " + std::to_string(perThread) +
            "\n%" + name + ".i = add i32 %" + name + ".m, " +
            std::to_string(index) + "\n%" + name +
            ".p = getelementptr i32, ptr addrspace(1) %" + base + ", i32 %" +
            name + ".i\n";
  };
  size_t word = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    arguments += i ? ", " : "";
    if (isLiteral(operands[i])) {
      arguments += operands[i];
      continue;
    }
    std::string name = "a" + std::to_string(i);
    element("in", wordsIn(), word, name);
    bool isBit = operands[i] == "i1";
    code += "%" + name + (isBit ? ".w" : "") + " = load " +
            (isBit ? "i32" : operands[i]) + ", ptr addrspace(1) %" + name +
            ".p, align 4\n";
    if (isBit)
      code += "%" + name + " = trunc i32 %" + name + ".w to i1\n";
    arguments += operands[i] + " %" + name;
    word += operands[i] == "i64" ? 2 : 1;
  }
  std::string type = results.empty() ? "void" : results[0];
  if (results.size() > 1) {
    type = "{ ";
    for (size_t i = 0; i < results.size(); ++i)
      type += (i ? ", " : "") + results[i];
    type += " }";
  }
  code += (results.empty() ? "" : "%r = ") + std::string("call ") + type +
          " @" + callee + "(" + arguments + ")\n";
  for (size_t i = 0; i < results.size(); ++i) {
    std::string name = "r" + std::to_string(i);
    if (results.size() > 1)
      code += "%" + name + " = extractvalue " + type + " %r, " +
              std::to_string(i) + "\n";
    else
      name = "r";
    std::string stored = results[i] + " %" + name;
    if (results[i] == "i1") {
      code += "%" + name + ".z = zext i1 %" + name + " to i32\n";
      stored = "i32 %" + name + ".z";
    }
    element("out", results.size(), i, "o" + std::to_string(i));
    code += "store " + stored + ", ptr addrspace(1) %o" + std::to_string(i) +
            ".p, align 4\n";
  }
  return code + "ret void\n}\n";
}

//===----------------------------------------------------------------------===//
// Simulation
//===----------------------------------------------------------------------===//

void Simulation::check(const Status &status) {
  if (!status)
    ADD_FAILURE() << status.error().message << "\n" << status.error().note;
}

Simulation::Simulation(const std::string &bitcode,
                       const DeviceOptions &options) {
  Result<std::unique_ptr<Device>> created = createDevice("sim", options);
  if (!created) {
    ADD_FAILURE() << created.error().message;
    std::exit(1);
  }
  owned = std::move(*created);
  Result<ModuleHandle *> loaded =
      owned->loadModule(bitcode.data(), bitcode.size());
  if (loaded)
    module = *loaded;
  else
    check(Status(loaded.error()));
}

void *Simulation::allocate(uint64_t bytes) {
  Result<void *> memory = owned->allocate(bytes, MemoryKind::Device, nullptr);
  if (memory)
    return *memory;
  check(Status(memory.error()));
  return nullptr;
}

Status Simulation::launchWith(const char *kernel, Dim3 grid, Dim3 block,
                              uint32_t sharedBytes, void **parameters) {
  Result<FunctionHandle *> function = owned->getFunction(module, kernel);
  if (!function)
    return function.error();
  return owned->launch(*function, grid, block, sharedBytes, nullptr,
                       parameters);
}

std::vector<uint32_t> Simulation::call(const std::vector<uint32_t> &in,
                                       size_t numResults, unsigned threads) {
  void *input = upload(in);
  void *output = allocate(numResults * threads * sizeof(uint32_t));
  check(launch("k", {1, 1, 1}, {threads, 1, 1}, 0, input, output));
  std::vector<uint32_t> words =
      download<uint32_t>(output, numResults * threads);
  check(owned->free(input, nullptr));
  check(owned->free(output, nullptr));
  return words;
}

std::vector<uint32_t> test::runCall(const CallKernel &kernel,
                                    const std::vector<uint32_t> &in,
                                    unsigned threads) {
  EXPECT_EQ(in.size(), kernel.wordsIn() * threads);
  return Simulation(assemble(kernel.text()))
      .call(in, kernel.results.size(), threads);
}

Error test::loadError(const std::string &bitcode) {
  Result<std::unique_ptr<Device>> device = createDevice("sim");
  if (!device)
    return device.error();
  Result<ModuleHandle *> module =
      (*device)->loadModule(bitcode.data(), bitcode.size());
  EXPECT_FALSE(bool(module));
  return module ? Error{} : module.error();
}

std::vector<uint32_t> test::randomWords(size_t count, unsigned seed) {
  constexpr uint32_t extremes[] = {0x00000000, 0xFFFFFFFF, 0x80808080,
                                   0x7F7F7F7F, 0x80000000, 0x7FFFFFFF,
                                   0x88888888, 0x77777777};
  std::mt19937 generator(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t &word : words)
    word = generator() % 4 ? generator() : extremes[generator() % 8];
  return words;
}
