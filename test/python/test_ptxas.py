#===- test_ptxas.py - Registers of the generated kernels -------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# No kernel with the compiler's own schedule may keep a register in memory, nor
# one with a stationary schedule that is known to fit. Skipped without a CUDA
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
# 16 it has 128. Vectors of 16 have twice the accumulators. Interleaved operands
# are not here: with 16 warps ptxas prefers 64 registers and a spill of 3 to more.
ALL_PAIRS = set(itertools.product((4, 8, 12, 16), (4, 8, 16)))
STATIONARY_FITS = {
    (16, 16, 4): {pair for pair in ALL_PAIRS if pair[1] > 4},
    (64, 16, 4): {(4, 4), (4, 8), (4, 16), (8, 4), (8, 8), (8, 16), (12, 8),
                  (16, 8)},
    (32, 32, 2): {(4, 4), (4, 8), (4, 16), (8, 4), (8, 8)},
    (32, 32, 4): {(4, 8), (8, 8)},
}


# But ptxas 13.0 spills two or three registers of these: by tile_n, warps, stages,
# chip, vector and widths.
STATIONARY_SPILLS = {
    (32, 32, 2, "sm_90", 1, (4, 16)),
    (32, 32, 2, "sm_90", 2, (4, 16)),
    (32, 32, 4, "sm_80", 1, (8, 8)),
}


def stationary_cases():
    for (tile_n, warps, stages), pairs in STATIONARY_FITS.items():
        for chip, vector, (lhs_bits, rhs_bits) in itertools.product(
                ("sm_80", "sm_90"), (1, 2, 4, 8), sorted(pairs)):
            if (tile_n, warps, stages, chip, vector,
                    (lhs_bits, rhs_bits)) in STATIONARY_SPILLS:
                continue
            yield Case(Encoding(vector), k=256, n=130,
                       schedule=Schedule(tile_n, warps, stages, "transposed",
                                         "stationary", num_ctas=132),
                       chip=chip, lhs_bits=lhs_bits, rhs_bits=rhs_bits)


@pytest.mark.parametrize("case", sample(stationary_cases(), 10), ids=str)
def test_no_spills_stationary(tmp_path, case):
    usages = assemble(tmp_path, case.chip, spmm.module_text(case))
    assert_no_spills(usages)


# The same with slabs: by tile_n and warps, with 4 stages. Vectors of 16 are
# where they fit as well.
SLAB_FITS = {
    (16, 32): {((8, 8), vector) for vector in (1, 2, 4, 8)},
    (16, 16): {(pair, vector) for pair in ALL_PAIRS if pair[1] > 4
               for vector in spmm.VECTOR_LENGTHS},
    (32, 16): {(pair, vector) for pair in ALL_PAIRS if pair[1] == 4
               for vector in spmm.VECTOR_LENGTHS
               if pair[0] <= 8 or vector <= 8},
}


def slab_cases():
    for (tile_n, warps), fits in SLAB_FITS.items():
        for chip, smem_stages, (pair, vector) in itertools.product(
                ("sm_80", "sm_90"), (1, 2), sorted(fits)):
            lhs_bits, rhs_bits = pair
            yield Case(Encoding(vector, 32, "bank_aware", "u16", 2048), k=8192,
                       n=130, schedule=Schedule(tile_n, warps, 4, "transposed",
                                                "stationary_k_tiles",
                                                rows_per_cta=8,
                                                smem_stages=smem_stages),
                       chip=chip, lhs_bits=lhs_bits, rhs_bits=rhs_bits)


# Always what speed was designed for; others by chance.
@pytest.mark.parametrize("case", [
    *(case for case in slab_cases() if case.schedule.warps == 32),
    *sample((case for case in slab_cases() if case.schedule.warps == 16), 12),
], ids=str)
def test_no_spills_with_slabs(tmp_path, case):
    usages = assemble(tmp_path, case.chip, spmm.module_text(case))
    assert_no_spills(usages)


EPILOGUES = [
    Epilogue("column", ("row", "column"), "column", "gelu", "f16"),
    Epilogue("row", ("number",), None, "gelu", "i8"),
    Epilogue(None, ("column",), "row", None, "i4"),
]


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("epilogue", EPILOGUES, ids=str)
def test_epilogues_do_not_spill(tmp_path, chip, bits, epilogue):
    module = epilogue.module(Encoding(8), lhs_bits=bits, rhs_bits=bits)
    usages = assemble(tmp_path, chip, module)
    assert_no_spills(usages)


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("vector", [1, 4, 8] if tools.RUNS_ALL else [8])
@pytest.mark.parametrize("epilogue", EPILOGUES, ids=str)
def test_epilogues_with_slabs_do_not_spill(tmp_path, chip, vector, epilogue):
    schedule = Schedule(16, 32, 4, placement="stationary_k_tiles",
                        rows_per_cta=8, smem_stages=2)
    encoding = Encoding(vector, 32, "bank_aware", "u16", 2048)
    module = epilogue.module(encoding, [f"schedule = {schedule}"], inner=8192)
    assert_no_spills(assemble(tmp_path, chip, module))


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


