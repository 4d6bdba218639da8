//===- ChunkLayout.h - A chunk of K of a sampled product ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout object of C = A * B^T at the vectors of a pattern: who loads what
// of a row, and how words become operands of MMAs.
//
//===----------------------------------------------------------------------===//
//
// Operands are swapped, as in StepLayout: 16 rows of the rhs, which the stored
// positions name, are MMA operand A; the V rows of the lhs that a vector-row
// has are operand B. Both have K contiguous, so nothing is transposed, and the
// order of K does not matter as long as both operands have the same.
//
//   position  a step takes 32 stored positions in two tiles of 16: row g + 8h
//             of tile q is position 4g + 2q + h. So the four lanes 4g + t load
//             the column indices of positions 4g to 4g + 3 at once, and end
//             with the results of just those, of components 2t and 2t + 1.
//   chunk     64 bytes of each row of the rhs: lane 4g + t loads the 16 bytes
//             from 16t on of the rows of its four positions, and what stands
//             for the same elements of K of row g (and g + 8) of the lhs.
//   words     an MMA takes two words of each, one for either half of its k: of
//             four words the first and the third, then the others. So half of
//             the registers that a load of 16 bytes fills are where operand A
//             wants them, and the others change places with those of the other
//             row. Wide operands are split into planes of bytes first; 4-bit
//             ones in 8-bit MMAs into even and odd elements, which is then the
//             order of K.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_CHUNKLAYOUT_H
#define MAGICUBE_LAYOUT_CHUNKLAYOUT_H

#include "magicube/Layout/OperandPlanes.h"

namespace mlir::magicube {

/// Bytes of a row of the rhs that a lane loads of a chunk, and the lanes of a
/// row together.
inline constexpr int32_t kLaneChunkBytes = 16;
inline constexpr int32_t kChunkRowBytes = kMmaGroupLanes * kLaneChunkBytes;

/// Tiles of 16 positions in a step.
inline constexpr int32_t kPositionTiles = 2;
/// Neighbouring positions that a lane has.
inline constexpr int32_t kLanePositionRun = 4;

/// Widths of operands and of the MMAs' operands, in bits.
struct ChunkWidths {
  int32_t lhs = 8, rhs = 8;
  /// 8; or 4, for two operands of 4 bits.
  int32_t compute = 8;
};

/// What a lane makes of the words that it loads of a row.
struct ChunkOperand {
  int32_t bits;
  /// 32-bit words of a lane in a chunk.
  int32_t words;
  /// Digits, the lowest first. Their registers are one or two words each.
  std::vector<OperandPlane> planes;
  /// Permutes of a plane's registers that put them into the order of K, each of
  /// two registers of the plane; empty: they are in it.
  std::vector<BytePermute> order;

  /// Bytes of a lane in a chunk.
  int32_t laneBytes() const { return words * 4; }
};

struct ChunkLayout {
  ChunkWidths widths;
  const MmaInstruction *mma;
  /// Elements of K of a lane in a chunk.
  int32_t laneElements;
  ChunkOperand lhs, rhs;

  /// Elements of K in a chunk.
  int32_t elements() const { return kMmaGroupLanes * laneElements; }
  /// MMAs along K in a chunk, of each pair of planes.
  int32_t slices() const { return elements() / mma->k; }
  /// Row (0, or 1 for those 8 further on) of register `reg` of operand A.
  int32_t rowOfA(int32_t reg) const;
  /// The word of a lane's that register `reg` of operand A or B of a slice is.
  int32_t wordOfA(int32_t slice, int32_t reg) const;
  int32_t wordOfB(int32_t slice, int32_t reg) const;
};

/// Errors: widths that there is nothing for.
Result<ChunkLayout> getChunkLayout(ChunkWidths widths);

/// (fragment, m) -> (position); a fragment is a tile of 16 positions.
LinearLayout positionLayout();

/// (lane) -> (position): the first of the lane's neighbouring positions.
LinearLayout positionsOfLane();

/// (fragment, lane, register) -> (position, vector) of accumulators.
LinearLayout sampledOutput(const MmaInstruction &mma);

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_CHUNKLAYOUT_H
