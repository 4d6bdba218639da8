#!/usr/bin/env python3
# ===- sampled.py - What is measured of SDDMM and softmax ---------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: sampled.py PACK COMPILER CHIP    writes PACK/cases/{sampled,softmax}.txt
#                                         for magicube-launch, and their bundles
#        sampled.py ROWS [REFERENCE]      prints the tables of a run
# Every case is checked element by element before it is measured. PACK/dlmc has
# the patterns; what it lacks is not measured.
#
# ===------------------------------------------------------------------------===#
"""Sampled products on the shared matrices, softmax at the size of attention."""

import subprocess
import sys
from pathlib import Path

from cases import LAYER, LAYER_COLUMNS, REPEAT, label, patterns
from results import geomean, read_reference, read_rows

# Bits of both operands, and V: those of the published system.
PAIRS = [(8, 8), (8, 4), (8, 2), (16, 8), (4, 8)]
# K of the layer of the paper's figure 13, and that of the 18 matrices.
LAYER_INNER, MATRIX_INNER = LAYER_COLUMNS, 256
# Rows and columns of the scores of 8 heads at a sequence of 4096.
SCORES = (8 * 4096, 4096)
SOFTMAX_DENSITIES = (0.05, 0.1)
# Of scores and of results.
SOFTMAX_TYPES = [("i32", "i8"), ("i32", "i4"), ("i32", "i16"), ("f16", "f16")]

SDDMM = """#p = #magicube.sr_bcrs<vector = {v}>
func.func @f(%a: tensor<?x{k}xi{bits}>, %b: tensor<?x{k}xi{bits}>,
             %p: tensor<?x?xi1, #p>) -> tensor<?x?xi32, #p> {{
  %c = magicube.sddmm %a, %b, %p
     : (tensor<?x{k}xi{bits}>, tensor<?x{k}xi{bits}>, tensor<?x?xi1, #p>)
    -> tensor<?x?xi32, #p>
  return %c : tensor<?x?xi32, #p>
}}
"""
INTEGERS = """#p = #magicube.sr_bcrs<vector = 8>
func.func @f(%s: tensor<?x?x{scores}, #p>, %c: f32)
    -> (tensor<?x?x{result}, #p>, tensor<?x1xf32>) {{
  %q, %r = magicube.softmax %s scale(%c) {{unsigned_result}}
     : (tensor<?x?x{scores}, #p>, f32)
    -> (tensor<?x?x{result}, #p>, tensor<?x1xf32>)
  return %q, %r : tensor<?x?x{result}, #p>, tensor<?x1xf32>
}}
"""
FLOATS = """#p = #magicube.sr_bcrs<vector = 8>
func.func @f(%s: tensor<?x?x{scores}, #p>, %c: f32) -> tensor<?x?x{result}, #p> {{
  %q = magicube.softmax %s scale(%c)
     : (tensor<?x?x{scores}, #p>, f32) -> tensor<?x?x{result}, #p>
  return %q : tensor<?x?x{result}, #p>
}}
"""


def compile_bundle(pack, compiler, chip, name, text):
    """The bundle's path in the pack."""
    path = f"bundles/{name}.bundle"
    process = subprocess.run(
        [compiler, "-", f"--chip={chip}", "--emit=bundle", "-o",
         str(pack / path)], input=text, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, check=False)
    if process.returncode:
        raise RuntimeError(f"{name}: {process.stderr}\n{text}")
    return path


def rows_of(path):
    """Vector-rows of a pattern."""
    with open(path) as file:
        return int(file.readline().split(",")[0])


def sampled(pack, compiler, chip):
    """Lines for magicube-launch."""
    for inner, below in ((LAYER_INNER, LAYER), (MATRIX_INNER, "")):
        for bits, v in PAIRS:
            name = f"L{bits}-R{bits}_V{v}"
            bundle = compile_bundle(pack, compiler, chip,
                                    f"sddmm_{name}_k{inner}",
                                    SDDMM.format(v=v, k=inner, bits=bits))
            for path, columns in patterns(pack, below):
                rows = rows_of(pack / path) * v
                yield (f"{bundle} --name=sddmm/{inner}/{name}/{label(path)} "
                       f"--arg=random:{rows}x{inner} "
                       f"--arg=random:{columns}x{inner} --arg={path} --check "
                       f"--repeat={REPEAT}")


def softmax(pack, compiler, chip):
    for scores, result in SOFTMAX_TYPES:
        text = INTEGERS if result[0] == "i" else FLOATS
        bundle = compile_bundle(pack, compiler, chip,
                                f"softmax_{scores}_{result}",
                                text.format(scores=scores, result=result))
        for density in SOFTMAX_DENSITIES:
            yield (f"{bundle} --name=softmax/{scores}-{result}/{density} "
                   f"--arg=random:{SCORES[0]}x{SCORES[1]}@{density} "
                   f"--arg=1e-9 --check --repeat={REPEAT}")


def write_cases(pack, compiler, chip):
    for make in (sampled, softmax):
        lines = [line + "\n" for line in make(pack, compiler, chip)]
        (pack / "cases" / f"{make.__name__}.txt").write_text("".join(lines))


def print_tables(rows, reference):
    """Times and, where the published system was measured, ratios."""
    groups = {}
    for row in rows:
        kind, *rest = row["name"].split("/", 3)
        if kind == "softmax":
            print(f"softmax {rest[0]}, density {rest[1]}: {row['median_us']:.2f} us")
            continue
        inner, pair, matrix = rest
        bits, v = (int(word.lstrip("LRV")) for word in
                   (pair.split("-")[0], pair.split("_")[1]))
        theirs = reference.get(((bits, bits), matrix, v, int(inner)))
        groups.setdefault((int(inner), pair), []).append(
            (matrix, row["median_us"], theirs))
    for (inner, pair), cases in groups.items():
        known = [(theirs / ours, matrix, ours, theirs)
                 for matrix, ours, theirs in cases if theirs]
        if known:
            least = min(known)
            print(f"sddmm {pair}, K = {inner}: {len(known)} matrices, geometric "
                  f"mean {geomean([k[0] for k in known]):.2f}x, least "
                  f"{least[0]:.2f}x ({least[1]}: {least[2]:.2f} us against "
                  f"{least[3]:.2f})")
        else:
            for matrix, ours, _ in cases:
                print(f"sddmm {pair}, K = {inner}, {matrix}: {ours:.2f} us")


def main():
    if len(sys.argv) == 4:
        write_cases(Path(sys.argv[1]), *sys.argv[2:])
        return
    reference = read_reference(sys.argv[2], "sddmm") if len(sys.argv) > 2 else {}
    print_tables(read_rows(sys.argv[1], "median_us"), reference)


if __name__ == "__main__":
    main()
