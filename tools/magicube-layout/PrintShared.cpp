//===- PrintShared.cpp - Tiles in shared memory ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Banks of chunks and wavefronts of ldmatrix phases, from SharedMemoryLayout.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "Printers.h"

#include "magicube/Layout/SharedMemoryLayout.h"

#include <algorithm>
#include <ostream>

using namespace mlir::magicube;

/// Most rows and bytes of a row that are worth reading.
static constexpr int kMaxRows = 1024;
static constexpr int kMaxRowBytes = 4096;

static Result<SharedMemoryForm> parseForm(const std::string &form) {
  if (form == "conflict-free")
    return SharedMemoryForm::conflictFree;
  if (form == "padded")
    return SharedMemoryForm::padded;
  if (form == "plain")
    return SharedMemoryForm::plain;
  return Error{"unknown form '" + form +
               "', expected conflict-free, padded or plain"};
}

static void printHeader(const SharedMemoryLayout &tile, const std::string &form,
                        int rowBytes, std::ostream &os) {
  os << "tile of " << tile.rows << " rows of " << rowBytes << " bytes, " << form
     << ": pitch " << tile.pitchBytes << " bytes, " << tile.sizeInBytes()
     << " bytes in all\nchunk c of row r is at r * " << tile.pitchBytes << " + "
     << kLdmatrixRowBytes << " * ";
  if (tile.swizzleMask == 0)
    os << "c\n";
  else if (tile.swizzleRowShift == 0)
    os << "(c ^ (r & " << tile.swizzleMask << "))\n";
  else
    os << "(c ^ (r >> " << tile.swizzleRowShift << " & " << tile.swizzleMask
       << "))\n";
}

/// The chunks that hold data, without those that only pad.
static int dataChunks(int rowBytes) {
  return (rowBytes + kLdmatrixRowBytes - 1) / kLdmatrixRowBytes;
}

static void printBanks(const SharedMemoryLayout &tile, int chunks,
                       std::ostream &os) {
  os << "\nfirst of the " << kLdmatrixRowBytes / kSharedMemoryBankBytes
     << " banks of each chunk\n";
  Grid grid("row \\ chunk", rangeLabels(chunks));
  for (int row = 0; row < tile.rows; ++row) {
    std::vector<std::string> cells;
    for (int chunk = 0; chunk < chunks; ++chunk)
      cells.push_back(
          std::to_string(tile.offset(row, chunk) / kSharedMemoryBankBytes %
                         kSharedMemoryBanks));
    grid.addRow(std::to_string(row), std::move(cells));
  }
  grid.print(os);
}

static void printWavefronts(const SharedMemoryLayout &tile, int chunks,
                            std::ostream &os) {
  os << "\nwavefronts of an ldmatrix phase that reads one chunk of "
     << kLdmatrixPhaseRows << " rows (1: no conflict)\n";
  Grid grid("rows \\ chunk", rangeLabels(chunks));
  for (int first = 0; first < tile.rows; first += kLdmatrixPhaseRows) {
    int last = std::min(first + kLdmatrixPhaseRows, tile.rows);
    std::vector<std::string> cells;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      std::vector<int64_t> offsets;
      for (int row = first; row < last; ++row)
        offsets.push_back(tile.offset(row, chunk));
      cells.push_back(std::to_string(countWavefronts(offsets)));
    }
    grid.addRow(rangeLabels(last - first, last - first, first).front(),
                std::move(cells));
  }
  grid.print(os);
}

Status mlir::magicube::printShared(const Options &options, std::ostream &os) {
  Result<int> rows = options.getNumber("rows", 32, 1, kMaxRows);
  if (!rows)
    return rows.error();
  Result<int> rowBytes = options.getNumber("row-bytes", 128, 1, kMaxRowBytes);
  if (!rowBytes)
    return rowBytes.error();
  std::string name = options.get("form", "conflict-free");
  Result<SharedMemoryForm> form = parseForm(name);
  if (!form)
    return form.error();
  SharedMemoryLayout tile = SharedMemoryLayout::get(*rows, *rowBytes, *form);
  printHeader(tile, name, *rowBytes, os);
  printBanks(tile, dataChunks(*rowBytes), os);
  printWavefronts(tile, dataChunks(*rowBytes), os);
  return Status::success();
}
