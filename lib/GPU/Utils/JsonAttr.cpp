//===- JsonAttr.cpp - JSON values as attributes -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/GPU/Utils/JsonAttr.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::magicube;

Attribute mlir::magicube::toAttribute(MLIRContext *context, const Json &value) {
  Builder b(context);
  if (value.is_object()) {
    SmallVector<NamedAttribute> members;
    for (const auto &[name, member] : value.items())
      members.push_back(b.getNamedAttr(name, toAttribute(context, member)));
    return b.getDictionaryAttr(members);
  }
  if (value.is_array()) {
    SmallVector<Attribute> elements;
    for (const Json &element : value)
      elements.push_back(toAttribute(context, element));
    return b.getArrayAttr(elements);
  }
  if (value.is_string())
    return b.getStringAttr(value.get_ref<const std::string &>());
  if (value.is_boolean())
    return b.getBoolAttr(value.get<bool>());
  if (value.is_number_integer())
    return b.getI64IntegerAttr(value.get<int64_t>());
  return b.getUnitAttr();
}

Json mlir::magicube::toJsonValue(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, Json>(attribute)
      .Case([](DictionaryAttr members) {
        Json object = Json::object();
        for (NamedAttribute member : members)
          object[member.getName().str()] = toJsonValue(member.getValue());
        return object;
      })
      .Case([](ArrayAttr elements) {
        Json array = Json::array();
        for (Attribute element : elements)
          array.push_back(toJsonValue(element));
        return array;
      })
      .Case([](StringAttr text) { return Json(text.str()); })
      .Case([](BoolAttr boolean) { return Json(boolean.getValue()); })
      .Case([](IntegerAttr integer) { return Json(integer.getInt()); })
      .Default([](Attribute) { return Json(); });
}
