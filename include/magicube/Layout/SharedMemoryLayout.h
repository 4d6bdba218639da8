//===- SharedMemoryLayout.h - Conflict-free tiles in shared memory --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where row r, 16-byte chunk c of a tile lies. The same three numbers serve the
// fill, the ldmatrix addresses and the tests.
//
//===----------------------------------------------------------------------===//
//
// ldmatrix reads one 8x8 matrix at a time: 8 rows, the same chunk of each. 16
// bytes are 4 of the 32 banks, so there are 8 bank groups, and a read is free
// of conflicts if its 8 chunks lie in 8 different groups. The group of chunk c
// of row r is (r * pitch / 16 + c') mod 8, c' being where chunk c was put.
//
//   pitch / 16 odd    r * odd mod 8 already differs for 8 rows with different
//                     r mod 8: c' = c.
//   pitch / 16 even,  = 2^j * odd. The upper 3 - j bits of the group differ
//   with
//                     the low 3 - j bits of r; the low j bits are the same for
//                     all rows, so XOR the remaining j bits of r into them:
//                     c' = c ^ ((r >> (3 - j)) & (2^j - 1)), j at most 3.
//
// c' stays inside the row, since the pitch is a multiple of 2^j chunks. So
// every pitch that is a multiple of 16 bytes is free of conflicts without
// padding, for any 8 rows with distinct r mod 8 (not only consecutive ones;
// this is what the bank-aware vector order provides).
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_SHAREDMEMORYLAYOUT_H
#define MAGICUBE_LAYOUT_SHAREDMEMORYLAYOUT_H

#include "magicube/Target/GpuTarget.h"

#include <cstdint>
#include <vector>

namespace mlir::magicube {

/// How conflicts are avoided. `conflictFree` is the one to use; the others
/// exist so that its worth can be measured (schedule field, ablations).
enum class SharedMemoryForm {
  /// The cheapest form without conflicts and without padding; see above.
  conflictFree,
  /// No swizzle; rows padded to an odd number of chunks. Free of conflicts too,
  /// costs up to one chunk a row.
  padded,
  /// Neither swizzle nor padding.
  plain,
};

/// A tile of `rows` rows in shared memory. Byte (row, 16 * chunk + b) is at
/// row * pitchBytes + 16 * place + b, where
/// place = chunk ^ ((row >> swizzleRowShift) & swizzleMask).
struct SharedMemoryLayout {
  int32_t rows;
  /// Distance of two rows in bytes, a multiple of 16.
  int32_t pitchBytes;
  /// 0 (no swizzle), 1, 3 or 7.
  int32_t swizzleMask;
  int32_t swizzleRowShift;

  /// The layout of `rows` >= 0 rows of `rowBytes` >= 0 bytes, rounded up to
  /// whole chunks.
  static SharedMemoryLayout
  get(int32_t rows, int32_t rowBytes,
      SharedMemoryForm form = SharedMemoryForm::conflictFree);

  /// Distance of two rows of `rowBytes` bytes.
  static int64_t getPitch(int64_t rowBytes, SharedMemoryForm form);

  int32_t chunksPerRow() const { return pitchBytes / kLdmatrixRowBytes; }
  int64_t sizeInBytes() const { return int64_t(rows) * pitchBytes; }

  /// The place in its row where a chunk is kept. An involution: the chunk found
  /// at place p of a row is swizzledChunk(row, p).
  int32_t swizzledChunk(int32_t row, int32_t chunk) const {
    return chunk ^ ((row >> swizzleRowShift) & swizzleMask);
  }
  /// Byte offset of a chunk from the start of the tile.
  int64_t offset(int32_t row, int32_t chunk) const {
    return int64_t(row) * pitchBytes +
           int64_t(swizzledChunk(row, chunk)) * kLdmatrixRowBytes;
  }

  bool operator==(const SharedMemoryLayout &other) const {
    return rows == other.rows && pitchBytes == other.pitchBytes &&
           swizzleMask == other.swizzleMask &&
           swizzleRowShift == other.swizzleRowShift;
  }
};

/// Passes over shared memory that one ldmatrix phase takes: the largest number
/// of different 16-byte chunks in one bank group. `offsets` are the byte
/// addresses of its (up to 8) rows; 1 is ideal, equal addresses are one read.
int32_t countWavefronts(const std::vector<int64_t> &offsets);

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_SHAREDMEMORYLAYOUT_H
