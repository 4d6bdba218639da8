//===- ModuleTest.cpp - Loading modules and calling kernels ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <csignal>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

/// What mlir-opt --gpu-module-to-binary{format=offloading} embeds for a kernel
/// of nvvm operations, as llvm-dis prints it: attributes, tail calls, upgraded
/// names and debug locations included.
const char *const realModule = R"ir(
source_filename = "LLVMDialectModule"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@smem = external addrspace(3) global [0 x i8], align 128

; Function Attrs: nounwind
define ptx_kernel void @add(ptr addrspace(1) noalias readonly align 16 %0, ptr addrspace(1) %1, i32 %2) local_unnamed_addr #0 !dbg !5 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !8
  %5 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = zext nneg i32 %4 to i64
  %7 = shl nuw nsw i64 %6, 4
  %8 = getelementptr i8, ptr addrspace(3) @smem, i64 %7
  %9 = getelementptr i8, ptr addrspace(1) %0, i64 %7
  tail call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %8, ptr addrspace(1) %9)
  tail call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %8, ptr addrspace(1) %9, i32 %2), !dbg !8
  tail call void @llvm.nvvm.cp.async.commit.group()
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %10 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %8)
  %11 = extractvalue { i32, i32, i32, i32 } %10, 0
  %12 = extractvalue { i32, i32, i32, i32 } %10, 1
  %13 = tail call i32 @llvm.nvvm.prmt(i32 %11, i32 %12, i32 25152)
  %14 = tail call { i32, i32, i32, i32 } @llvm.nvvm.mma.m16n8k32.row.col.s8(i32 %11, i32 %11, i32 %12, i32 %12, i32 %11, i32 %12, i32 0, i32 0, i32 0, i32 0)
  %15 = extractvalue { i32, i32, i32, i32 } %14, 0
  %16 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %15, i32 1, i32 31)
  %17 = getelementptr inbounds nuw i32, ptr addrspace(1) %1, i64 %6
  store i32 %16, ptr addrspace(1) %17, align 4
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) noalias writeonly, ptr addrspace(1) noalias readonly) #2
declare void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) noalias writeonly, ptr addrspace(1) noalias readonly, i32) #2
declare void @llvm.nvvm.cp.async.commit.group() #0
declare void @llvm.nvvm.cp.async.wait.group(i32 immarg) #0
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3
declare void @llvm.nvvm.bar.warp.sync(i32) #3
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) readonly captures(none)) #4
declare i32 @llvm.nvvm.prmt(i32, i32, i32) #1
declare { i32, i32, i32, i32 } @llvm.nvvm.mma.m16n8k32.row.col.s8(i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) #5
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32) #6

attributes #0 = { nounwind }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nounwind memory(argmem: readwrite) }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { convergent nocallback nounwind memory(argmem: read) }
attributes #5 = { nocallback nounwind memory(none) }
attributes #6 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!llvm.ident = !{!3}
!nvvmir.version = !{!4}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, producer: "MLIR", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)
!2 = !DIFile(filename: "layer.mlir", directory: "")
!3 = !{!"clang version 3.8.0 (tags/RELEASE_380/final)"}
!4 = !{i32 2, i32 0}
!5 = distinct !DISubprogram(name: "add", scope: !2, file: !2, line: 4, type: !6, scopeLine: 4, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !DILocation(line: 7, column: 3, scope: !5)
)ir";

TEST(Module, WhatTheCompilerEmitsLoadsAndRuns) {
  Simulation simulation(assembleModule(realModule));
  std::vector<int8_t> in(512, 1);
  void *out = simulation.allocate(128);
  Simulation::check(simulation.launch("add", {1, 1, 1}, {32, 1, 1}, 512,
                                      simulation.upload(in), out, int32_t(16)));
  EXPECT_EQ(simulation.download<int32_t>(out, 32),
            std::vector<int32_t>(32, 32));
}

TEST(Module, DebugLocationsNameTheSource) {
  Simulation simulation(assembleModule(realModule));
  Status status = simulation.launch("add", {1, 1, 1}, {32, 1, 1}, 512,
                                    simulation.allocate(512),
                                    simulation.allocate(128), int32_t(17));
  ASSERT_FALSE(bool(status));
  EXPECT_CONTAINS(status.error().message,
                  "cp.async.cg.shared.global.16.s (layer.mlir:7)");
}

