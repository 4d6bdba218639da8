//===- SpecialRegisters.cpp - Special registers of a thread ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecialRegisters.h"

#include "Intrinsics.h"

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

namespace {

struct NamedRegister {
  std::string_view name;
  SpecialRegister reg;
};

constexpr NamedRegister namedRegisters[] = {
    {"tid.x", TidX},
    {"tid.y", TidY},
    {"tid.z", TidZ},
    {"tid.w", Zero},
    {"ntid.x", NtidX},
    {"ntid.y", NtidY},
    {"ntid.z", NtidZ},
    {"ntid.w", One},
    {"ctaid.x", CtaidX},
    {"ctaid.y", CtaidY},
    {"ctaid.z", CtaidZ},
    {"ctaid.w", Zero},
    {"nctaid.x", NctaidX},
    {"nctaid.y", NctaidY},
    {"nctaid.z", NctaidZ},
    {"nctaid.w", One},
    {"laneid", LaneId},
    {"warpid", WarpId},
    {"nwarpid", NwarpId},
    {"warpsize", WarpSize},
    {"lanemask.eq", LaneMaskEq},
    {"lanemask.le", LaneMaskLe},
    {"lanemask.lt", LaneMaskLt},
    {"lanemask.ge", LaneMaskGe},
    {"lanemask.gt", LaneMaskGt},
    {"dynamic_smem_size", DynamicSmemSize},
    {"total_smem_size", TotalSmemSize},
    {"aggr_smem_size", TotalSmemSize},
    {"smid", Zero},
    {"nsmid", One},
    {"gridid", Zero},
    // Clusters of one block.
    {"clusterid.x", CtaidX},
    {"clusterid.y", CtaidY},
    {"clusterid.z", CtaidZ},
    {"nclusterid.x", NctaidX},
    {"nclusterid.y", NctaidY},
    {"nclusterid.z", NctaidZ},
    {"cluster.ctaid.x", Zero},
    {"cluster.ctaid.y", Zero},
    {"cluster.ctaid.z", Zero},
    {"cluster.nctaid.x", One},
    {"cluster.nctaid.y", One},
    {"cluster.nctaid.z", One},
    {"cluster.ctarank", Zero},
    {"cluster.nctarank", One},
};

} // namespace

std::optional<SpecialRegister> sim::findSpecialRegister(std::string_view name) {
  for (const NamedRegister &named : namedRegisters)
    if (named.name == name)
      return named.reg;
  return std::nullopt;
}

void sim::setThreadRegisters(SpecialRegisters &registers, unsigned thread,
                             Dim3 grid, Dim3 block, uint32_t dynamicSharedBytes,
                             uint64_t sharedBytes) {
  unsigned threads = block.x * block.y * block.z;
  unsigned lane = thread % warpSize;
  uint32_t bit = laneBit(lane);
  registers[TidX] = thread % block.x;
  registers[TidY] = thread / block.x % block.y;
  registers[TidZ] = thread / (block.x * block.y);
  registers[NtidX] = block.x;
  registers[NtidY] = block.y;
  registers[NtidZ] = block.z;
  registers[NctaidX] = grid.x;
  registers[NctaidY] = grid.y;
  registers[NctaidZ] = grid.z;
  registers[LaneId] = lane;
  registers[WarpId] = thread / warpSize;
  registers[NwarpId] = (threads + warpSize - 1) / warpSize;
  registers[WarpSize] = warpSize;
  registers[LaneMaskEq] = bit;
  registers[LaneMaskLt] = bit - 1;
  registers[LaneMaskLe] = bit | (bit - 1);
  registers[LaneMaskGt] = ~(bit | (bit - 1));
  registers[LaneMaskGe] = ~(bit - 1);
  registers[DynamicSmemSize] = dynamicSharedBytes;
  registers[TotalSmemSize] = static_cast<uint32_t>(sharedBytes);
  registers[Zero] = 0;
  registers[One] = 1;
}
