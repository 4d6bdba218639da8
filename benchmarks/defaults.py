#===- defaults.py - Bundles with the compiler's own schedules --------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The compiler is told the matrix and the shape of every case; cases with equal
# schedules share a bundle.
#
#===----------------------------------------------------------------------===#
"""Default bundles, one for each schedule that the compiler selects."""

import re
import subprocess
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Its attributes have angle brackets of their own.
SCHEDULE = re.compile(
    r"schedule = (#magicube\.schedule<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)")
FIELD = re.compile(r"(tile_n|warps|stages) = (\d+)")

MODULE = """#a = #magicube.sr_bcrs<{encoding}>
func.func @spmm(%a: {lhs}, %b: {rhs}) -> {result} {{
  %c = magicube.spmm %a, %b {attributes} : ({lhs}, {rhs}) -> {result}
  return %c : {result}
}}
"""


def module(encoding, bits, m, k, n, schedule=None):
    """IR of a product of operands of `bits`; extents are numbers or "?"."""
    return MODULE.format(
        encoding=encoding, lhs=f"tensor<{m}x{k}xi{bits[0]}, #a>",
        rhs=f"tensor<{k}x{n}xi{bits[1]}>", result=f"tensor<{m}x{n}xi32>",
        attributes=f"{{schedule = {schedule}}}" if schedule else "")


def bundle_file(name, inner, schedule):
    """results.bundle takes the name off again: what stands before the dot."""
    place = "gathered"
    if "#magicube.stationary" in schedule:
        place = f"stationary_k{inner}"
    fields = "_".join(word[0] + number for word, number in FIELD.findall(schedule))
    # What else the schedule says.
    digest = zlib.crc32(schedule.encode()) & 0xffff
    return f"{name}.{place}_{fields}_{digest:04x}.bundle"


class Defaults:
    """Selects schedules and compiles bundles into a pack."""

    def __init__(self, pack, compiler, chip):
        self.pack, self.compiler, self.chip = pack, compiler, chip

    def run(self, text, *options):
        process = subprocess.run(
            [self.compiler, "-", f"--chip={self.chip}", *options], input=text,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            check=False)
        if process.returncode:
            raise RuntimeError(f"{self.compiler} {' '.join(options)}: "
                               f"{process.stderr}\n{text}")
        return process.stdout

    def rows(self, encoding, pattern):
        """M of a pattern."""
        if pattern.startswith("random:"):
            return int(pattern[len("random:"):].split("x")[0])
        vector = int(re.search(r"vector = (\d+)", encoding)[1])
        with open(self.pack / pattern) as file:
            return int(file.readline().split(",")[0]) * vector

    def select(self, case):
        """The schedule of one case."""
        pattern = str(case.pattern)
        path = pattern
        if not pattern.startswith("random:"):
            path = self.pack / pattern
        encoding = case.bundle.encoding
        text = module(encoding, case.bundle.bits, self.rows(encoding, pattern),
                      case.inner, case.columns)
        scheduled = self.run(text, "--emit=mlir", "--stop-after=schedule",
                             f"--pattern={path}")
        return SCHEDULE.search(scheduled)[1]

    def compile(self, item):
        name, (encoding, bits, inner, schedule) = item
        path = Path(self.pack) / "bundles" / name
        self.run(module(encoding, bits, "?", inner, "?", schedule),
                 "--emit=bundle", "-o", str(path))

    def bundles(self, cases):
        """The file's name of each case's bundle; compiles what is new."""
        with ThreadPoolExecutor() as pool:
            schedules = list(pool.map(self.select, cases))
            names, contents = [], {}
            for case, schedule in zip(cases, schedules):
                # Only stationary kernels depend on K, and none on M and N.
                is_stationary = "#magicube.stationary" in schedule
                inner = case.inner if is_stationary else "?"
                encoding = case.bundle.encoding
                # The order for shared memory is none for the L2: padding would
                # be gathered, too (docs/Schedules.md).
                if not is_stationary:
                    encoding = encoding.replace("order = bank_aware, ", "")
                name = bundle_file(case.bundle.name, inner, schedule)
                names.append(name)
                contents[name] = (encoding, case.bundle.bits, inner, schedule)
            list(pool.map(self.compile, sorted(contents.items())))
        return names
