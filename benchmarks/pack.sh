#!/usr/bin/env bash
#===- pack.sh - Packs what is measured on a GPU machine without LLVM -------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: benchmarks/pack.sh              fills .device-carry/bench
# Then, on the machine with the GPU:    benchmarks/run.sh, or the copy of it in
# the pack, .device-carry/bench/benchmarks/run.sh.
#
# Bundles of bundles.tsv and of every pair of widths, the cases of cases.py, and
# the programs that measure the chip. Bundles without a schedule of their own are
# compiled for each matrix, for the last of CHIPS alone (defaults.py). BUILD_DIR, CHIPS and DATA: see
# scripts/device-common.sh. NVCC (default: of the CUDA toolkit) compiles
# ceilings.cu and kernel_trace.cpp; without it run.sh compiles them there.
#
#===------------------------------------------------------------------------===#

set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly CARRY=.device-carry/bench
readonly MAX_MIB=60
. scripts/device-common.sh

pack_bundles() {
  local name encoding schedule groups
  while IFS=$'\t' read -r name encoding schedule groups; do
    [[ -n $name && $name != \#* ]] || continue
    [[ $schedule == - ]] && continue # by cases.py
    write_product "$CARRY/bundles/$name.mlir" "$encoding" \
      "{schedule = $schedule}"
    compile "$name" "$CHIPS"
  done <benchmarks/bundles.tsv
}

pack_programs() {
  local nvcc
  if nvcc=${NVCC:-$(scripts/find-cuda-tool.sh nvcc)}; then
    benchmarks/build-programs.sh "$nvcc" "$CARRY/bin" ||
      die "ceilings.cu or kernel_trace.cpp does not compile"
  else
    echo "pack.sh: no nvcc here; run.sh compiles the programs there" >&2
  fi
}

start_pack
pack_bundles
pack_programs
python3 benchmarks/cases.py "$CARRY" "$BIN/magicube-compile" "${CHIPS##*,}" ||
  die "no bundles for the cases"
python3 benchmarks/sampled.py "$CARRY" "$BIN/magicube-compile" "${CHIPS##*,}" ||
  die "no bundles for SDDMM and softmax"
mkdir "$CARRY/benchmarks"
cp benchmarks/*.{py,sh,cu,cpp,tsv} "$CARRY/benchmarks/"
git rev-parse HEAD >"$CARRY/commit"
git diff --quiet HEAD -- || echo "with uncommitted changes" >>"$CARRY/commit"
finish_pack
