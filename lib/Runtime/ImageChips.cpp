//===- ImageChips.cpp - Which chips an image is for -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For messages only. PTX says its chip in the text; where a cubin and a fatbin
// keep it is undocumented and was read off files that ptxas and fatbinary of
// CUDA 13.0 wrote for every chip of lib/Target.
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/Image.h"

#include <cstring>

using namespace mlir::magicube;

/// A little-endian integer at `offset`; 0 past the end.
template <typename T>
static T read(std::string_view image, uint64_t offset) {
  T value = 0;
  if (offset <= image.size() && sizeof(T) <= image.size() - offset)
    std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}

static std::string chipName(unsigned number) {
  return number ? "sm_" + std::to_string(number) : std::string();
}

/// ELF64: byte 8 is the ABI version, e_flags lie at byte 48. The chip is in
/// bits 0 to 7 of the flags, since ABI version 8 (CUDA 13) in bits 8 to 15.
static std::string cubinChip(std::string_view image) {
  constexpr uint64_t abiOffset = 8, flagsOffset = 48;
  constexpr uint8_t firstShiftedAbi = 8;
  uint32_t flags = read<uint32_t>(image, flagsOffset);
  if (read<uint8_t>(image, abiOffset) >= firstShiftedAbi)
    flags >>= 8;
  return chipName(flags & 0xFF);
}

/// The word after ".target" (PTX ISA, "PTX Module Directives").
static std::string ptxChip(std::string_view image) {
  constexpr std::string_view directive = ".target";
  size_t start = image.find(directive);
  if (start == std::string_view::npos)
    return {};
  start = image.find_first_not_of(" \t", start + directive.size());
  size_t end = image.find_first_of(" \t\r\n,", start);
  if (start == std::string_view::npos || end == std::string_view::npos)
    return {};
  return std::string(image.substr(start, end - start)) + " (PTX)";
}

/// A header, its size in bytes 6 and 7, then entries: kind in bytes 0 and 1 (1:
/// PTX, 2: cubin), size of its header in bytes 4 to 7 and of its content in
/// bytes 8 to 15, chip in bytes 28 to 31.
static std::string fatbinChips(std::string_view image) {
  constexpr uint64_t headerSizeOffset = 6, entryHeaderSizeOffset = 4,
                     entrySizeOffset = 8, entryChipOffset = 28,
                     minEntryBytes = 32;
  constexpr uint16_t ptxKind = 1;
  std::string chips;
  uint64_t offset = read<uint16_t>(image, headerSizeOffset);
  while (offset < image.size() && image.size() - offset >= minEntryBytes) {
    std::string chip =
        chipName(read<uint32_t>(image, offset + entryChipOffset));
    if (!chip.empty())
      chips += (chips.empty() ? "" : ", ") + chip +
               (read<uint16_t>(image, offset) == ptxKind ? " (PTX)" : "");
    uint64_t size = read<uint32_t>(image, offset + entryHeaderSizeOffset) +
                    read<uint64_t>(image, offset + entrySizeOffset);
    if (size < minEntryBytes || size > image.size() - offset)
      break;
    offset += size;
  }
  return chips;
}

std::string mlir::magicube::describeImageChips(const void *image,
                                               uint64_t bytes) {
  std::string_view content(static_cast<const char *>(image), bytes);
  switch (identifyImage(image, bytes)) {
  case ImageFormat::Elf:
    return cubinChip(content);
  case ImageFormat::Fatbin:
    return fatbinChips(content);
  case ImageFormat::Ptx:
    return ptxChip(content);
  case ImageFormat::Bitcode:
  case ImageFormat::Unknown:
    return {};
  }
  return {};
}
