#!/usr/bin/env bash
#===- device-pack.sh - Packs what a GPU machine without LLVM needs ---------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/device-pack.sh        fills .device-carry/pack
# Then, on the machine with the GPU:  scripts/device-run.sh
#
# BUILD_DIR (default build): where the tools were built. CHIPS (default
# sm_80,sm_90,sim): chips of the bundles. DATA (default ../shared/data/dlmc): a
# folder of .smtx patterns; without it only random patterns are packed.
#
#===------------------------------------------------------------------------===#

set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly BUILD=${BUILD_DIR:-build} CHIPS=${CHIPS:-sm_80,sm_90,sim}
readonly DATA=${DATA:-../shared/data/dlmc}
readonly CARRY=.device-carry/pack
readonly MAX_MIB=40
readonly VECTORS="1 2 4 8 16"
# Columns of the dense operand: odd, short, and not a multiple of a tile.
readonly CHECKED_COLUMNS="1 7 128 130 256"
readonly TIMED_COLUMNS="128 256 512"
readonly REPEAT=20

die() {
  echo "device-pack.sh: error: $*" >&2
  exit 1
}

if toolkit=$(scripts/find-ptxas.sh); then
  export MAGICUBE_CUDA_TOOLKIT=$toolkit
else
  die "no ptxas found: run scripts/setup.sh --cuda or set MAGICUBE_CUDA_TOOLKIT"
fi
[[ -x $BUILD/bin/magicube-launch ]] ||
  die "no $BUILD/bin/magicube-launch: build first, or set BUILD_DIR"

rm -rf "$CARRY"
mkdir -p "$CARRY"/{bin,bundles,cases,dlmc}
cp "$BUILD"/bin/magicube-launch "$BUILD"/lib/libmagicube_runtime.so \
  "$CARRY/bin/"

# compile NAME V ATTRIBUTES: the bundle of one product.
compile() {
  local input="$CARRY/bundles/$1.mlir"
  sed -e "s/vector = 8/vector = $2/" -e "s/magicube\.spmm %a, %b/& $3/" \
    examples/spmm.mlir >"$input"
  "$BUILD/bin/magicube-compile" "$input" --chip="$CHIPS" --emit=bundle \
    -o "$CARRY/bundles/$1.bundle"
}

for v in $VECTORS; do
  compile "v$v" "$v" ""
  compile "v${v}_unsigned" "$v" "{unsigned_lhs, unsigned_rhs}"
done

# Every line is one run of magicube-launch; paths are relative to the folder.
checked=$CARRY/cases/checked.txt timed=$CARRY/cases/timed.txt
: >"$checked"
: >"$timed"
if [[ -d $DATA ]]; then
  cp -r "$DATA"/. "$CARRY/dlmc/"
  find "$CARRY/dlmc" -type f ! -name '*.smtx' -delete
fi
while read -r pattern; do
  IFS=', ' read -r _ cols _ <"$pattern"
  file=${pattern#"$CARRY/"}
  for v in $VECTORS; do
    for n in $CHECKED_COLUMNS; do
      echo "bundles/v$v.bundle --name=${file#dlmc/} --arg=$file --arg=random:${cols}x$n --check" >>"$checked"
    done
    echo "bundles/v${v}_unsigned.bundle --name=${file#dlmc/} --arg=$file --arg=random:${cols}x128 --check --seed=1" >>"$checked"
    for n in $TIMED_COLUMNS; do
      echo "bundles/v$v.bundle --name=${file#dlmc/} --arg=$file --arg=random:${cols}x$n --repeat=$REPEAT" >>"$timed"
    done
  done
done < <(find "$CARRY/dlmc" -name '*.smtx' | sort)

# random_case M K N DENSITY: a uniformly random pattern at V = 8.
random_case() {
  echo "bundles/v8.bundle --name=random --arg=random:$1x$2@$4 --arg=random:$2x$3 --repeat=$REPEAT" >>"$timed"
}
random_case 4096 512 256 0.1
random_case 16384 512 256 0.1
for density in 0.3 0.1 0.05; do
  random_case 4096 4096 4096 $density
done
random_case 4096 4096 1024 0.1

size=$(du -sm "$CARRY" | cut -f1)
((size <= MAX_MIB)) || die "$CARRY has $size MiB, but at most $MAX_MIB may travel"
echo "$CARRY: $size MiB, $(wc -l <"$checked") checked and $(wc -l <"$timed") timed runs"
