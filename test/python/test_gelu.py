#===- test_gelu.py - The activation gelu -----------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""x Phi(x) against scipy in 64 bits. That every device gives the same bits is
what --check tests; here is how far they are from the truth."""

import numpy as np
import pytest
from scipy.special import log_ndtr

import activation
import spmm
from activation import inputs
from epilogue import Epilogue, ROUND, quantize

# docs/Precision.md
ULPS_ABOVE_0, ULPS_BELOW_0, ABSOLUTE = 2, 5, 5e-13
LEAST_IN_ULPS, LEAST = -5.0, -9.3


def truth(x):
    x = x.astype(np.float64)
    with np.errstate(all="ignore"):
        return np.where(np.isinf(x), np.maximum(x, 0), x * np.exp(log_ndtr(x)))


def apply(*arguments):
    return activation.apply("gelu", *arguments)


def test_accuracy(tmp_path):
    x = inputs()
    y = apply(tmp_path, x).astype(np.float64)
    want = truth(x)
    ulp = np.spacing(np.abs(want).astype(np.float32)).astype(np.float64)
    error = np.abs(y - want)
    assert (error[x > 0] <= ULPS_ABOVE_0 * ulp[x > 0]).all()
    middle = (x < 0) & (x >= LEAST_IN_ULPS)
    assert (error[middle] <= ULPS_BELOW_0 * ulp[middle]).all()
    low = x < LEAST_IN_ULPS
    assert low.any() and (error[low] <= ABSOLUTE).all()
    assert (y[x < np.float32(LEAST)] == 0).all()


def test_special_values(tmp_path):
    tiny = np.float32(1e-40)
    x = np.array([0, -0.0, np.inf, -np.inf, np.nan, tiny, -tiny, 1e38, -1e38,
                  9.3, -9.3], np.float32)
    y = apply(tmp_path, x)
    assert np.isnan(y[4])
    want = np.array([0, 0, np.inf, 0, 0, tiny / 2, -tiny / 2, 1e38, 0, 9.3, 0],
                    np.float32)
    keep = ~np.isnan(x)
    assert np.allclose(y[keep], want[keep], rtol=1e-7, atol=1e-18)
    assert not np.signbit(y[:4]).any()


@pytest.mark.parametrize("result", ["f16", "bf16"])
def test_narrow_floats(tmp_path, result):
    """Rounded once more from the f32 result, bit for bit."""
    x = inputs()[::16]
    y = apply(tmp_path, x)
    with np.errstate(all="ignore"):
        want = ROUND[result](y)
    assert apply(tmp_path, x, result).tobytes() == want.tobytes()


@pytest.mark.parametrize("result,is_unsigned", [("i8", False), ("i4", True)])
def test_integers(tmp_path, result, is_unsigned):
    x = inputs()[::16] * np.float32(20)
    y = apply(tmp_path, x)
    want = quantize(y, int(result[1:]), is_unsigned)
    assert (apply(tmp_path, x, result, is_unsigned) == want).all()


@pytest.mark.parametrize("v,n", [(1, 7), (8, 1), (8, 130), (16, 64)])
def test_after_scale_and_bias(tmp_path, v, n):
    linear = Epilogue(None, ("number", "row"), "column", None, "f32")
    operands = linear.random_operands(v, n, 1e-2)
    a, b, rest = operands
    x = linear.expected(a @ b, rest)
    process, y = Epilogue(None, ("number", "row"), "column", "gelu",
                          "f32").run(tmp_path, v, operands)
    spmm.assert_exact(process)
    assert np.allclose(y, truth(x), rtol=1e-6, atol=ABSOLUTE)
