//===- Image.cpp - Formats of device images -------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/Image.h"

#include <cstring>

using namespace mlir::magicube;

namespace {

struct Magic {
  ImageFormat format;
  std::string_view bytes;
};

/// First bytes of the binary formats. Bitcode: LLVM Bitcode File Format, "LLVM
/// IR Magic Number" and "Bitcode Wrapper Format". Fatbin: the container magic
/// 0xBA55ED50 that fatbinary writes, little endian.
constexpr Magic magics[] = {
    {ImageFormat::Elf, "\x7f"
                       "ELF"},
    {ImageFormat::Fatbin, "\x50\xed\x55\xba"},
    {ImageFormat::Bitcode, "BC\xc0\xde"},
    {ImageFormat::Bitcode, "\xde\xc0\x17\x0b"},
};

struct FormatText {
  ImageFormat format;
  std::string_view description;
  /// How to get an image of this format.
  std::string_view remedy;
};

constexpr FormatText formatTexts[] = {
    {ImageFormat::Unknown, "an image of unknown format", ""},
    {ImageFormat::Elf, "an ELF object (cubin)",
     "gpu-module-to-binary{format=bin} or --emit=cubin"},
    {ImageFormat::Fatbin, "a fatbin", "gpu-module-to-binary{format=fatbin}"},
    {ImageFormat::Ptx, "PTX text",
     "gpu-module-to-binary{format=isa} or --emit=ptx"},
    {ImageFormat::Bitcode, "LLVM bitcode",
     "gpu-module-to-binary{format=offloading}"},
};

const FormatText &textOf(ImageFormat format) {
  for (const FormatText &text : formatTexts)
    if (text.format == format)
      return text;
  return formatTexts[0];
}

/// Skips white space and the two kinds of PTX comments (PTX ISA "Comments").
std::string_view skipPtxComments(std::string_view text) {
  for (;;) {
    size_t start = text.find_first_not_of(" \t\r\n\f\v");
    if (start == std::string_view::npos)
      return {};
    text.remove_prefix(start);
    size_t end;
    if (text.substr(0, 2) == "//")
      end = text.find('\n');
    else if (text.substr(0, 2) == "/*")
      end = text.find("*/", 2);
    else
      return text;
    if (end == std::string_view::npos)
      return {};
    text.remove_prefix(end + (text[end] == '*' ? 2 : 1));
  }
}

} // namespace

ImageFormat mlir::magicube::identifyImage(const void *image, uint64_t bytes) {
  std::string_view content(static_cast<const char *>(image), bytes);
  for (const Magic &magic : magics)
    if (content.substr(0, magic.bytes.size()) == magic.bytes)
      return magic.format;
  // A PTX module begins with .version (PTX ISA "Directives").
  if (skipPtxComments(content).substr(0, 8) == ".version")
    return ImageFormat::Ptx;
  return ImageFormat::Unknown;
}

std::string_view mlir::magicube::describeImage(ImageFormat format) {
  return textOf(format).description;
}

Error mlir::magicube::wrongImage(std::string_view deviceName,
                                 ImageFormat wanted, ImageFormat found) {
  const FormatText &want = textOf(wanted), &got = textOf(found);
  return {"device '" + std::string(deviceName) + "' expects " +
              std::string(want.description) + ", but the module is " +
              std::string(got.description),
          "compile the kernels for this device with " +
              std::string(want.remedy)};
}