def assert_no_spills(usages):
    assert all(size == 0 for _, size in usages), usages


@pytest.mark.parametrize("chip, vector, n", list(kernels()))
def test_no_spills(tmp_path, chip, vector, n):
    case = Case(Encoding(vector), n=n or 64, is_static=n is not None)
    usages = assemble(tmp_path, chip, spmm.module_text(case))
    assert_no_spills(usages)


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
    case = Case(Encoding(vector), 64, 4096, 1023, unsigned_lhs=unsigned_lhs,
                unsigned_rhs=unsigned_rhs, is_static=static, lhs_bits=lhs,
                rhs_bits=rhs)
    assert_no_spills(assemble(tmp_path, chip, spmm.module_text(case)))


@pytest.mark.parametrize("lhs", test_precision.LHS_BITS)
@pytest.mark.parametrize("vector", spmm.VECTOR_LENGTHS if tools.RUNS_ALL else
                         (4, 8, 16)) # 1 and 2 have the fragments of 4
@pytest.mark.parametrize("compute", ("i4", "i8"))
def test_no_spills_of_4_bits(tmp_path, lhs, vector, compute):
    case = Case(Encoding(vector), lhs_bits=lhs, rhs_bits=4)
    module = spmm.module_text(case, attributes=[f"compute = {compute}"])
    assert_no_spills(assemble(tmp_path, "sm_80", module))


# What takes most registers at the end of a vector-row: nothing, halves that are
# stored at once, bytes that lanes trade.
STATIONARY_EPILOGUES = [
    Epilogue(),
    Epilogue("column", ("row", "column"), "column", "gelu", "f16"),
    Epilogue("column", ("row", "column"), "column", "gelu", "i8"),
    Epilogue(None, ("column",), "row", None, "i4"),
]
# K such that 64 and 32 bytes of its rows are the most that a block holds.
STATIONARY_DEPTHS = (2304, 4096)


def stationary_products():
    """V, widths, epilogues and depths for which schedules are chosen."""
    return itertools.product(("sm_80", "sm_90"), spmm.VECTOR_LENGTHS,
                             test_precision.LHS_BITS, test_precision.RHS_BITS,
                             STATIONARY_DEPTHS, STATIONARY_EPILOGUES)


def dense_pattern(vector, k):
    """An attribute: half is stored of 4096 rows, what the model assumes of an
    unknown M. There stationary schedules win."""
    return (f"pattern = #magicube.pattern<vectors = {4096 // vector * k // 2}, "
            f"longest = {k // 2}>")


def stationary_encoding(vector):
    return Encoding(vector, order="bank_aware", index="u16")


def check_stationary(tmp_path, chip, pair, vector, module):
    usages = assemble(tmp_path, chip, module)
    # Other widths may lack the registers.
    if pair == (8, 8) and vector <= 8:
        assert all("_stationary" in name for name, _ in usages), usages
    assert_no_spills(usages)


@pytest.mark.parametrize("chip, vector, lhs, rhs, k, epilogue",
                         sample(stationary_products(), 50))
def test_no_spills_of_chosen_stationary(tmp_path, chip, vector, lhs, rhs, k,
                                      epilogue):
    attributes = [dense_pattern(vector, k), "compute = i8"]
    module = epilogue.module(stationary_encoding(vector), attributes, lhs, rhs,
                             inner=k)
    check_stationary(tmp_path, chip, (lhs, rhs), vector, module)


@pytest.mark.parametrize("chip", ("sm_80", "sm_90"))
@pytest.mark.parametrize("vector", spmm.VECTOR_LENGTHS)
@pytest.mark.parametrize("lhs, rhs", [(8, 8), (4, 4), (16, 16)])
def test_no_spills_of_one_chunk(tmp_path, chip, vector, lhs, rhs):
    """A tile of 16 bytes that has all columns."""
    attributes = [dense_pattern(vector, 4096), "compute = i8"]
    module = Epilogue().module(stationary_encoding(vector), attributes, lhs, rhs,
                               inner=4096, n=128 // rhs)
    check_stationary(tmp_path, chip, (lhs, rhs), vector, module)
