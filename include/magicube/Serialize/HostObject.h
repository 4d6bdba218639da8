//===- HostObject.h - Object files of whole programs ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code of the host with the kernels inside, to link into another
// program.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SERIALIZE_HOSTOBJECT_H
#define MAGICUBE_SERIALIZE_HOSTOBJECT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::magicube {

/// An object file for this machine's system, position independent, of a module
/// whose kernels are serialized (serializeKernels). Its functions have C
/// interfaces, `_mlir_ciface_<name>`; it links with libmagicube_runtime, whose
/// device must take the form that the kernels have. Lowers the module on the
/// way; what fails is reported on the module.
FailureOr<std::string> emitHostObject(ModuleOp module);

} // namespace mlir::magicube

#endif // MAGICUBE_SERIALIZE_HOSTOBJECT_H
