//===- Npy.cpp - NumPy .npy arrays ----------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container around header dictionary and elements (numpy.lib.format):
// magic, version, header length, header padded to 64 bytes, elements.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Npy.h"

#include "Message.h"
#include "NpyHeader.h"

#include "magicube/Format/FileIO.h"

#include <cstring>

namespace mlir::magicube {

static constexpr std::string_view kMagic = "\x93NUMPY";
/// Magic and two version bytes.
static constexpr size_t kPrefixBytes = 8;
/// The elements start at a multiple of this.
static constexpr size_t kAlignment = 64;
/// Version 1.0 stores the header's length in 16 bits, later ones in 32.
static constexpr size_t kMaxHeaderV1 = 65535;
static constexpr int kMaxMajorVersion = 3;

int64_t NpyArray::elements() const {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

std::string NpyArray::shapeText() const {
  std::string text;
  for (int64_t extent : shape)
    text += message(text.empty() ? "" : ", ", extent);
  return message("(", text, shape.size() == 1 ? ",)" : ")");
}

Status NpyArray::checkRank2(const std::string &name) const {
  if (shape.size() == 2)
    return Status::success();
  return Error{message(name, ": expected an array of rank 2, but got shape ",
                       shapeText()),
               "give the matrix as array.reshape(rows, columns)"};
}

template <typename T>
static int64_t readElement(const uint8_t *data, int64_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return static_cast<int64_t>(value);
}

int64_t NpyArray::integerAt(int64_t i) const {
  switch (type) {
  case NpyType::Bool:
    return data[i] != 0;
  case NpyType::I8:
    return readElement<int8_t>(data.data(), i);
  case NpyType::U8:
    return readElement<uint8_t>(data.data(), i);
  case NpyType::I16:
    return readElement<int16_t>(data.data(), i);
  case NpyType::U16:
    return readElement<uint16_t>(data.data(), i);
  case NpyType::I32:
    return readElement<int32_t>(data.data(), i);
  case NpyType::U32:
    return readElement<uint32_t>(data.data(), i);
  case NpyType::I64:
  case NpyType::U64:
    return readElement<int64_t>(data.data(), i);
  case NpyType::F16:
  case NpyType::F32:
  case NpyType::F64:
    return 0;
  }
  return 0;
}

/// Elements that lie column by column (the first index runs fastest), row by
/// row.
static std::vector<uint8_t> toRowMajor(const std::vector<int64_t> &shape,
                                       const uint8_t *elements, int64_t count,
                                       int64_t elementBytes) {
  size_t rank = shape.size();
  std::vector<int64_t> stride(rank, 1), index(rank, 0);
  for (size_t i = 1; i < rank; ++i)
    stride[i] = stride[i - 1] * shape[i - 1];
  std::vector<uint8_t> data(count * elementBytes);
  int64_t from = 0;
  for (int64_t to = 0; to < count; ++to) {
    std::memcpy(&data[to * elementBytes], elements + from * elementBytes,
                elementBytes);
    for (size_t i = rank; i-- > 0;) {
      from += stride[i];
      if (++index[i] < shape[i])
        break;
      from -= stride[i] * shape[i];
      index[i] = 0;
    }
  }
  return data;
}

Result<NpyArray> parseNpy(std::string_view bytes, const std::string &name) {
  if (bytes.substr(0, kMagic.size()) != kMagic)
    return Error{message(name, ": expected a .npy file, but its first bytes "
                               "are not \\x93NUMPY")};
  const Error truncated{message(name, ": the header is truncated")};
  if (bytes.size() < kPrefixBytes)
    return truncated;
  int major = static_cast<uint8_t>(bytes[kMagic.size()]);
  int minor = static_cast<uint8_t>(bytes[kMagic.size() + 1]);
  if (major < 1 || major > kMaxMajorVersion || minor != 0)
    return Error{message(name,
                         ": expected format version 1.0, 2.0 or 3.0, but "
                         "got ",
                         major, ".", minor)};
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (bytes.size() < kPrefixBytes + lengthBytes)
    return truncated;
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + kPrefixBytes, lengthBytes);
  size_t dataStart = kPrefixBytes + lengthBytes + length;
  if (bytes.size() < dataStart)
    return truncated;

  auto header =
      parseNpyHeader(bytes.substr(kPrefixBytes + lengthBytes, length));
  if (!header)
    return Error{message(name, ": ", header.error().message),
                 header.error().note};
  uint64_t expected = uint64_t(header->elements) * npyTypeBytes(header->type);
  uint64_t got = bytes.size() - dataStart;
  if (got != expected)
    return Error{message(name, ": expected ", expected, " bytes of elements (",
                         header->elements, " of type ",
                         npyTypeName(header->type), "), but got ", got)};
  NpyArray array;
  array.type = header->type;
  array.shape = std::move(header->shape);
  if (header->isFortran)
    array.data =
        toRowMajor(array.shape,
                   reinterpret_cast<const uint8_t *>(bytes.data()) + dataStart,
                   header->elements, npyTypeBytes(array.type));
  else
    array.data.assign(bytes.begin() + dataStart, bytes.end());
  return array;
}

Result<NpyArray> readNpy(const std::string &path) {
  auto bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  return parseNpy(*bytes, path);
}

Status writeNpy(const std::string &path, const NpyArray &array) {
  uint64_t expected = uint64_t(array.elements()) * npyTypeBytes(array.type);
  if (array.data.size() != expected)
    return Error{message("expected ", expected, " bytes for the array '", path,
                         "', but got ", array.data.size())};
  std::string header = printNpyHeader(array);
  size_t unpadded = kPrefixBytes + 2 + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  if (header.size() > kMaxHeaderV1)
    return Error{message("expected a header of at most ", kMaxHeaderV1,
                         " bytes for the array '", path, "', but got ",
                         header.size())};
  uint16_t length = static_cast<uint16_t>(header.size());
  std::string bytes(kMagic);
  bytes += '\1';
  bytes += '\0';
  bytes.append(reinterpret_cast<const char *>(&length), sizeof(length));
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(array.data.data()),
               array.data.size());
  return writeFile(path, bytes);
}

} // namespace mlir::magicube
