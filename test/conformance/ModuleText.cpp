//===- ModuleText.cpp - Kernels as LLVM IR text ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is around the body of every kernel: thread ids, loads and stores.
//
//===----------------------------------------------------------------------===//

#include "IntrinsicTable.h"

using namespace mlir::magicube::conformance;

/// What NVPTX modules of LLVM 22 carry.
static const char *const moduleHeader =
    R"(target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@smem = external addrspace(3) global [0 x i8], align 128
)";

/// Address `%name` of word `word` of the thread's part at `%base`.
static std::string address(const std::string &name, const std::string &base,
                           unsigned word) {
  return "  %" + name + " = getelementptr i32, ptr addrspace(1) %" + base +
         ", i32 " + std::to_string(word) + "\n";
}

static std::string kernelText(const IntrinsicCase &row) {
  std::string words = std::to_string(row.inputMasks.size());
  std::string text =
      "define ptx_kernel void @" + row.name +
      "(ptr addrspace(1) %in, ptr addrspace(1) %out) {\n"
      "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "  %cta = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
      "  %lane = and i32 %tid, 31\n"
      "  %first = mul i32 %cta, " +
      std::to_string(row.threads) +
      "\n"
      "  %thread = add i32 %first, %tid\n"
      "  %in.word = mul i32 %thread, " +
      words +
      "\n"
      "  %inp = getelementptr i32, ptr addrspace(1) %in, i32 %in.word\n"
      "  %out.word = mul i32 %thread, " +
      std::to_string(row.outputWords) +
      "\n"
      "  %outp = getelementptr i32, ptr addrspace(1) %out, i32 %out.word\n";
  for (unsigned i = 0; i < row.inputMasks.size(); ++i) {
    std::string n = std::to_string(i);
    text += address("in.p" + n, "inp", i) + "  %w" + n +
            " = load i32, ptr addrspace(1) %in.p" + n + ", align 4\n";
  }
  text += row.body;
  if (!row.storesItself)
    for (unsigned i = 0; i < row.outputWords; ++i) {
      std::string n = std::to_string(i);
      text += address("out.p" + n, "outp", i) + "  store i32 %r" + n +
              ", ptr addrspace(1) %out.p" + n + ", align 4\n";
    }
  return text + "  ret void\n}\n";
}

std::string mlir::magicube::conformance::moduleText(
    const std::vector<IntrinsicCase> &cases) {
  std::string text = moduleHeader;
  for (const IntrinsicCase &row : cases)
    text += kernelText(row);
  return text;
}
