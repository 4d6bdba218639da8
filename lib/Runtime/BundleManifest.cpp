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

static Json extentToJson(int64_t extent) {
  return extent == kDynamic ? Json() : Json(extent);
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

static Json encodingToJson(const SRBCRSEncoding &encoding) {
  return Json{{"vector", encoding.vector},
              {"stride", encoding.stride},
              {"order", spelling(encoding.order)},
              {"slab", encoding.slab},
              {"index", spelling(encoding.index)}};
}

static MatrixType readMatrix(const JsonNode &node) {
  MatrixType type;
  if (node.has("sparse"))
    type.encoding = readEncoding(node["sparse"]);
  std::string element = node["element"].string();
  for (FloatFormat format :
       {FloatFormat::F32, FloatFormat::F16, FloatFormat::BF16})
    if (element == floatName(format)) {
      type.isFloat = true;
      type.format = format;
    }
  if (type.isFloat && type.isSparse())
    node["element"].fail("expected integers of a sparse matrix, but got '" +
                         element + "'");
  if (!type.isFloat)
    type.element = readElement(node["element"]);
  if (node.has("number"))
    type.isNumber = type.isFloat && node["number"].boolean();
  type.rows = readExtent(node, "rows");
  type.cols = readExtent(node, "columns");
  return type;
}

static Json matrixToJson(const MatrixType &type) {
  Json element =
      type.isFloat ? Json(floatName(type.format)) : Json(type.element.name());
  Json object{{"element", std::move(element)},
              {"rows", extentToJson(type.rows)},
              {"columns", extentToJson(type.cols)}};
  if (type.encoding)
    object["sparse"] = encodingToJson(*type.encoding);
  if (type.isNumber)
    object["number"] = true;
  return object;
}

//===----------------------------------------------------------------------===//
// Product
//===----------------------------------------------------------------------===//

static bool isDense(const MatrixType &type) {
  return !type.isSparse() && !type.isFloat;
}

/// The number of an argument of the right kind.
static size_t readArgument(const JsonNode &node,
                           const std::vector<MatrixType> &arguments,
                           std::string_view kind,
                           bool (*accepts)(const MatrixType &)) {
  auto value = static_cast<size_t>(
      node.integer(0, std::max<int64_t>(arguments.size(), 1) - 1));
  if (value < arguments.size() && !accepts(arguments[value]))
    node.fail("expected the number of " + std::string(kind) +
              " argument, but got " + std::to_string(value));
  return value;
}

static std::optional<Activation> readActivation(const JsonNode &node) {
  std::string name = node.string();
  std::optional<Activation> activation = parseSpelling(kActivations, name);
  if (!activation)
    node.fail("unknown activation '" + name + "'",
              "use the runtime of the compiler that made the bundle");
  return activation;
}

/// The arguments that the epilogue takes in a role: under "scales" a list, else
/// one or null.
static void readOperands(const JsonNode &product, EpilogueRole role,
                         const std::vector<MatrixType> &arguments,
                         Epilogue<size_t> &epilogue) {
  auto read = [&](const JsonNode &node, std::string_view kind,
                  bool (*accepts)(const MatrixType &)) {
    epilogue.operands.push_back(
        {role, readArgument(node, arguments, kind, accepts)});
  };
  std::string key(spelling(role));
  switch (role) {
  case EpilogueRole::SumBias:
    if (product.has(key))
      read(product[key], "a dense", isDense);
    return;
  case EpilogueRole::Scale: {
    key += "s";
    if (!product.has(key))
      return;
    size_t count = 0;
    for (const JsonNode &scale : product[key].elements()) {
      read(scale, "a float", [](const MatrixType &t) { return t.isFloat; });
      ++count;
    }
    if (count > kNumSpmmScales)
      product[key].fail("expected at most " + std::to_string(kNumSpmmScales) +
                        " scales, but got " + std::to_string(count));
    return;
  }
  case EpilogueRole::Bias:
    if (product.has(key))
      read(product[key], "a float matrix",
           [](const MatrixType &t) { return t.isFloat && !t.isNumber; });
    return;
  }
}

static BundleProduct readProduct(const JsonNode &node,
                                 const std::vector<MatrixType> &arguments) {
  std::string op = node["op"].string();
  if (op != productName)
    node["op"].fail("expected 'spmm', but got '" + op + "'",
                    "use the runtime of the compiler that made the bundle");
  BundleProduct product;
  product.lhs = readArgument(node["lhs"], arguments, "a sparse",
                             [](const MatrixType &t) { return t.isSparse(); });
  product.rhs = readArgument(node["rhs"], arguments, "a dense", isDense);
  if (node.has("init"))
    product.init = readArgument(node["init"], arguments, "a dense", isDense);
  for (EpilogueRole role : kEpilogueRoles)
    readOperands(node, role, arguments, product.epilogue);
  if (node.has("activation"))
    product.epilogue.activation = readActivation(node["activation"]);
  if (node.has("float_sums"))
    product.epilogue.hasFloatSums = node["float_sums"].boolean();
  return product;
}

static Json productToJson(const BundleProduct &product) {
  auto index = [](std::optional<size_t> argument) {
    return argument ? Json(static_cast<int64_t>(*argument)) : Json();
  };
  const Epilogue<size_t> &epilogue = product.epilogue;
  auto operand = [&](EpilogueRole role) {
    const size_t *argument = epilogue.find(role);
    return argument ? index(*argument) : Json();
  };
  Json scales = Json::array();
  for (size_t i = 0; epilogue.find(EpilogueRole::Scale, i); ++i)
    scales.push_back(index(*epilogue.find(EpilogueRole::Scale, i)));
  Json activation;
  if (epilogue.activation)
    activation = spelling(*epilogue.activation);
  return Json{{"op", productName},
              {"lhs", index(product.lhs)},
              {"rhs", index(product.rhs)},
              {"init", index(product.init)},
              {"sum_bias", operand(EpilogueRole::SumBias)},
              {"scales", std::move(scales)},
              {"bias", operand(EpilogueRole::Bias)},
              {"activation", std::move(activation)},
              {"float_sums", epilogue.hasFloatSums}};
}

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

/// Whether the product has the epilogue operand that a parameter stands for.
static bool hasOperand(const BundleProduct &product, std::string_view name) {
  const Epilogue<size_t> &epilogue = product.epilogue;
  const bool has[kSpmmEpilogueNames.size()] = {
      epilogue.find(EpilogueRole::SumBias) != nullptr,
      epilogue.find(EpilogueRole::Scale) != nullptr,
      epilogue.find(EpilogueRole::Scale, 1) != nullptr,
      epilogue.find(EpilogueRole::Bias) != nullptr};
  for (size_t i = 0; i < kSpmmEpilogueNames.size(); ++i)
    if (kSpmmEpilogueNames[i] == name)
      return has[i];
  return false;
}

static BundleKernel readKernel(const JsonNode &node,
                               const BundleProduct &product) {
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
                  name) == kSpmmParameterNames.end() &&
        !hasOperand(product, name))
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

