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

import numpy as np
import pytest

import spmm
from tools import RUN, RUNS_ALL, run_tool

LHS_BITS, RHS_BITS = (4, 8, 12, 16), (4, 8, 16)
PATTERNS = ("random", "empty_rows", "one_vector", "dense")


def value_range(bits, is_unsigned):
    return (0, 2**bits - 1) if is_unsigned else \
        (-2**(bits - 1), 2**(bits - 1) - 1)


def container(bits, is_unsigned):
    """The type that numpy keeps values in."""
    return np.dtype(f"{'u' if is_unsigned else ''}int{8 if bits <= 8 else 16}")


def module(case, m, k, n):
    """@f with one product."""
    lhs_bits, rhs_bits, unsigned_lhs, unsigned_rhs, v, stride, _, static = case
    shape = [(m, k), (k, n), (m, n)] if static else [("?", "?")] * 3
    lhs = "tensor<{}x{}xi{}, #w>".format(*shape[0], lhs_bits)
    rhs = "tensor<{}x{}xi{}>".format(*shape[1], rhs_bits)
    out = "tensor<{}x{}xi32>".format(*shape[2])
    signs = [name for name, is_set in (("unsigned_lhs", unsigned_lhs),
                                       ("unsigned_rhs", unsigned_rhs))
             if is_set]
    return (f"#w = #magicube.sr_bcrs<vector = {v}, stride = {stride}>\n"
            f"func.func @f(%a: {lhs}, %b: {rhs}) -> {out} {{\n"
            f"  %c = magicube.spmm %a, %b {{{', '.join(signs)}}} "
            f": ({lhs}, {rhs}) -> {out}\n  return %c : {out}\n}}\n")


def check(directory, case, k, n, fill=None):
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
    (directory / "f.mlir").write_text(module(case, 3 * v, k, n))
    want = (a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32)
    # With and without int4 MMAs.
    for chip in ("sm_80", "sm_90") if rhs_bits == 4 else ("sm_80",):
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
        for v in (1, 2, 4, 8, 16) if RUNS_ALL else (draw.choice((1, 2, 4, 8,
                                                                 16)),):
            for n in (1, 7, 64, 130) if RUNS_ALL else (draw.choice((1, 7, 64,
                                                                    130)),):
                yield ((*pair, v, draw.choice((8, 16, 32, 64)),
                        draw.choice(PATTERNS), draw.random() < 0.5),
                       draw.choice((1, 5, 33, 70)), n)


@pytest.mark.parametrize("case,k,n", list(cases()), ids=lambda x: str(x).replace(
    " ", "").strip("()") if isinstance(x, tuple) else str(x))
def test_pair(tmp_path, case, k, n):
    check(tmp_path, case, k, n)


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
