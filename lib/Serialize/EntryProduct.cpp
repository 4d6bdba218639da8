//===- EntryProduct.cpp - The operations that a bundle computes -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle has no host code, so its function is operations whose operands the
// runtime can take from the arguments, or from each other's results.
//
//===----------------------------------------------------------------------===//

#include "EntryProduct.h"

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Pipelines/Diagnostics.h"
#include "magicube/Serialize/MatrixTypes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace mlir::magicube;

static constexpr StringLiteral kBundleNote =
    "a bundle holds kernels and no host code: its function returns results of "
    "'magicube' operations on its arguments and on each other's results; use "
    "--emit=mlir or an ahead-of-time object for whole programs";

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

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

static LogicalResult refuse(Operation *at, const Twine &message) {
  at->emitError(message).attachNote() << kBundleNote;
  return failure();
}

/// The function's operations, of which there is one at least.
static FailureOr<SmallVector<SparseComputeOpInterface>>
findOperations(func::FuncOp function) {
  SmallVector<SparseComputeOpInterface> operations;
  if (!function.getBody().hasOneBlock())
    return refuse(function, "expected a function of one block");
  for (Operation &op : function.getBody().front()) {
    if (auto compute = dyn_cast<SparseComputeOpInterface>(op)) {
      if (compute.isStorageForm())
        return compute->emitOpError("expected a product of a sparse tensor")
                   .attachNote()
               << "give the function the tensor, not its components";
      if (compute->use_empty())
        return refuse(compute, "expected operations whose results are used");
      operations.push_back(compute);
    } else if (!isa<func::ReturnOp>(op) && !isPure(&op)) {
      return refuse(&op, "expected products only, but got '" +
                             op.getName().getStringRef() + "'");
    }
  }
  if (operations.empty())
    return refuse(function, "expected one product, but there is none");
  return operations;
}

/// Every returned value is a result of one of the operations.
static LogicalResult verifyReturn(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  for (Value value : end->getOperands())
    if (!isa_and_nonnull<SparseComputeOpInterface>(value.getDefiningOp()))
      return refuse(end, "expected results of products only");
  return success();
}

/// The sparse operand of an operation, whose pattern a sparse result has.
static Value getPattern(SparseComputeOpInterface op) {
  for (const ComputeOperand &operand : op.getComputeOperands())
    if (operand.role == OperandRole::Sparse)
      return operand.values.front();
  return Value();
}

/// The argument whose pointers and indices a sparse value has; nothing if they
/// are those of no argument.
static std::optional<size_t> findPatternArgument(Value value) {
  while (value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getArgNumber();
    auto op = dyn_cast<SparseComputeOpInterface>(value.getDefiningOp());
    value = op ? getPattern(op) : Value();
  }
  return std::nullopt;
}

/// Result `index` of an operation, as its plan calls it.
static std::string getResultName(size_t index) {
  return index == 0 ? "result" : "factors";
}

/// The verifier has checked what results there are.
static MatrixType getResultType(SparseComputeOpInterface op, size_t index) {
  auto tensor = cast<RankedTensorType>(op->getResult(index).getType());
  ResultElement element = op.getResultElements()[index];
  MatrixType type;
  type.rows = tensor.getDimSize(0);
  type.cols = tensor.getDimSize(1);
  if (SRBCRSAttr encoding = getSparseEncoding(tensor))
    type.encoding = encoding.getFormat();
  if (const auto *format = std::get_if<FloatFormat>(&element)) {
    type.isFloat = true;
    type.format = *format;
  } else {
    type.element = std::get<ElementType>(element);
  }
  return type;
}

static PlanOperand::Kind getKind(Value value) {
  if (getSparseEncoding(value.getType()))
    return PlanOperand::Kind::Sparse;
  return value.getType().isF32() ? PlanOperand::Kind::Number
                                 : PlanOperand::Kind::Dense;
}

