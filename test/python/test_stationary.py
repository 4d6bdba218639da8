#===- test_stationary.py - SpMM with a stationary dense operand -----------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Blocks and warps share the stored vectors whatever the lengths of the
# vector-rows: every result must equal numpy's, modulo 2^32. `make check` runs a
# sample.
#
#===----------------------------------------------------------------------===#
"""Products whose dense operand stays in shared memory."""

import itertools
import random

import numpy as np
import pytest

import epilogue
import ir
import spmm
from epilogue import Epilogue
import tools
from spmm import Case, Encoding, Schedule
from test_spmm import BOOLEANS, INDICES, ORDERS, SIGNS, check, sample

TILES = (16, 32, 48, 64, 96)
WARPS = (1, 2, 4, 16, 32)
STAGES = (1, 2, 3, 4, 8)
SHARED = ("conflict_free", "padded", "plain")
BLOCKS = (1, 3, 132)
COLUMNS = (1, 7, 64, 130)
DEPTHS = (1, 33, 50, 150, 300)
# More vector-rows than blocks, fewer, and one.
ROWS = (1, 3, 11, 40)
LHS_BITS, RHS_BITS = (4, 8, 12, 16), (4, 8, 16)
WARP_ORDERS = ("forward", "reverse", "random")


def layouts(vector, lhs_bits, rhs_bits, tile_n):
    """The operand layouts that a product can have."""
    if lhs_bits < 8:
        return ["transposed"]
    found = ["transposed", "transposed,paired"]
    if lhs_bits == rhs_bits == 8 and vector <= 4 and tile_n % 32 == 0:
        found.append("interleaved")
    return found


def least_columns(lhs_bits, rhs_bits):
    """Columns that a warp's operands come in: what tile_n is a multiple of."""
    return 32 if rhs_bits == 4 else 16