TEST(Module, FunctionsLocalsAndStaticSharedMemory) {
  Simulation simulation(assemble(R"(
@table = addrspace(4) constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
@first = internal addrspace(3) global [3 x i8] undef, align 1
@second = internal addrspace(3) global [32 x i32] undef, align 16
define internal i32 @twice(ptr %slot) noinline {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = load i32, ptr %slot, align 4
  %s = add i32 %v, %v
  %q = getelementptr i32, ptr addrspace(3) @second, i32 %t
  store i32 %s, ptr addrspace(3) %q, align 4
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %o = xor i32 %t, 1
  %r = getelementptr i32, ptr addrspace(3) @second, i32 %o
  %w = load i32, ptr addrspace(3) %r, align 4
  ret i32 %w
}
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = alloca i32, align 4
  %d = getelementptr i32, ptr addrspace(3) @smem, i32 %t
  store i32 1000, ptr addrspace(3) %d, align 4
  %i = and i32 %t, 3
  %p = getelementptr i32, ptr addrspace(4) @table, i32 %i
  %c = load i32, ptr addrspace(4) %p, align 4
  store i32 %c, ptr %slot, align 4
  %v = call i32 @twice(ptr %slot)
  %old = load i32, ptr addrspace(3) %d, align 4
  %x = add i32 %v, %old
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
})"));
  void *out = simulation.allocate(128);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 128, out));
  std::vector<uint32_t> words = simulation.download<uint32_t>(out, 32);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(words[i], 1000 + 2 * 10 * ((i ^ 1) % 4 + 1));
}

struct Pair {
  int32_t first;
  int64_t second;
};

TEST(Module, ParametersOfEveryKind) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i8 %a, i16 %b, i64 %c, float %d, double %e, <2 x i32> %f, ptr byval({ i32, i64 }) align 8 %g) {
  %a64 = sext i8 %a to i64
  %b64 = sext i16 %b to i64
  %d64 = fptosi float %d to i64
  %e64 = fptosi double %e to i64
  %f0 = extractelement <2 x i32> %f, i32 1
  %f64 = sext i32 %f0 to i64
  %h = load i32, ptr %g, align 8
  %h64 = sext i32 %h to i64
  %gi = getelementptr { i32, i64 }, ptr %g, i32 0, i32 1
  %i = load i64, ptr %gi, align 8
  store i64 0, ptr %gi, align 8
  store i64 %a64, ptr addrspace(1) %out, align 8
  %p1 = getelementptr i64, ptr addrspace(1) %out, i32 1
  store i64 %b64, ptr addrspace(1) %p1, align 8
  %p2 = getelementptr i64, ptr addrspace(1) %out, i32 2
  store i64 %c, ptr addrspace(1) %p2, align 8
  %p3 = getelementptr i64, ptr addrspace(1) %out, i32 3
  store i64 %d64, ptr addrspace(1) %p3, align 8
  %p4 = getelementptr i64, ptr addrspace(1) %out, i32 4
  store i64 %e64, ptr addrspace(1) %p4, align 8
  %p5 = getelementptr i64, ptr addrspace(1) %out, i32 5
  store i64 %f64, ptr addrspace(1) %p5, align 8
  %p6 = getelementptr i64, ptr addrspace(1) %out, i32 6
  store i64 %h64, ptr addrspace(1) %p6, align 8
  %p7 = getelementptr i64, ptr addrspace(1) %out, i32 7
  store i64 %i, ptr addrspace(1) %p7, align 8
  ret void
})"));
  void *out = simulation.allocate(64);
  struct Two {
    int32_t x, y;
  };
  Simulation::check(simulation.launch("k", {2, 1, 1}, {2, 1, 1}, 0, out,
                                      int8_t(-1), int16_t(-2), int64_t(1) << 40,
                                      4.5f, -5.5, Two{6, -7}, Pair{8, 9}));
  EXPECT_EQ(simulation.download<int64_t>(out, 8),
            (std::vector<int64_t>{-1, -2, int64_t(1) << 40, 4, -5, -7, 8, 9}));
}

//===----------------------------------------------------------------------===//
// Refused modules
//===----------------------------------------------------------------------===//

TEST(Refused, UnknownIntrinsic) {
  Error error = loadError(assemble(R"(
define ptx_kernel void @k(ptr addrspace(3) %p) {
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %p, i32 1)
  ret void
})"));
  EXPECT_EQ(error.message, "function 'k' uses llvm.nvvm.mbarrier.init.shared, "
                           "which device 'sim' does not simulate");
}

