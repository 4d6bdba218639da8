#!/usr/bin/env python3
# ===- roofline.py - How near the chip's bounds products come ----------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: roofline.py OUT > ROOFLINE.csv
# OUT is what run.sh wrote. For each product of timed.jsonl: what it needs of each
# resource, the time that this takes at the rate that ceilings.jsonl measured in
# the same run, the resource that binds, and the fraction of that bound which was
# reached. What a kernel needs:
#
#   dram    each operand once: values, indices, pointers, the dense operand, the
#           result. It binds only where operands cannot be in the L2: copies are
#           used in turn, or they are larger.
#   l2      gathered: a row of the dense operand for every stored vector, the
#           sparse operand once for every tile of columns, the result. Stationary:
#           the dense operand once for every group of blocks that holds it.
#   shared  each gathered byte is read once by ldmatrix, whatever V is up to 8 x
#           the number of column groups; gathered kernels write it as well.
#   mma     m16n8k32 on all stored vectors, V rounded up to 8.
#   launch  an empty kernel.
#
# ===------------------------------------------------------------------------===#

import csv
import json
import math
import sys
from pathlib import Path

import results

MICROSECONDS = 1e6
# Of one MMA: columns of the dense operand, vectors, and rows of the sparse one.
MMA_N, MMA_K, MMA_V = 16, 32, 8
RESULT_BYTES = 4
POINTER_BYTES = 8  # start and end of a vector-row
RESOURCES = ("dram", "l2", "shared", "mma", "launch")


def read_ceilings(path):
    """Rates by name, and the row that describes the chip."""
    chip, rates = {}, {}
    with open(path) as file:
        for row in map(json.loads, file):
            if "ceiling" in row:
                rates[row["ceiling"]] = row["value"]
            else:
                chip = row
    return chip, rates


def index_bytes(row):
    """16-bit indices where the bundle's encoding says so."""
    return 2 if row.get("index_bytes") == 2 else 4


def is_stationary(row):
    """Whether the kernel keeps the dense operand in shared memory."""
    return "stationary" in row.get("schedule", "") + row.get("kernel", "")


def ceil_to(value, step):
    return math.ceil(value / step) * step


def sparse_bytes(row, vectors):
    """The sparse operand with `vectors` of 8-bit values."""
    return (vectors * (row["v"] + index_bytes(row))
            + row["m"] // row["v"] * POINTER_BYTES)


def dram_bytes(row):
    return (sparse_bytes(row, row["vectors"]) + row["k"] * row["n"]
            + row["m"] * row["n"] * RESULT_BYTES)


def blocks(row):
    x, y, z = row.get("grid", (1, 1, 1))
    return x * y * z


def column_tiles(row):
    """How many blocks share a vector-row; grids count tiles of rows first."""
    rows = row["m"] // row["v"]
    return max(round(blocks(row) / rows), 1) if rows else 1


def l2_bytes(row):
    """Bytes that the multiprocessors exchange with the L2."""
    result = row["m"] * row["n"] * RESULT_BYTES
    if is_stationary(row):
        # Each block fills its shared memory once.
        return (blocks(row) * row["shared_memory"]
                + sparse_bytes(row, row["stored"]) * stationary_tiles(row)
                + result)
    return (row["stored"] * row["n"]
            + sparse_bytes(row, row["stored"]) * column_tiles(row) + result)


def stationary_tiles(row):
    """Slabs of columns that the dense operand is cut into."""
    columns = max(row["shared_memory"] // row["k"], 1)
    return math.ceil(row["n"] / columns)


def shared_bytes(row):
    gathered = row["stored"] * ceil_to(row["n"], MMA_N)
    return gathered * (1 if is_stationary(row) else 2)


def mma_operations(row):
    """With the idle rows of short vectors and of padding."""
    return (2 * row["stored"] * ceil_to(row["v"], MMA_V)
            * ceil_to(row["n"], MMA_N))


def needs_dram(row, chip):
    """Whether operands come from DRAM at every launch."""
    return row.get("copies", 1) > 1 or dram_bytes(row) > chip["l2_bytes"]


def bounds(row, chip, rates):
    """Microseconds of each resource; nothing that does not bind."""
    times = {
        "dram": dram_bytes(row) / rates["dram_read"] * MICROSECONDS,
        "l2": l2_bytes(row) / rates["l2_read"] * MICROSECONDS,
        "shared": shared_bytes(row) / rates["shared_read"] * MICROSECONDS,
        "mma": mma_operations(row) / rates["mma_int8"] * MICROSECONDS,
        "launch": rates["launch"],
    }
    if not needs_dram(row, chip):
        times["dram"] = 0.0
    return times


def analyze(row, chip, rates):
    """A row of the CSV."""
    times = bounds(row, chip, rates)
    binding = max(RESOURCES, key=times.get)
    useful = 2 * row["vectors"] * row["v"] * row["n"]
    return {
        "name": row["name"], "bundle": results.bundle(row),
        "group": results.group(row), "sparsity": results.sparsity(row),
        **{key: row[key] for key in ("m", "k", "n", "v", "vectors", "stored")},
        "median_us": round(row["median_us"], 3),
        "tops": round(useful / row["median_us"] / MICROSECONDS, 2),
        **{f"{name}_us": round(times[name], 3) for name in RESOURCES},
        "bound": binding, "bound_us": round(times[binding], 3),
        "fraction": round(times[binding] / row["median_us"], 4),
        "operations_per_l2_byte": round(useful / l2_bytes(row), 3),
    }


def add_encodings(rows, table):
    """What bundles.tsv says about the rows' bundles."""
    for row in rows:
        entry = table.get(results.bundle(row))
        if entry:
            row["index_bytes"] = 2 if "u16" in entry.encoding else 4
            row["schedule"] = entry.schedule
    return rows


def analyze_run(out):
    """The CSV's rows for the products of a run."""
    import cases

    chip, rates = read_ceilings(Path(out) / "ceilings.jsonl")
    rows = results.read_rows(Path(out) / "timed.jsonl", "median_us")
    table = {bundle.name: bundle for bundle in cases.read_bundles()}
    rows = [row for row in add_encodings(rows, table) if row["median_us"] > 0]
    return [analyze(row, chip, rates) for row in rows]


def main():
    rows = analyze_run(sys.argv[1])
    writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


if __name__ == "__main__":
    main()
