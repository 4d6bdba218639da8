#!/usr/bin/env bash
#===- demo.sh - From IR to an A100 kernel that runs exactly, without a GPU -===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `make demo` runs this. MATRIX=path.smtx takes a real pattern instead of the
# generated one; BUILD_DIR (default build) is where the tools were built.
#
#===------------------------------------------------------------------------===#

set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly BIN=${BUILD_DIR:-build}/bin
readonly OUT=demo-out
readonly INPUT=examples/spmm.mlir
readonly CHIP=sm_80
# The layer: each entry of the pattern is a column vector of V values.
readonly V=8 PATTERN_ROWS=256 PATTERN_COLS=2304 DENSITY=0.1 N=512

say() { echo "==> demo: $*"; }
die() {
  echo "demo.sh: error: $*" >&2
  exit 1
}

# timed COMMAND...: runs it and sets $seconds to what it took.
timed() {
  local start=${EPOCHREALTIME/./}
  "$@"
  local micros=$((${EPOCHREALTIME/./} - start))
  printf -v seconds '%d.%02d s' $((micros / 1000000)) \
    $((micros % 1000000 / 10000))
}

# Reads "rows, cols, nnz" from the first line of pattern $1 into $rows, $cols
# and $nonzeros.
read_header() {
  local rest number='^[1-9][0-9]*$'
  [[ -r $1 ]] || die "cannot read the pattern '$1'"
  IFS=$', \t\r' read -r rows cols nonzeros rest <"$1" || true
  [[ $rows =~ $number && $cols =~ $number && $nonzeros =~ ^[0-9]+$ && -z $rest ]] ||
    die "'$1' does not begin with 'rows, cols, nnz' as .smtx files do"
}

# count_instructions REGEX: how often each instruction that matches stands in
# the text on standard input, one line per form; fails if there is none.
count_instructions() {
  local counts
  counts=$(grep -oE "$1" | sort | uniq -c) || die "no MMA instruction found"
  awk '{ printf "      %4d x %s\n", $1, $2 }' <<<"$counts"
}

compile() {
  timed "$BIN/magicube-compile" "$INPUT" --chip=$CHIP --emit="$1" -o "$2"
}

mkdir -p "$OUT"
pattern=${MATRIX:-$OUT/layer.smtx}
if [[ -z ${MATRIX:-} ]]; then
  python3 scripts/make-smtx.py --rows=$PATTERN_ROWS --cols=$PATTERN_COLS \
    --density=$DENSITY -o "$pattern"
fi
read_header "$pattern"
say "sparse int8 $((rows * V)) x $cols (V = $V, $nonzeros of $((rows * cols)) vectors) times dense int8 $cols x $N"
echo "    pattern $pattern"

ptx=$OUT/spmm.$CHIP.ptx
compile ptx "$ptx"
echo "    PTX     $ptx ($seconds)"
count_instructions '\bmma\.sync\.[a-z0-9_.]+' <"$ptx"

if toolkit=$(scripts/find-ptxas.sh); then
  export MAGICUBE_CUDA_TOOLKIT=$toolkit
  cubin=$OUT/spmm.$CHIP.cubin
  compile cubin "$cubin"
  echo "    cubin   $cubin ($seconds)"
  if nvdisasm=$(scripts/find-cuda-tool.sh nvdisasm); then
    "$nvdisasm" "$cubin" | count_instructions '\b[A-Z]*MMA\.[A-Z0-9.]+'
  else
    echo "      not looked into: no nvdisasm found"
  fi
else
  echo "    cubin   left out: no ptxas found"
fi

say "run $CHIP's kernel on the host's SIMT execution, compare every element"
log=$OUT/run.log
run() {
  "$BIN/magicube-run" "$INPUT" --entry=spmm --device=sim --arg="$pattern" \
    --arg="random:${cols}x$N" --out="$OUT/result.npy" --check | tee "$log"
}
timed run
grep -qw '^exact' "$log" || die "the result was not confirmed as exact"
echo "    result  $OUT/result.npy ($seconds)"

# A small product of the same form for every pair of widths, on CHIP's kernels:
# int4 MMAs where the chip has them and they pay, int8 ones elsewhere.
readonly PAIR_ROWS=128 PAIR_INNER=300 PAIR_COLUMNS=72 PAIR_DENSITY=0.2

# try_pair LHS RHS: prints the outcome, "exact".
try_pair() {
  local name=L$1-R$2 verdict
  local file=$OUT/$name.mlir
  sed -e "s/xi8, #/xi$1, #/g" -e "s/xi8>/xi$2>/g" "$INPUT" >"$file"
  "$BIN/magicube-run" "$file" --entry=spmm --device=sim --chip=$CHIP --check \
    "--arg=random:$((PAIR_ROWS * V))x$PAIR_INNER@$PAIR_DENSITY" \
    "--arg=random:${PAIR_INNER}x$PAIR_COLUMNS" >"$OUT/$name.log" 2>&1 ||
    die "$name failed: $(head -n 3 "$OUT/$name.log")"
  verdict=$(grep -ow '^exact' "$OUT/$name.log") ||
    die "$name was not confirmed as exact"
  printf ' %-7s' "$verdict"
}

say "pairs of widths, sparse (down) by dense (across), $((PAIR_ROWS * V)) x $PAIR_INNER x $PAIR_COLUMNS"
printf '            R4      R8      R16\n'
for lhs in 4 8 12 16; do
  printf '      L%-4s' "$lhs"
  for rhs in 4 8 16; do
    try_pair "$lhs" "$rhs"
  done
  printf '\n'
done