/// "the rhs", "a scale".
static std::string describe(SparseComputeOpInterface op,
                            const ComputeOperand &operand) {
  Epilogue<Value> epilogue = op.getEpilogue();
  for (auto [name, step] :
       llvm::zip_equal(getOperandNames(epilogue), epilogue.operands))
    if (name == operand.name)
      return "a " + std::string(spelling(step.role));
  return "the " + operand.name;
}

namespace {

/// Fills manifest and steps.
class EntryReader {
public:
  EntryReader(ArrayRef<SparseComputeOpInterface> operations,
              BundleManifest &manifest)
      : operations(operations), manifest(manifest) {}

  FailureOr<std::vector<EntryStep>> read(Operation *end);

private:
  LogicalResult addInput(SparseComputeOpInterface op,
                         const ComputeOperand &operand, EntryStep &step);
  LogicalResult addInit(SparseComputeOpInterface op);
  LogicalResult addInputs(SparseComputeOpInterface op, EntryStep &step);
  LogicalResult addStep(size_t operation, size_t repetition);
  size_t countSteps(SparseComputeOpInterface op) const;
  FailureOr<size_t> getArgument(SparseComputeOpInterface op, Value value,
                                StringRef what);

  ArrayRef<SparseComputeOpInterface> operations;
  BundleManifest &manifest;
  std::vector<EntryStep> steps;
  /// Of the values that are returned: their places among the results.
  DenseMap<Value, SmallVector<size_t>> returned;
  /// As the plan of the bundle calls the results.
  std::vector<std::string> resultNames;
};

} // namespace

/// The number of the argument that `value` is.
FailureOr<size_t> EntryReader::getArgument(SparseComputeOpInterface op,
                                           Value value, StringRef what) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber();
  return (op->emitOpError("expected ")
          << what << " to be an argument of the function")
             .attachNote()
         << kBundleNote;
}

LogicalResult EntryReader::addInput(SparseComputeOpInterface op,
                                    const ComputeOperand &operand,
                                    EntryStep &step) {
  Value value = operand.values.front();
  EntryInput input{operand.name, getKind(value), {}};
  const auto *producer = llvm::find(operations, value.getDefiningOp());
  if (value.getDefiningOp() && producer != operations.end()) {
    input.step = producer - operations.begin();
    input.output = cast<OpResult>(value).getResultNumber();
    step.inputs.push_back(input);
    return success();
  }
  FailureOr<size_t> argument = getArgument(op, value, describe(op, operand));
  if (failed(argument))
    return failure();
  input.operand = step.prefix + operand.name;
  manifest.operands.push_back({input.operand, /*isResult=*/false, *argument});
  step.inputs.push_back(input);
  return success();
}

/// What is added to must be an argument, and the result returned.
LogicalResult EntryReader::addInit(SparseComputeOpInterface op) {
  for (const ComputeOperand &operand : op.getComputeOperands()) {
    if (operand.role != OperandRole::Init || operand.isOverwritten)
      continue;
    FailureOr<size_t> argument =
        getArgument(op, operand.values.front(), "the init");
    if (failed(argument))
      return failure();
    auto result = returned.find(op->getResult(0));
    if (result == returned.end())
      return refuse(op, "expected a result that is returned of an operation "
                        "with an init");
    for (size_t index : result->second)
      manifest.results[index].init = *argument;
  }
  return success();
}

LogicalResult EntryReader::addInputs(SparseComputeOpInterface op,
                                     EntryStep &step) {
  bool ok = true;
  for (const ComputeOperand &operand : op.getComputeOperands())
    if (operand.role != OperandRole::Init)
      ok &= succeeded(addInput(op, operand, step));
  return success(ok && succeeded(addInit(op)));
}

/// One, and one more each time that a result is returned again.
size_t EntryReader::countSteps(SparseComputeOpInterface op) const {
  size_t count = 1;
  for (Value result : op->getResults())
    count = std::max(count, returned.lookup(result).size());
  return count;
}

