#===- test_slabs.py - SpMM on storage with slabs ---------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every result must equal numpy's, modulo 2^32. `make check` runs a sample.
#
#===----------------------------------------------------------------------===#
"""Products on storage with slabs: gathered, or with a slab of the dense operand
at a time in shared memory."""

import itertools
import random

import numpy as np
import pytest

import spmm
import epilogue
import tools
from epilogue import Epilogue
from spmm import Case, Encoding, Schedule
from test_stationary import WARP_ORDERS, layouts, least_columns
from test_spmm import (BOOLEANS, INDICES, ORDERS, SIGNS, STRIDES, check,
                       sample)

PAIRS = ((8, 8), (16, 16), (4, 4), (12, 4))
# One word and less of a chunk, a bit more, a chunk, and two columns of the last.
COLUMNS = (1, 3, 4, 5, 7, 16, 130)
# K and slab: multiples and not, many steps of a group, a last slab of one row,
# one slab of all rows and of more, slabs of less than a step, slabs of one row.
DEPTHS = ((64, 32), (50, 32), (300, 64), (700, 300), (129, 64), (150, 150),
          (70, 1000), (33, 7), (1, 1), (9, 1))
WARPS = (1, 4, 16, 32)
STAGES = (1, 3, 4)
# One, two, and more than there are slabs of most.
SMEM_STAGES = (1, 2, 8)
ROWS_PER_CTA = (1, 2, 7, 40)
# Less than a block has, a few blocks, blocks of nothing, and more than twice
# the threads of a warp.
VECTOR_ROWS = (1, 5, 41, 150)
SHARED_BYTES = 163 * 1024


def most_block_rows(rows):
    """Vector-rows whose sums a block has place for."""
    return rows * 9 // 4 + 3


