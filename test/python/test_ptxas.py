#===- test_ptxas.py - Registers of the generated kernels -------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# No kernel with the compiler's own schedule may keep a register in memory, nor
# one with a resident schedule that is known to fit. Skipped without a CUDA
# toolkit.
#
#===----------------------------------------------------------------------===#
"""Machine code of the kernels, by ptxas."""

import itertools
import re
import subprocess

import pytest

import spmm
import tools
from spmm import Case, Encoding, Schedule
from test_spmm import sample


def find_ptxas():
    script = tools.SOURCE_DIR / "scripts" / "find-cuda-tool.sh"
    found = subprocess.run([script, "ptxas"], stdout=subprocess.PIPE,
                           text=True, check=False)
    return found.stdout.strip()


PTXAS = find_ptxas()
pytestmark = pytest.mark.skipif(not PTXAS, reason="no ptxas")

# A kernel's usage, as `ptxas -v` prints it.
USAGE = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                   r"(\d+) bytes spill loads")


def kernels():
    """Every V with run-time and with few columns where speed was designed for,
    one V elsewhere."""
    for chip, vector, n in itertools.product(("sm_80", "sm_90"),
                                             spmm.VECTOR_LENGTHS, (None, 16)):
        yield chip, vector, n
    for chip in ("sm_86", "sm_89", "sm_100", "sm_120"):
        yield chip, 8, None


# Pairs of widths, of the sparse and the dense operand, whose accumulators and
# prefetched operands fit into the registers of a thread, for vectors of up to
# 8: by tile_n, warps and stages. With 32 warps a thread has 64 registers, with
# 16 it has 128. Vectors of 16 have twice the accumulators. Recipe "interleave"
# is not here: with 16 warps ptxas prefers 64 registers and a spill of 3 to more.
ALL_PAIRS = set(itertools.product((4, 8, 12, 16), (4, 8, 16)))
RESIDENT_FITS = {
    (16, 16, 4): {pair for pair in ALL_PAIRS if pair[1] > 4},
    (64, 16, 4): {(4, 4), (4, 8), (4, 16), (8, 4), (8, 8), (8, 16), (12, 8),
                  (16, 8)},
    (32, 32, 2): {(4, 4), (4, 8), (4, 16), (8, 4), (8, 8)},
    (32, 32, 4): {(4, 8)},
}


def resident_cases():
    for (tile_n, warps, stages), pairs in RESIDENT_FITS.items():
        for chip, vector, (lhs_bits, rhs_bits) in itertools.product(
                ("sm_80", "sm_90"), (1, 2, 4, 8), sorted(pairs)):
            recipe = "transpose-nibble" if lhs_bits == 4 else "transpose"
            yield Case(Encoding(vector), k=256, n=130,
                       schedule=Schedule(tile_n, warps, stages, recipe,
                                         "resident", blocks=132),
                       chip=chip, lhs_bits=lhs_bits, rhs_bits=rhs_bits)


@pytest.mark.parametrize("chip, vector, n", list(kernels()))
def test_no_spills(tmp_path, chip, vector, n):
    check(tmp_path, Case(Encoding(vector), n=n or 64, is_static=n is not None,
                         chip=chip))


@pytest.mark.parametrize("case", sample(resident_cases(), 10), ids=str)
def test_no_spills_resident(tmp_path, case):
    check(tmp_path, case)


def check(tmp_path, case):
    chip = case.chip
    (tmp_path / "f.mlir").write_text(spmm.module_text(case))
    process = tools.run_tool(tools.COMPILE, tmp_path / "f.mlir",
                             f"--chip={chip}", "-o", tmp_path / "f.ptx")
    assert process.returncode == 0, process.stderr
    process = tools.run_tool(PTXAS, "-v", f"-arch={chip}", tmp_path / "f.ptx",
                             "-o", tmp_path / "f.cubin")
    assert process.returncode == 0, process.stderr
    usages = USAGE.findall(process.stderr)
    assert usages and set(usages) == {("0", "0", "0")}, process.stderr
