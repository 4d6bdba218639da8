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
import random
import re
import subprocess

import pytest

import spmm
import test_precision
import tools
from epilogue import Epilogue
from spmm import Case, Encoding, Schedule
from test_spmm import sample


def find_tool(name):
    """A program of the CUDA toolkit; empty if there is none."""
    script = tools.SOURCE_DIR / "scripts" / "find-cuda-tool.sh"
    found = subprocess.run([script, name], stdout=subprocess.PIPE,
                           text=True, check=False)
    return found.stdout.strip()


PTXAS = find_tool("ptxas")
pytestmark = pytest.mark.skipif(not PTXAS, reason="no ptxas")

# A kernel's usage, as `ptxas -v` prints it.
USAGE = re.compile(r"Function properties for (\S+)\s+(\d+) bytes stack frame, "
                   r"(\d+) bytes spill stores, (\d+) bytes spill loads")

# Rows of 4 and 16-bit values that are aligned to nothing, the slow path, take many
# registers; there ptxas keeps a value or two in memory outside of the loop
# rather than have fewer warps at a time.
MAX_UNALIGNED_SPILL = 16


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


@pytest.mark.parametrize("case", sample(resident_cases(), 10), ids=str)
def test_no_spills_resident(tmp_path, case):
    usages = assemble(tmp_path, case.chip, spmm.module_text(case))
    assert all(size == 0 for _, size in usages), usages


EPILOGUES = [
    Epilogue("column", ("row", "column"), "column", "gelu", "f16"),
    Epilogue("row", ("number",), None, "gelu", "i8"),
    Epilogue(None, ("column",), "row", None, "i4"),
]


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("epilogue", EPILOGUES, ids=str)
def test_epilogues_do_not_spill(tmp_path, chip, bits, epilogue):
    module = epilogue.module(8, lhs_bits=bits, rhs_bits=bits)
    usages = assemble(tmp_path, chip, module)
    assert all(size == 0 for _, size in usages), usages


def assemble(tmp_path, chip, module, *options):
    """(kernel, bytes in memory) of all kernels."""
    (tmp_path / "f.mlir").write_text(module)
    process = tools.run_tool(tools.COMPILE, tmp_path / "f.mlir",
                             f"--chip={chip}", *options,
                             "-o", tmp_path / "f.ptx")
    assert process.returncode == 0, process.stderr
    process = tools.run_tool(PTXAS, "-v", f"-arch={chip}", tmp_path / "f.ptx",
                             "-o", tmp_path / "f.cubin")
    assert process.returncode == 0, process.stderr
    usages = USAGE.findall(process.stderr)
    assert usages, process.stderr
    return [(name, max(map(int, sizes))) for name, *sizes in usages]


@pytest.mark.parametrize("chip, vector, n", list(kernels()))
def test_no_spills(tmp_path, chip, vector, n):
    case = Case(Encoding(vector), n=n or 64, is_static=n is not None)
    usages = assemble(tmp_path, chip, spmm.module_text(case))
    assert all(size == 0 for _, size in usages), usages


def pairs():
    """Pairs of widths, V and signs with run-time and with known extents; one of
    each pair, or all."""
    draw = random.Random(7)
    for chip, lhs, rhs in itertools.product(
            ("sm_80", "sm_90"), test_precision.LHS_BITS,
            test_precision.RHS_BITS):
        every = list(itertools.product((False, True), (False, True),
                                       spmm.VECTOR_LENGTHS, (False, True)))
        for signs_v in every if tools.RUNS_ALL else [draw.choice(every)]:
            yield (chip, lhs, rhs, *signs_v)


@pytest.mark.parametrize("chip,lhs,rhs,unsigned_lhs,unsigned_rhs,vector,static",
                         list(pairs()))
def test_no_spills_of_pairs(tmp_path, chip, lhs, rhs, unsigned_lhs,
                            unsigned_rhs, vector, static):
    case = (lhs, rhs, unsigned_lhs, unsigned_rhs, vector, 32, None, static)
    module = test_precision.module(case, 64 * vector, 4096, 1023)
    assert_few_spills(assemble(tmp_path, chip, module), rhs)


def assert_few_spills(usages, rhs_bits):
    for name, size in usages:
        limit = MAX_UNALIGNED_SPILL if rhs_bits != 8 and \
            name.endswith("_align1") else 0
        assert size <= limit, name


@pytest.mark.parametrize("lhs", test_precision.LHS_BITS)
@pytest.mark.parametrize("vector", spmm.VECTOR_LENGTHS if tools.RUNS_ALL else
                         (4, 8, 16)) # 1 and 2 have the fragments of 4
@pytest.mark.parametrize("compute", ("i4", "i8"))
def test_no_spills_of_4_bits(tmp_path, lhs, vector, compute):
    case = (lhs, 4, False, False, vector, 32, None, False)
    module = test_precision.module(case, None, None, None).replace(
        "%b {", f"%b {{compute = {compute}")
    assert f"compute = {compute}" in module
    assert_few_spills(assemble(tmp_path, "sm_80", module), 4)


def resident_kernels():
    """Every V of bytes, every pair of widths at one V."""
    for chip, vector in itertools.product(("sm_80", "sm_90"),
                                          spmm.VECTOR_LENGTHS):
        yield chip, vector, 8, 8
    for lhs, rhs in itertools.product((4, 8, 12, 16), (4, 8, 16)):
        if (lhs, rhs) != (8, 8):
            yield "sm_90", 8, lhs, rhs


@pytest.mark.parametrize("chip, vector, lhs, rhs", list(resident_kernels()))
def test_few_spills_of_resident_kernels(tmp_path, chip, vector, lhs, rhs):
    """ptxas rather keeps one or two registers in memory than use more than a
    round number of them."""
    m, k, n = 256 * vector, 2304, 512
    types = (f"tensor<{m}x{k}xi{lhs}, #w>", f"tensor<{k}x{n}xi{rhs}>",
             f"tensor<{m}x{n}xi32>")
    encoding = Encoding(vector, order="bank_aware", index="u16")
    text = (f"#w = {encoding}\n"
            f"func.func @f(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n"
            + spmm.spmm_op("a", "b", "c", *types)
            + f"  return %c : {types[2]}\n}}\n")
    usages = assemble(tmp_path, chip, text, f"--pattern=random:{m}x{k}@0.5")
    assert "_resident2304_" in (tmp_path / "f.ptx").read_text()
    assert all(size <= 8 for _, size in usages), usages
