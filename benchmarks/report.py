#!/usr/bin/env python3
# ===- report.py - The tables of benchmarks/README.md ------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: report.py OUT [REFERENCE.csv]
# OUT is what benchmarks/run.sh wrote. Prints, in Markdown, the tables of
# benchmarks/README.md: products next to other libraries of the same run and,
# where REFERENCE.csv (shared/data/reference-h200.csv) has the point, next to the
# published system on the same kind of chip. A table without rows is left out.
#
# ===------------------------------------------------------------------------===#

import statistics
import sys
from pathlib import Path

import results
from results import format_us, geomean, group, sparsity

# What the layer's and the pairs' tables show.
SPARSITIES = ("0.5", "0.7", "0.9", "0.98")
# Systems with the sparsity of the point, and their columns.
SPARSE_PEERS = {
    "cusparselt_int8": "2:4 int8",
    "bell8_int8": "Blocked-ELL 8 int8",
    "bell8_fp16": "Blocked-ELL 8 fp16",
    "bell16_fp16": "Blocked-ELL 16 fp16",
    "csr_int8": "CSR int8",
    "csr_fp16": "CSR fp16",
    "triton_bsr16_fp16": "Triton BSR 16 fp16",
}


def print_table(title, header, rows):
    """A section with a table, if it has rows."""
    rows = list(rows)
    if not rows:
        return
    print(f"## {title}\n")
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print()


def extents(row):
    return f"{row['m']} x {row['k']} x {row['n']}"


def select(rows, *groups):
    """The default bundles' rows of some groups."""
    return [r for r in rows if group(r) in groups and results.is_default(r)]


def ratio(ours, theirs):
    return f"{theirs / ours:.2f}" if ours and theirs else ""


def summarize_reference(rows, reference):
    groups = {}
    for row in rows:
        time = reference.get(results.point(row))
        if time:
            key = row["v"], row["n"]
            groups.setdefault(key, []).append(time / row["median_us"])
    for (v, n), ratios in sorted(groups.items()):
        yield v, n, len(ratios), f"{geomean(ratios):.2f}", f"{min(ratios):.2f}"


def summarize_pairs(rows, reference):
    """Other widths on the matrices next to the published system, by pair and
    V."""
    groups = {}
    for row in rows:
        pair, matrix, v, _ = point = results.point(row)
        if point in reference:
            times = row["median_us"], reference[point]
            groups.setdefault((pair, v), []).append((*times, matrix))
    for (pair, v), points in sorted(groups.items()):
        ours, theirs, matrices = zip(*points)
        ratios = [their / our for our, their in zip(ours, theirs)]
        least, where = min(zip(ratios, matrices))
        yield ("L{}-R{}".format(*pair), v, len(points), format_us(geomean(ours)),
               format_us(geomean(theirs)), f"{geomean(ratios):.2f}",
               f"{least:.2f}", where)


def summarize_dense(rows, peers):
    """The matrices, by V and N, against the faster dense product."""
    groups = {}
    for row in rows:
        dense = peers.best_dense(row)
        if dense:
            key = row["v"], row["n"]
            groups.setdefault(key, []).append(dense / row["median_us"])
    for (v, n), ratios in sorted(groups.items()):
        yield (v, n, len(ratios), f"{geomean(ratios):.2f}", f"{min(ratios):.2f}",
               f"{max(ratios):.2f}", sum(ratio > 1 for ratio in ratios))


def layer(rows, peers):
    """The layer of the paper's figures 11 to 13, by sparsity and V."""
    for row in sorted(rows, key=lambda r: (sparsity(r), r["v"])):
        yield (sparsity(row), row["v"], extents(row), format_us(row["median_us"]),
               f"{row['tops']:.1f}", format_us(peers.time(row, "dense_int8")),
               format_us(peers.time(row, "dense_fp16")),
               ratio(row["median_us"], peers.best_dense(row)))


def products(rows, peers):
    """Random vectors, by shape and sparsity."""
    key = lambda r: (r["m"] * r["k"], r["k"], r["n"], sparsity(r))
    for row in sorted(rows, key=key):
        yield (extents(row), sparsity(row), format_us(row["median_us"]),
               f"{row['tops']:.0f}", format_us(peers.time(row, "dense_int8")),
               format_us(peers.time(row, "dense_fp16")),
               ratio(row["median_us"], peers.best_dense(row)))


def sparse_peers(rows, peers):
    """Other sparse products of the same density."""
    for row in sorted(rows, key=lambda r: (results.shape(r), sparsity(r))):
        times = [peers.time(row, system) for system in SPARSE_PEERS]
        if any(times):
            yield (extents(row), sparsity(row), format_us(row["median_us"]),
                   *map(format_us, times))


