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
#   timed        median kernel times (graph replay)
#   pairs        every pair of widths, exact and timed
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
((${#steps[@]})) || steps=(conformance variants checked timed pairs)
failed=0

# run_cases NAME: the runs of cases/NAME.txt; failed rows are shown.
run_cases() {
  local start=$SECONDS log
  log=$(bin/magicube-launch --cases="cases/$1.txt" --time-load \
    2>&1 >"$out/$1.jsonl") || failed=1
  grep '"error"' "$out/$1.jsonl" | head -n 5
  echo "$1: ${log//$'\n'/, } in $((SECONDS - start)) s"
}

# The measured rows as a table in timed.txt; V = 8 at N = 512 and the random
# patterns are shown.
print_table() {
  python3 - "$out/$1.jsonl" >"$out/$1.txt" <<'PYTHON'
import json
import sys

for line in open(sys.argv[1]):
    row = json.loads(line)
    if "median_us" in row:
        print(f"{row['name'][-58:]:58} V={row['v']:<2} {row['m']:>6}x{row['k']}"
              f"x{row['n']} {row['median_us']:9.2f} us {row['tops']:7.1f} TOP/s")
PYTHON
  grep -E '^random| V=8 .*x512 ' "$out/$1.txt"
}

for step in "${steps[@]}"; do
  case $step in
  conformance) bin/magicube-conformance conformance || failed=1 ;;
  variants | checked) run_cases "$step" ;;
  timed)
    run_cases timed
    print_table timed
    ;;
  pairs)
    run_cases pairs
    print_table pairs
    ;;
  *)
    echo "device-run.sh: error: unknown step '$step'" >&2
    exit 2
    ;;
  esac
done
exit $failed
