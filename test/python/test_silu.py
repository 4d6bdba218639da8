#===- test_silu.py - The activation silu -----------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""x / (1 + e^-x) against numpy in 64 bits. That every device gives the same
bits is what --check tests; here is how far they are from the truth."""

import numpy as np
import pytest

import activation
from activation import inputs
from epilogue import ROUND, quantize

# docs/Epilogue.md
ULPS_ABOVE_0, ULPS_BELOW_0 = 1.5, 3.5
LEAST = -87.0


def apply(*arguments):
    return activation.apply("silu", *arguments)


def test_accuracy(tmp_path):
    large = np.linspace(-89, 89, 4001, dtype=np.float32)
    x = np.concatenate([inputs(), large])
    y = apply(tmp_path, x).astype(np.float64)
    wide = x.astype(np.float64)
    want = wide / (1 + np.exp(-wide))
    error = np.abs(y - want) / np.spacing(np.abs(want).astype(np.float32))
    assert (error[x > 0] <= ULPS_ABOVE_0).all()
    low = x < LEAST
    assert (error[(x < 0) & ~low] <= ULPS_BELOW_0).all()
    assert low.any() and (y[low] == 0).all()


def test_special_values(tmp_path):
    tiny = np.float32(1e-40)
    x = np.array([0, -0.0, np.inf, -np.inf, tiny, -tiny, 1e38, -1e38, np.nan],
                 np.float32)
    y = apply(tmp_path, x)
    want = np.array([0, -0.0, np.inf, -0.0, tiny / 2, -tiny / 2, 1e38, -0.0],
                    np.float32)
    assert np.isnan(y[-1])
    assert (y[:-1] == want).all()


@pytest.mark.parametrize("result", ["f16", "bf16"])
def test_narrow_floats(tmp_path, result):
    """Rounded once more from the f32 result, bit for bit."""
    x = inputs()[::16]
    y = apply(tmp_path, x)
    with np.errstate(all="ignore"):
        want = ROUND[result](y)
    assert apply(tmp_path, x, result).tobytes() == want.tobytes()


def test_integers(tmp_path):
    x = inputs()[::16] * np.float32(20)
    assert (apply(tmp_path, x, "i8") == quantize(apply(tmp_path, x), 8,
                                                 False)).all()