def shared_bytes(vector, rhs_bits, tile_n, k, slab, smem_stages, rows, warps):
    """At most what a block takes: sums of 8 or 16 components and pointers of
    its vector-rows, K-tiles of perhaps padded rows, range starts of its warps."""
    slabs = -(-k // slab)
    row = tile_n * 32 * -(-vector // 8) + 8 * slabs
    return (most_block_rows(rows) * row + (warps + 1) * 4 * (1 + slabs) +
            smem_stages * min(k, slab) * (tile_n * rhs_bits // 8 + 16) + 4096)


def draw_case(rng, lhs_bits=8, rhs_bits=8, **fixed):
    """A stationary case, what is not fixed drawn."""
    def get(name, choices):
        return fixed[name] if name in fixed else rng.choice(choices)

    vector = get("vector", spmm.VECTOR_LENGTHS)
    unit = least_columns(lhs_bits, rhs_bits)
    tile_n = -(-get("tile_n", (16, 16, 32, 48)) // unit) * unit
    k, slab = get("depth", DEPTHS)
    smem_stages = get("smem_stages", SMEM_STAGES)
    rows = get("rows_per_cta", ROWS_PER_CTA)
    warps, vector_rows = get("warps", WARPS), get("vector_rows", VECTOR_ROWS)
    while shared_bytes(vector, rhs_bits, tile_n, k, slab, smem_stages, rows,
                       warps) > SHARED_BYTES:
        if rows > 1:
            rows //= 2
        else:
            smem_stages //= 2
    layout = rng.choice(layouts(vector, lhs_bits, rhs_bits, tile_n))
    schedule = Schedule(tile_n, warps, get("stages", STAGES), layout,
                        "stationary_k_tiles",
                        rng.choice(("conflict_free", "padded", "plain")),
                        rows_per_cta=rows, smem_stages=smem_stages)
    encoding = Encoding(vector, rng.choice((32, 64)), get("order", ORDERS),
                        get("index", INDICES), slab)
    return Case(encoding, vector_rows, k, get("n", COLUMNS),
                get("pattern", list(spmm.SLAB_PATTERNS)), *rng.choice(SIGNS),
                has_init=rng.choice(BOOLEANS), is_static=rng.choice(BOOLEANS),
                schedule=schedule, chip=rng.choice(("sm_80", "sm_90")),
                warp_order=rng.choice(WARP_ORDERS),
                async_copy=rng.choice(("issue", "wait")),
                seed=rng.randrange(100), lhs_bits=lhs_bits, rhs_bits=rhs_bits)


def width_cases():
    """All pairs of widths, vector lengths and columns, in both orders with both
    kinds of indices."""
    rng = random.Random(21)
    for (lhs_bits, rhs_bits), vector, n, order, index in itertools.product(
            PAIRS, spmm.VECTOR_LENGTHS, COLUMNS, ORDERS, INDICES):
        yield draw_case(rng, lhs_bits, rhs_bits, vector=vector, n=n,
                        order=order, index=index,
                        vector_rows=rng.choice(VECTOR_ROWS[:3]))


def depth_cases():
    """All depths, numbers of slabs in shared memory and stages, of a few
    patterns."""
    rng = random.Random(22)
    for depth, smem_stages, stages, warps in itertools.product(
            DEPTHS, SMEM_STAGES, STAGES, WARPS):
        for pattern in ("random", "empty_rows", "left", "right"):
            yield draw_case(rng, depth=depth, smem_stages=smem_stages,
                            stages=stages, warps=warps, pattern=pattern,
                            vector_rows=rng.choice(VECTOR_ROWS[:3]))


def block_cases():
    """Vector-rows given to blocks and cut into ranges of warps in all kinds of
    ways."""
    rng = random.Random(23)
    for pattern, rows, vector_rows, warps in itertools.product(
            spmm.SLAB_PATTERNS, ROWS_PER_CTA, VECTOR_ROWS, WARPS):
        yield draw_case(rng, pattern=pattern, rows_per_cta=rows, warps=warps,
                        vector_rows=vector_rows, tile_n=16,
                        vector=rng.choice((1, 2, 8)),
                        n=rng.choice((3, 7, 16)))


def order_cases():
    """Kernels whose warps meet often, in every order and with late copies."""
    rng = random.Random(24)
    for smem_stages, warps, async_copy, pattern in itertools.product(
            (1, 2, 3), (4, 16), ("issue", "wait"), ("skewed", "random")):
        orders = [("forward", 0), ("reverse", 0)]
        orders += [("random", rng.randrange(100)) for _ in range(3)]
        for order, seed in orders:
            yield Case(Encoding(2, 32, slab=64), 21, 300, 20, pattern,
                       schedule=Schedule(16, warps, 3,
                                         placement="stationary_k_tiles",
                                         rows_per_cta=4,
                                         smem_stages=smem_stages),
                       warp_order=order, async_copy=async_copy, seed=seed)


def gathered_cases():
    """All storage, pairs of widths by chance."""
    rng = random.Random(25)
    for vector, stride, order, index, depth in itertools.product(
            spmm.VECTOR_LENGTHS, STRIDES, ORDERS, INDICES, DEPTHS):
        lhs_bits, rhs_bits = rng.choice(PAIRS)
        tile_n, warps = rng.choice(((32, 1), (64, 2), (128, 2)))
        schedule = rng.choice((None, Schedule(tile_n, warps,
                                              rng.choice(STAGES))))
        k, slab = depth
        yield Case(Encoding(vector, stride, order, index, slab),
                   rng.choice((1, 4, 9)), k, rng.choice(COLUMNS),
                   rng.choice(list(spmm.SLAB_PATTERNS)), *rng.choice(SIGNS),
                   has_init=rng.choice(BOOLEANS),
                   is_static=rng.choice(BOOLEANS), schedule=schedule,
                   warp_order=rng.choice(WARP_ORDERS),
                   async_copy=rng.choice(("issue", "wait")),
                   seed=rng.randrange(100), lhs_bits=lhs_bits,
                   rhs_bits=rhs_bits)


@pytest.mark.parametrize("case", sample(width_cases(), 40), ids=str)
def test_widths(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(depth_cases(), 40), ids=str)
def test_depths(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(block_cases(), 50), ids=str)
def test_blocks(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(order_cases(), 12), ids=str)
def test_orders(case, outcome):
    """Warps and copies may go in any order: the result stays the same."""
    check(case, outcome)


@pytest.mark.parametrize("case", sample(gathered_cases(), 40), ids=str)
def test_gathered(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("lhs_bits, rhs_bits", PAIRS)
@pytest.mark.parametrize("is_unsigned", BOOLEANS)
def test_extremes(tmp_path, lhs_bits, rhs_bits, is_unsigned):
    """Least times least, or largest times largest, in every place; sums of
    slabs add up modulo 2^32."""
    case = Case(Encoding(8, slab=100), 5, 300, 36, "dense", is_unsigned,
                is_unsigned, schedule=Schedule(
                    32, 4, 3, layouts(8, lhs_bits, rhs_bits, 32)[0],
                    "stationary_k_tiles", rows_per_cta=2, smem_stages=2),
                lhs_bits=lhs_bits, rhs_bits=rhs_bits)
    spmm.check_extremes(tmp_path, case)


PLACES = {
    "gathered": Schedule(32, 1, 2),
    "stationary": Schedule(32, 16, 3, placement="stationary_k_tiles",
                           rows_per_cta=2, smem_stages=2),
}


def run_epilogue(directory, made, place, v, operands):
    """The result of a product that takes three slabs."""
    module = made.module(Encoding(v, slab=16),
                         [f"schedule = {PLACES[place]}"], inner=epilogue.K)
    process, actual = made.run(directory, v, operands, text=module)
    spmm.assert_exact(process)
    return actual


@pytest.mark.parametrize("v, n, result", [(8, 130, "f16"), (2, 36, "f32"),
                                          (16, 7, "bf16"), (8, 130, "i8"),
                                          (1, 5, "i8"), (4, 36, "i4")])
@pytest.mark.parametrize("place", PLACES)
def test_epilogues(tmp_path, v, n, result, place):
    """Sums are finished once, when they have all slabs."""
    made = Epilogue("row", ("row", "number"), "column", "relu", result)
    operands = made.random_operands(v, n, 0.1)
    actual = run_epilogue(tmp_path, made, place, v, operands)
    a, b, rest = operands
    sums = a.astype(np.int64) @ b.astype(np.int64)
    epilogue.assert_same(actual, made.expected(sums, rest))


@pytest.mark.parametrize("v, n, result", [(8, 130, "f16"), (1, 5, "i8")])
@pytest.mark.parametrize("place", PLACES)
def test_gelu(tmp_path, v, n, result, place):
    """Of the same sums as without slabs, for which test_gelu.py checks it."""
    made = Epilogue("column", ("row", "number"), "column", "gelu", result)
    operands = made.random_operands(v, n, 0.02)
    process, want = made.run(tmp_path, v, operands)
    spmm.assert_exact(process)
    assert len(np.unique(want)) > 3
    actual = run_epilogue(tmp_path, made, place, v, operands)
    epilogue.assert_same(actual, want)
