//===- BundleManifest.cpp - The manifest as JSON --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schema is in Bundle.h; read and write functions of a struct stand side by
// side.
//
//===----------------------------------------------------------------------===//

#include "BundleManifest.h"

#include <algorithm>

using namespace mlir::magicube;

namespace {

struct FormatName {
  ImageFormat format;
  std::string_view name;
};

constexpr FormatName formatNames[] = {{ImageFormat::Elf, "cubin"},
                                      {ImageFormat::Ptx, "ptx"},
                                      {ImageFormat::Fatbin, "fatbin"},
                                      {ImageFormat::Bitcode, "bitcode"}};

constexpr std::string_view productName = "spmm";

} // namespace

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// "i8" or "u8" with a legal width.
static ElementType readElement(const JsonNode &node) {
  std::string name = node.string();
  for (int bits : {4, 8, 12, 16, 32})
    for (bool isSigned : {true, false})
      if (ElementType type{bits, isSigned}; type.name() == name)
        return type;
  node.fail("expected an element type such as i8 or u4, but got '" + name +
            "'");
  return {};
}

static int64_t readExtent(const JsonNode &parent, std::string_view key) {
  JsonNode node = parent[key];
  return node.isNull() ? kDynamic : node.integer(0, kMaxExtent);
}

static JsonValue extentToJson(int64_t extent) {
  return extent == kDynamic ? JsonValue() : JsonValue(extent);
}

/// The keyword that `parse` knows.
template <typename Enum>
static Enum readKeyword(const JsonNode &node,
                        std::optional<Enum> (*parse)(std::string_view)) {
  std::string word = node.string();
  std::optional<Enum> value = parse(word);
  if (!value)
    node.fail("unknown keyword '" + word + "'");
  return value.value_or(Enum());
}

static SRBCRSEncoding readEncoding(const JsonNode &node) {
  SRBCRSEncoding encoding;
  encoding.vector = node["vector"].integer();
  encoding.stride = node["stride"].integer();
  encoding.order = readKeyword(node["order"], parseVectorOrder);
  encoding.slab = node["slab"].integer();
  encoding.index = readKeyword(node["index"], parseIndexWidth);
  if (Status s = encoding.verify(); !s)
    node.fail(s.error().message);
  return encoding;
}

static JsonValue encodingToJson(const SRBCRSEncoding &encoding) {
  return JsonValue::Object{{"vector", encoding.vector},
                           {"stride", encoding.stride},
                           {"order", spelling(encoding.order)},
                           {"slab", encoding.slab},
                           {"index", spelling(encoding.index)}};
}

static MatrixType readMatrix(const JsonNode &node) {
  MatrixType type;
  if (node.has("sparse"))
    type.encoding = readEncoding(node["sparse"]);
  type.element = readElement(node["element"]);
  type.rows = readExtent(node, "rows");
  type.cols = readExtent(node, "columns");
  return type;
}

static JsonValue matrixToJson(const MatrixType &type) {
  JsonValue::Object object{{"element", type.element.name()},
                           {"rows", extentToJson(type.rows)},
                           {"columns", extentToJson(type.cols)}};
  if (type.encoding)
    object.emplace_back("sparse", encodingToJson(*type.encoding));
  return object;
}

//===----------------------------------------------------------------------===//
// Product
//===----------------------------------------------------------------------===//

static BundleProduct readProduct(const JsonNode &node,
                                 const std::vector<MatrixType> &arguments) {
  std::string op = node["op"].string();
  if (op != productName)
    node["op"].fail("expected 'spmm', but got '" + op + "'",
                    "use the runtime of the compiler that made the bundle");
  auto index = [&](std::string_view key, bool sparse) -> size_t {
    auto value = static_cast<size_t>(
        node[key].integer(0, std::max<int64_t>(arguments.size(), 1) - 1));
    if (value < arguments.size() && arguments[value].isSparse() != sparse)
      node[key].fail(std::string("expected the number of a ") +
                     (sparse ? "sparse" : "dense") + " argument, but got " +
                     std::to_string(value));
    return value;
  };
  BundleProduct product;
  product.lhs = index("lhs", /*sparse=*/true);
  product.rhs = index("rhs", /*sparse=*/false);
  if (node.has("init"))
    product.init = index("init", /*sparse=*/false);
  return product;
}

static JsonValue productToJson(const BundleProduct &product) {
  return JsonValue::Object{
      {"op", productName},
      {"lhs", static_cast<int64_t>(product.lhs)},
      {"rhs", static_cast<int64_t>(product.rhs)},
      {"init", product.init ? JsonValue(static_cast<int64_t>(*product.init))
                            : JsonValue()}};
}

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

