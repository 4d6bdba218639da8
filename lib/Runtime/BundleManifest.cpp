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

} // namespace

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// "i8" or "u8" with a legal width, or "i1".
static ElementType readElement(const JsonNode &node) {
  std::string name = node.string();
  if (ElementType type = ElementType::pattern(); type.name() == name)
    return type;
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
  if (!type.isFloat)
    type.element = readElement(node["element"]);
  if (type.element.isPattern() && !type.isSparse())
    node["element"].fail("expected a sparse matrix, which alone may be a "
                         "pattern, but it is dense");
  if (node.has("number"))
    type.isNumber = node["number"].boolean();
  type.rows = readExtent(node, "rows");
  type.cols = readExtent(node, "columns");
  if (type.isNumber && !(type.isFloat && type.format == FloatFormat::F32 &&
                         !type.isSparse() && type.rows == 1 && type.cols == 1))
    node["number"].fail("expected a number to be of f32 and 1 x 1");
  if (type.isSparse())
    if (Result<StorageLayout> layout = StorageLayout::get(
            *type.encoding, {type.rows, type.cols},
            type.isFloat ? ElementType::pattern() : type.element);
        !layout)
      node.fail(layout.error().message, layout.error().note);
  return type;
}

static MatrixType readArgument(const JsonNode &node) {
  MatrixType type = readMatrix(node);
  if (type.isFloat && !type.isSparse() && type.format != FloatFormat::F32)
    node["element"].fail("expected integers or f32 of an argument, but got '" +
                         std::string(floatName(type.format)) + "'");
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
// Operands
//===----------------------------------------------------------------------===//

using Arguments = std::vector<MatrixType>;

/// The number of an argument; with a problem, anything.
static size_t readArgumentNumber(const JsonNode &node,
                                 const Arguments &arguments) {
  return static_cast<size_t>(
      node.integer(0, static_cast<int64_t>(arguments.size()) - 1));
}

static std::string describeArgument(size_t number, const Arguments &arguments) {
  return "argument #" + std::to_string(number) + " is " +
         arguments[number].str();
}

static size_t readInit(const JsonNode &node, const MatrixType &type,
                       const Arguments &arguments) {
  size_t number = readArgumentNumber(node, arguments);
  if (number < arguments.size() && !(arguments[number] == type))
    node.fail("expected an argument of the result's type " + type.str() +
              ", but " + describeArgument(number, arguments));
  return number;
}

/// Whether a matrix can be of both types, as far as their extents tell.
static bool haveCompatibleExtents(const MatrixType &lhs,
                                  const MatrixType &rhs) {
  auto agree = [](int64_t a, int64_t b) {
    return a == b || a == kDynamic || b == kDynamic;
  };
  return agree(lhs.rows, rhs.rows) && agree(lhs.cols, rhs.cols);
}

/// The argument whose pointers and indices a sparse result has.
static size_t readPattern(const JsonNode &node, const MatrixType &type,
                          const Arguments &arguments) {
  size_t number = readArgumentNumber(node, arguments);
  if (number >= arguments.size())
    return number;
  const MatrixType &argument = arguments[number];
  if (argument.encoding != type.encoding ||
      !haveCompatibleExtents(argument, type))
    node.fail("expected a sparse argument of the extents and the encoding of "
              "the result, " +
              type.str() + ", but " + describeArgument(number, arguments));
  else if (argument.encoding->order != VectorOrder::Natural)
    // Its padding has columns of its own, where a result would have values.
    node.fail("expected an argument in natural order, but " +
              describeArgument(number, arguments));
  return number;
}

/// What has a width that kernels write.
static void checkSparseElement(const JsonNode &node, const MatrixType &type) {
  constexpr int widths[] = {4, 8, 16, 32};
  if (!type.isFloat && std::find(std::begin(widths), std::end(widths),
                                 type.element.bits) == std::end(widths))
    node.fail("expected floats or integers of 4, 8, 16 or 32 bits of a sparse "
              "result, but got '" +
              type.element.name() + "'");
}

static BundleResult readResult(const JsonNode &node,
                               const Arguments &arguments) {
  BundleResult result{readMatrix(node)};
  if (result.type.isNumber)
    node.fail("expected a matrix, but got a number");
  if (node.has("init"))
    result.init = readInit(node["init"], result.type, arguments);
  if (!result.type.isSparse()) {
    if (node.has("pattern"))
      node["pattern"].fail("expected none of a dense result");
    return result;
  }
  if (result.init)
    node["init"].fail("expected none of a sparse result");
  checkSparseElement(node["element"], result.type);
  result.pattern = readPattern(node["pattern"], result.type, arguments);
  return result;
}

static Json resultToJson(const BundleResult &result) {
  Json object = matrixToJson(result.type);
  object["init"] = result.init ? Json(*result.init) : Json();
  if (result.pattern)
    object["pattern"] = *result.pattern;
  return object;
}

static BundleOperand readOperand(const JsonNode &node,
                                 const BundleManifest &manifest) {
  BundleOperand operand;
  operand.name = readPlanName(node["name"]);
  operand.isResult = node.has("result");
  size_t count =
      operand.isResult ? manifest.results.size() : manifest.arguments.size();
  operand.index = static_cast<size_t>(
      node[operand.isResult ? "result" : "argument"].integer(
          0, static_cast<int64_t>(count) - 1));
  for (const BundleOperand &other : manifest.operands)
    if (other.name == operand.name)
      node["name"].fail("expected each operand once, but '" + operand.name +
                        "' is repeated");
  return operand;
}

static Json operandToJson(const BundleOperand &operand) {
  return Json{{"name", operand.name},
              {operand.isResult ? "result" : "argument", operand.index}};
}

/// Results stand last, each once and in order; an init is its result's memory,
/// and so no other operand and no other result's.
static void checkOperands(const JsonNode &root,
                          const BundleManifest &manifest) {
  size_t numResults = 0;
  std::vector<bool> isInit(manifest.arguments.size());
  for (const BundleResult &result : manifest.results)
    if (result.init && *result.init < isInit.size()) {
      if (isInit[*result.init])
        root["results"].fail("argument #" + std::to_string(*result.init) +
                             " is the init of two results");
      isInit[*result.init] = true;
    }
  for (const BundleOperand &operand : manifest.operands) {
    if (operand.isResult ? operand.index != numResults++ : numResults != 0)
      root["operands"].fail("expected arguments first and then all results in "
                            "order, but '" +
                            operand.name + "' is out of order");
    if (!operand.isResult && operand.index < isInit.size() &&
        isInit[operand.index])
      root["operands"].fail("'" + operand.name + "' is argument #" +
                            std::to_string(operand.index) +
                            ", which is the init of a result already");
  }
  if (numResults != manifest.results.size())
    root["operands"].fail("expected " +
                          std::to_string(manifest.results.size()) +
                          " results, but got " + std::to_string(numResults));
}

std::vector<PlanOperand>
mlir::magicube::getPlanOperands(const BundleManifest &manifest) {
  std::vector<PlanOperand> operands;
  for (const BundleOperand &operand : manifest.operands) {
    const MatrixType &type = operand.isResult
                                 ? manifest.results[operand.index].type
                                 : manifest.arguments[operand.index];
    operands.push_back({operand.name,
                        type.isSparse() ? PlanOperand::Kind::Sparse
                        : type.isNumber ? PlanOperand::Kind::Number
                                        : PlanOperand::Kind::Dense,
                        operand.isResult});
  }
  return operands;
}

static BundleReference readReference(const JsonNode &node) {
  BundleReference reference;
  reference.op = node["op"].string();
  for (const auto &[name, value] : node["attributes"].members())
    reference.attributes[name] = value.string();
  return reference;
}

static Json referenceToJson(const BundleReference &reference) {
  return Json{{"op", reference.op}, {"attributes", reference.attributes}};
}

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

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

static BundleChip readChip(const JsonNode &node,
                           const std::vector<PlanOperand> &operands) {
  BundleChip chip;
  chip.chip = node["chip"].string();
  chip.compiledFor = node["compiled_for"].string();
  chip.irHash = node["ir_sha256"].string();
  chip.plan = readPlan(node["plan"], operands);
  for (const JsonNode &image : node["images"].elements())
    chip.images.push_back(readImage(image));
  if (chip.images.empty())
    node["images"].fail("expected at least one image");
  return chip;
}

static Json chipToJson(const BundleChip &chip) {
  Json images = Json::array();
  for (const BundleImage &image : chip.images)
    images.push_back(imageToJson(image));
  return Json{{"chip", chip.chip},
              {"compiled_for", chip.compiledFor},
              {"ir_sha256", chip.irHash},
              {"plan", planToJson(chip.plan)},
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
    manifest.arguments.push_back(readArgument(argument));
  for (const JsonNode &result : root["results"].elements())
    manifest.results.push_back(readResult(result, manifest.arguments));
  if (manifest.results.empty())
    root["results"].fail("expected at least one result");
  for (const JsonNode &operand : root["operands"].elements())
    manifest.operands.push_back(readOperand(operand, manifest));
  checkOperands(root, manifest);
  manifest.reference = readReference(root["reference"]);
  // Operands are by number: these must be right.
  if (!problem)
    return problem.error();
  std::vector<PlanOperand> operands = getPlanOperands(manifest);
  for (const JsonNode &node : root["chips"].elements()) {
    BundleChip chip = readChip(node, operands);
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
              {"results", list(manifest.results, resultToJson)},
              {"operands", list(manifest.operands, operandToJson)},
              {"reference", referenceToJson(manifest.reference)},
              {"chips", list(manifest.chips, chipToJson)}};
}
