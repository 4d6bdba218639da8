//===- TextFile.cpp - Text files, plain or packed by gzip -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zlib unpacks and checks lengths and sums of the members.
//
//===----------------------------------------------------------------------===//

#include "TextFile.h"

#include "Message.h"

#include "magicube/Format/FileIO.h"

#include <algorithm>

#include <zlib.h>

namespace mlir::magicube {

static constexpr std::string_view kGzipMagic = "\x1F\x8B";
/// zlib's argument for the largest window and the format of gzip.
static constexpr int kGzipWindowBits = MAX_WBITS + 16;
/// Bytes by which the text grows.
static constexpr size_t kChunkBytes = size_t(1) << 20;

int64_t unpackedLimit(int64_t packedBytes) {
  constexpr int64_t small = int64_t(1) << 26, most = int64_t(1) << 32;
  constexpr int64_t perByte = 256;
  return std::min(most, std::max(small, packedBytes * perByte));
}

namespace {

/// An inflater and its memory.
class Inflater {
public:
  Inflater() { isReady = inflateInit2(&stream, kGzipWindowBits) == Z_OK; }
  ~Inflater() {
    if (isReady)
      inflateEnd(&stream);
  }
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;

  /// Unpacks the member that `packed` begins with and takes it off. Stops when
  /// `text` exceeds `limit`.
  int unpackMember(std::string_view &packed, std::string &text, size_t limit);

private:
  z_stream stream = {};
  bool isReady;
};

} // namespace

int Inflater::unpackMember(std::string_view &packed, std::string &text,
                           size_t limit) {
  if (!isReady || inflateReset(&stream) != Z_OK)
    return Z_MEM_ERROR;
  int code = Z_OK;
  while (code == Z_OK && text.size() <= limit) {
    // zlib counts in 32 bits.
    size_t taken = std::min(packed.size(), kChunkBytes);
    size_t size = text.size();
    text.resize(size + kChunkBytes);
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
    stream.avail_in = static_cast<uInt>(taken);
    stream.next_out = reinterpret_cast<Bytef *>(&text[size]);
    stream.avail_out = static_cast<uInt>(kChunkBytes);
    code = inflate(&stream, Z_NO_FLUSH);
    packed.remove_prefix(taken - stream.avail_in);
    text.resize(size + kChunkBytes - stream.avail_out);
  }
  return code;
}

Result<std::string> unpackGzip(std::string_view packed,
                               const std::string &name) {
  size_t limit = static_cast<size_t>(unpackedLimit(packed.size()));
  size_t packedBytes = packed.size();
  Inflater inflater;
  std::string text;
  // Zeros may fill the file up.
  while (packed.find_first_not_of('\0') != std::string_view::npos) {
    int code = inflater.unpackMember(packed, text, limit);
    if (text.size() > limit)
      return Error{message(name, ": expected at most ", limit,
                           " bytes of text in a gzip file of ", packedBytes,
                           " bytes, but got more"),
                   "unpack it with gunzip and pass the text"};
    if (code == Z_BUF_ERROR)
      return Error{message(name, ": the gzip file is truncated")};
    if (code != Z_STREAM_END)
      return Error{message(name, ": the gzip file is damaged")};
  }
  return text;
}

Result<std::string> readText(const std::string &path) {
  auto bytes = readFile(path);
  if (!bytes)
    return bytes;
  auto startsWith = [&](std::string_view mark) {
    return std::string_view(*bytes).substr(0, mark.size()) == mark;
  };
  if (startsWith(kGzipMagic))
    return unpackGzip(*bytes, path);
  // Windows shells write it when output is sent to a file.
  if (startsWith("\xFF\xFE") || startsWith("\xFE\xFF"))
    return Error{message(path, ": expected text in UTF-8, but got UTF-16"),
                 "save the file in another encoding"};
  return bytes;
}

} // namespace mlir::magicube
