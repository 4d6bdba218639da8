#!/usr/bin/env bash
#===- device-common.sh - What the packing scripts share --------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced at the repository root by scripts/device-pack.sh and
# benchmarks/pack.sh, which set CARRY, the folder to fill, and MAX_MIB, its
# largest size.
#
# BUILD_DIR (default build): where the tools were built. CHIPS (default
# sm_80,sm_90): what to compile for. DATA (default ../shared/data/dlmc): a folder
# of .smtx patterns; without it only random patterns are packed.
#
#===------------------------------------------------------------------------===#

readonly BUILD=${BUILD_DIR:-build} CHIPS=${CHIPS:-sm_80,sm_90}
readonly DATA=${DATA:-../shared/data/dlmc}

die() {
  echo "$(basename "$0"): error: $*" >&2
  exit 1
}

# start_pack TOOL...: empties CARRY and puts the runner there; BIN and the
# toolkit are set. The tools must have been built.
start_pack() {
  local toolkit tool
  if toolkit=$(scripts/find-ptxas.sh); then
    export MAGICUBE_CUDA_TOOLKIT=$toolkit
  else
    die "no ptxas found: run scripts/setup.sh --cuda or set MAGICUBE_CUDA_TOOLKIT"
  fi
  BIN=$(cd "$BUILD/bin" && pwd) || die "no $BUILD/bin: build first, or set BUILD_DIR"
  readonly BIN
  for tool in magicube-compile magicube-launch "$@"; do
    [[ -x $BIN/$tool ]] || die "no $BIN/$tool: build it first"
  done
  rm -rf "$CARRY"
  mkdir -p "$CARRY"/{bin,bundles,cases,dlmc}
  cp "$BIN/magicube-launch" "$BUILD/lib/libmagicube_runtime.so" "$CARRY/bin/"
  if [[ -d $DATA ]]; then
    cp -r "$DATA"/. "$CARRY/dlmc/"
    find "$CARRY/dlmc" -type f ! -name '*.smtx' -delete
  fi
}

# write_product FILE ENCODING [ATTRIBUTES [LHS_BITS RHS_BITS]]: IR of one
# product.
write_product() {
  sed -e "s/vector = 8/$2/" -e "s/magicube\.spmm %a, %b/& ${3:-}/" \
    -e "s/xi8, #/xi${4:-8}, #/g" -e "s/xi8>/xi${5:-8}>/g" \
    examples/spmm.mlir >"$1"
}

# compile NAME [CHIPS]: bundles/NAME.mlir to a bundle.
compile() {
  "$BUILD/bin/magicube-compile" "$CARRY/bundles/$1.mlir" \
    --chip="${2:-$CHIPS,sim}" --emit=bundle -o "$CARRY/bundles/$1.bundle" \
    2>"$CARRY/compile.log" ||
    die "$1 does not compile: $(cat "$CARRY/compile.log")"
}

# finish_pack: checks the size and says what there is.
finish_pack() {
  local size
  rm -f "$CARRY/compile.log"
  size=$(du -sm "$CARRY" | cut -f1)
  ((size <= MAX_MIB)) ||
    die "$CARRY has $size MiB, but at most $MAX_MIB may travel"
  echo "$CARRY: $size MiB; runs: $(cd "$CARRY/cases" && wc -l *.txt | tr -s ' \n' ' ')"
}
