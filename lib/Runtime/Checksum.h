//===- Checksum.h - Damage of images --------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_RUNTIME_CHECKSUM_H
#define MAGICUBE_LIB_RUNTIME_CHECKSUM_H

#include <array>
#include <cstdint>
#include <string_view>

namespace mlir::magicube {

/// CRC-32 of Ethernet, gzip and PNG (RFC 1952, section 8). Finds every change
/// of up to 32 bits in a row.
inline uint32_t computeCrc32(std::string_view bytes) {
  constexpr uint32_t polynomial = 0xEDB88320;
  static const auto table = [] {
    std::array<uint32_t, 256> remainders{};
    for (uint32_t byte = 0; byte < remainders.size(); ++byte) {
      uint32_t remainder = byte;
      for (int bit = 0; bit < 8; ++bit)
        remainder = remainder >> 1 ^ (remainder & 1 ? polynomial : 0);
      remainders[byte] = remainder;
    }
    return remainders;
  }();
  uint32_t crc = ~uint32_t(0);
  for (char byte : bytes)
    crc = crc >> 8 ^ table[(crc ^ static_cast<uint8_t>(byte)) & 0xFF];
  return ~crc;
}

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_RUNTIME_CHECKSUM_H
