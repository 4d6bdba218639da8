//===- BundleManifest.h - The manifest as JSON ------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_RUNTIME_BUNDLEMANIFEST_H
#define MAGICUBE_LIB_RUNTIME_BUNDLEMANIFEST_H

#include "magicube/Runtime/Bundle.h"
#include "magicube/Runtime/PlanJson.h"

namespace mlir::magicube {

/// Both directions of the schema in Bundle.h. Reading checks all that does not
/// need the images.
Result<BundleManifest> readManifest(const Json &json, const std::string &name);
Json manifestToJson(const BundleManifest &manifest);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_RUNTIME_BUNDLEMANIFEST_H
