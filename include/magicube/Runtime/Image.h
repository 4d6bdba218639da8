//===- Image.h - Formats of device images -----------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device image is, told from its bytes, so that a device can refuse an
// image made for another one with a hint instead of failing inside a loader.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_RUNTIME_IMAGE_H
#define MAGICUBE_RUNTIME_IMAGE_H

#include "magicube/Runtime/Device.h"

namespace mlir::magicube {

enum class ImageFormat { Unknown, Elf, Fatbin, Ptx, Bitcode };

/// Looks at the first bytes (magic numbers; for PTX also past comments).
MAGICUBE_RUNTIME_EXPORT ImageFormat identifyImage(const void *image,
                                                  uint64_t bytes);

/// "an ELF object (cubin)", "LLVM bitcode", ... for messages.
MAGICUBE_RUNTIME_EXPORT std::string_view describeImage(ImageFormat format);

/// The chips that an image holds code for: "sm_90" for a cubin, "sm_80 (PTX)"
/// for PTX, a list for a fatbin. Empty for what does not say or is damaged.
MAGICUBE_RUNTIME_EXPORT std::string describeImageChips(const void *image,
                                                       uint64_t bytes);

/// The Error of a device that takes only `wanted` and was given `found`; the
/// note says how to compile for `deviceName`.
MAGICUBE_RUNTIME_EXPORT Error wrongImage(std::string_view deviceName,
                                         ImageFormat wanted, ImageFormat found);

} // namespace mlir::magicube

#endif // MAGICUBE_RUNTIME_IMAGE_H
