#!/usr/bin/env python3
#===- count-instructions.py - Main loops of SpMM kernels, by kind ----------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: count-instructions.py [--chip=sm_80] [--vector=8] PAIR[:LAYOUT]...
# A PAIR is the widths of the operands, such as 4-4, a LAYOUT words of the operand
# layout, such as merged,stored. Compiles the product with
# signed operands and run-time sizes and counts what a warp executes in one
# iteration of the main loop of the kernel for 16-byte rows: a step of 32
# positions. Prints the rows of docs/Precision.md. Needs a finished build, ptxas
# and nvdisasm (scripts/setup.sh finds or installs both).
#
#===------------------------------------------------------------------------===#
"""Count the instructions of kernels' main loops."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE_DIR = Path(__file__).resolve().parent.parent

# Kinds by opcode, the first that matches; modifiers are cut off.
KINDS = (
    ("MMA", r"IMMA"),
    ("permute", r"PRMT"),
    ("logic", r"LOP3|LOP"),
    ("shift", r"SHF|SHL|SHR"),
    ("ldmatrix", r"LDSM"),
    ("shared load", r"LDS"),
    ("copy", r"LDGSTS"),
    ("global load", r"LDG"),
    ("integer", r"IADD3?|IMAD|LEA|IMNMX|VIADD|VIMNMX|IABS"),
    ("other", r".*"),
)

MODULE = """\
#w = #magicube.sr_bcrs<vector = {vector}>
func.func @f(%a: tensor<?x?xi{lhs}, #w>, %b: tensor<?x?xi{rhs}>) -> tensor<?x?xi32> {{
  %c = magicube.spmm %a, %b {schedule}
    : (tensor<?x?xi{lhs}, #w>, tensor<?x?xi{rhs}>) -> tensor<?x?xi32>
  return %c : tensor<?x?xi32>
}}
"""


def disassemble(args, lhs, rhs, layout):
    """SASS of all kernels of a product."""
    schedule = ""
    if layout:
        form, *others = layout.split(",")
        fields = [f"form = {form}"] + [
            f"{'idle_columns' if word == 'digits' else 'order'} = {word}"
            for word in others]
        schedule = ("{schedule = #magicube.schedule<tile_n = "
                    f"{1024 // int(rhs)}, warps = 2, "
                    f"layout = <{', '.join(fields)}>, placement = "
                    "#magicube.gathered<smem_stages = 2>>}")
    toolkit = subprocess.run([SOURCE_DIR / "scripts" / "find-ptxas.sh"],
                             stdout=subprocess.PIPE, text=True, check=True)
    env = dict(os.environ, MAGICUBE_CUDA_TOOLKIT=toolkit.stdout.strip())
    nvdisasm = subprocess.run(
        [SOURCE_DIR / "scripts" / "find-cuda-tool.sh", "nvdisasm"],
        stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as directory:
        source, cubin = Path(directory, "f.mlir"), Path(directory, "f.cubin")
        source.write_text(MODULE.format(lhs=lhs, rhs=rhs, schedule=schedule,
                                        vector=args.vector))
        subprocess.run([args.build_dir / "bin" / "magicube-compile", source,
                        f"--chip={args.chip}", "--emit=cubin", "-o", cubin],
                       env=env, check=True)
        return subprocess.run([nvdisasm, "-c", cubin], stdout=subprocess.PIPE,
                              text=True, check=True).stdout


def get_kernel(sass, suffix):
    """Labels and (predicate, opcode, operands) of one kernel."""
    lines, is_inside = [], False
    for line in sass.splitlines():
        if line.startswith(".text."):
            is_inside = line.rstrip(":").endswith(suffix)
        elif is_inside:
            label = re.match(r"(\.L\w+):", line)
            code = re.search(r"\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)(.*?);",
                             line)
            if label:
                lines.append(label[1])
            elif code:
                lines.append(code.groups())
    return lines


def find_loop(lines):
    """Instructions of the smallest loop with an MMA: from a label to the last
    branch back to it."""
    places = {line: i for i, line in enumerate(lines) if isinstance(line, str)}
    spans = []
    for i, line in enumerate(lines):
        if isinstance(line, str) or not line[1].startswith("BRA"):
            continue
        target = re.search(r"\.L\w+", line[2])
        start = places.get(target[0], i) if target else i
        body = [x for x in lines[start:i + 1] if not isinstance(x, str)]
        if any(x[1].startswith("IMMA") for x in body):
            spans.append(body)
    if not spans:
        sys.exit("error: no loop with an MMA")
    return min(spans, key=len)


def count(loop):
    """Instructions by kind; 'all' of them. Never executed ones (@!PT) are fill
    that ptxas puts between copies, and left out."""
    counts = {name: 0 for name, _ in KINDS}
    for predicate, opcode, _ in loop:
        if predicate == "@!PT":
            continue
        base = opcode.split(".")[0]
        # IMAD.MOV, IMAD.SHL and the like are still issued as integer.
        counts[next(name for name, pattern in KINDS
                    if re.fullmatch(pattern, base))] += 1
    return {"all": sum(counts.values()), **counts}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", nargs="+", metavar="PAIR[:LAYOUT]")
    parser.add_argument("--chip", default="sm_80")
    parser.add_argument("--vector", type=int, default=8)
    parser.add_argument("--build-dir", type=Path, default=SOURCE_DIR / "build")
    args = parser.parse_args()
    titles = ["all"] + [name for name, _ in KINDS]
    print("| | chip | " + " | ".join(titles) + " |")
    print("|" + "---|" * (len(titles) + 2))
    for item in args.pairs:
        pair, _, layout = item.partition(":")
        lhs, rhs = pair.split("-")
        sass = disassemble(args, lhs, rhs, layout)
        counts = count(find_loop(get_kernel(sass, "_align16")))
        print(f"| L{lhs}-R{rhs} {layout} | {args.chip} | "
              + " | ".join(str(counts[title]) for title in titles) + " |")


if __name__ == "__main__":
    main()
