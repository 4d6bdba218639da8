#!/usr/bin/env bash
#===- device-pack.sh - Packs what a GPU machine without LLVM needs ---------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/device-pack.sh          fills .device-carry/pack
# Then, on the machine with the GPU:    scripts/device-run.sh
#
# BUILD_DIR (default build): where the tools were built. CHIPS (default
# sm_80,sm_90): what to compile for. DATA (default ../shared/data/dlmc): a folder
# of .smtx patterns; without it only random patterns are packed.
#
#===------------------------------------------------------------------------===#

set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly BUILD=${BUILD_DIR:-build} CHIPS=${CHIPS:-sm_80,sm_90}
readonly DATA=${DATA:-../shared/data/dlmc}
readonly CARRY=.device-carry/pack
readonly MAX_MIB=40
readonly VECTORS="1 2 4 8 16"
# Columns of the dense operand: odd, short, and not a multiple of a tile.
readonly CHECKED_COLUMNS="1 7 128 130 256"
readonly TIMED_COLUMNS="128 256 512"
readonly REPEAT=20
# Columns whose rows are aligned to 16 bytes, 4 and 1: one kernel each.
readonly VARIANT_COLUMNS="80 36 33"
# The figures' N, and one for each of the other alignments.
readonly PAIR_COLUMNS="512 130 7"
readonly VARIANT_INNER=96 VARIANT_DENSITY=0.3

die() {
  echo "device-pack.sh: error: $*" >&2
  exit 1
}

# write_product FILE ENCODING [ATTRIBUTES]: IR of one product.
write_product() {
  sed -e "s/vector = 8/$2/" -e "s/magicube\.spmm %a, %b/& ${3:-}/" \
    examples/spmm.mlir >"$1"
}

