#===- test_spmm.py - SpMM over shapes, patterns and storage ----------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every result must equal numpy's, modulo 2^32. `make check` runs a sample.
#
#===----------------------------------------------------------------------===#
"""Products of one sparse and one dense matrix on the simulated device."""

import itertools
import random

import numpy as np
import pytest

import spmm
import tools
from spmm import Case, Encoding, Schedule

STRIDES = (8, 16, 32, 64)
ORDERS = ("natural", "bank_aware")
INDICES = ("i32", "u16")
BOOLEANS = (False, True)
CHIPS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
SIGNS = tuple(itertools.product(BOOLEANS, BOOLEANS))
# One column, less than an MMA's 16, exactly those, whole tiles, and a rest that
# is no multiple of anything.
COLUMNS = (1, 7, 16, 64, 128, 130)
# The last one is several strides, and steps of 32, long.
DEPTHS = (1, 5, 33, 50, 300)
MAX_STAGES = 8
# Least columns of a warp and largest V: `interleaved` takes two chunks of 16
# columns at a time.
LAYOUTS = {"transposed": (16, 16), "transposed,paired": (16, 16),
           "interleaved": (32, 4)}


def sample(cases, count):
    """The cases, or `count` of them, always the same ones, in their order."""
    cases = list(cases)
    if tools.RUNS_ALL or count >= len(cases):
        return cases
    chosen = random.Random(0).sample(range(len(cases)), count)
    return [cases[i] for i in sorted(chosen)]


def shape_cases():
    """All shapes and patterns; storage, signs and the rest by chance."""
    rng = random.Random(1)
    for vector, n, k, pattern in itertools.product(
            spmm.VECTOR_LENGTHS, COLUMNS, DEPTHS, spmm.PATTERNS):
        unsigned_lhs, unsigned_rhs = rng.choice(SIGNS)
        yield Case(Encoding(vector, rng.choice(STRIDES), rng.choice(ORDERS),
                            rng.choice(INDICES)),
                   rng.choice((1, 2, 5)), k, n, pattern, unsigned_lhs,
                   unsigned_rhs, rng.choice(BOOLEANS), rng.choice(BOOLEANS))


def storage_cases():
    """All encodings and signs; shapes by chance."""
    rng = random.Random(2)
    for vector, stride, order, index, signs in itertools.product(
            spmm.VECTOR_LENGTHS, STRIDES, ORDERS, INDICES, SIGNS):
        yield Case(Encoding(vector, stride, order, index), 4,
                   rng.choice((33, 50, 100)), rng.choice((16, 40, 130)),
                   rng.choice(("random", "uneven", "empty_rows")), *signs)


def schedule_cases():
    """All tiles, warps and operand layouts, each with three depths of the ring."""
    rng = random.Random(3)
    widths = [2**i for i in range(4, 9)]
    for tile_n, warp_n, layout in itertools.product(widths, widths, LAYOUTS):
        min_width, max_vector = LAYOUTS[layout]
        if not min_width <= warp_n <= tile_n:
            continue
        warps = tile_n // warp_n
        vectors = [v for v in spmm.VECTOR_LENGTHS if v <= max_vector]
        for stages in rng.sample(range(1, MAX_STAGES + 1), 3):
            yield Case(Encoding(rng.choice(vectors), rng.choice(STRIDES)), 3,
                       rng.choice((50, 150, 300)),
                       rng.choice((48, 130, 256, 300)),
                       rng.choice(("random", "uneven", "dense")),
                       is_static=rng.choice(BOOLEANS),
                       schedule=Schedule(tile_n, warps, stages, layout))


def order_cases():
    """Kernels of several warps, in every order and with late copies."""
    kernels = [
        dict(encoding=Encoding(8), k=300, n=256, pattern="uneven",
             schedule=Schedule(256, 8, 4)),
        dict(encoding=Encoding(16, 8, "bank_aware"), k=100, n=130,
             pattern="random", schedule=Schedule(64, 4, 2)),
        dict(encoding=Encoding(4, 64, index="u16"), k=150, n=128,
             pattern="dense", schedule=Schedule(128, 2, 8)),
        dict(encoding=Encoding(2, 16), k=100, n=100, pattern="random",
             schedule=Schedule(128, 4, 3, "interleaved")),
        dict(encoding=Encoding(8), k=70, n=33, pattern="dense",
             schedule=Schedule(64, 2, 1)),
    ]
    orders = [("forward", 0), ("reverse", 0)]
    orders += [("random", seed) for seed in (1, 2, 3)]
    for kernel, async_copy, (order, seed) in itertools.product(
            kernels, ("issue", "wait"), orders):
        yield Case(**kernel, warp_order=order, async_copy=async_copy, seed=seed)


def check(case, outcome):
    process, result = outcome(case)
    spmm.assert_exact(process)
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, spmm.product(*spmm.operands(case)))


@pytest.mark.parametrize("case", sample(shape_cases(), 150), ids=str)
def test_shapes(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(storage_cases(), 60), ids=str)
def test_storage(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(schedule_cases(), 40), ids=str)
def test_schedules(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(order_cases(), 20), ids=str)
def test_orders(case, outcome):
    """Warps and copies may go in any order: the result stays the same."""
    check(case, outcome)


@pytest.mark.parametrize("case", [Case(chip=chip) for chip in CHIPS], ids=str)
def test_chips(case, outcome):
    check(case, outcome)
