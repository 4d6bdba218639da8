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
# Correctness only; benchmarks/pack.sh packs what is timed. BUILD_DIR, CHIPS and
# DATA: see device-common.sh.
#
#===------------------------------------------------------------------------===#

set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly CARRY=.device-carry/pack
readonly MAX_MIB=60
. scripts/device-common.sh
readonly VECTORS="1 2 4 8 16"
# Columns of the dense operand: odd, short, and not a multiple of a tile.
readonly CHECKED_COLUMNS="1 7 128 130 256"
# Columns whose rows are aligned to 16 bytes, 4 and 1: one kernel each.
readonly VARIANT_COLUMNS="80 36 33"
# The figures' N, and one for each of the other alignments.
readonly PAIR_COLUMNS="512 130 7"
readonly VARIANT_INNER=96 VARIANT_DENSITY=0.3
# Stationary kernels are made for one K; their schedules take turns: tile, rest
# of the placement and slab of the encoding, with bars between.
readonly STATIONARY_INNER=197 STATIONARY_COLUMNS="144 36 7"
readonly STATIONARY_SCHEDULES=(
  "tile_n = 64, warps = 16|<prefetch_stages = 4, num_ctas = 132>"
  "tile_n = 32, warps = 32|<prefetch_stages = 2, num_ctas = 264>"
  "tile_n = 96, warps = 4, shared = padded|<prefetch_stages = 3, num_ctas = 5>"
  "tile_n = 32, warps = 8, shared = plain|<prefetch_stages = 1, num_ctas = 2>"
  "tile_n = 32, warps = 32|_k_tiles<prefetch_stages = 4, rows_per_cta = 3, smem_stages = 2>|, slab = 80"
  "tile_n = 64, warps = 4|_k_tiles<prefetch_stages = 2, rows_per_cta = 30>|, slab = 50"
)

# Extents K of sampled products, whose kernels are made for one where it is known.
readonly SAMPLED_INNER=("?" 512 33 "?" 64)

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

# simulate CASES WHAT: runs cases on the simulator, which checks them first.
simulate() {
  (cd "$CARRY" && "$BIN/magicube-launch" --device=sim --cases="$1" \
    >simulator.jsonl 2>simulator.log) ||
    die "the simulator refutes $2: $(grep -m 3 '"error"' "$CARRY/simulator.jsonl")"
  rm "$CARRY"/simulator.*
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
  add_epilogue gates "$lhs $rhs --arg=0.0001"
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
  simulate simulated.txt "a variant"
  rm "$CARRY/simulated.txt"
}

