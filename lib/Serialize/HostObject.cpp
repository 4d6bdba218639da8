//===- HostObject.cpp - Object files of whole programs --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host lowering, translation, optimization, code generation.
//
//===----------------------------------------------------------------------===//

#include "magicube/Serialize/HostObject.h"

#include "magicube/Pipelines/Pipelines.h"

#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::magicube;

/// Host code is loops around launches: what -O2 does is enough.
static constexpr unsigned kOptimizationLevel = 2;

/// For any processor of this machine's kind, so that the object can travel.
static std::unique_ptr<llvm::TargetMachine> createHostMachine(ModuleOp module) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target) {
    module.emitError("no code can be generated for this machine: ") << message;
    return nullptr;
  }
  llvm::TargetOptions options;
  // The section in which today's linkers look for what loads the kernels at
  // start; the default is that of older systems.
  options.UseInitArray = true;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, /*CPU=*/"", /*Features=*/"", options, llvm::Reloc::PIC_));
}

FailureOr<std::string> mlir::magicube::emitHostObject(ModuleOp module) {
  PassManager manager(module.getContext());
  buildHostPipeline(manager);
  if (failed(manager.run(module)))
    return failure();
  std::unique_ptr<llvm::TargetMachine> machine = createHostMachine(module);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return failure();
  code->setTargetTriple(machine->getTargetTriple());
  code->setDataLayout(machine->createDataLayout());
  auto optimize = makeOptimizingTransformer(kOptimizationLevel,
                                            /*sizeLevel=*/0, machine.get());
  if (llvm::Error error = optimize(code.get())) {
    module.emitError("the host code cannot be optimized: ")
        << llvm::toString(std::move(error));
    return failure();
  }
  SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  // True means that the target cannot, which native ones can.
  if (machine->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                   llvm::CodeGenFileType::ObjectFile)) {
    module.emitError("this machine's target writes no object files");
    return failure();
  }
  passes.run(*code);
  return std::string(bytes);
}