TEST(Refused, UnknownInlineAssembly) {
  Error error = loadError(assemble(R"(
define ptx_kernel void @k(i32 %a) {
  call void asm sideeffect "frobnicate.b32 $0;", "r"(i32 %a)
  ret void
})"));
  EXPECT_CONTAINS(error.message, "inline assembly \"frobnicate.b32 $0;\" with "
                                 "constraints \"r\"");
}

TEST(Refused, FunctionsWithoutABody) {
  Error error = loadError(assemble(R"(
declare i32 @vprintf(ptr, ptr)
define ptx_kernel void @k() {
  %r = call i32 @vprintf(ptr null, ptr null)
  ret void
})"));
  EXPECT_CONTAINS(error.message, "function 'vprintf' has no body");
}

TEST(Refused, IndirectCalls) {
  EXPECT_CONTAINS(loadError(assemble(R"(
define void @f() {
  ret void
}
define ptx_kernel void @k(ptr addrspace(1) %p) {
  store ptr @f, ptr addrspace(1) %p
  ret void
})"))
                      .message,
                  "the address of function 'f' is taken");
  EXPECT_CONTAINS(loadError(assemble(R"(
define ptx_kernel void @k(ptr %p) {
  call void %p()
  ret void
})"))
                      .message,
                  "function 'k' calls through a pointer");
}

TEST(Refused, OtherTargets) {
  Error error =
      loadError(assembleModule("target triple = \"x86_64-unknown-linux-gnu\"\n"
                               "define void @k() {\n  ret void\n}\n"));
  EXPECT_CONTAINS(error.message, "target triple is 'x86_64-unknown-linux-gnu'");
}

TEST(Refused, OtherFormats) {
  auto message = [](const std::string &image) {
    Error error = loadError(image);
    EXPECT_CONTAINS(error.note, "format=offloading");
    return error.message;
  };
  EXPECT_EQ(message("// comment\n.version 8.0\n.target sm_80\n"),
            "device 'sim' expects LLVM bitcode, but the module is PTX text");
  EXPECT_CONTAINS(message("\x7f"
                          "ELF\x02"),
                  "the module is an ELF object (cubin)");
  EXPECT_CONTAINS(message("\x50\xed\x55\xba"), "the module is a fatbin");
  EXPECT_CONTAINS(message("hello"), "an image of unknown format");
  EXPECT_CONTAINS(message(""), "an image of unknown format");
}

TEST(Refused, DamagedBitcode) {
  std::string bitcode = assembleModule(realModule);
  for (size_t size : {size_t(4), size_t(8), bitcode.size() / 2})
    EXPECT_CONTAINS(loadError(bitcode.substr(0, size)).message,
                    "the module is not valid LLVM bitcode");
  // The header of a wrapper: magic, version, offset and size past the end.
  Error wrapper = loadError(std::string("\xde\xc0\x17\x0b\0\0\0\0\x14\0\0\0"
                                        "\xff\0\0\0\x07\0\0\1",
                                        20) +
                            bitcode);
  EXPECT_CONTAINS(wrapper.message, "the module is not valid LLVM bitcode");
  EXPECT_EQ(wrapper.note, "the image is damaged: copy or compile it again");
}

/// 0: the image loads, 1: it is refused; or the number of the signal that ends
/// the process that loads it.
int tryToLoad(const std::string &bitcode) {
  pid_t child = fork();
  if (child == 0) {
    Result<std::unique_ptr<Device>> device = createDevice("sim");
    _exit(device && !(*device)->loadModule(bitcode.data(), bitcode.size()));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/// Bits that the reader takes and that make a module no compiler may see: use
/// before definition, phis that do not match, and so on. A few others are
/// addresses to LLVM's reader, which does not survive them; bundles have
/// checksums.
TEST(Refused, FlippedBitsThatBreakTheModule) {
  std::string bitcode = assembleModule(realModule);
  std::mt19937 generator(7);
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    std::string damaged = bitcode;
    size_t bit = 32 + generator() % (8 * bitcode.size() - 32);
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    int outcome = tryToLoad(damaged);
    refused += outcome == 1;
    EXPECT_NE(outcome, SIGABRT) << "bit " << bit;
  }
  EXPECT_GT(refused, 25);
}

} // namespace
