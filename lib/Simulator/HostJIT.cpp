//===- HostJIT.cpp - Compiles device code for the host --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostJIT.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

static Error convert(llvm::Error error, const std::string &context) {
  return {context + ": " + llvm::toString(std::move(error))};
}

//===----------------------------------------------------------------------===//
// LoadedModule
//===----------------------------------------------------------------------===//

LoadedModule::~LoadedModule() {
  llvm::consumeError(jit.getExecutionSession().removeJITDylib(library));
}

const Kernel *LoadedModule::findKernel(std::string_view name) const {
  for (const Kernel &kernel : code.kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// HostJIT
//===----------------------------------------------------------------------===//

HostJIT::HostJIT() = default;
HostJIT::~HostJIT() = default;

/// No IR pass runs on the module: none could know that a call may run other
/// threads. The code generator's own level is free: it treats the calls as what
/// they are, calls of unknown functions. Level 1 compiles fast and still
/// allocates registers.
static constexpr llvm::CodeGenOptLevel codeGenLevel =
    llvm::CodeGenOptLevel::Less;

Status HostJIT::createCompiler() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return convert(machine.takeError(), "cannot compile for this host");
  machine->setCodeGenOptLevel(codeGenLevel);
  // No static constructors, no runtime: nothing to set up per library.
  auto created = llvm::orc::LLJITBuilder()
                     .setJITTargetMachineBuilder(std::move(*machine))
                     .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                     .create();
  if (!created)
    return convert(created.takeError(), "cannot create the compiler");
  jit = std::move(*created);
  // What the compiler would print to standard error; lookups only say that
  // something failed.
  jit->getExecutionSession().setErrorReporter([this](llvm::Error error) {
    reported = llvm::toString(std::move(error));
  });
  return Status::success();
}

/// Keeps LLVM from printing to standard error or exiting.
static void ignoreDiagnostic(const llvm::DiagnosticInfo *, void *) {}

/// Reads all functions of an image. One that breaks LLVM's rules, as a damaged
/// one does, must not go further: the reader's own last step, passes and code
/// generator end the process then.
static llvm::Expected<std::unique_ptr<llvm::Module>>
readModule(llvm::StringRef image, llvm::LLVMContext &context) {
  auto module = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(image, "device module"), context);
  if (!module)
    return module.takeError();
  if (llvm::Error error = (*module)->materializeMetadata())
    return error;
  for (llvm::Function &function : **module)
    if (llvm::Error error = function.materialize())
      return error;
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(**module, &stream))
    return llvm::createStringError(llvm::StringRef(problems).split('\n').first);
  if (llvm::Error error = (*module)->materializeAll())
    return error;
  return std::move(*module);
}

static Result<std::unique_ptr<llvm::Module>>
parse(const void *image, uint64_t bytes, llvm::LLVMContext &context) {
  llvm::StringRef content(static_cast<const char *>(image), bytes);
  auto module = readModule(content, context);
  if (!module)
    return Error{"the module is not valid LLVM bitcode: " +
                     llvm::toString(module.takeError()),
                 "the image is damaged: copy or compile it again"};
  return std::move(*module);
}

Result<std::unique_ptr<LoadedModule>> HostJIT::load(const void *image,
                                                    uint64_t bytes) {
  if (!jit)
    if (Status created = createCompiler(); !created)
      return created.error();
  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiagnosticHandlerCallBack(ignoreDiagnostic);
  Result<std::unique_ptr<llvm::Module>> module = parse(image, bytes, *context);
  if (!module)
    return module.error();

  auto library = jit->createJITDylib("module" + std::to_string(++numLoaded));
  if (!library)
    return convert(library.takeError(), "cannot load the module");
  auto loaded = std::make_unique<LoadedModule>(*jit, *library);
  if (Status transformed = transformModule(**module, loaded->code);
      !transformed)
    return transformed.error();
  (*module)->setTargetTriple(jit->getTargetTriple());
  (*module)->setDataLayout(jit->getDataLayout());
  if (llvm::Error error = jit->addIRModule(
          *library,
          llvm::orc::ThreadSafeModule(std::move(*module), std::move(context))))
    return convert(std::move(error), "cannot compile the module");
  for (Kernel &kernel : loaded->code.kernels) {
    auto address = jit->lookup(*library, entrySymbol(kernel.name));
    if (!address) {
      Error error = convert(address.takeError(),
                            "cannot compile kernel '" + kernel.name + "'");
      return reported.empty()
                 ? error
                 : Error{error.message + ": " + std::exchange(reported, {})};
    }
    kernel.entry = address->toPtr<void(Lane *, void **)>();
  }
  return loaded;
}
