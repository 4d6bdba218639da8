#===- test_precision.py - Every pair of widths -----------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""4, 8, 12 and 16 bits against numpy, which knows nothing of digits."""

import itertools
import random
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

import spmm
import tools
from spmm import Case, Encoding, Schedule
from test_spmm import STRIDES, check

LHS_BITS, RHS_BITS = (4, 8, 12, 16), (4, 8, 16)
PATTERNS = ("random", "empty_rows", "one_vector", "dense")
COLUMNS = (1, 7, 64, 130)
DEPTHS = (1, 5, 33, 70)
WIDE, ALL_DENSE = (12, 16), (4, 8, 16)


class Layout(NamedTuple):
    """What an operand layout takes, and the least columns of a warp in 16-byte chunks
    of a dense row."""
    max_vector: int
    lhs_bits: tuple
    rhs_bits: tuple
    chunks: int = 1
    unsigned_lhs: bool = False
    unsigned_rhs: bool = False

    def takes(self, v, lhs_bits, rhs_bits, unsigned_lhs, unsigned_rhs):
        return (v <= self.max_vector and lhs_bits in self.lhs_bits and
                rhs_bits in self.rhs_bits and
                unsigned_lhs >= self.unsigned_lhs and
                unsigned_rhs >= self.unsigned_rhs)


ALL_SPARSE = (4, 8, 12, 16)
LAYOUTS = {
    "transposed": Layout(16, ALL_SPARSE, ALL_DENSE, 2),
    "transposed,paired": Layout(16, (8, 12, 16), ALL_DENSE, 2),
    "transposed,digits": Layout(4, WIDE, ALL_DENSE, 2, unsigned_lhs=True),
    "interleaved": Layout(4, ALL_SPARSE, (4, 8), 2),
    "interleaved,paired": Layout(4, WIDE, (4, 8), 2),
    "interleaved,paired,digits": Layout(2, WIDE, (4, 8), 2, unsigned_lhs=True),
    "raw": Layout(16, ALL_SPARSE, (16,), 2),
    "raw,digits": Layout(4, (8, 12, 16), (16,), 2, unsigned_rhs=True),
}


def late(encoding, **others):
    """A case in the order, and with the late copies, that find most."""
    return Case(encoding, 3, warp_order="reverse", async_copy="wait", **others)


def cases():
    """Every pair and signs; the rest drawn, or all of it. 4-bit dense operands
    with and without int4 MMAs: the chip decides."""
    draw = random.Random(4)
    for lhs_bits, rhs_bits, unsigned_lhs, unsigned_rhs in itertools.product(
            LHS_BITS, RHS_BITS, (False, True), (False, True)):
        for v, n in itertools.product(
                *((spmm.VECTOR_LENGTHS, COLUMNS) if tools.RUNS_ALL else
                  ([draw.choice(spmm.VECTOR_LENGTHS)],
                   [draw.choice(COLUMNS)]))):
            case = late(Encoding(v, draw.choice(STRIDES)),
                        k=draw.choice(DEPTHS), n=n,
                        pattern=draw.choice(PATTERNS),
                        is_static=draw.random() < 0.5, lhs_bits=lhs_bits,
                        rhs_bits=rhs_bits, unsigned_lhs=unsigned_lhs,
                        unsigned_rhs=unsigned_rhs)
            yield case
            if rhs_bits == 4:
                yield replace(case, chip="sm_90")


@pytest.mark.parametrize("case", list(cases()), ids=str)
def test_pair(case, outcome):
    check(case, outcome)


