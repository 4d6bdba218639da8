#!/usr/bin/env python3
#===- make-smtx.py - Writes a random sparsity pattern --------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The .smtx format is text: "rows, cols, nnz", then the rows + 1 offsets of
# the rows, then nnz column indices, ascending in each row. Needs only the
# standard library, so that the demo needs no Python environment.
#
#===----------------------------------------------------------------------===#
"""Write a random .smtx pattern of exactly round(density * rows * cols) entries."""

import argparse
import itertools
import random


def random_pattern(rows, cols, density, seed):
    """Return one ascending list of columns per row.

    Positions are drawn from the whole matrix without replacement, so rows
    differ in length as they do after unstructured pruning.
    """
    nonzeros = round(density * rows * cols)
    positions = random.Random(seed).sample(range(rows * cols), nonzeros)
    pattern = [[] for _ in range(rows)]
    for position in sorted(positions):
        pattern[position // cols].append(position % cols)
    return pattern


def format_smtx(pattern, cols):
    """Return the .smtx text of the pattern."""
    offsets = list(itertools.accumulate(map(len, pattern), initial=0))
    columns = itertools.chain.from_iterable(pattern)
    return (f"{len(pattern)}, {cols}, {offsets[-1]}\n"
            f"{' '.join(map(str, offsets))}\n"
            f"{' '.join(map(str, columns))}\n")


def positive_int(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {value}")
    return value


def fraction(text):
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"expected 0 to 1, got {value}")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=positive_int, required=True)
    parser.add_argument("--cols", type=positive_int, required=True)
    parser.add_argument("--density", type=fraction, required=True,
                        help="share of entries that are nonzero, 0 to 1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", dest="output", required=True, metavar="FILE")
    args = parser.parse_args()
    pattern = random_pattern(args.rows, args.cols, args.density, args.seed)
    try:
        with open(args.output, "w", encoding="ascii") as file:
            file.write(format_smtx(pattern, args.cols))
    except OSError as error:
        parser.exit(1, f"make-smtx.py: error: cannot write '{args.output}': "
                       f"{error.strerror}\n")


if __name__ == "__main__":
    main()