# Every pair of widths on the patterns of one layer: exact for aligned and other
# rows.
pack_pairs() {
  local lhs rhs v pattern file cols name
  for lhs in 4 8 12 16; do
    for rhs in 4 8 16; do
      for v in 2 8; do
        name=L$lhs-R${rhs}_V$v
        write_product "$CARRY/bundles/$name.mlir" "vector = $v" "" "$lhs" "$rhs"
        compile "$name"
        while read -r pattern; do
          IFS=', ' read -r _ cols _ <"$pattern"
          file=${pattern#"$CARRY/"}
          for n in $PAIR_COLUMNS; do
            echo "bundles/$name.bundle --name=$name/${file#dlmc/} --arg=$file --arg=random:${cols}x$n --check" \
              >>"$CARRY/cases/pairs.txt"
          done
        done < <(find "$CARRY/dlmc/rn50" -name '*.smtx' | sort)
      done
    done
  done
}

# write_sampled FILE VECTOR LHS_BITS RHS_BITS K ATTRIBUTES: IR of a sampled
# product; K is ? or a number.
write_sampled() {
  local lhs="tensor<?x$5xi$3>" rhs="tensor<?x$5xi$4>"
  cat >"$1" <<MLIR
#w = #magicube.sr_bcrs<vector = $2>
func.func @sddmm(%a: $lhs, %b: $rhs, %p: tensor<?x?xi1, #w>)
    -> tensor<?x?xi32, #w> {
  %c = magicube.sddmm %a, %b, %p {$6}
     : ($lhs, $rhs, tensor<?x?xi1, #w>) -> tensor<?x?xi32, #w>
  return %c : tensor<?x?xi32, #w>
}
MLIR
}

# write_softmax FILE VECTOR SCORES RESULT: IR of a softmax, with one scale.
write_softmax() {
  local scores="tensor<?x?x$3, #w>" results="tensor<?x?x$4, #w>" names=%q
  local attributes=""
  if [[ $4 == i* ]]; then
    results+=", tensor<?x1xf32>" names+=", %f" attributes="{unsigned_result}"
  fi
  cat >"$1" <<MLIR
#w = #magicube.sr_bcrs<vector = $2>
func.func @softmax(%s: $scores, %c: f32) -> ($results) {
  $names = magicube.softmax %s scale(%c) $attributes
     : ($scores, f32) -> ($results)
  return $names : $results
}
MLIR
}

# Softmaxes of all kinds of scores and results, three for each V, on short and
# long rows; the simulator has checked them.
pack_softmax() {
  local v kind scores result scale name columns i turn=0
  local kinds=("i32 i8" "f16 f16" "f32 i16" "i32 i4" "f32 f32" "i32 i16" "f16 i8")
  for v in $VECTORS; do
    for i in 1 2 3; do
      read -r scores result <<<"${kinds[turn++ % ${#kinds[@]}]}"
      # Random integers have all 32 bits.
      [[ $scores == i32 ]] && scale=0.000000003 || scale=2.5
      name=softmax_${scores}_${result}_V$v
      write_softmax "$CARRY/bundles/$name.mlir" "$v" "$scores" "$result"
      compile "$name"
      for columns in 1 40 1000 5000; do
        echo "bundles/$name.bundle --name=${name}_$columns" \
          "--arg=random:$((v * 20))x$columns@$VARIANT_DENSITY --arg=$scale --check" \
          >>"$CARRY/cases/softmax.txt"
      done
    done
  done
  simulate cases/softmax.txt "a softmax"
}

# Sampled products of every pair of widths and V, in turns, and of all signs: K
# known or not, and by alignment of the rows; the simulator has checked them.
pack_sampled() {
  local lhs rhs v k name case inner pair=-1 turn=0
  local signs=("" unsigned_lhs unsigned_rhs "unsigned_lhs, unsigned_rhs")
  for lhs in 4 8 16; do
    for rhs in 4 8 16; do
      pair=$((pair + 1))
      for v in $VECTORS; do
        takes_turn "$pair" "$v" || continue
        inner=${SAMPLED_INNER[turn % ${#SAMPLED_INNER[@]}]}
        name=sampled_L$lhs-R${rhs}_V$v
        write_sampled "$CARRY/bundles/$name.mlir" "$v" "$lhs" "$rhs" "$inner" \
          "${signs[turn++ % 4]}"
        compile "$name"
        for k in $([[ $inner == "?" ]] && echo 1 7 36 600 || echo "$inner"); do
          case="bundles/$name.bundle --name=${name}_$k"
          case+=" --arg=random:$((v * 40))x$k --arg=random:300x$k"
          echo "$case --arg=random:$((v * 40))x300@$VARIANT_DENSITY --check" \
            >>"$CARRY/cases/sampled.txt"
        done
      done
    done
  done
  simulate cases/sampled.txt "a sampled product"
}

# write_huge_row FILE: a pattern of one full vector-row among empty ones, which
# many warps share, and a vector in the last.
write_huge_row() {
  local columns
  columns=$(seq -s ' ' 0 $((STATIONARY_INNER - 1)))
  echo "9, $STATIONARY_INNER, $((STATIONARY_INNER + 1))" >"$1"
  echo "0 0 0 0 0 $STATIONARY_INNER $STATIONARY_INNER $STATIONARY_INNER $STATIONARY_INNER $((STATIONARY_INNER + 1))" >>"$1"
  echo "$columns 3" >>"$1"
}

# takes_turn PAIR V: whether a pair of widths is packed for a V: each for two, in
# turns, and bytes for all.
takes_turn() {
  local place=0 v
  for v in $VECTORS; do
    if ((v == $2)); then break; fi
    place=$((place + 1))
  done
  (($1 == 4 || (place + $1) % 5 == 0 || (place + $1) % 5 == 2))
}

# Kernels with a stationary dense operand for every pair of widths and every V, in
# turns; the simulator has checked the cases that the GPU gets.
pack_stationary() {
  local lhs rhs v name tile placement slab case n rows turn=0 pair=-1
  mkdir "$CARRY/patterns"
  write_huge_row "$CARRY/patterns/huge_row.smtx"
  for lhs in 4 8 12 16; do
    for rhs in 4 8 16; do
      pair=$((pair + 1))
      for v in $VECTORS; do
        takes_turn "$pair" "$v" || continue
        name=stationary_L$lhs-R${rhs}_V$v
        IFS='|' read -r tile placement slab \
          <<<"${STATIONARY_SCHEDULES[turn++ % ${#STATIONARY_SCHEDULES[@]}]}"
        write_product "$CARRY/bundles/$name.mlir" \
          "vector = $v$slab" \
          "{schedule = #magicube.schedule<$tile, placement = #magicube.stationary$placement>}" \
          "$lhs" "$rhs"
        sed -i -e "s/<?x?xi$lhs, #/<?x${STATIONARY_INNER}xi$lhs, #/g" \
          -e "s/<?x?xi$rhs>/<${STATIONARY_INNER}x?xi$rhs>/g" \
          "$CARRY/bundles/$name.mlir"
        compile "$name"
        for n in $STATIONARY_COLUMNS; do
          for rows in 1 25; do
            case="bundles/$name.bundle --name=${name}_$rows"
            case+=" --arg=random:$((rows * v))x$STATIONARY_INNER@$VARIANT_DENSITY"
            echo "$case --arg=random:${STATIONARY_INNER}x$n --check"
          done
          case="bundles/$name.bundle --name=${name}_huge_row"
          echo "$case --arg=patterns/huge_row.smtx --arg=random:${STATIONARY_INNER}x$n --check"
        done >>"$CARRY/cases/stationary.txt"
      done
    done
  done
  simulate cases/stationary.txt "a stationary kernel"
}

# Every .smtx pattern at every V: exact on many N.
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
    done
  done < <(find "$CARRY/dlmc" -name '*.smtx' | sort)
}

start_pack magicube-conformance magicube-conformance-pack
mkdir "$CARRY/expected"
cp "$BIN/magicube-conformance" "$CARRY/bin/"
"$BIN/magicube-conformance-pack" "$CARRY/conformance" ${CHIPS//,/ }
for v in $VECTORS; do
  write_product "$CARRY/bundles/v$v.mlir" "vector = $v"
  compile "v$v"
done
pack_variants
pack_matrices
pack_pairs
pack_stationary
pack_sampled
pack_softmax
finish_pack