# write_sum FILE ENCODING: IR of a product that is added to an argument.
write_sum() {
  cat >"$1" <<MLIR
#weight = #magicube.sr_bcrs<$2>
func.func @spmm(%a: tensor<?x?xi8, #weight>, %b: tensor<?x?xi8>,
                %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %d = magicube.spmm %a, %b outs(%c)
     : (tensor<?x?xi8, #weight>, tensor<?x?xi8>, tensor<?x?xi32>)
    -> tensor<?x?xi32>
  return %d : tensor<?x?xi32>
}
MLIR
}

# compile NAME: bundles/NAME.mlir to a bundle for CHIPS and the simulator.
compile() {
  "$BUILD/bin/magicube-compile" "$CARRY/bundles/$1.mlir" --chip="$CHIPS,sim" \
    --emit=bundle -o "$CARRY/bundles/$1.bundle" 2>"$CARRY/compile.log" ||
    die "$1 does not compile: $(cat "$CARRY/compile.log")"
}

# add_variant NAME V [ARGUMENTS]: compiles a kernel variant; what the simulator
# computes, compared with the reference, is the expected result. In ARGUMENTS,
# MxN stands for the extents of the result.
add_variant() {
  local name=variant_$1 rows=$(($2 * 8)) n case
  compile "$name"
  for n in $VARIANT_COLUMNS; do
    case="bundles/$name.bundle --name=$name"
    case+=" --arg=random:${rows}x$VARIANT_INNER@$VARIANT_DENSITY"
    case+=" --arg=random:${VARIANT_INNER}x$n ${3:-}"
    case=${case//MxN/${rows}x$n}
    echo "$case --check --out=expected/${name}_$n.npy" >>"$CARRY/simulated.txt"
    echo "$case --expected=expected/${name}_$n.npy" >>"$CARRY/cases/variants.txt"
  done
}

# add_epilogue ENTRY ARGUMENTS: the same for a function of the tests of
# epilogues; in ARGUMENTS, xN stands for the columns of the result.
add_epilogue() {
  local name=epilogue_$1 n case
  "$BUILD/bin/magicube-compile" --entry="$1" --chip="$CHIPS,sim" --emit=bundle \
    test/Tools/magicube-launch/Inputs/epilogues.mlir \
    -o "$CARRY/bundles/$name.bundle" 2>"$CARRY/compile.log" ||
    die "$1 does not compile: $(cat "$CARRY/compile.log")"
  for n in $VARIANT_COLUMNS; do
    case="bundles/$name.bundle --name=$name ${2//xN/x$n}"
    echo "$case --check --out=expected/${name}_$n.npy" >>"$CARRY/simulated.txt"
    echo "$case --expected=expected/${name}_$n.npy" >>"$CARRY/cases/variants.txt"
  done
}

add_epilogues() {
  local lhs=--arg=random:64x96@0.3 rhs=--arg=random:96xN
  add_epilogue integers "$lhs $rhs --arg=random:1xN"
  add_epilogue halves "--arg=random:64x1 $rhs --arg=random:1xN --arg=0.0001 $lhs"
  add_epilogue brains "$lhs $rhs --arg=random:64x1"
  add_epilogue bytes "$lhs $rhs --arg=random:1xN --arg=0.0000001"
  add_epilogue nibbles "$lhs $rhs --arg=0.05"
  add_epilogue float_sums "$lhs $rhs"
}

pack_variants() {
  local v sign
  add_epilogues
  for v in $VECTORS; do
    for sign in "" unsigned_lhs unsigned_rhs "unsigned_lhs, unsigned_rhs"; do
      local name=v${v}_${sign//, /_}
      write_product "$CARRY/bundles/variant_$name.mlir" "vector = $v" \
        "${sign:+{$sign\}}"
      add_variant "$name" "$v"
    done
    for option in "index = u16" "order = bank_aware"; do
      local name=v${v}_${option##* }
      write_product "$CARRY/bundles/variant_$name.mlir" "vector = $v, $option"
      add_variant "$name" "$v"
    done
    write_sum "$CARRY/bundles/variant_v${v}_sum.mlir" "vector = $v"
    add_variant "v${v}_sum" "$v" "--arg=random:MxN"
  done
  (cd "$CARRY" && "$BIN/magicube-launch" --device=sim --cases=simulated.txt \
    >simulated.jsonl 2>simulated.log) ||
    die "the simulator refutes a variant: $(grep -m 3 '"error"' "$CARRY/simulated.jsonl")"
  rm "$CARRY"/simulated.*
}

# Every pair of widths on the patterns of one layer: exact for aligned and other
# rows, and timed.
pack_pairs() {
  local lhs rhs v pattern file cols name
  for lhs in 4 8 12 16; do
    for rhs in 4 8 16; do
      for v in 2 8; do
        name=L$lhs-R${rhs}_V$v
        sed -e "s/vector = 8/vector = $v/" -e "s/xi8, #/xi$lhs, #/g" \
          -e "s/xi8>/xi$rhs>/g" examples/spmm.mlir >"$CARRY/bundles/$name.mlir"
        compile "$name"
        while read -r pattern; do
          IFS=', ' read -r _ cols _ <"$pattern"
          file=${pattern#"$CARRY/"}
          for n in $PAIR_COLUMNS; do
            echo "bundles/$name.bundle --name=$name/${file#dlmc/} --arg=$file --arg=random:${cols}x$n --check --repeat=$REPEAT" \
              >>"$CARRY/cases/pairs.txt"
          done
        done < <(find "$CARRY/dlmc/rn50" -name '*.smtx' | sort)
      done
    done
  done
}

# Every .smtx pattern at every V: exact on many N, and timed.
pack_matrices() {
  local pattern cols file v n case
  while read -r pattern; do
    IFS=', ' read -r _ cols _ <"$pattern"
    file=${pattern#"$CARRY/"}
    for v in $VECTORS; do
      case="bundles/v$v.bundle --name=${file#dlmc/} --arg=$file"
      for n in $CHECKED_COLUMNS; do
        echo "$case --arg=random:${cols}x$n --check" >>"$CARRY/cases/checked.txt"
      done
      for n in $TIMED_COLUMNS; do
        echo "$case --arg=random:${cols}x$n --repeat=$REPEAT" >>"$CARRY/cases/timed.txt"
      done
    done
  done < <(find "$CARRY/dlmc" -name '*.smtx' | sort)
}

# time_random M K N DENSITY: a uniformly random pattern at V = 8.
time_random() {
  echo "bundles/v8.bundle --name=random --arg=random:$1x$2@$4 --arg=random:$2x$3 --repeat=$REPEAT" >>"$CARRY/cases/timed.txt"
}

if toolkit=$(scripts/find-ptxas.sh); then
  export MAGICUBE_CUDA_TOOLKIT=$toolkit
else
  die "no ptxas found: run scripts/setup.sh --cuda or set MAGICUBE_CUDA_TOOLKIT"
fi
BIN=$(cd "$BUILD/bin" && pwd) || die "no $BUILD/bin: build first, or set BUILD_DIR"
readonly BIN
for tool in magicube-compile magicube-launch magicube-conformance \
  magicube-conformance-pack; do
  [[ -x $BIN/$tool ]] || die "no $BIN/$tool: build it first"
done

rm -rf "$CARRY"
mkdir -p "$CARRY"/{bin,bundles,cases,dlmc,expected}
cp "$BIN"/magicube-{launch,conformance} "$BUILD"/lib/libmagicube_runtime.so \
  "$CARRY/bin/"
"$BIN/magicube-conformance-pack" "$CARRY/conformance" ${CHIPS//,/ }
for v in $VECTORS; do
  write_product "$CARRY/bundles/v$v.mlir" "vector = $v"
  compile "v$v"
done
pack_variants
if [[ -d $DATA ]]; then
  cp -r "$DATA"/. "$CARRY/dlmc/"
  find "$CARRY/dlmc" -type f ! -name '*.smtx' -delete
fi
pack_matrices
pack_pairs
time_random 4096 512 256 0.1
time_random 16384 512 256 0.1
for density in 0.3 0.1 0.05; do
  time_random 4096 4096 4096 $density
done
time_random 4096 4096 1024 0.1
rm -f "$CARRY/compile.log"

size=$(du -sm "$CARRY" | cut -f1)
((size <= MAX_MIB)) || die "$CARRY has $size MiB, but at most $MAX_MIB may travel"
echo "$CARRY: $size MiB; runs: $(cd "$CARRY/cases" && wc -l *.txt | tr -s ' \n' ' ')"