def pairs(rows):
    """Every pair of widths on the layer, V = 8 and 2."""
    times = {}
    for row in rows:
        if row["n"] == results.LAYER_COLUMNS and sparsity(row) in SPARSITIES:
            pair = row["name"].split("_V")[0]
            times.setdefault(pair, {})[row["v"], sparsity(row)] = row["median_us"]
    for pair in sorted(times, key=lambda p: [int(w[1:]) for w in p.split("-")]):
        yield (pair, *(" / ".join(format_us(times[pair].get((v, s))) or "-"
                                  for s in SPARSITIES) for v in (8, 2)))


def schedules(rows):
    """Bundles of one point next to each other, the fastest named."""
    points = {}
    for row in rows:
        if row["v"] == 8 and group(row) != "pairs":
            key = group(row), extents(row), sparsity(row), row.get("copies", 1)
            points.setdefault(key, {})[results.bundle(row)] = row["median_us"]
    names = sorted({name for times in points.values() for name in times})
    if len(names) < 2:
        return None, []
    lines = []
    for key, times in sorted(points.items()):
        if len(times) > 1:
            lines.append((*key[:3], *(format_us(times.get(n)) for n in names),
                          min(times, key=times.get)))
    return ("group", "M x K x N", "sparsity", *names, "fastest"), lines


def roofline(out):
    """By group, V and N: what binds, and how much of it is reached."""
    import roofline as analysis

    groups = {}
    for row in analysis.analyze_run(out):
        if row["bundle"] in results.DEFAULT_BUNDLES:
            key = row["group"], row["v"], row["n"], row["bound"]
            groups.setdefault(key, []).append(row["fraction"])
    for key, fractions in sorted(groups.items()):
        yield (*key, len(fractions), f"{min(fractions):.2f}",
               f"{statistics.median(fractions):.2f}", f"{max(fractions):.2f}")


def ceilings(out):
    for row in results.read_rows(out / "ceilings.jsonl", "ceiling"):
        yield row["ceiling"], f"{row['value']:.4g} {row['unit']}", row["method"]


def failures(out):
    """What the tables lack."""
    counts = {}
    for row in results.read_rows(out / "peers.jsonl", "system"):
        for kind in ("error", "skipped"):
            if kind in row:
                key = row["system"], kind, row[kind][:120]
                counts[key] = counts.get(key, 0) + 1
    for (system, kind, text), count in sorted(counts.items()):
        yield system, count, kind, text.replace("|", "/")


def main():
    out = Path(sys.argv[1])
    rows = results.read_rows(out / "timed.jsonl", "median_us")
    peers = results.read_peers(out / "peers.jsonl")
    matrices = select(rows, "matrices")
    if len(sys.argv) > 2:
        reference = results.read_reference(sys.argv[2])
        print_table("Against the published system, 8-bit pairs, 18 matrices",
                    ("V", "N", "points", "over the reference: geometric mean",
                     "least"),
                    summarize_reference(matrices + select(rows, "layer"),
                                        reference))
        print_table("Against the published system, other pairs, 18 matrices",
                    ("pair", "V", "points", "us: geometric mean",
                     "reference us: geometric mean",
                     "over the reference: geometric mean", "least", "on"),
                    summarize_pairs(results.read_rows(out / "published.jsonl",
                                                      "median_us"), reference))
    print_table("Against the faster dense product, 18 matrices",
                ("V", "N", "points", "over dense: geometric mean", "least",
                 "most", "faster on"), summarize_dense(matrices, peers))
    dense = ("us", "TOP/s", "dense int8 us", "dense fp16 us", "over dense")
    print_table("The matrix of the paper's figures 11 to 13",
                ("sparsity", "V", "M x K x N", *dense),
                layer(select(rows, "layer"), peers))
    print_table("Other widths, sparsity " + " / ".join(SPARSITIES),
                ("pair", "V = 8", "V = 2"),
                pairs(results.read_rows(out / "pairs.jsonl", "median_us")))
    print_table("Layers of language models, V = 8",
                ("M x K x N", "sparsity", *dense),
                products(select(rows, "llm", "random"), peers))
    print_table("Decoding: operands from DRAM, V = 8",
                ("M x K x N", "sparsity", *dense),
                products(select(rows, "decode"), peers))
    print_table("Other sparse products, us, V = 8",
                ("M x K x N", "sparsity", "Magicube", *SPARSE_PEERS.values()),
                sparse_peers([r for r in select(rows, "layer", "llm", "decode")
                              if r["v"] == 8], peers))
    header, lines = schedules(rows)
    print_table("Schedules and encodings, us, V = 8", header or (), lines)
    if (out / "ceilings.jsonl").exists():
        print_table("What the chip does", ("resource", "rate", "how"),
                    ceilings(out))
        print_table("How near the bound",
                    ("group", "V", "N", "bound", "points", "least", "median",
                     "most"), roofline(out))
    print_table("What is missing", ("system", "points", "", "why"),
                failures(out))


if __name__ == "__main__":
    main()