static Json kernelToJson(const BundleKernel &kernel) {
  return Json{{"name", kernel.name},
              {"rule", kernel.rule},
              {"parameters", kernel.parameters},
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
  image.crc32 = static_cast<uint32_t>(
      node["crc32"].integer(0, std::numeric_limits<uint32_t>::max()));
  return image;
}

static Json imageToJson(const BundleImage &image) {
  std::string_view name;
  for (const FormatName &row : formatNames)
    if (row.format == image.format)
      name = row.name;
  return Json{{"format", name},
              {"offset", image.offset},
              {"bytes", image.bytes},
              {"crc32", image.crc32}};
}

static BundleChip readChip(const JsonNode &node, const BundleProduct &product) {
  BundleChip chip;
  chip.chip = node["chip"].string();
  chip.compiledFor = node["compiled_for"].string();
  chip.irHash = node["ir_sha256"].string();
  for (const JsonNode &kernel : node["kernels"].elements())
    chip.kernels.push_back(readKernel(kernel, product));
  for (const JsonNode &image : node["images"].elements())
    chip.images.push_back(readImage(image));
  if (chip.kernels.empty())
    node["kernels"].fail("expected at least one kernel");
  if (chip.images.empty())
    node["images"].fail("expected at least one image");
  return chip;
}

static Json chipToJson(const BundleChip &chip) {
  Json kernels = Json::array(), images = Json::array();
  for (const BundleKernel &kernel : chip.kernels)
    kernels.push_back(kernelToJson(kernel));
  for (const BundleImage &image : chip.images)
    images.push_back(imageToJson(image));
  return Json{{"chip", chip.chip},
              {"compiled_for", chip.compiledFor},
              {"ir_sha256", chip.irHash},
              {"kernels", std::move(kernels)},
              {"images", std::move(images)}};
}

//===----------------------------------------------------------------------===//
// Manifest
//===----------------------------------------------------------------------===//

Result<BundleManifest> mlir::magicube::readManifest(const Json &json,
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
    BundleChip chip = readChip(node, manifest.product);
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

Json mlir::magicube::manifestToJson(const BundleManifest &manifest) {
  auto list = [](const auto &items, auto convert) {
    Json array = Json::array();
    for (const auto &item : items)
      array.push_back(convert(item));
    return array;
  };
  return Json{{"entry", manifest.entry},
              {"arguments", list(manifest.arguments, matrixToJson)},
              {"results", list(manifest.results, matrixToJson)},
              {"product", productToJson(manifest.product)},
              {"chips", list(manifest.chips, chipToJson)}};
}
