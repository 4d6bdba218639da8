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
from typing import NamedTuple

import numpy as np
import pytest

import spmm
from tools import RUN, RUNS_ALL, run_tool

LHS_BITS, RHS_BITS = (4, 8, 12, 16), (4, 8, 16)
PATTERNS = ("random", "empty_rows", "one_vector", "dense")
COLUMNS = (1, 7, 64, 130)
WIDE, ALL_DENSE = (12, 16), (4, 8, 16)


class Recipe(NamedTuple):
    """What a recipe takes, and the least columns of a warp in 16-byte chunks
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


RECIPES = {
    "transpose": Recipe(16, (8, 12, 16), ALL_DENSE, 2),
    "transpose-paired": Recipe(16, (8, 12, 16), ALL_DENSE, 2),
    "transpose-nibble": Recipe(16, (4,), ALL_DENSE, 2),
    "transpose-stacked": Recipe(4, WIDE, ALL_DENSE, 2, unsigned_lhs=True),
    "interleave": Recipe(4, (8, 12, 16), (4, 8), 2),
    "interleave-paired": Recipe(4, WIDE, (4, 8), 2),
    "interleave-nibble": Recipe(4, (4,), (4, 8), 2),
    "interleave-stacked": Recipe(2, WIDE, (4, 8), 2, unsigned_lhs=True),
    "digits": Recipe(16, (8, 12, 16), (16,), 2),
    "digits-nibble": Recipe(16, (4,), (16,), 2),
    "digits-stacked": Recipe(4, (8, 12, 16), (16,), 2, unsigned_rhs=True),
}


def value_range(bits, is_unsigned):
    return (0, 2**bits - 1) if is_unsigned else \
        (-2**(bits - 1), 2**(bits - 1) - 1)


def container(bits, is_unsigned):
    """The type that numpy keeps values in."""
    return np.dtype(f"{'u' if is_unsigned else ''}int{8 if bits <= 8 else 16}")


def module(case, m, k, n, schedule=None):
    """@f with one product."""
    lhs_bits, rhs_bits, unsigned_lhs, unsigned_rhs, v, stride, _, static = case
    shape = [(m, k), (k, n), (m, n)] if static else [("?", "?")] * 3
    lhs = "tensor<{}x{}xi{}, #w>".format(*shape[0], lhs_bits)
    rhs = "tensor<{}x{}xi{}>".format(*shape[1], rhs_bits)
    out = "tensor<{}x{}xi32>".format(*shape[2])
    signs = [name for name, is_set in (("unsigned_lhs", unsigned_lhs),
                                       ("unsigned_rhs", unsigned_rhs))
             if is_set]
    if schedule:
        signs.append(f"schedule = {schedule}")
    return (f"#w = #magicube.sr_bcrs<vector = {v}, stride = {stride}>\n"
            f"func.func @f(%a: {lhs}, %b: {rhs}) -> {out} {{\n"
            f"  %c = magicube.spmm %a, %b {{{', '.join(signs)}}} "
            f": ({lhs}, {rhs}) -> {out}\n  return %c : {out}\n}}\n")


def check(directory, case, k, n, fill=None, schedule=None):
    """Runs a case; `fill` gives both operands instead of random values."""
    lhs_bits, rhs_bits, unsigned_lhs, unsigned_rhs, v, _, pattern, _ = case
    rng = np.random.default_rng([lhs_bits, rhs_bits, v, n, k])
    low, high = value_range(lhs_bits, unsigned_lhs)
    mask = spmm.PATTERNS[pattern](rng, 3, k).repeat(v, axis=0)
    a = rng.integers(low, high + 1, mask.shape) if fill is None else \
        np.full(mask.shape, fill[0])
    a = np.where(mask, a, 0)
    low, high = value_range(rhs_bits, unsigned_rhs)
    b = rng.integers(low, high + 1, (k, n)) if fill is None else \
        np.full((k, n), fill[1])
    spmm.write_mtx(directory / "a.mtx", a)
    np.save(directory / "b.npy", b.astype(container(rhs_bits, unsigned_rhs)))
    (directory / "f.mlir").write_text(module(case, 3 * v, k, n, schedule))
    want = (a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32)
    # With and without int4 MMAs; a schedule says which.
    is_open = rhs_bits == 4 and schedule is None
    for chip in ("sm_80", "sm_90") if is_open else ("sm_80",):
        process = run_tool(RUN, directory / "f.mlir", "--entry=f",
                           f"--chip={chip}", f"--arg={directory / 'a.mtx'}",
                           f"--arg={directory / 'b.npy'}",
                           f"--out={directory / 'c.npy'}", "--check",
                           "--warp-order=reverse", "--async-copy=wait")
        assert process.returncode == 0, process.stderr
        assert np.array_equal(np.load(directory / "c.npy"), want)


def cases():
    """(case, K, N): every pair and signs; the rest drawn, or all of it."""
    pairs = list(itertools.product(LHS_BITS, RHS_BITS, (False, True),
                                   (False, True)))
    draw = random.Random(4)
    for pair in pairs:
        for v in spmm.VECTOR_LENGTHS if RUNS_ALL else (
                draw.choice(spmm.VECTOR_LENGTHS),):
            for n in COLUMNS if RUNS_ALL else (draw.choice(COLUMNS),):
                yield ((*pair, v, draw.choice((8, 16, 32, 64)),
                        draw.choice(PATTERNS), draw.random() < 0.5),
                       draw.choice((1, 5, 33, 70)), n)


@pytest.mark.parametrize("case,k,n", list(cases()), ids=lambda x: str(x).replace(
    " ", "").strip("()") if isinstance(x, tuple) else str(x))
def test_pair(tmp_path, case, k, n):
    check(tmp_path, case, k, n)


def recipe_cases():
    """(case, K, N, schedule): every recipe for every pair, signs and V that it
    takes; N, storage and the rest drawn, or every N as well."""
    draw = random.Random(5)
    for (name, recipe), v, *pair in itertools.product(
            RECIPES.items(), spmm.VECTOR_LENGTHS, LHS_BITS, RHS_BITS,
            (False, True), (False, True)):
        if not recipe.takes(v, *pair):
            continue
        for n in COLUMNS if RUNS_ALL else (draw.choice(COLUMNS),):
            width = recipe.chunks * 128 // pair[1] * draw.choice((1, 2))
            warps = draw.choice((1, 2))
            schedule = spmm.Schedule(width * warps, warps,
                                     draw.choice((1, 2, 3)), name)
            yield ((*pair, v, draw.choice((8, 16, 32, 64)),
                    draw.choice(PATTERNS), draw.random() < 0.5),
                   draw.choice((1, 5, 33, 70)), n, schedule)


def sample_recipes():
    """All cases, or one per recipe and pair of widths."""
    every = list(recipe_cases())
    if RUNS_ALL:
        return every
    groups = {}
    for case in every:
        groups.setdefault((case[3].recipe, *case[0][:2]), []).append(case)
    draw = random.Random(6)
    return [draw.choice(group) for group in groups.values()]


@pytest.mark.parametrize(
    "case,k,n,schedule", sample_recipes(),
    ids=lambda x: x.recipe if isinstance(x, spmm.Schedule) else str(x).replace(
        " ", "").strip("()"))
def test_recipe(tmp_path, case, k, n, schedule):
    check(tmp_path, case, k, n, schedule=schedule)


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipe_extremes(tmp_path, recipe):
    """The largest magnitudes of the widest operands that a recipe takes."""
    row = RECIPES[recipe]
    bits = max(row.lhs_bits), max(row.rhs_bits)
    ends = [value_range(width, is_unsigned)[is_unsigned] for width, is_unsigned
            in zip(bits, (row.unsigned_lhs, row.unsigned_rhs))]
    case = (*bits, row.unsigned_lhs, row.unsigned_rhs, row.max_vector, 32,
            "dense", False)
    schedule = spmm.Schedule(row.chunks * 128 // bits[1], 1, 2, recipe)
    check(tmp_path, case, 70, 36, ends, schedule)


# Up to 65536 columns, sums of 4-bit values may be scaled by 16.
@pytest.mark.parametrize("k", [65536, 65537])
@pytest.mark.parametrize("lhs_bits,unsigned_lhs,unsigned_rhs", [
    (8, True, False), (8, True, True), (16, False, False)])
def test_longest_rows(tmp_path, k, lhs_bits, unsigned_lhs, unsigned_rhs):
    """As many of the largest products as there can be in a row."""
    fill = (value_range(lhs_bits, unsigned_lhs)[unsigned_lhs],
            value_range(4, unsigned_rhs)[unsigned_rhs])
    case = (lhs_bits, 4, unsigned_lhs, unsigned_rhs, 1, 32, "dense", True)
    check(tmp_path, case, k, 7, fill)


@pytest.mark.parametrize("lhs_bits", LHS_BITS)
@pytest.mark.parametrize("rhs_bits", RHS_BITS)
@pytest.mark.parametrize("unsigned_lhs,unsigned_rhs",
                         [(False, False), (True, True)])
def test_extremes(tmp_path, lhs_bits, rhs_bits, unsigned_lhs, unsigned_rhs):
    """Least times least, or largest times largest, in every place; 16 x 16
    bits wrap."""
    end = 1 if unsigned_lhs else 0
    fill = (value_range(lhs_bits, unsigned_lhs)[end],
            value_range(rhs_bits, unsigned_rhs)[end])
    case = (lhs_bits, rhs_bits, unsigned_lhs, unsigned_rhs, 8, 32, "dense",
            False)
    check(tmp_path, case, 70, 36, fill)


def test_value_that_does_not_fit(tmp_path):
    case = (4, 4, False, False, 8, 32, "dense", False)
    (tmp_path / "f.mlir").write_text(module(case, 24, 8, 8))
    np.save(tmp_path / "b.npy", np.full((8, 8), 8, np.int8))
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f",
                       "--arg=random:24x8@0.5", f"--arg={tmp_path / 'b.npy'}")
    assert process.returncode == 1
    assert "i4 [-8, 7]" in process.stderr