def draw_case(rng, vector, lhs_bits, rhs_bits, tile_n, warps, stages, n=None):
    """A case with the rest drawn."""
    unit = least_columns(lhs_bits, rhs_bits)
    tile_n = -(-tile_n // unit) * unit
    layout = rng.choice(layouts(vector, lhs_bits, rhs_bits, tile_n))
    # Sums of split vector-rows meet in shared memory: at most 163 KiB on
    # sm_80, 512 bytes a warp for 16 columns and 8 components. They take whole
    # rows of the slab, which may be padded to an odd number of 16 bytes.
    chunks = tile_n * rhs_bits // 128
    sums = tile_n // 16 * warps * -(-vector // 8) * 512
    if sums * (chunks | 1) // chunks > 163 * 1024:
        warps //= 2
    schedule = Schedule(tile_n, warps, stages, layout, "stationary",
                        rng.choice(SHARED), rng.choice(BLOCKS))
    encoding = Encoding(vector, rng.choice((32, 64)), rng.choice(ORDERS),
                        rng.choice(INDICES))
    return Case(encoding, rng.choice(ROWS), rng.choice(DEPTHS),
                n or rng.choice(COLUMNS), rng.choice(list(spmm.PATTERNS)),
                *rng.choice(SIGNS), has_init=rng.choice(BOOLEANS),
                is_static=rng.choice(BOOLEANS), schedule=schedule,
                warp_order=rng.choice(WARP_ORDERS),
                async_copy=rng.choice(("issue", "wait")),
                seed=rng.randrange(100), lhs_bits=lhs_bits, rhs_bits=rhs_bits)


def schedule_cases():
    """All tiles, warps and stages on bytes; the rest by chance."""
    rng = random.Random(11)
    for _, tile_n, warps, stages in itertools.product(range(4), TILES, WARPS,
                                                      STAGES):
        yield draw_case(rng, rng.choice(spmm.VECTOR_LENGTHS), 8, 8, tile_n,
                        warps, stages)


def width_cases():
    """All pairs of widths, vector lengths and columns; the rest by chance."""
    rng = random.Random(12)
    for lhs_bits, rhs_bits, vector, n in itertools.product(
            LHS_BITS, RHS_BITS, spmm.VECTOR_LENGTHS, COLUMNS):
        yield draw_case(rng, vector, lhs_bits, rhs_bits,
                        rng.choice((16, 32, 48, 64)), rng.choice(WARPS),
                        rng.choice((1, 2, 3, 4)), n)


def deal_cases():
    """Shares that end at all kinds of places: every pattern and number of
    vector-rows, for many and few blocks and warps, in several orders."""
    rng = random.Random(13)
    for pattern, rows, warps, blocks in itertools.product(
            spmm.PATTERNS, ROWS, WARPS, (1, 2, 3, 7, 132)):
        yield Case(Encoding(rng.choice((1, 2, 8)), rng.choice((32, 64))), rows,
                   rng.choice((50, 300, 700)), rng.choice((7, 16)), pattern,
                   schedule=Schedule(16, warps, rng.choice((1, 2, 3)),
                                     placement="stationary", num_ctas=blocks),
                   warp_order=rng.choice(WARP_ORDERS),
                   async_copy=rng.choice(("issue", "wait")),
                   seed=rng.randrange(100))


def many_row_cases():
    """More vector-rows than those whose pointers threads keep in registers, one
    each, and as many."""
    rng = random.Random(15)
    for warps, rounds, blocks, pattern in itertools.product(
            (1, 2, 4), (1, 2, 3, 5), (1, 3, 132), ("uneven", "empty_rows",
                                                   "tenth", "skewed")):
        rows = 32 * warps * rounds + rng.choice((-1, 0, 1, 7))
        yield Case(Encoding(rng.choice((1, 2)), rng.choice((32, 64)),
                            rng.choice(ORDERS), rng.choice(INDICES)),
                   rows, rng.choice((50, 150)), rng.choice((3, 16)), pattern,
                   schedule=Schedule(16, warps, rng.choice((1, 2, 3)),
                                     placement="stationary", num_ctas=blocks),
                   warp_order=rng.choice(WARP_ORDERS),
                   async_copy=rng.choice(("issue", "wait")),
                   seed=rng.randrange(100))


def narrow_cases():
    """Columns around a word, in a tile of one chunk and of more, alone and
    behind whole tiles; fewer rows than threads, and several rounds of them."""
    rng = random.Random(16)
    for n, tile_n, k, warps in itertools.product(
            (1, 2, 3, 4, 5, 17, 18, 20, 21), (16, 32), (1, 33, 300),
            (1, 2, 16)):
        yield Case(Encoding(rng.choice(spmm.VECTOR_LENGTHS),
                            rng.choice((32, 64)), rng.choice(ORDERS),
                            rng.choice(INDICES)),
                   rng.choice((3, 11)), k, n,
                   rng.choice(("random", "dense", "uneven")),
                   *rng.choice(SIGNS), has_init=rng.choice(BOOLEANS),
                   is_static=rng.choice(BOOLEANS),
                   schedule=Schedule(tile_n, warps, rng.choice((1, 2, 3)),
                                     placement="stationary",
                                     shared=rng.choice(SHARED),
                                     num_ctas=rng.choice(BLOCKS)),
                   warp_order=rng.choice(WARP_ORDERS),
                   async_copy=rng.choice(("issue", "wait")),
                   seed=rng.randrange(100))


def form_cases():
    """The forms of shared memory of gathered schedules."""
    rng = random.Random(14)
    for (tile_n, warps), shared, stages, layout in itertools.product(
            ((16, 1), (32, 1), (64, 2), (128, 2), (256, 8)), SHARED[1:],
            (1, 2, 4), ("transposed", "interleaved")):
        if layout == "interleaved" and tile_n // warps < 32:
            continue
        yield Case(Encoding(rng.choice((1, 2, 4)), rng.choice((8, 32, 64))), 3,
                   rng.choice((50, 150)), rng.choice((40, 130, 256)), "uneven",
                   schedule=Schedule(tile_n, warps, stages, layout,
                                     shared=shared),
                   async_copy=rng.choice(("issue", "wait")))


@pytest.mark.parametrize("case", sample(schedule_cases(), 24), ids=str)
def test_schedules(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(width_cases(), 24), ids=str)
def test_widths(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(deal_cases(), 30), ids=str)
def test_deal(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(many_row_cases(), 12), ids=str)
def test_many_rows(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(narrow_cases(), 16), ids=str)
def test_narrow(case, outcome):
    check(case, outcome)


@pytest.mark.parametrize("case", sample(form_cases(), 10), ids=str)
def test_gathered_forms(case, outcome):
    check(case, outcome)


def extreme_case(lhs_bits, rhs_bits, is_unsigned):
    return Case(Encoding(8), 5, 300, 36, "dense", is_unsigned, is_unsigned,
                schedule=Schedule(32, 4, 2, layouts(8, lhs_bits, rhs_bits,
                                                    32)[0], "stationary",
                                  num_ctas=3),
                lhs_bits=lhs_bits, rhs_bits=rhs_bits)


@pytest.mark.parametrize("lhs_bits", LHS_BITS)
@pytest.mark.parametrize("rhs_bits", RHS_BITS if tools.RUNS_ALL else (4, 16))
@pytest.mark.parametrize("is_unsigned", BOOLEANS)
def test_extremes(tmp_path, lhs_bits, rhs_bits, is_unsigned):
    """Least times least, or largest times largest, in every place; heads and
    tails add up modulo 2^32."""
    case = extreme_case(lhs_bits, rhs_bits, is_unsigned)
    spmm.check_extremes(tmp_path, case)


@pytest.mark.parametrize("v, n, result", [(8, 130, "f16"), (2, 36, "f32"),
                                          (16, 7, "bf16"), (8, 130, "i8"),
                                          (4, 36, "i4")])
@pytest.mark.parametrize("warps, blocks", [(16, 1), (1, 3)])
def test_epilogues(tmp_path, v, n, result, warps, blocks):
    """Sums are finished once, also those of split vector-rows."""
    made = Epilogue("row", ("row", "number"), "column", "relu", result)
    operands = made.random_operands(v, n, 0.1)
    schedule = Schedule(32, warps, 2, placement="stationary", num_ctas=blocks)
    module = made.module(Encoding(v), [f"schedule = {schedule}"],
                         inner=epilogue.K)
    process, actual = made.run(tmp_path, v, operands, text=module)
    spmm.assert_exact(process)
    a, b, rest = operands
    sums = a.astype(np.int64) @ b.astype(np.int64)
    epilogue.assert_same(actual, made.expected(sums, rest))


#===----------------------------------------------------------------------===#
# Vectors in any order
#===----------------------------------------------------------------------===#

def shuffled(rng, a, vector, stride, index):
    """Pointers, indices and values of SR-BCRS storage, as docs/Storage.md has
    it, with the vectors of each vector-row in an order by chance."""
    pointers, indices, values = [], [], []
    for block in a.reshape(-1, vector, a.shape[1]):
        columns = rng.permutation(np.flatnonzero(block.any(axis=0)))
        padding = -len(columns) % stride
        pointers.append((len(indices), len(indices) + len(columns)))
        stored = np.pad(block[:, columns], ((0, 0), (0, padding)))
        values += [part.ravel() for part in
                   np.split(stored, stored.shape[1] // stride, axis=1)
                   if part.size] if stored.size else []
        indices += [*columns, *[-1] * padding]
    values = np.concatenate(values) if values else np.zeros(0)
    element = np.uint16 if index == "u16" else np.int32
    return (np.array(pointers), np.array(indices, np.int64).astype(element),
            values)


@pytest.mark.parametrize("bits", (8, 16))
@pytest.mark.parametrize("vector, stride, index", [(1, 64, "i32"),
                                                   (4, 32, "u16"),
                                                   (16, 32, "i32")])
def test_shuffled_vectors(tmp_path, bits, vector, stride, index):
    case = Case(Encoding(vector, stride, index=index), 7, 200, 40, "uneven",
                schedule=Schedule(32, 4, 3, placement="stationary", num_ctas=2),
                lhs_bits=bits)
    a, b, _ = spmm.operands(case)
    arrays = shuffled(np.random.default_rng(5), a, vector, stride, index)
    lhs = f"tensor<{case.m}x{case.k}xi{bits}, #w>"
    rhs, result = f"tensor<{case.k}x{case.n}xi8>", \
        f"tensor<{case.m}x{case.n}xi32>"
    components = [f"tensor<{case.vector_rows}x2xi32>",
                  f"tensor<{arrays[1].size}xi{16 if index == 'u16' else 32}>",
                  f"tensor<{arrays[2].size}xi{bits}>"]
    names = ["pointers", "indices", "values"]
    body = "".join(f"  %{name} = arith.constant dense<{array.tolist()}> : {t}\n"
                   for name, array, t in zip(names, arrays, components))
    module = (f"#w = {case.encoding}\n"
              f"func.func @f(%b: {rhs}) -> {result} {{\n{body}"
              f"  %a = magicube.assemble %pointers, %indices, %values\n"
              f"     : ({', '.join(components)}) -> {lhs}\n"
              + ir.spmm_op("%c", ir.Value("%a", lhs), ir.Value("%b", rhs),
                           result, attributes=[f"schedule = {case.schedule}"])
              + f"  return %c : {result}\n}}\n")
    process, (c,) = spmm.run_program(tmp_path, module, [np.int8(b)], 1)
    assert process.returncode == 0, process.stderr
    np.testing.assert_array_equal(c, spmm.product(a, b))
