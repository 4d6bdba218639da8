#===- results.py - Rows of a run -------------------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What report.py, roofline.py and plots.py read: the files of run.sh as rows, and
# what names of rows mean. No torch.
#
#===----------------------------------------------------------------------===#
"""Reading the rows of a run."""

import csv
import json
import math
import re
from pathlib import Path

from cases import LAYER, LAYER_COLUMNS

# The bundles that headline tables show: the compiler's own choice, by V, and
# for dense operands that do not fit in shared memory.
DEFAULT_BUNDLES = {f"v{v}" for v in (1, 2, 4, 8, 16)} | {"v8_slab"}
DENSE = ("dense_int8", "dense_fp16")
# The names of cases.pairs.
PAIR = re.compile(r"L(\d+)-R(\d+)_V\d+/(.*)")


def read_rows(path, key):
    """Rows that have `key`; none if there is no such file."""
    if not Path(path).exists():
        return []
    with open(path) as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return [row for row in rows if key in row]


def bundle(row):
    """The name of a row's bundle, such as v8; what follows a dot is the schedule
    that was selected."""
    return Path(row["bundle"]).name.split(".")[0]


def is_default(row):
    return bundle(row) in DEFAULT_BUNDLES


def group(row):
    """The group of cases.py that a row belongs to."""
    name = row.get("name", "")
    prefix = name.split("/")[0]
    if prefix in ("llm", "decode", "random"):
        return prefix
    if "_V" in prefix:
        return "pairs"
    is_layer = row["n"] == LAYER_COLUMNS and name.startswith(LAYER)
    return "layer" if is_layer else "matrices"


def sparsity(row):
    """The sparsity that a row's name states, as text."""
    name = row["name"]
    if group(row) in ("llm", "decode"):
        return name.split("/")[2]
    if group(row) == "random":
        return f"{1 - float(row['args'][0].split('@')[1]):.4g}"
    return name.split("/")[-2]


def shape(row):
    return row["m"], row["k"], row["n"]


class Peers:
    """Times of other systems: those of one shape, and those of a point."""

    def __init__(self, rows):
        self.by_shape, self.by_point = {}, {}
        for row in rows:
            # Rows of older runs: both dense times in one row.
            if "int8_us" in row:
                for system, key in zip(DENSE, ("int8_us", "fp16_us")):
                    self.by_shape[shape(row), 0, system] = {"median_us": row[key]}
            elif "median_us" in row:
                rotate = row.get("rotate_bytes", 0)
                system = row["system"]
                if row["sparsity"] in ("none", "2:4"):
                    self.by_shape[shape(row), rotate, system] = row
                elif row["sparsity"] == "blocks":
                    key = shape(row), rotate, round(row["density"], 6), system
                    self.by_point[key] = row
                else:
                    key = shape(row), rotate, row["pattern"], row["v"], system
                    self.by_point[key] = row

    def time(self, row, system):
        """Microseconds of a system on the product of one of our rows, or
        None."""
        rotate = row.get("rotate_bytes", 0)
        keys = [(shape(row), rotate, system)]
        found = self.by_shape.get(keys[0])
        if not found:
            density = round(row["vectors"] * row["v"] / (row["m"] * row["k"]), 6)
            pattern = row["args"][0]
            found = self.by_point.get((shape(row), rotate, density, system)) or \
                self.by_point.get(
                    (shape(row), rotate, pattern, row["v"], system))
        return found["median_us"] if found else None

    def best(self, row, systems):
        """The least time of the systems, or None."""
        times = [self.time(row, system) for system in systems]
        return min((time for time in times if time), default=None)

    def best_dense(self, row):
        return self.best(row, DENSE)


def read_peers(path):
    rows = read_rows(path, "m")
    return Peers(rows)


def point(row):
    """What a row computes: bits of its values, matrix, V and N."""
    pair = PAIR.match(row["name"])
    lhs, rhs, matrix = pair.groups() if pair else (8, 8, row["name"])
    return (int(lhs), int(rhs)), matrix, row["v"], row["n"]


def read_reference(path, op="spmm"):
    """Times of the published operation by point."""
    with open(path) as file:
        return {
            ((int(row["L"]), int(row["R"])), row["matrix"], int(row["V"]),
             int(row["N_or_K"])): float(row["median_us"])
            for row in csv.DictReader(file) if row["op"] == op
        }


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def format_us(time):
    """Microseconds with as many digits as mean something."""
    if time is None:
        return ""
    return f"{time:.2f}" if time < 100 else f"{time:.0f}"
