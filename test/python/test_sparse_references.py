#===- test_sparse_references.py - Two references against one another -------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels are compared with the C++ reference; numpy says the same of it, bit by
# bit.
#
#===----------------------------------------------------------------------===#
"""evaluateSddmm, evaluateQuantizedSoftmax and evaluateFloatSoftmax."""

import numpy as np
import pytest

import sddmm
import softmax
import tools

REFERENCE = tools.BUILD_DIR / "test" / "unit" / "sparse-reference"
ROWS, COLUMNS = 12, 75
F32 = np.float32


def run_reference(directory, *arguments):
    process = tools.run_tool(REFERENCE, *map(str, arguments), cwd=directory)
    assert (process.returncode, process.stderr) == (0, "")


def make_pattern(directory, rng, v):
    vectors = sddmm.random_vectors(rng, ROWS, COLUMNS, 0.4)
    sddmm.write_smtx(directory / "p.smtx", vectors)
    return sddmm.to_mask(vectors, v)


@pytest.mark.parametrize("v", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("lhs, rhs, k", [
    ("i8", "i8", 64), ("u8", "i8", 33), ("i4", "i4", 7), ("u4", "i8", 1),
    ("i16", "i16", 65), ("u16", "i4", 33)])
def test_sddmm(tmp_path, v, lhs, rhs, k):
    rng = np.random.default_rng(v)
    mask = make_pattern(tmp_path, rng, v)
    operands = []
    for name, element, rows in (("a", lhs, ROWS * v), ("b", rhs, COLUMNS)):
        bits, is_signed = int(element[1:]), element[0] == "i"
        low = -2**(bits - 1) if is_signed else 0
        dtype = np.dtype(f"{'' if is_signed else 'u'}int{max(bits, 8)}")
        values = rng.integers(low, low + 2**bits, (rows, k)).astype(dtype)
        np.save(tmp_path / f"{name}.npy", values)
        operands.append(values)
    run_reference(tmp_path, "sddmm", "p.smtx", v, "a.npy", lhs, "b.npy", rhs,
                  "c.npy")
    np.testing.assert_array_equal(
        np.load(tmp_path / "c.npy"),
        sddmm.sample(sddmm.sums(*operands), mask))


# Scores, and what they are multiplied with: probabilities from one large to all
# alike; whole ranges.
SCORES = {
    "i32": (lambda rng, shape: rng.integers(-20000, 20000, shape, np.int32),
            2.5e-4),
    "i32 near": (lambda rng, shape: rng.integers(-9, 9, shape, np.int32), 0.9),
    "i32 whole": (lambda rng, shape: rng.integers(-2**31, 2**31, shape,
                                                  np.int32), 1e-9),
    "i32 zero": (lambda rng, shape: rng.integers(-2**31, 2**31, shape,
                                                 np.int32), 0),
    "f32": (lambda rng, shape: rng.standard_normal(shape, F32) * 3, 1),
    "f32 wide": (lambda rng, shape: rng.uniform(-3e38, 3e38, shape).astype(F32), 1),
    "f32 special": (lambda rng, shape: rng.choice(
        np.array([np.inf, -np.inf, np.nan, 0, -0.0, 1, 1e-40, -3e38], F32),
        shape), 0.7),
}


# A mask is for floats.
FORMS = [(kind, form) for kind in SCORES
         for form in ("number", "rows", "masked")
         if form != "masked" or kind.startswith("f")]


@pytest.mark.parametrize("result, v", [("4", 2), ("8", 8), ("16", 1),
                                       ("f32", 16), ("f16", 4)])
@pytest.mark.parametrize("kind, form", FORMS)
def test_softmax(tmp_path, result, v, kind, form):
    is_integer = kind.startswith("i32")
    rng = np.random.default_rng(v)
    mask = make_pattern(tmp_path, rng, v)
    make, factor = SCORES[kind]
    scores = make(rng, mask.shape)
    # A row without a score that counts.
    if not is_integer:
        scores[v:v + 1] = -np.inf
    scale = np.full((ROWS * v if form == "rows" else 1, 1), factor, F32)
    scale *= rng.uniform(0.5, 1, scale.shape).astype(F32)
    np.save(tmp_path / "s.npy", scores)
    np.save(tmp_path / "scale.npy", scale)
    added = None
    if form == "masked":
        added = rng.choice(np.array([0, -1.5, -np.inf], F32), mask.shape)
        np.save(tmp_path / "mask.npy", added)
    run_reference(tmp_path, "softmax", "p.smtx", v, kind.split()[0], "s.npy",
                  "-" if added is None else "mask.npy", "scale.npy", result,
                  "0.3", "out.npy", "factors.npy")
    out = np.load(tmp_path / "out.npy")
    if result[0] == "f":
        dtype = np.float16 if result == "f16" else F32
        want = softmax.floats(scores, mask, scale, dtype, added)
        assert out.dtype == dtype
    else:
        want, factors = softmax.quantized(scores, mask, scale, int(result),
                                          F32(0.3), added)
        np.testing.assert_array_equal(np.load(tmp_path / "factors.npy"),
                                      factors)
    np.testing.assert_array_equal(out, want)


def test_oracle_is_near_softmax():
    """The oracle itself against exp in double."""
    rng = np.random.default_rng(1)
    scores = rng.standard_normal((4, 200), F32) * 2
    mask = rng.random(scores.shape) < 0.5
    powers = np.where(mask, np.exp(scores.astype(np.float64)), 0)
    want = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(softmax.floats(scores, mask, 1), want,
                               rtol=4e-6)
    counts = mask.sum(1, keepdims=True)
    for bits in (4, 8, 16):
        q, factors = softmax.quantized(scores, mask, 1, bits)
        # An error of 0.75 in each of n values, relative to their sum.
        bound = 0.75 * factors * (1 + counts * want)
        assert (np.abs(q * factors - want) <= bound).all()
