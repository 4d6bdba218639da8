//===- Pipelines.h - The pipelines ----------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From operations on sparse tensors to GPU binaries, in named stages that tools
// can stop after.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_PIPELINES_PIPELINES_H
#define MAGICUBE_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace mlir::magicube {

/// How the GPU modules are serialized (`gpu-module-to-binary`).
enum class BinaryFormat {
  Offload,  ///< LLVM bitcode, what the host SIMT device takes
  Assembly, ///< PTX
  Binary,   ///< cubin
  Fatbin,   ///< PTX and cubin
};

/// Options of the whole pipeline. Everything that changes code is written into
/// the IR by its first pass.
struct CompileOptions : PassPipelineOptions<CompileOptions> {
  PassOptions::Option<std::string> chip{*this, "chip",
                                        llvm::cl::desc("Chip to compile for"),
                                        llvm::cl::init("sm_80")};
  PassOptions::Option<bool> hostBuffers{
      *this, "host-buffers",
      llvm::cl::desc("Public functions take and return memory of the host "
                     "instead of the device's")};
};

/// Options of the pipeline down to LLVM. Formats have the names that
/// gpu-module-to-binary gives them.
struct ToLLVMOptions : CompileOptions {
  PassOptions::Option<BinaryFormat> format{
      *this, "format", llvm::cl::desc("Form of the kernels in the program"),
      llvm::cl::init(BinaryFormat::Offload),
      llvm::cl::values(
          clEnumValN(BinaryFormat::Offload, "offloading",
                     "LLVM bitcode, for the host SIMT device (default)"),
          clEnumValN(BinaryFormat::Assembly, "isa",
                     "PTX, for the chip and all later ones"),
          clEnumValN(BinaryFormat::Binary, "bin",
                     "machine code, for the chip (ptxas in PATH)"),
          clEnumValN(BinaryFormat::Fatbin, "fatbin",
                     "PTX and machine code (ptxas and fatbinary in PATH)"))};
};

/// A stage of the pipeline: its name for `--stop-after`, what holds after it,
/// and its passes.
struct PipelineStage {
  StringRef name;
  StringRef invariant;
  void (*build)(OpPassManager &manager, const CompileOptions &options);
};

/// The stages in order:
///   schedule   products are of integers and have a schedule, the module a chip
///   storage    no sparse tensor is left
///   bufferize  no tensor is left in functions
///   kernels    products are launches of kernels of warp-level operations
///   pipeline   copies overlap arithmetic; shared memory is laid out
///   nvvm       kernels hold only llvm and nvvm operations; chip attached
ArrayRef<PipelineStage> getPipelineStages();

/// How the first stage begins: what quantized types say becomes epilogues of
/// integer products. Changes nothing where there are no such types.
void buildQuantizationPipeline(OpPassManager &manager);

/// Adds the stages up to and including `last` (empty: all). Returns false if
/// there is no such stage.
bool buildCompilePipeline(OpPassManager &manager, const CompileOptions &options,
                          StringRef last = {});

/// After the stages: makes a `gpu.binary` of every GPU module. `toolkit` is the
/// CUDA toolkit's folder where ptxas is (empty: search PATH).
void buildSerializePipeline(OpPassManager &manager, BinaryFormat format,
                            StringRef toolkit);

/// After serialization: host functions become LLVM, with calls of the runtime's
/// `mgpu*` functions. What has no lowering is an error that names it.
void buildHostPipeline(OpPassManager &manager);

/// All of it: the stages, serialization and host code. The result is what
/// mlir-runner and mlir-translate take.
void buildToLLVMPipeline(OpPassManager &manager, const ToLLVMOptions &options);

/// Registers `magicube-compile` (all stages) and `magicube-to-llvm` with the
/// pass driver.
void registerMagicubePipelines();

} // namespace mlir::magicube

#endif // MAGICUBE_PIPELINES_PIPELINES_H
