#===- test_float_sums.py - accumulate = f32 --------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Digits of wide operands, recombined in f32, against numpy: bit by bit with
the documented operations, and near the exact product where that wraps."""

import itertools

import numpy as np
import pytest

import spmm
from epilogue import K, Epilogue, assert_same

PAIRS = [(lhs, rhs) for lhs, rhs in itertools.product((4, 8, 12, 16), (4, 8, 16))
         if max(lhs, rhs) > 8]


def value_range(bits, is_unsigned):
    return (0, 2**bits) if is_unsigned else (-2**(bits - 1), 2**(bits - 1))


def digits(values, bits):
    """Digits of 8 bits, lowest first; the highest has the sign."""
    if bits <= 8:
        return [values]
    return [values & 0xFF, values >> 8]


def float_sums(a, b, lhs_bits, rhs_bits):
    """f32 sums, highest weight first; fma(r, 256, s) of f32 r and s is exact in
    64 bits but for the end: |s| < 2^31 and 256 r have no more than 53 bits."""
    total = None
    left, right = digits(a, lhs_bits), digits(b, rhs_bits)
    for weight in reversed(range(len(left) + len(right) - 1)):
        part = sum(left[i] @ right[weight - i] for i in range(len(left))
                   if 0 <= weight - i < len(right))
        part = part.astype(np.int32).astype(np.float32)
        if total is None:
            total = part
            continue
        exact = total.astype(np.float64) * 256 + part.astype(np.float64)
        assert (exact - total.astype(np.float64) * 256
                == part.astype(np.float64)).all()
        total = exact.astype(np.float32)
    return total


def check(directory, epilogue, v, n, bits, signs, fill=None):
    lhs_bits, rhs_bits = bits
    unsigned_lhs, unsigned_rhs = signs
    rng = np.random.default_rng([v, n, *bits])
    a = rng.integers(*value_range(lhs_bits, unsigned_lhs), (3 * v, K))
    a *= rng.random(a.shape) < 0.5
    b = rng.integers(*value_range(rhs_bits, unsigned_rhs), (K, n))
    if fill:
        a[:], b[:] = fill
    rest = epilogue.random_operands(v, n, 1e-6)[2]
    container = np.dtype(f"{'u' if unsigned_rhs else ''}int"
                         f"{8 if rhs_bits <= 8 else 16}")
    attributes = ["accumulate = f32"]
    attributes += ["unsigned_lhs"] if unsigned_lhs else []
    attributes += ["unsigned_rhs"] if unsigned_rhs else []
    process, actual = epilogue.run(
        directory, v, (a, b.astype(container), rest),
        text=epilogue.module(spmm.Encoding(v), attributes, lhs_bits,
                             rhs_bits))
    spmm.assert_exact(process)
    sums = float_sums(a, b, lhs_bits, rhs_bits)
    assert_same(actual, epilogue.expected(sums, rest))
    return a @ b, sums


@pytest.mark.parametrize("bits", PAIRS, ids=lambda b: f"L{b[0]}-R{b[1]}")
@pytest.mark.parametrize("signs", [(False, False), (True, True), (True, False)],
                         ids=lambda s: "".join("u" if x else "s" for x in s))
def test_pairs(tmp_path, bits, signs):
    v = {4: 16, 8: 4, 12: 2, 16: 8}[bits[0]]
    check(tmp_path, Epilogue(result="f32"), v, 36, bits, signs)


@pytest.mark.parametrize("signs,fill", [((True, True), (65535, 65535)),
                                        ((False, False), (-32768, -32768))])
def test_beyond_32_bits(tmp_path, signs, fill):
    exact, sums = check(tmp_path, Epilogue(result="f32"), 8, 7, (16, 16), signs,
                        fill)
    assert (exact > 2**32).all()
    assert np.allclose(sums, exact.astype(np.float64), rtol=2**-22)


@pytest.mark.parametrize("epilogue", [
    Epilogue(result="f16"), Epilogue(result="bf16"),
    Epilogue(None, ("row",), "column", "relu", "f32"),
    Epilogue(None, ("number",), "row", None, "i8"),
    Epilogue(None, ("column",), None, None, "i4"),
], ids=str)
@pytest.mark.parametrize("n", [1, 130])
def test_epilogue(tmp_path, epilogue, n):
    check(tmp_path, epilogue, 8, n, (16, 16), (False, False))
