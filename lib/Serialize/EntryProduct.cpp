//===- EntryProduct.cpp - The operation that a bundle computes ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle has no host code, so its function is one operation with kernels
// whose operands the runtime can take from the arguments.
//
//===----------------------------------------------------------------------===//

#include "EntryProduct.h"

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Serialize/MatrixTypes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::magicube;

static constexpr StringLiteral kBundleNote =
    "a bundle holds kernels and no host code: its function returns one "
    "'magicube.spmm', 'magicube.sddmm' or 'magicube.softmax' of its arguments; "
    "use --emit=mlir or an ahead-of-time object for whole programs";

/// What launch plans call the results of an operation.
static constexpr StringLiteral kResultNames[] = {"result", "factors"};

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp> mlir::magicube::findEntry(ModuleOp module,
                                                  StringRef name) {
  std::string names;
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    names += (names.empty() ? "'" : ", '") + function.getName().str() + "'";
    if (name.empty() || function.getName() == name)
      candidates.push_back(function);
  }
  if (candidates.size() == 1)
    return candidates.front();
  InFlightDiagnostic diag =
      candidates.empty() && !name.empty()
          ? module.emitError("has no function '") << name << "' with a body"
          : module.emitError("expected one function with a body, but got ")
                << candidates.size();
  diag.attachNote() << (names.empty() ? "it has no functions"
                                      : "choose with --entry one of " + names);
  return diag;
}

/// The number of the argument that `value` is.
static FailureOr<size_t> getArgument(Operation *op, Value value,
                                     StringRef what) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber();
  return (op->emitOpError("expected ")
          << what << " to be an argument of the function")
             .attachNote()
         << kBundleNote;
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

/// The function's only product, which is what it returns.
static FailureOr<SparseComputeOpInterface> findProduct(func::FuncOp function) {
  auto refuse = [&](Operation *at, const Twine &message) {
    at->emitError(message).attachNote() << kBundleNote;
    return failure();
  };
  SparseComputeOpInterface product;
  if (!function.getBody().hasOneBlock())
    return refuse(function, "expected a function of one block");
  for (Operation &op : function.getBody().front()) {
    if (auto compute = dyn_cast<SparseComputeOpInterface>(op)) {
      if (product)
        return refuse(compute,
                      "expected one product, but here is a second one");
      product = compute;
    } else if (!isa<func::ReturnOp>(op) && !isPure(&op)) {
      return refuse(&op, "expected products only, but got '" +
                             op.getName().getStringRef() + "'");
    }
  }
  Operation *end = function.getBody().front().getTerminator();
  if (!product)
    return refuse(function, "expected one product, but there is none");
  if (end->getOperands() != product->getResults())
    return refuse(end, product->getNumResults() == 1
                           ? "expected the product as the only result"
                           : "expected all results of the operation, in order, "
                             "as the only results");
  return product;
}

/// Adds the arguments that the operation takes, by the names that its launch
/// plan has for them.
static LogicalResult addOperands(SparseComputeOpInterface op,
                                 BundleManifest &manifest) {
  bool ok = true;
  auto add = [&](const std::string &name, Value value, StringRef what) {
    FailureOr<size_t> argument = getArgument(op, value, what);
    ok &= succeeded(argument);
    if (succeeded(argument))
      manifest.operands.push_back({name, /*isResult=*/false, *argument});
  };
  std::optional<Value> init;
  for (const ComputeOperand &operand : op.getComputeOperands()) {
    switch (operand.role) {
    case OperandRole::Sparse:
    case OperandRole::Mask:
    case OperandRole::Dense:
    case OperandRole::Epilogue:
      add(operand.name, operand.values.front(), "the " + operand.name);
      break;
    case OperandRole::Init:
      if (!operand.isOverwritten)
        init = operand.values.front();
      break;
    }
  }
  for (size_t i = 0; i < manifest.results.size(); ++i)
    manifest.operands.push_back({kResultNames[i].str(), /*isResult=*/true, i});
  if (ok && init) {
    FailureOr<size_t> argument = getArgument(op, *init, "the init");
    ok = succeeded(argument);
    if (ok)
      manifest.results.front().init = *argument;
  }
  return success(ok);
}

/// What a check of the bundle must know.
static BundleReference getReference(SparseComputeOpInterface op) {
  BundleReference reference;
  reference.op = op->getName().stripDialect().str();
  Epilogue<Value> epilogue = op.getEpilogue();
  if (epilogue.activation)
    reference.attributes["activation"] = spelling(*epilogue.activation);
  if (epilogue.hasFloatSums)
    reference.attributes["accumulate"] = "f32";
  return reference;
}

/// The verifier has checked what results there are.
static MatrixType getResultType(Type result, ResultElement element) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(result).getShape();
  MatrixType type;
  type.rows = shape[0];
  type.cols = shape[1];
  if (const auto *format = std::get_if<FloatFormat>(&element)) {
    type.isFloat = true;
    type.format = *format;
  } else {
    type.element = std::get<ElementType>(element);
  }
  if (SRBCRSAttr encoding = getSparseEncoding(result))
    type.encoding = encoding.getFormat();
  return type;
}

/// Adds the results of the operation. Sparse ones have the pointers and indices
/// of its sparse operand.
static LogicalResult addResults(SparseComputeOpInterface op,
                                BundleManifest &manifest) {
  std::optional<ComputeOperand> sparse = op.getOnlyOperand(OperandRole::Sparse);
  for (auto [type, element] :
       llvm::zip_equal(op->getResultTypes(), op.getResultElements())) {
    BundleResult &result = manifest.results.emplace_back();
    result.type = getResultType(type, element);
    if (!result.type.isSparse())
      continue;
    FailureOr<size_t> argument =
        getArgument(op, sparse->values.front(), "the " + sparse->name);
    if (failed(argument))
      return failure();
    result.pattern = *argument;
  }
  return success();
}

LogicalResult mlir::magicube::isolateEntry(ModuleOp module, StringRef entry,
                                           BundleManifest &manifest) {
  FailureOr<func::FuncOp> function = findEntry(module, entry);
  if (failed(function))
    return failure();
  FailureOr<SparseComputeOpInterface> product = findProduct(*function);
  if (failed(product))
    return failure();
  SparseComputeOpInterface op = *product;
  if (op.isStorageForm())
    return op->emitOpError("expected a product of a sparse tensor").attachNote()
           << "give the function the tensor, not its components";
  if (failed(addResults(op, manifest)) || failed(addOperands(op, manifest)))
    return failure();
  manifest.reference = getReference(op);

  manifest.entry = function->getName().str();
  auto add = [&](Result<MatrixType> type) {
    if (!type) {
      function->emitError(type.error().message).attachNote()
          << type.error().note;
      return failure();
    }
    manifest.arguments.push_back(*type);
    return success();
  };
  for (BlockArgument argument : function->getArguments())
    if (failed(add(getMatrixType(argument))))
      return failure();
  for (Operation &other : llvm::make_early_inc_range(module.getOps()))
    if (isa<func::FuncOp>(other) && &other != function->getOperation())
      other.erase();
  return success();
}
