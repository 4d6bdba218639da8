//===- Reference.cpp - What a bundle should compute ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the manifest's word for what the operation is, and checks that the
// operands are such that it can be evaluated.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "magicube/Format/EvaluateEpilogue.h"
#include "magicube/Format/Projection.h"

using namespace mlir::magicube;

namespace {

/// The operands of a product.
struct Product {
  const SRBCRSMatrix *lhs = nullptr;
  const DenseMatrix *rhs = nullptr;
  /// Null: zeros.
  const DenseMatrix *init = nullptr;
  ReferenceEpilogue epilogue;
};

/// Finds operands of a manifest among the values of its arguments.
class OperandFinder {
public:
  OperandFinder(const BundleManifest &manifest,
                const std::vector<ProgramValue> &arguments)
      : manifest(manifest), arguments(arguments) {}

  /// The argument of that name, if it is a Matrix, or else null.
  template <typename Matrix>
  const Matrix *find(const std::string &name) const {
    const BundleOperand *operand = manifest.findOperand(name);
    return operand && !operand->isResult
               ? std::get_if<Matrix>(&arguments[operand->index])
               : nullptr;
  }
  bool has(const std::string &name) const {
    return manifest.findOperand(name) != nullptr;
  }

private:
  const BundleManifest &manifest;
  const std::vector<ProgramValue> &arguments;
};

constexpr const char *newerNote =
    "use the magicube-launch of the compiler that made the bundle";

} // namespace

/// Number `ordinal` of the operands of a role.
static std::string getName(EpilogueRole role, size_t ordinal) {
  Epilogue<size_t> epilogue;
  for (size_t i = 0; i <= ordinal; ++i)
    epilogue.operands.push_back({role, i});
  return getOperandNames(epilogue).back();
}

/// Whether an operand has a number for all, or one for each row or column.
template <typename Matrix>
static bool isBroadcast(const Matrix &matrix, ProgramShape shape) {
  return (matrix.rows == 1 || matrix.rows == shape[0]) &&
         (matrix.cols == 1 || matrix.cols == shape[1]);
}

/// The operand of an epilogue with that name.
static Result<ReferenceOperand> selectOperand(const OperandFinder &finder,
                                              EpilogueRole role,
                                              const std::string &name,
                                              ProgramShape shape) {
  if (const auto *sums = finder.find<DenseMatrix>(name);
      sums && isInteger(role) && isBroadcast(*sums, shape))
    return ReferenceOperand(sums);
  if (const auto *floats = finder.find<FloatMatrix>(name);
      floats && !isInteger(role) && isBroadcast(*floats, shape))
    return ReferenceOperand(floats);
  return Error{"expected operand '" + name +
               "' to have one number per row or per column of the result"};
}

static Status selectAttributes(const BundleReference &reference,
                               ReferenceEpilogue &epilogue) {
  for (const auto &[name, value] : reference.attributes) {
    bool isKnown = false;
    if (name == "activation") {
      epilogue.activation = parseSpelling(kActivations, value);
      isKnown = epilogue.activation.has_value();
    } else if (name == "accumulate") {
      isKnown = epilogue.hasFloatSums = value == "f32";
    }
    if (!isKnown)
      return Error{"there is no reference of '" + reference.op + "' with " +
                       name + " = " + value,
                   newerNote};
  }
  return {};
}

static Result<Product> selectProduct(const BundleManifest &manifest,
                                     const std::vector<ProgramValue> &arguments,
                                     ProgramShape shape) {
  const BundleReference &reference = manifest.reference;
  if (reference.op != "spmm")
    return Error{"there is no reference of '" + reference.op + "'", newerNote};
  OperandFinder finder(manifest, arguments);
  Product product;
  product.lhs = finder.find<SRBCRSMatrix>("lhs");
  product.rhs = finder.find<DenseMatrix>("rhs");
  const BundleResult &result = manifest.results.front();
  if (result.init)
    product.init = std::get_if<DenseMatrix>(&arguments[*result.init]);
  if (!product.lhs || !product.rhs || product.lhs->cols != product.rhs->rows ||
      (result.init && !product.init) ||
      shape != ProgramShape{product.lhs->rows, product.rhs->cols})
    return Error{"the operands are not those of a product"};
  if (Status s = selectAttributes(reference, product.epilogue); !s)
    return s.error();
  if (result.type.isFloat)
    product.epilogue.element = result.type.format;
  else
    product.epilogue.element = result.type.element;
  for (EpilogueRole role : kEpilogueRoles)
    for (size_t i = 0; finder.has(getName(role, i)); ++i) {
      Result<ReferenceOperand> operand =
          selectOperand(finder, role, getName(role, i), shape);
      if (!operand)
        return operand.error();
      product.epilogue.operands.push_back({role, *operand});
      if (role != EpilogueRole::Scale)
        break;
    }
  return product;
}

Result<ProgramValue>
mlir::magicube::evaluateReference(const BundleManifest &manifest,
                                  const std::vector<ProgramValue> &arguments,
                                  ProgramShape shape) {
  Result<Product> product = selectProduct(manifest, arguments, shape);
  if (!product)
    return product.error();
  return evaluateProduct(*product->lhs, *product->rhs, product->init,
                         product->epilogue);
}

Status
mlir::magicube::compareProjections(const BundleManifest &manifest,
                                   const std::vector<ProgramValue> &arguments,
                                   const ProgramValue &actual, uint64_t seed) {
  const auto *sums = std::get_if<DenseMatrix>(&actual);
  Result<Product> product =
      selectProduct(manifest, arguments,
                    std::visit(
                        [](const auto &matrix) {
                          return ProgramShape{matrix.rows, matrix.cols};
                        },
                        actual));
  if (!product)
    return product.error();
  const auto *type = std::get_if<ElementType>(&product->epilogue.element);
  if (!sums || !type || type->bits != 32 ||
      !product->epilogue.operands.empty() || product->epilogue.isFloat())
    return Error{"expected a result of i32 sums for --check-projection, but "
                 "the product has an epilogue",
                 "use --check"};
  return compareProjections(*product->lhs, *product->rhs, product->init, *sums,
                            seed);
}
