//===- FloatMatrix.cpp - Matrices of floats -------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding to and from 16-bit floats, arrays, comparison.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/FloatMatrix.h"

#include "CompareElements.h"
#include "Message.h"
#include "magicube/Format/Random.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace mlir::magicube {

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

static uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// `bits` without its `count` (1 to 31) low bits, rounded to nearest even.
static uint32_t roundOff(uint32_t bits, int count) {
  uint32_t half = uint32_t(1) << (count - 1);
  uint32_t isOdd = bits >> count & 1;
  return (bits + half - 1 + isOdd) >> count;
}

/// binary32 to binary16: 8 to 5 bits of exponent, 23 to 10 of significand.
static uint32_t encodeHalf(float value) {
  constexpr int droppedBits = 23 - 10, biasDifference = 127 - 15;
  constexpr uint32_t infinity = 0x7C00, quietNaN = 0x7E00;
  uint32_t bits = toBits(value), sign = bits >> 16 & 0x8000;
  bits &= 0x7FFFFFFF;
  if (std::isnan(value))
    return sign | quietNaN;
  int exponent = static_cast<int>(bits >> 23) - biasDifference;
  if (exponent >= 1) {
    uint32_t rounded =
        roundOff(bits - (uint32_t(biasDifference) << 23), droppedBits);
    return sign | (rounded < infinity ? rounded : infinity);
  }
  // Subnormal: the significand with its leading bit, shifted further.
  constexpr int maxShift = 31;
  int shift = droppedBits + 1 - exponent;
  if (shift > maxShift)
    return sign;
  return sign | roundOff((bits & 0x7FFFFF) | 0x800000, shift);
}

static float decodeHalf(uint32_t bits) {
  uint32_t sign = (bits & 0x8000) << 16, rest = bits & 0x7FFF;
  if (rest >= 0x7C00) // infinity or NaN
    return fromBits(sign | 0x7F800000 | (rest & 0x3FF) << 13);
  if (rest >= 0x400)
    return fromBits(sign | ((rest << 13) + (uint32_t(127 - 15) << 23)));
  constexpr int subnormalExponent = -24;
  float value = std::ldexp(static_cast<float>(rest), subnormalExponent);
  return fromBits(sign | toBits(value));
}

int64_t floatBytes(FloatFormat format) {
  return format == FloatFormat::F32 ? 4 : 2;
}

std::string_view floatName(FloatFormat format) {
  switch (format) {
  case FloatFormat::F32:
    return "f32";
  case FloatFormat::F16:
    return "f16";
  case FloatFormat::BF16:
    return "bf16";
  }
  return "";
}

uint32_t encodeFloat(float value, FloatFormat format) {
  switch (format) {
  case FloatFormat::F32:
    return toBits(value);
  case FloatFormat::F16:
    return encodeHalf(value);
  case FloatFormat::BF16:
    constexpr uint32_t quietNaN = 0x7FC0;
    return std::isnan(value) ? quietNaN : roundOff(toBits(value), 16);
  }
  return 0;
}

float decodeFloat(uint32_t bits, FloatFormat format) {
  switch (format) {
  case FloatFormat::F32:
    return fromBits(bits);
  case FloatFormat::F16:
    return decodeHalf(bits);
  case FloatFormat::BF16:
    return fromBits(bits << 16);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// FloatMatrix
//===----------------------------------------------------------------------===//

/// Enough digits to tell any two values of float32 apart.
static std::string toText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

FloatMatrix FloatMatrix::random(int64_t rows, int64_t cols, uint64_t seed) {
  constexpr int bits = 10;
  constexpr float step = 1.0f / 256, offset = 2;
  FloatMatrix matrix{rows, cols, FloatFormat::F32, {}};
  for (int64_t i = 0; i < rows * cols; ++i)
    matrix.data.push_back(
        static_cast<float>(splitMix64(seed, i) >> (64 - bits)) * step - offset);
  return matrix;
}

Result<FloatMatrix> FloatMatrix::fromNpy(const NpyArray &array,
                                         const std::string &name,
                                         FloatFormat format) {
  if (isInteger(array.type))
    return Error{message(name, ": expected an array of floats, but got ",
                         npyTypeName(array.type)),
                 "convert it with array.astype(numpy.float32)"};
  if (Status status = array.checkRank2(name); !status)
    return status.error();
  int64_t rows = array.shape[0], cols = array.shape[1];
  if (rows < 1 || cols < 1)
    return Error{message(name,
                         ": expected a matrix of at least 1 x 1, but got ",
                         rows, " x ", cols)};
  if (array.type != NpyType::F64) {
    bool isHalf = array.type == NpyType::F16;
    FloatMatrix matrix =
        fromBytes(rows, cols, isHalf ? FloatFormat::F16 : FloatFormat::F32,
                  array.data.data());
    matrix.format = format;
    return matrix;
  }
  FloatMatrix matrix{rows, cols, format, {}};
  for (int64_t i = 0; i < rows * cols; ++i) {
    double value;
    std::memcpy(&value, &array.data[i * sizeof(value)], sizeof(value));
    float rounded = static_cast<float>(value);
    if (std::isfinite(value) && !std::isfinite(rounded))
      return Error{message(name, ": value ", toText(value), " at row ",
                           i / cols, ", column ", i % cols,
                           " is too large for float32")};
    matrix.data.push_back(rounded);
  }
  return matrix;
}

FloatMatrix FloatMatrix::fromBytes(int64_t rows, int64_t cols,
                                   FloatFormat format, const uint8_t *bytes) {
  FloatMatrix matrix{rows, cols, format, {}};
  int64_t size = floatBytes(format);
  for (int64_t i = 0; i < rows * cols; ++i) {
    uint32_t bits = 0; // little-endian
    std::memcpy(&bits, bytes + i * size, size);
    matrix.data.push_back(decodeFloat(bits, format));
  }
  return matrix;
}

NpyArray FloatMatrix::toNpy() const {
  bool isHalf = format == FloatFormat::F16;
  NpyArray array{isHalf ? NpyType::F16 : NpyType::F32, {rows, cols}, {}};
  int64_t size = npyTypeBytes(array.type);
  array.data.resize(data.size() * size);
  for (size_t i = 0; i < data.size(); ++i) {
    uint32_t bits =
        encodeFloat(data[i], isHalf ? FloatFormat::F16 : FloatFormat::F32);
    std::memcpy(&array.data[i * size], &bits, size);
  }
  return array;
}

Status compareResult(size_t index, const FloatMatrix &expected,
                     const FloatMatrix &actual) {
  auto value = [](const FloatMatrix &matrix, int64_t row, int64_t col) {
    return matrix.at(row, col);
  };
  auto isSame = [](float want, float got) {
    return toBits(want) == toBits(got) || (std::isnan(want) && std::isnan(got));
  };
  return compareElements(index, expected, actual, value, isSame, toText);
}

} // namespace mlir::magicube
