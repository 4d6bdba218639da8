#!/usr/bin/env python3
# ===- sampled.py - Sampled products that are measured -----------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: sampled.py PACK COMPILER CHIP    writes PACK/cases/sddmm.txt for
# magicube-launch, and the bundles that it names. The layer of the paper's figure
# 13 at K = 512, and what the published system was measured with at K = 256
# (shared/data/reference-h200.csv); a kernel for each pair of widths, V and K.
#
# ===------------------------------------------------------------------------===#

import subprocess
import sys
from pathlib import Path

REPEAT = 20
LAYER = "rn50/random_pruning"
# K, folder of the patterns, kernels by bits of both operands and V.
GROUPS = ((512, LAYER, ((8, 8), (16, 8), (4, 8))),
          (256, "", ((8, 8), (16, 8), (4, 8), (8, 4), (8, 2))))

MODULE = """#w = #magicube.sr_bcrs<vector = {v}>
func.func @sddmm(%a: {operand}, %b: {operand}, %p: tensor<?x?xi1, #w>)
    -> tensor<?x?xi32, #w> {{
  %c = magicube.sddmm %a, %b, %p
     : ({operand}, {operand}, tensor<?x?xi1, #w>) -> tensor<?x?xi32, #w>
  return %c : tensor<?x?xi32, #w>
}}
"""


def compile_bundle(path, compiler, chip, bits, v, inner):
    text = MODULE.format(v=v, operand=f"tensor<?x{inner}xi{bits}>")
    subprocess.run([compiler, "-", f"--chip={chip}", "--emit=bundle", "-o",
                    str(path)], input=text, text=True, check=True)


def main():
    pack, compiler, chip = Path(sys.argv[1]), *sys.argv[2:4]
    (pack / "cases").mkdir(exist_ok=True)
    (pack / "bundles").mkdir(exist_ok=True)
    lines = []
    for inner, below, kernels in GROUPS:
        for bits, v in kernels:
            name = f"sddmm_L{bits}-R{bits}_V{v}_k{inner}"
            compile_bundle(pack / "bundles" / f"{name}.bundle", compiler, chip,
                           bits, v, inner)
            for path in sorted((pack / "dlmc" / below).rglob("*.smtx")):
                with open(path) as file:
                    rows, columns = map(int, file.readline().split(",")[:2])
                file = path.relative_to(pack)
                lines.append(
                    f"bundles/{name}.bundle "
                    f"--name={name}/{file.relative_to('dlmc')} "
                    f"--arg=random:{rows * v}x{inner} "
                    f"--arg=random:{columns}x{inner} --arg={file} --check "
                    f"--repeat={REPEAT}\n")
    (pack / "cases" / "sddmm.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