/// Each repetition makes results of its own.
LogicalResult EntryReader::addStep(size_t operation, size_t repetition) {
  SparseComputeOpInterface op = operations[operation];
  bool isAlone = operations.size() == 1 && countSteps(op) == 1;
  std::string number = std::to_string(steps.size());
  EntryStep &step = steps.emplace_back();
  step.operation = op->getName().stripDialect().str();
  step.plan = operation;
  if (!isAlone)
    step.prefix = step.operation + number + "_";
  if (failed(addInputs(op, step)))
    return failure();
  for (OpResult result : op->getResults()) {
    size_t index = result.getResultNumber();
    EntryOutput &output = step.outputs.emplace_back(
        EntryOutput{getResultName(index), getResultType(op, index)});
    SmallVector<size_t> places = returned.lookup(result);
    if (repetition >= places.size())
      continue;
    output.operand = step.prefix + output.name;
    resultNames[places[repetition]] = output.operand;
  }
  return success();
}

FailureOr<std::vector<EntryStep>> EntryReader::read(Operation *end) {
  resultNames.resize(end->getNumOperands());
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    auto result = cast<OpResult>(value);
    returned[value].push_back(i);
    auto op = cast<SparseComputeOpInterface>(result.getOwner());
    BundleResult bundled{getResultType(op, result.getResultNumber())};
    if (bundled.type.isSparse())
      bundled.pattern = findPatternArgument(getPattern(op));
    manifest.results.push_back(std::move(bundled));
  }
  // Inputs number the operations as their first steps.
  for (size_t i = 0; i < operations.size(); ++i)
    if (failed(addStep(i, /*repetition=*/0)))
      return failure();
  for (auto [i, op] : llvm::enumerate(operations))
    for (size_t repetition = 1; repetition < countSteps(op); ++repetition)
      if (failed(addStep(i, repetition)))
        return failure();
  // Results stand last, in order.
  for (auto [i, name] : llvm::enumerate(resultNames))
    manifest.operands.push_back({name, /*isResult=*/true, i});
  return std::move(steps);
}

/// What a check of the bundle must know.
static BundleReference getReference(SparseComputeOpInterface op,
                                    size_t numSteps) {
  BundleReference reference;
  if (numSteps > 1) {
    reference.op = kSequenceReference;
    return reference;
  }
  reference.op = op->getName().stripDialect().str();
  Epilogue<Value> epilogue = op.getEpilogue();
  if (epilogue.activation)
    reference.attributes["activation"] = spelling(*epilogue.activation);
  if (epilogue.hasFloatSums)
    reference.attributes["accumulate"] = "f32";
  return reference;
}

static LogicalResult addArguments(func::FuncOp function,
                                  BundleManifest &manifest) {
  for (BlockArgument argument : function.getArguments()) {
    Result<MatrixType> type = getMatrixType(argument);
    if (!type) {
      function.emitError(type.error().message).attachNote()
          << type.error().note;
      return failure();
    }
    manifest.arguments.push_back(*type);
  }
  return success();
}

FailureOr<std::vector<EntryStep>>
mlir::magicube::isolateEntry(ModuleOp module, StringRef entry,
                             BundleManifest &manifest) {
  FailureOr<func::FuncOp> function = findEntry(module, entry);
  if (failed(function))
    return failure();
  auto operations = findOperations(*function);
  if (failed(operations) || failed(verifyReturn(*function)))
    return failure();
  // Stages merge equal operations, of which there is one plan then.
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(*function);
  eliminateCommonSubExpressions(rewriter, dominance, *function);
  operations = findOperations(*function);
  if (failed(operations))
    return failure();
  Operation *end = function->getBody().front().getTerminator();
  FailureOr<std::vector<EntryStep>> steps =
      EntryReader(*operations, manifest).read(end);
  if (failed(steps))
    return failure();
  manifest.reference = getReference(operations->front(), steps->size());
  manifest.entry = function->getName().str();
  if (failed(addArguments(*function, manifest)))
    return failure();
  for (Operation &other : llvm::make_early_inc_range(module.getOps()))
    if (isa<func::FuncOp>(other) && &other != function->getOperation())
      other.erase();
  return steps;
}
