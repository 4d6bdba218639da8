#!/usr/bin/env bash
#===- run.sh - Measures on the GPU what pack.sh packed ---------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: benchmarks/run.sh [STEP...]     (default: all, in this order)
#   machine   chip, driver, clocks, versions                    -> machine.txt
#   timed     our products, each checked and then timed         -> timed.jsonl
#   pairs     every pair of widths, checked and timed           -> pairs.jsonl
#   published the published system's pairs, on all matrices     -> published.jsonl
#   sampled   SDDMM and softmax, each checked and then timed    -> sampled.jsonl
#   ceilings  what the chip can do                              -> ceilings.jsonl
#   peers     other libraries on the products of timed.jsonl    -> peers.jsonl
#   trace     kernel times as CUPTI sees them, a second opinion -> trace.jsonl
# Needs .device-carry/bench and the driver, and python3 with torch for the peers;
# no LLVM. Files go to $OUT (default device-out), clocks.csv with the clocks
# during the run among them. PEER_SECONDS (default 230) bounds the peers. The exit
# status is 1 if a product of ours is wrong or a step fails.
#
#===------------------------------------------------------------------------===#

set -uo pipefail
export LC_ALL=C PYTHONUNBUFFERED=1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$here/../device-out}
mkdir -p "$out"
out=$(cd "$out" && pwd)
# pack.sh puts a copy of this folder into the pack, so that the pack is all that
# must travel.
pack=$here/../.device-carry/bench
[[ -x $here/../bin/magicube-launch ]] && pack=$here/..
cd "$pack" || exit 1
readonly here out pack
steps=("$@")
((${#steps[@]})) || steps=(machine timed pairs published sampled ceilings peers trace)
failed=0

fail() {
  echo "run.sh: error: $*" >&2
  failed=1
}

# run_cases OUTPUT GROUP...: our products; failed rows are shown.
run_cases() {
  local output=$1 group log
  shift
  : >"$out/$output"
  for group in "$@"; do
    [[ -s cases/$group.txt ]] || { fail "no cases/$group.txt"; continue; }
    log=$(bin/magicube-launch --cases="cases/$group.txt" --time-load 2>&1 \
      >>"$out/$output") || fail "a product of $group failed"
    echo "$group: ${log//$'\n'/, }"
  done
  grep '"error"' "$out/$output" | head -n 5
}

machine() {
  {
    echo "commit $(tr '\n' ' ' <commit)"
    date -u +"date %Y-%m-%dT%H:%M:%SZ"
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit,temperature.gpu,memory.total \
      --format=csv
    python3 --version
    uname -a
    grep -m 1 'model name' /proc/cpuinfo
  } >"$out/machine.txt" 2>&1
  sed -n 1,5p "$out/machine.txt"
}

# Programs of pack.sh, or compiled here if they do not run here.
program() {
  local nvcc
  if [[ ! -x bin/$1 ]] || { [[ $1 == ceilings ]] && ! ldd bin/ceilings >/dev/null; }; then
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    "$here/build-programs.sh" "$nvcc" bin || fail "cannot compile $1"
  fi
}

ceilings() {
  program ceilings
  bin/ceilings >"$out/ceilings.jsonl" || fail "ceilings"
  cut -d, -f1-3 "$out/ceilings.jsonl"
}

# One process for each kind of library: an error of the GPU in one leaves the
# others alone.
peers() {
  local systems share
  : >"$out/peers.jsonl"
  while read -r share systems; do
    python3 "$here/peers.py" "$out/timed.jsonl" --root=. --systems="$systems" \
      --budget="$((${PEER_SECONDS:-230} * share / 100))" \
      >>"$out/peers.jsonl" 2>"$out/peers.err" || fail "peers of $systems"
    grep -v '^ \|^Traceback\|^$' "$out/peers.err" | tail -n 12
  done <<SHARES
20 dense_int8,dense_fp16
10 cusparselt_int8
30 bell8_int8,bell8_fp16,bell16_int8,bell16_fp16
30 csr_int8,csr_fp16
10 triton_bsr16_fp16
SHARES
  rm -f "$out/peers.err"
}

# Each case in a process of its own: kernels of all cases have the same name.
trace() {
  local line count=0 library
  program kernel_trace.so
  library=$(python3 -c '
import glob, os, site
roots = [f"{s}/nvidia" for s in site.getsitepackages()] + ["/usr/local"]
paths = [path for root in roots for path in sorted(
    glob.glob(f"{root}/cu*/**/libcupti.so.13*", recursive=True))]
print(*paths[:1])')
  : >"$out/trace.jsonl"
  while read -r line; do
    echo "{\"case\":\"${line//\"/\\\"}\"}" >>"$out/trace.jsonl"
    # shellcheck disable=SC2086  # the words of a case
    CUDA_INJECTION64_PATH=$PWD/bin/kernel_trace.so \
      KERNEL_TRACE_CUPTI=${library:-libcupti.so.13} \
      KERNEL_TRACE_OUT=$out/trace.jsonl \
      bin/magicube-launch $line >/dev/null || fail "tracing '$line'"
    count=$((count + 1))
  done < <(grep -h 'bundles/v8\.' cases/layer.txt cases/llm.txt |
    grep -E 'rn50|4096x4096@.*x(256|4096) ')
  echo "trace: $count cases, $(grep -c median_us "$out/trace.jsonl") kernels"
}

if command -v nvidia-smi >/dev/null; then
  nvidia-smi --query-gpu=timestamp,clocks.sm,clocks.mem,power.draw,temperature.gpu \
    --format=csv,noheader,nounits --loop-ms=500 >"$out/clocks.csv" 2>/dev/null &
  sampler=$!
  trap 'kill "$sampler" 2>/dev/null' EXIT
fi

for step in "${steps[@]}"; do
  start=$SECONDS
  case $step in
  machine) machine ;;
  timed) run_cases timed.jsonl layer llm decode matrices ;;
  pairs | published) run_cases "$step.jsonl" "$step" ;;
  sampled) run_cases sampled.jsonl sampled softmax ;;
  ceilings) ceilings ;;
  peers) peers ;;
  trace) trace ;;
  *)
    echo "run.sh: error: unknown step '$step'" >&2
    exit 2
    ;;
  esac
  echo "== $step: $((SECONDS - start)) s"
done
exit $failed