static BundleKernel readKernel(const JsonNode &node) {
  // CUDA C++ Programming Guide, "Technical Specifications per Compute
  // Capability"; more shared memory than any chip has.
  constexpr int64_t maxThreads = 1024, maxSharedBytes = 1 << 20;
  BundleKernel kernel;
  kernel.name = node["name"].string();
  kernel.rule = node["rule"].string();
  if (kernel.rule != kSpmmRule)
    node["rule"].fail("unknown launch rule '" + kernel.rule + "'",
                      "use the runtime of the compiler that made the bundle");
  for (const JsonNode &parameter : node["parameters"].elements()) {
    std::string name = parameter.string();
    if (std::find(kSpmmParameterNames.begin(), kSpmmParameterNames.end(),
                  name) == kSpmmParameterNames.end())
      parameter.fail("unknown kernel parameter '" + name + "'",
                     "use the runtime of the compiler that made the bundle");
    kernel.parameters.push_back(std::move(name));
  }
  auto positive = [&](std::string_view key, int64_t max) {
    return node[key].integer(1, max);
  };
  kernel.threads = static_cast<uint32_t>(positive("threads", maxThreads));
  kernel.tile.vectorRows = positive("vector_rows", kMaxExtent);
  kernel.tile.columns = positive("columns", kMaxExtent);
  kernel.tile.blocks = node["blocks"].integer(0, kMaxExtent);
  kernel.alignment.rhs = positive("rhs_alignment", kMaxExtent);
  kernel.alignment.result = positive("result_alignment", kMaxExtent);
  kernel.sharedMemoryBytes =
      static_cast<uint32_t>(node["shared_memory"].integer(0, maxSharedBytes));
  return kernel;
}

static JsonValue kernelToJson(const BundleKernel &kernel) {
  JsonValue::Array parameters(kernel.parameters.begin(),
                              kernel.parameters.end());
  return JsonValue::Object{{"name", kernel.name},
                           {"rule", kernel.rule},
                           {"parameters", std::move(parameters)},
                           {"threads", kernel.threads},
                           {"vector_rows", kernel.tile.vectorRows},
                           {"columns", kernel.tile.columns},
                           {"blocks", kernel.tile.blocks},
                           {"rhs_alignment", kernel.alignment.rhs},
                           {"result_alignment", kernel.alignment.result},
                           {"shared_memory", kernel.sharedMemoryBytes}};
}

static BundleImage readImage(const JsonNode &node) {
  BundleImage image;
  std::string name = node["format"].string();
  for (const FormatName &row : formatNames)
    if (row.name == name)
      image.format = row.format;
  if (image.format == ImageFormat::Unknown)
    node["format"].fail("unknown image format '" + name + "'");
  image.offset = static_cast<uint64_t>(
      node["offset"].integer(0, std::numeric_limits<int64_t>::max()));
  image.bytes = static_cast<uint64_t>(
      node["bytes"].integer(1, std::numeric_limits<int64_t>::max()));
  return image;
}

static JsonValue imageToJson(const BundleImage &image) {
  std::string_view name;
  for (const FormatName &row : formatNames)
    if (row.format == image.format)
      name = row.name;
  return JsonValue::Object{{"format", name},
                           {"offset", static_cast<int64_t>(image.offset)},
                           {"bytes", static_cast<int64_t>(image.bytes)}};
}

static BundleChip readChip(const JsonNode &node) {
  BundleChip chip;
  chip.chip = node["chip"].string();
  chip.compiledFor = node["compiled_for"].string();
  chip.irHash = node["ir_sha256"].string();
  for (const JsonNode &kernel : node["kernels"].elements())
    chip.kernels.push_back(readKernel(kernel));
  for (const JsonNode &image : node["images"].elements())
    chip.images.push_back(readImage(image));
  if (chip.kernels.empty())
    node["kernels"].fail("expected at least one kernel");
  if (chip.images.empty())
    node["images"].fail("expected at least one image");
  return chip;
}

static JsonValue chipToJson(const BundleChip &chip) {
  JsonValue::Array kernels, images;
  for (const BundleKernel &kernel : chip.kernels)
    kernels.push_back(kernelToJson(kernel));
  for (const BundleImage &image : chip.images)
    images.push_back(imageToJson(image));
  return JsonValue::Object{{"chip", chip.chip},
                           {"compiled_for", chip.compiledFor},
                           {"ir_sha256", chip.irHash},
                           {"kernels", std::move(kernels)},
                           {"images", std::move(images)}};
}

//===----------------------------------------------------------------------===//
// Manifest
//===----------------------------------------------------------------------===//

Result<BundleManifest> mlir::magicube::readManifest(const JsonValue &json,
                                                    const std::string &name) {
  Status problem;
  JsonNode root(json, name, problem);
  BundleManifest manifest;
  manifest.entry = root["entry"].string();
  for (const JsonNode &argument : root["arguments"].elements())
    manifest.arguments.push_back(readMatrix(argument));
  for (const JsonNode &result : root["results"].elements())
    manifest.results.push_back(readMatrix(result));
  if (manifest.results.size() != 1)
    root["results"].fail("expected one result, but got " +
                         std::to_string(manifest.results.size()));
  manifest.product = readProduct(root["product"], manifest.arguments);
  for (const JsonNode &node : root["chips"].elements()) {
    BundleChip chip = readChip(node);
    for (const BundleChip &other : manifest.chips)
      if (other.chip == chip.chip)
        node["chip"].fail("expected each chip once, but '" + chip.chip +
                          "' is repeated");
    manifest.chips.push_back(std::move(chip));
  }
  if (manifest.chips.empty())
    root["chips"].fail("expected at least one chip");
  if (!problem)
    return problem.error();
  return manifest;
}

JsonValue mlir::magicube::manifestToJson(const BundleManifest &manifest) {
  auto list = [](const auto &items, auto convert) {
    JsonValue::Array array;
    for (const auto &item : items)
      array.push_back(convert(item));
    return array;
  };
  return JsonValue::Object{
      {"entry", manifest.entry},
      {"arguments", list(manifest.arguments, matrixToJson)},
      {"results", list(manifest.results, matrixToJson)},
      {"product", productToJson(manifest.product)},
      {"chips", list(manifest.chips, chipToJson)}};
}
