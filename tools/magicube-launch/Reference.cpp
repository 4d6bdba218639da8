//===- Reference.cpp - What a bundle should compute ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the manifest's word for what the operation is, and hands its operands
// to the reference by name.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "magicube/Format/ReferenceOps.h"

using namespace mlir::magicube;

static constexpr const char *newerNote =
    "use the magicube-launch of the compiler that made the bundle";

/// Number `ordinal` of the operands of a role.
static std::string getName(EpilogueRole role, size_t ordinal) {
  Epilogue<size_t> epilogue;
  for (size_t i = 0; i <= ordinal; ++i)
    epilogue.operands.push_back({role, i});
  return getOperandNames(epilogue).back();
}

/// The operand of an epilogue with that name.
static Result<ReferenceOperand> selectOperand(const ReferenceOperands &operands,
                                              EpilogueRole role,
                                              const std::string &name) {
  if (const auto *sums = operands.find<DenseMatrix>(name);
      sums && isInteger(role))
    return ReferenceOperand(sums);
  if (const auto *floats = operands.find<FloatMatrix>(name);
      floats && !isInteger(role))
    return ReferenceOperand(floats);
  return Error{"expected operand '" + name + "' to be of " +
               (isInteger(role) ? "integers" : "f32")};
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

static Result<const ReferenceOp *> findRow(const BundleReference &reference) {
  if (const ReferenceOp *row = findReferenceOp(reference.op))
    return row;
  if (reference.op == kSequenceReference)
    return Error{"there is no reference of several operations",
                 "check the program with magicube-run"};
  return Error{"there is no reference of '" + reference.op + "'", newerNote};
}

/// The operands that a manifest names.
static Result<ReferenceOperands>
selectOperands(const BundleManifest &manifest,
               const std::vector<ProgramValue> &arguments) {
  ReferenceOperands operands;
  for (const BundleOperand &operand : manifest.operands)
    if (!operand.isResult)
      operands.values[operand.name] = &arguments[operand.index];
  const BundleResult &result = manifest.results.front();
  if (result.init)
    operands.values["init"] = &arguments[*result.init];
  ReferenceEpilogue &epilogue = operands.epilogue;
  if (Status s = selectAttributes(manifest.reference, epilogue); !s)
    return s.error();
  if (result.type.isFloat)
    epilogue.element = result.type.format;
  else
    epilogue.element = result.type.element;
  for (EpilogueRole role : kEpilogueRoles)
    for (size_t i = 0; operands.has(getName(role, i)); ++i) {
      Result<ReferenceOperand> operand =
          selectOperand(operands, role, getName(role, i));
      if (!operand)
        return operand.error();
      epilogue.operands.push_back({role, *operand});
      if (role != EpilogueRole::Scale)
        break;
    }
  return operands;
}

Result<std::vector<ProgramValue>>
mlir::magicube::evaluateReference(const BundleManifest &manifest,
                                  const std::vector<ProgramValue> &arguments) {
  Result<const ReferenceOp *> row = findRow(manifest.reference);
  if (!row)
    return row.error();
  Result<ReferenceOperands> operands = selectOperands(manifest, arguments);
  if (!operands)
    return operands.error();
  return (*row)->evaluate(*operands);
}

Status
mlir::magicube::compareProjections(const BundleManifest &manifest,
                                   const std::vector<ProgramValue> &arguments,
                                   const ProgramValue &actual, uint64_t seed) {
  Result<const ReferenceOp *> row = findRow(manifest.reference);
  if (!row)
    return row.error();
  if (!(*row)->compareProjections)
    return Error{"there are no projections of '" + manifest.reference.op + "'",
                 "use --check"};
  Result<ReferenceOperands> operands = selectOperands(manifest, arguments);
  if (!operands)
    return operands.error();
  return (*row)->compareProjections(*operands, actual, seed);
}
