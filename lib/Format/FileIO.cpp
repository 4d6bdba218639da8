//===- FileIO.cpp - Whole files in and out --------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C streams for the bytes (errno says why), std::filesystem for the names.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/FileIO.h"

#include "Message.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>

namespace fs = std::filesystem;

namespace mlir::magicube {

namespace {
struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;
} // namespace

/// Bytes per read of a pipe, whose size is not known before.
static constexpr size_t kChunkBytes = size_t(1) << 20;

static Error ioError(const char *verb, const std::string &path,
                     const char *reason) {
  return Error{message("cannot ", verb, " '", path, "': ", reason)};
}

Result<std::string> readFile(const std::string &path) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return ioError("read", path, std::strerror(ENOENT));
  if (!fs::is_regular_file(status) && !fs::is_fifo(status))
    return ioError("read", path, "neither a regular file nor a pipe");
  File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return ioError("read", path, std::strerror(errno));

  std::string bytes;
  auto expected = fs::is_regular_file(status) ? fs::file_size(path, error) : 0;
  // One byte more than expected: its absence proves the end of the file.
  size_t chunk = !error && expected ? expected + 1 : kChunkBytes;
  for (size_t got = chunk; got == chunk;) {
    size_t size = bytes.size();
    bytes.resize(size + chunk);
    got = std::fread(&bytes[size], 1, chunk, file.get());
    bytes.resize(size + got);
  }
  if (std::ferror(file.get()))
    return ioError("read", path, std::strerror(errno));
  return bytes;
}

/// Writes and closes; the close can report an error of its own.
static Status writeAndClose(File file, const std::string &path,
                            std::string_view bytes) {
  bool complete =
      std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  int reason = errno;
  if (std::fclose(file.release()) != 0 && complete) {
    complete = false;
    reason = errno;
  }
  if (!complete)
    return ioError("write", path, std::strerror(reason));
  return Status::success();
}

/// A name beside `target` that no other writer has.
static std::string temporaryName(const std::string &target) {
  std::random_device device;
  return message(target, ".", device(), device(), ".tmp");
}

/// Where a chain of links ends, whether or not there is a file yet.
static Result<std::string> followLinks(const std::string &path) {
  constexpr int maxLinks = 40; // as many as Linux follows
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < maxLinks; ++i) {
    if (!fs::is_symlink(fs::symlink_status(target, error)))
      return target.string();
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  return ioError("write", path, std::strerror(ELOOP));
}

/// The path to replace: a link's file, so that the link stays.
static Result<std::string> resolveTarget(const std::string &path,
                                         const fs::file_status &status) {
  if (fs::is_directory(status))
    return ioError("write", path, std::strerror(EISDIR));
  auto target = followLinks(path);
  if (!target || !fs::exists(status))
    return target;
  // Renaming would replace a write-protected file: ask as a plain write would.
  if (!File(std::fopen(target->c_str(), "r+b")))
    return ioError("write", path, std::strerror(errno));
  return target;
}

Status writeFile(const std::string &path, std::string_view bytes) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status) &&
      !fs::is_directory(status)) {
    File file(std::fopen(path.c_str(), "wb"));
    if (!file)
      return ioError("write", path, std::strerror(errno));
    return writeAndClose(std::move(file), path, bytes);
  }
  auto target = resolveTarget(path, status);
  if (!target)
    return target.error();

  std::string temporary = temporaryName(*target);
  File file(std::fopen(temporary.c_str(), "wbx"));
  if (!file)
    return ioError("write", path, std::strerror(errno));
  Status written = writeAndClose(std::move(file), path, bytes);
  if (written && fs::exists(status))
    fs::permissions(temporary, status.permissions(), error);
  if (written) {
    fs::rename(temporary, *target, error);
    if (error)
      written = ioError("write", path, error.message().c_str());
  }
  if (!written)
    fs::remove(temporary, error);
  return written;
}

} // namespace mlir::magicube
