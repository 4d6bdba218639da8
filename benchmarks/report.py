#!/usr/bin/env python3
# ===- report.py - The table of benchmarks/README.md ------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: report.py OUT [REFERENCE.csv]
# OUT is what scripts/device-run.sh and peers.py wrote. Prints, in Markdown, the
# tables of benchmarks/README.md: products next to the dense ones of the same run
# and, where REFERENCE.csv (shared/data/reference-h200.csv) has the point, next to
# the published system on the same kind of chip.
#
# ===------------------------------------------------------------------------===#

import csv
import json
import math
import sys


# The layer of the paper's figures and what the tables show of it.
LAYER = "rn50/random_pruning/"
FIGURE_COLUMNS = 512
SPARSITIES = ("0.5", "0.7", "0.9", "0.98")


def sparsity(row):
    """The sparsity in the name of a run on the layer."""
    return row["name"].split(LAYER)[1].split("/")[0]


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


def print_layer(rows, peers):
    """The layer of the paper's figures 11 to 13, by sparsity and V."""
    print("| sparsity | V | M x K x N | us | TOP/s | dense int8 us | dense fp16 us |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        if row["n"] != FIGURE_COLUMNS or not row["name"].startswith(LAYER):
            continue
        peer = peers[row["m"], row["k"], row["n"]]
        print(
            f"| {sparsity(row)} | {row['v']} | {row['m']} x {row['k']} x {row['n']} "
            f"| {row['median_us']:.2f} | {row['tops']:.1f} "
            f"| {peer['int8_us']:.2f} | {peer['fp16_us']:.2f} |"
        )


def print_pairs(rows):
    """Every pair of widths on that layer, V = 8 and 2."""
    times = {}
    for row in rows:
        if row["n"] == FIGURE_COLUMNS and sparsity(row) in SPARSITIES:
            pair = row["name"].split("_V")[0]
            times.setdefault(pair, {})[row["v"], sparsity(row)] = row["median_us"]
    print("| pair | V = 8 | V = 2 |")
    print("|---|---|---|")
    for pair in sorted(times, key=lambda p: [int(w[1:]) for w in p.split("-")]):
        columns = [
            " / ".join(f"{times[pair][v, s]:.2f}" for s in SPARSITIES) for v in (8, 2)
        ]
        print(f"| {pair} | {columns[0]} | {columns[1]} |")


def print_random(rows, peers):
    """Uniformly random vectors."""
    print("| M x K x N | kept | us | TOP/s | dense int8 us | dense fp16 us |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        if row["name"] != "random":
            continue
        peer = peers[row["m"], row["k"], row["n"]]
        print(
            f"| {row['m']} x {row['k']} x {row['n']} | {row['args'][0].split('@')[1]} "
            f"| {row['median_us']:.1f} | {row['tops']:.0f} "
            f"| {peer['int8_us']:.1f} | {peer['fp16_us']:.1f} |"
        )


def main():
    out = sys.argv[1]
    rows = read_rows(f"{out}/timed.jsonl", "median_us")
    peers = {
        (r["m"], r["k"], r["n"]): r for r in read_rows(f"{out}/peers.jsonl", "int8_us")
    }
    if len(sys.argv) > 2:
        print_summary(rows, read_reference(sys.argv[2]))
        print()
    print_layer(rows, peers)
    print()
    print_pairs(read_rows(f"{out}/pairs.jsonl", "median_us"))
    print()
    print_random(rows, peers)


if __name__ == "__main__":
    main()
