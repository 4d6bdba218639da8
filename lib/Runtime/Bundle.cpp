//===- Bundle.cpp - Compiled programs in one file -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Header, images, and the choice of an image.
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/Bundle.h"

#include "BundleManifest.h"
#include "Checksum.h"

#include "magicube/Format/FileIO.h"

#include <charconv>

using namespace mlir::magicube;

/// The first word of the file; its version and the manifest's length follow.
static constexpr std::string_view magic = "magicube-bundle";
static constexpr int64_t version = 2;
static constexpr uint64_t imageAlignment = 16;

static uint64_t alignUp(uint64_t offset) {
  return (offset + imageAlignment - 1) / imageAlignment * imageAlignment;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Takes a number and the character `end` behind it off `text`.
static bool consumeNumber(std::string_view &text, char end, int64_t &number) {
  const char *last = text.data() + text.size();
  auto [rest, code] = std::from_chars(text.data(), last, number);
  if (code != std::errc() || rest == last || *rest != end || number < 0)
    return false;
  text.remove_prefix(rest + 1 - text.data());
  return true;
}

static Error truncated(const std::string &name, const std::string &what) {
  return {name + ": " + what + " lies past the end of the file",
          "the file is truncated: copy or compile it again"};
}

static constexpr const char *damageNote =
    "the file is damaged: copy or compile it again";

/// Checks that an image lies in the file and is what the manifest says.
static Status checkImage(const std::string &name, std::string_view images,
                         const BundleChip &chip, const BundleImage &image) {
  std::string what =
      std::string(describeImage(image.format)) + " for " + chip.chip;
  if (image.offset % imageAlignment)
    return Error{name + ": " + what + " is at offset " +
                 std::to_string(image.offset) + ", which is no multiple of " +
                 std::to_string(imageAlignment)};
  if (image.offset > images.size() ||
      image.bytes > images.size() - image.offset)
    return truncated(name, what);
  ImageFormat found = identifyImage(images.data() + image.offset, image.bytes);
  if (found != image.format)
    return Error{name + ": expected " + what + " at offset " +
                     std::to_string(image.offset) + ", but got " +
                     std::string(describeImage(found)),
                 damageNote};
  if (uint32_t crc = computeCrc32(images.substr(image.offset, image.bytes));
      crc != image.crc32)
    return Error{name + ": expected " + what + " at offset " +
                     std::to_string(image.offset) + " to have the checksum " +
                     std::to_string(image.crc32) + ", but got " +
                     std::to_string(crc),
                 damageNote};
  return {};
}

Result<Bundle> Bundle::parse(std::string bytes, const std::string &name) {
  Bundle bundle;
  bundle.file = std::move(bytes);
  std::string_view rest = bundle.file;
  if (rest.substr(0, magic.size()) != magic)
    return Error{name + " is no bundle: expected it to begin with '" +
                     std::string(magic) + "'",
                 "make one with magicube-compile --emit=bundle"};
  rest.remove_prefix(magic.size());
  int64_t found = 0, length = 0;
  if (rest.empty() || rest[0] != ' ')
    return truncated(name, "the header");
  rest.remove_prefix(1);
  if (!consumeNumber(rest, ' ', found))
    return Error{name + ": expected a version in the header"};
  if (found != version)
    return Error{
        name + ": expected a bundle of version " + std::to_string(version) +
            ", but got version " + std::to_string(found),
        found < version ? "compile it again with the magicube-compile of this "
                          "runtime"
                        : "use the runtime of the compiler that made it"};
  if (!consumeNumber(rest, '\n', length))
    return Error{name + ": expected the manifest's length in the header"};
  if (static_cast<uint64_t>(length) > rest.size())
    return truncated(name, "the manifest");

  Result<Json> json = parseJson(rest.substr(0, length), name + " (manifest)");
  if (!json)
    return json.error();
  Result<BundleManifest> manifest = readManifest(*json, name + " (manifest)");
  if (!manifest)
    return manifest.error();
  bundle.content = std::move(*manifest);
  bundle.imagesStart =
      alignUp(bundle.file.size() - rest.size() + static_cast<size_t>(length));
  if (bundle.imagesStart > bundle.file.size())
    return truncated(name, "the first image");
  std::string_view images =
      std::string_view(bundle.file).substr(bundle.imagesStart);
  for (const BundleChip &chip : bundle.content.chips)
    for (const BundleImage &image : chip.images)
      if (Status s = checkImage(name, images, chip, image); !s)
        return s.error();
  return bundle;
}

Result<Bundle> Bundle::read(const std::string &path) {
  Result<std::string> bytes = readFile(path);
  return bytes ? parse(std::move(*bytes), path) : bytes.error();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string mlir::magicube::writeBundle(
    BundleManifest manifest,
    const std::vector<std::vector<std::string>> &images) {
  std::string content;
  for (size_t i = 0; i < manifest.chips.size(); ++i)
    for (size_t j = 0; j < manifest.chips[i].images.size(); ++j) {
      BundleImage &image = manifest.chips[i].images[j];
      content.resize(alignUp(content.size()));
      image.offset = content.size();
      image.bytes = images[i][j].size();
      image.crc32 = computeCrc32(images[i][j]);
      content += images[i][j];
    }
  std::string text = toJson(manifestToJson(manifest), /*indent=*/2) + "\n";
  std::string file = std::string(magic) + " " + std::to_string(version) + " " +
                     std::to_string(text.size()) + "\n" + text;
  file.resize(alignUp(file.size()));
  return file + content;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

namespace {

/// Compute capability of a chip name.
struct Capability {
  int number = 0;

  explicit Capability(std::string_view chip) {
    constexpr std::string_view prefix = "sm_";
    if (chip.substr(0, prefix.size()) == prefix)
      std::from_chars(chip.data() + prefix.size(), chip.data() + chip.size(),
                      number);
  }
  int major() const { return number / 10; }
};

} // namespace

/// How well an image serves the GPU; 0: not at all. Machine code wins over PTX,
/// then the nearest chip.
static int rate(const BundleChip &chip, const BundleImage &image,
                Capability gpu) {
  constexpr int machineCode = 1000; // beyond any chip number
  Capability from(chip.chip);
  if (from.number == 0 || from.number > gpu.number)
    return 0;
  switch (image.format) {
  case ImageFormat::Elf:
  case ImageFormat::Fatbin:
    return from.major() == gpu.major() ? machineCode + from.number : 0;
  case ImageFormat::Ptx:
    return from.number;
  case ImageFormat::Bitcode:
  case ImageFormat::Unknown:
    return 0;
  }
  return 0;
}

Result<BundleChoice> mlir::magicube::chooseImage(const BundleManifest &manifest,
                                                 const Device &device) {
  bool isSimulator = device.name() == kSimulatorChip;
  BundleChoice best;
  int bestRating = 0;
  std::string chips;
  for (const BundleChip &chip : manifest.chips) {
    chips += (chips.empty() ? "" : ", ") + chip.chip;
    for (const BundleImage &image : chip.images) {
      int rating = isSimulator ? chip.chip == kSimulatorChip &&
                                     image.format == ImageFormat::Bitcode
                               : rate(chip, image, Capability(device.chip()));
      if (rating > bestRating) {
        best = {&chip, &image};
        bestRating = rating;
      }
    }
  }
  if (best.chip)
    return best;
  std::string wanted(isSimulator ? kSimulatorChip : device.chip());
  return Error{"the bundle has kernels for " + chips + ", but none for " +
                   (isSimulator ? "device 'sim'"
                                : "GPU '" + std::string(device.description()) +
                                      "' (" + wanted + ")"),
               "compile with --chip=" +
                   (isSimulator ? "sm_80," + wanted : wanted)};
}
