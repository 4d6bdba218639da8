#!/usr/bin/env python3
# ===- cases.py - What is measured -------------------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: cases.py PACK [COMPILER CHIP]    writes PACK/cases/*.txt for
# magicube-launch
# The groups of cases and the bundles (bundles.tsv) that run them. With COMPILER
# (magicube-compile), every case of a bundle without a schedule of its own gets
# the one that is selected for its matrix and shape (defaults.py). PACK/dlmc has
# the patterns; what it lacks is not measured. Every case is checked before it is
# measured: the small ones element by element, the large ones by projections
# (magicube-launch --help).
#
# ===------------------------------------------------------------------------===#

import csv
import sys
from pathlib import Path
from typing import NamedTuple

from defaults import Defaults

REPEAT = 20
MATRIX_COLUMNS = (128, 256)
# The layer of the paper's figures 11 to 13, at their N.
LAYER = "rn50/random_pruning"
LAYER_COLUMNS = 512
# Layers of language models: M x K.
LLM_LAYERS = ((4096, 4096), (11008, 4096), (4096, 14336))
LLM_SPARSITIES = (0.5, 0.7, 0.8, 0.9, 0.95)
LLM_COLUMNS = (16, 256, 1024, 4096)
# Decoding: one token, or a few, with weights that come from DRAM. Copies of the
# operands take several times the L2 of any chip (H200: 50 MB).
DECODE_LAYER = (16384, 16384)
DECODE_SPARSITY = 0.9
DECODE_COLUMNS = (1, 16)
ROTATE_BYTES = 512 << 20
# Kernels by the bits of sparse and of dense values and by V: every pair, and those
# that the published system has other than 8-8 (shared/data/reference-h200.csv).
PAIRS = [(lhs, rhs, v) for lhs in (4, 8, 12, 16) for rhs in (4, 8, 16)
         for v in (2, 8)]
PUBLISHED_PAIRS = [(4, 4, 2), (4, 4, 4), (4, 4, 8), (8, 4, 8), (12, 4, 8),
                   (16, 4, 8), (16, 8, 4), (16, 8, 8), (16, 16, 8)]
PUBLISHED_COLUMNS = 256

# The schedule of bundles.tsv that stands for the compiler's choice.
DEFAULT = "-"
BUNDLES = Path(__file__).with_name("bundles.tsv")


# Of bundles.tsv.
COLUMNS = 4
# What kernels read fastest, whatever the schedule.
ENCODING = "vector = {}, order = bank_aware, index = u16"


class Bundle(NamedTuple):
    name: str
    encoding: str
    schedule: str
    groups: str
    # Of sparse and dense values.
    bits: tuple = (8, 8)

    def runs(self, group):
        return group in self.groups.split(",")


def read_bundles(path=BUNDLES):
    with open(path) as file:
        lines = [line for line in file if line.strip() and line[0] != "#"]
    rows = list(csv.reader(lines, delimiter="\t"))
    for row in rows:
        if len(row) != COLUMNS:
            raise ValueError(f"{path}: expected {COLUMNS} columns, "
                             f"but got {len(row)} in {row}")
    bundles = [Bundle(*row) for row in rows]
    for bundle in bundles:
        unknown = set(bundle.groups.split(",")) - set(GROUPS)
        if unknown:
            raise ValueError(f"{path}: bundle {bundle.name} names the groups "
                             f"{sorted(unknown)}; there are {sorted(GROUPS)}")
    return bundles


class Case(NamedTuple):
    """A product that a bundle runs."""
    bundle: Bundle
    name: str
    pattern: str
    inner: int
    columns: int
    options: tuple

    def line(self, file):
        """The words for magicube-launch."""
        words = [f"bundles/{file}", f"--name={self.name}",
                 f"--arg={self.pattern}",
                 f"--arg=random:{self.inner}x{self.columns}", *self.options,
                 f"--repeat={REPEAT}"]
        return " ".join(words)


def case(bundle, name, lhs, inner, columns, *options):
    return Case(bundle, name, str(lhs), inner, columns, options)


def patterns(pack, below=""):
    """Files of patterns with the number of their columns."""
    for path in sorted((pack / "dlmc" / below).rglob("*.smtx")):
        with open(path) as file:
            columns = int(file.readline().split(",")[1])
        yield path.relative_to(pack), columns


def label(path):
    """The matrix's name in the collection."""
    return str(path.relative_to("dlmc"))


def matrices(bundle, pack):
    """The 18 shared matrices."""
    for path, inner in patterns(pack):
        for n in MATRIX_COLUMNS:
            yield case(bundle, label(path), path, inner, n, "--check")


def layer(bundle, pack):
    """The matrix of the paper's figures."""
    for path, inner in patterns(pack, LAYER):
        yield case(bundle, label(path), path, inner, LAYER_COLUMNS, "--check")


def random(m, k, sparsity):
    return f"random:{m}x{k}@{1 - sparsity:.4g}"


def llm(bundle, pack):
    """Uniformly random vectors in layers of language models."""
    for m, k in LLM_LAYERS:
        for sparsity in LLM_SPARSITIES:
            for n in LLM_COLUMNS:
                yield case(bundle, f"llm/{m}x{k}/{sparsity}",
                           random(m, k, sparsity), k, n, "--check-projection")


def decode(bundle, pack):
    """Operands from DRAM."""
    m, k = DECODE_LAYER
    for n in DECODE_COLUMNS:
        yield case(bundle, f"decode/{m}x{k}/{DECODE_SPARSITY}",
                   random(m, k, DECODE_SPARSITY), k, n, "--check-projection",
                   f"--rotate-bytes={ROTATE_BYTES}")


GROUPS = {"matrices": matrices, "layer": layer, "llm": llm, "decode": decode}


def pair_name(lhs, rhs, v):
    return f"L{lhs}-R{rhs}_V{v}"


def pairs(pack, kernels, below, columns):
    """Pairs of widths on the matrices of a folder."""
    for lhs, rhs, v in kernels:
        name = pair_name(lhs, rhs, v)
        bundle = Bundle(name, ENCODING.format(v), DEFAULT, "pairs", (lhs, rhs))
        for path, inner in patterns(pack, below):
            yield case(bundle, f"{name}/{label(path)}", path, inner, columns,
                       "--check")


# Kernels, folder of the matrices, N.
PAIR_GROUPS = {"pairs": (PAIRS, LAYER, LAYER_COLUMNS),
               "published": (PUBLISHED_PAIRS, "", PUBLISHED_COLUMNS)}


def bundle_files(cases, pack, compiler, chip):
    """The bundle of each case."""
    files = {case: f"{case.bundle.name}.bundle" for case in cases}
    if compiler:
        chosen = [case for case in cases if case.bundle.schedule == DEFAULT]
        files.update(zip(chosen, Defaults(pack, compiler, chip).bundles(chosen)))
    return files


def main():
    pack = Path(sys.argv[1])
    compiler, chip = sys.argv[2:4] if len(sys.argv) > 2 else (None, None)
    groups = {group: [] for group in GROUPS}
    for bundle in read_bundles():
        for group, make in GROUPS.items():
            if bundle.runs(group):
                groups[group] += make(bundle, pack)
    for group, arguments in PAIR_GROUPS.items():
        groups[group] = list(pairs(pack, *arguments))
    files = bundle_files(sum(groups.values(), []), pack, compiler, chip)
    (pack / "cases").mkdir(exist_ok=True)
    for group, cases in groups.items():
        (pack / "cases" / f"{group}.txt").write_text(
            "".join(case.line(files[case]) + "\n" for case in cases))


if __name__ == "__main__":
    main()