def layout_cases():
    """Every layout for every pair, signs and V that it takes; N, storage and
    the rest drawn, or every N as well."""
    draw = random.Random(5)
    for (name, layout), v, *pair in itertools.product(
            LAYOUTS.items(), spmm.VECTOR_LENGTHS, LHS_BITS, RHS_BITS,
            (False, True), (False, True)):
        if not layout.takes(v, *pair):
            continue
        lhs_bits, rhs_bits, unsigned_lhs, unsigned_rhs = pair
        for n in COLUMNS if tools.RUNS_ALL else (draw.choice(COLUMNS),):
            width = layout.chunks * 128 // rhs_bits * draw.choice((1, 2))
            warps = draw.choice((1, 2))
            schedule = Schedule(width * warps, warps, draw.choice((1, 2, 3)),
                                name)
            yield late(Encoding(v, draw.choice(STRIDES)),
                       k=draw.choice(DEPTHS), n=n, schedule=schedule,
                       pattern=draw.choice(PATTERNS),
                       is_static=draw.random() < 0.5, lhs_bits=lhs_bits,
                       rhs_bits=rhs_bits, unsigned_lhs=unsigned_lhs,
                       unsigned_rhs=unsigned_rhs)


def sample_layouts():
    """All cases, or one per layout and pair of widths."""
    every = list(layout_cases())
    if tools.RUNS_ALL:
        return every
    groups = {}
    for case in every:
        key = (case.schedule.layout, case.lhs_bits, case.rhs_bits)
        groups.setdefault(key, []).append(case)
    draw = random.Random(6)
    return [draw.choice(group) for group in groups.values()]


@pytest.mark.parametrize("case", sample_layouts(), ids=str)
def test_layout(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_extremes(tmp_path, layout):
    """The largest magnitudes of the widest operands that a layout takes."""
    row = LAYOUTS[layout]
    lhs_bits, rhs_bits = max(row.lhs_bits), max(row.rhs_bits)
    spmm.check_extremes(tmp_path, late(
        Encoding(row.max_vector), k=70, n=36, lhs_bits=lhs_bits,
        rhs_bits=rhs_bits, unsigned_lhs=row.unsigned_lhs,
        unsigned_rhs=row.unsigned_rhs,
        schedule=Schedule(row.chunks * 128 // rhs_bits, 1, 2, layout)))


# Up to 65536 columns, sums of 4-bit values may be scaled by 16.
@pytest.mark.parametrize("k", [65536, 65537])
@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("lhs_bits,unsigned_lhs,unsigned_rhs", [
    (8, True, False), (8, True, True), (16, False, False)])
def test_longest_rows(tmp_path, k, chip, lhs_bits, unsigned_lhs, unsigned_rhs):
    """As many of the largest products as there can be in a row."""
    spmm.check_extremes(tmp_path, late(
        Encoding(1), k=k, n=7, lhs_bits=lhs_bits, rhs_bits=4, is_static=True,
        unsigned_lhs=unsigned_lhs, unsigned_rhs=unsigned_rhs, chip=chip))


@pytest.mark.parametrize("lhs_bits,rhs_bits,chip", [
    (lhs, rhs, chip) for lhs, rhs in itertools.product(LHS_BITS, RHS_BITS)
    for chip in (("sm_80", "sm_90") if rhs == 4 else ("sm_80",))])
@pytest.mark.parametrize("is_unsigned", [False, True])
def test_extremes(tmp_path, lhs_bits, rhs_bits, chip, is_unsigned):
    """Least times least, or largest times largest, in every place; 16 x 16
    bits wrap."""
    spmm.check_extremes(tmp_path, late(
        Encoding(8), k=70, n=36, lhs_bits=lhs_bits, rhs_bits=rhs_bits,
        unsigned_lhs=is_unsigned, unsigned_rhs=is_unsigned, chip=chip))


def test_value_that_does_not_fit(tmp_path):
    case = Case(Encoding(8), 3, 8, 8, lhs_bits=4, rhs_bits=4)
    process, _ = spmm.run_program(
        tmp_path, spmm.module_text(case),
        ["random:24x8@0.5", np.full((8, 8), 8, np.int8)], 1)
    assert process.returncode == 1
    assert "i4 [-8, 7]" in process.stderr
