#!/usr/bin/env bash
#===- device-run.sh - Runs on the GPU what device-pack.sh packed -----------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/device-run.sh [STEP...]   (default: all, in this order)
#   conformance  every simulated intrinsic against the GPU, bit by bit
#   variants     every kernel variant against what the simulator computed
#   checked      real patterns at every V, exact for many N
#   pairs        every pair of widths, exact
#   stationary     kernels with a stationary dense operand, exact
#   sampled        kernels of sampled products, exact
#   softmax        kernels of softmax, exact
# Needs .device-carry/pack and the NVIDIA driver, no compiler. JSON rows go to
# $OUT (default device-out). The exit status is 1 if anything differs.
#
#===------------------------------------------------------------------------===#

set -uo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.device-carry/pack" || exit 1

out=${OUT:-../../device-out}
mkdir -p "$out"
out=$(cd "$out" && pwd)
steps=("$@")
((${#steps[@]})) || steps=(conformance variants checked pairs stationary sampled softmax)
failed=0

# run_cases NAME: the runs of cases/NAME.txt; failed rows are shown.
run_cases() {
  local start=$SECONDS log
  log=$(bin/magicube-launch --cases="cases/$1.txt" --time-load \
    2>&1 >"$out/$1.jsonl") || failed=1
  grep '"error"' "$out/$1.jsonl" | head -n 5
  echo "$1: ${log//$'\n'/, } in $((SECONDS - start)) s"
}

for step in "${steps[@]}"; do
  case $step in
  conformance) bin/magicube-conformance conformance || failed=1 ;;
  variants | checked | pairs | stationary | sampled | softmax) run_cases "$step" ;;
  *)
    echo "device-run.sh: error: unknown step '$step'" >&2
    exit 2
    ;;
  esac
done
exit $failed
