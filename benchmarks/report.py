#!/usr/bin/env python3
# ===- report.py - The table of benchmarks/README.md ------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: report.py TIMED.jsonl PEERS.jsonl [REFERENCE.csv]
# Prints, in Markdown, the measured products next to the dense ones of the same
# run and, where REFERENCE.csv (shared/data/reference-h200.csv) has the point, the
# published system's time on the same kind of chip.
#
# ===------------------------------------------------------------------------===#

import csv
import json
import math
import sys


def read_rows(path, key):
    with open(path) as file:
        return [row for row in map(json.loads, file) if key in row]


def read_reference(path):
    """Times of the published 8-8 SpMM by (matrix, V, N)."""
    with open(path) as file:
        return {
            (row["matrix"], int(row["V"]), int(row["N_or_K"])): float(row["median_us"])
            for row in csv.DictReader(file)
            if (row["op"], row["L"], row["R"]) == ("spmm", "8", "8")
        }


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_summary(rows, reference):
    print("| V | N | points | over the reference: geometric mean | least |")
    print("|---|---|---|---|---|")
    groups = {}
    for row in rows:
        time = reference.get((row["name"], row["v"], row["n"]))
        if time:
            groups.setdefault((row["v"], row["n"]), []).append(time / row["median_us"])
    for (v, n), ratios in sorted(groups.items()):
        print(f"| {v} | {n} | {len(ratios)} | {geomean(ratios):.2f} | {min(ratios):.2f} |")


def print_table(rows, peers, reference):
    print("| matrix | V | M x K x N | us | TOP/s | reference us | dense int8 us | dense fp16 us |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        peer = peers[row["m"], row["k"], row["n"]]
        time = reference.get((row["name"], row["v"], row["n"]))
        published = f"{time:.1f}" if time else ""
        print(
            f"| {row['name']} | {row['v']} | {row['m']} x {row['k']} x {row['n']} "
            f"| {row['median_us']:.2f} | {row['tops']:.1f} | {published} "
            f"| {peer['int8_us']:.2f} | {peer['fp16_us']:.2f} |"
        )


def main():
    rows = read_rows(sys.argv[1], "median_us")
    peers = {(r["m"], r["k"], r["n"]): r for r in read_rows(sys.argv[2], "int8_us")}
    reference = read_reference(sys.argv[3]) if len(sys.argv) > 3 else {}
    print_summary(rows, reference)
    print()
    print_table(rows, peers, reference)


if __name__ == "__main__":
    main()
