#===- softmax.py - Softmax over stored entries -----------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""What include/magicube/Format/EvaluateSoftmax.h defines, bit by bit, in numpy.
Sparse matrices are dense arrays here; `mask` says what is stored."""

import numpy as np

F32 = np.float32
LOG2_E = F32(1.44269504)
MAX_F32 = np.finfo(F32).max

# Bits of q: slope, offset, addends.
CHAINS = {
    4: (0.09432526677846909, 7 / 8,
        (0.20122204720973969, 0.03082459792494774)),
    8: (0.0586400181055069, 13 / 16,
        (0.2015877515077591, 0.30661529302597046, -0.10296880453824997)),
    16: (0.03399611636996269, 23 / 32,
         (0.22039693593978882, 0.6583044528961182, -0.4424469470977783,
          -0.002182007534429431)),
}
# 2^f from the constant up.
POWER = (1.0, 0.6931471824645996, 0.24022646248340607, 0.05550328642129898,
         0.009618489071726799, 0.0013399930903688073, 0.0001534581242594868)


def fma(a, b, c):
    """float32 a * b + c, rounded once: the product is exact in double; of its
    sum with c the error is found and decides the last bit (round to odd), so
    that a second rounding to float32 does no harm."""
    a, b, c = (np.asarray(x, F32).astype(np.float64) for x in (a, b, c))
    with np.errstate(invalid="ignore", over="ignore"):
        product = a * b
        total = np.atleast_1d(product + c)
        part = total - product
        error = (product - (total - part)) + (c - part)
    is_even = total.view(np.int64) & 1 == 0
    towards = np.where(error > 0, np.inf, -np.inf)
    inexact = np.isfinite(total) & (error != 0) & is_even
    return np.where(inexact, np.nextafter(total, towards), total).astype(F32)


def decay(bits, scale):
    """a of a float32 scale."""
    value = F32(F32(CHAINS[bits][0]) * F32(F32(scale) * LOG2_E))
    if value == 0:
        return value
    grain = max(2.0**(np.frexp(value)[1] - 22), 2.0**-46)
    return F32(np.rint(np.float64(value) / grain) * grain)


def chain(bits, a, t):
    """q of distances."""
    _, offset, addends = CHAINS[bits]
    u = fma(t, a, offset)
    u = np.clip(np.where(np.isnan(u), F32(0), u), F32(0), F32(1))
    for addend in addends:
        u = fma(u, u, addend)
    last = fma(u, u, 2.0**(23 - bits))
    return last.view(np.uint32) & np.uint32(2**bits - 1)


def exp2(y):
    y = np.atleast_1d(np.asarray(y, F32))
    # False for a NaN.
    valid = y >= -126
    y = np.where(valid, y, F32(0))
    n = np.rint(y)
    value = np.full_like(y, F32(POWER[-1]))
    for coefficient in POWER[-2::-1]:
        value = fma(value, y - n, coefficient)
    return np.where(valid, np.ldexp(value, n.astype(np.int32)), F32(0))


def distances(row, added=None):
    """Of one row's stored scores from their maximum."""
    if np.issubdtype(row.dtype, np.integer):
        row = row.astype(np.int64)
        return (row - row.max()).astype(F32)
    x = row.astype(F32)
    with np.errstate(invalid="ignore", over="ignore"):
        if added is not None:
            x = x + added.astype(F32)
        x = np.where(x > MAX_F32, MAX_F32, x)
        return x - np.fmax.reduce(x, initial=F32(-np.inf))


def _rows(scores, mask, scale, added):
    for row in range(len(scores)):
        stored = mask[row]
        if stored.any():
            t = distances(scores[row, stored],
                          None if added is None else added[row, stored])
            yield row, stored, t, F32(np.ravel(scale)[row % np.size(scale)])


def quantized(scores, mask, scale, bits, value_scale=1, added=None):
    """q and the factors of the rows, M x 1; `scale` is one or one a row."""
    q = np.zeros(scores.shape, np.uint8 if bits <= 8 else np.uint16)
    factors = np.zeros((len(scores), 1), F32)
    for row, stored, t, of_row in _rows(scores, mask, scale, added):
        q[row, stored] = chain(bits, decay(bits, of_row), t)
        total = q[row].sum(dtype=np.int64)
        if total:
            factors[row] = F32(value_scale) / F32(total)
    return q, factors


def floats(scores, mask, scale, dtype=F32, added=None):
    result = np.zeros(scores.shape, dtype)
    for row, stored, t, of_row in _rows(scores, mask, scale, added):
        with np.errstate(invalid="ignore", over="ignore"):
            e = exp2(t * F32(of_row * LOG2_E))
        total = np.rint(e.astype(np.float64) * 2**31).astype(np.uint64).sum()
        if total:
            result[row, stored] = e / (F32(total) / F32(2**31))
    return result
