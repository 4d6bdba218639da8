#===- test_narrow_results.py - Results of 8 and 4 bits ---------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Requantized results against numpy: rounding, ends of the range, and where
every byte of a row goes."""

import itertools

import numpy as np
import pytest

import spmm
from epilogue import Epilogue, K, assert_same, quantize
from tools import RUNS_ALL

WIDTHS = [("i8", False), ("i8", True), ("i4", False), ("i4", True)]


def scale_for(result):
    """Sums of about 3e4 to about a third beyond the range."""
    return 4e-3 if result == "i8" else 3e-4


# N by alignment: words, the end of a word, rows that start anywhere.
@pytest.mark.parametrize("v,n", list(itertools.product(
    (1, 2, 4, 8, 16), (1, 2, 7, 8, 36, 64, 129, 130, 132))) if RUNS_ALL else
    [(1, 130), (2, 7), (4, 36), (8, 1), (8, 129), (8, 132), (16, 64)])
@pytest.mark.parametrize("result,is_unsigned", WIDTHS)
def test_shapes(tmp_path, v, n, result, is_unsigned):
    epilogue = Epilogue("column", ("number", "row"), "column", None, result,
                        is_unsigned)
    a, b, [z, number, row, bias] = epilogue.random_operands(v, n)
    z //= 2**17 # as large as a sum
    operands = a, b, [z, np.float32(scale_for(result)), row, bias]
    _, want = epilogue.check(tmp_path, v, operands, "--warp-order=reverse")
    if want.size >= 64:
        assert len(np.unique(want)) > 5


@pytest.mark.parametrize("lhs_bits,rhs_bits",
                         list(itertools.product((4, 8, 12, 16), (4, 8, 16))))
@pytest.mark.parametrize("result", ["i8", "i4"])
@pytest.mark.parametrize("n", [5, 44])
def test_pairs(tmp_path, lhs_bits, rhs_bits, result, n):
    """The trades between lanes depend on the dense operand's width; a packed
    operand next to a packed result does not tell the number of columns."""
    epilogue = Epilogue(None, ("number",), "column", None, result)
    rng = np.random.default_rng([lhs_bits, rhs_bits, n])
    a = rng.integers(-2**(lhs_bits - 1), 2**(lhs_bits - 1), (24, K)) * \
        (rng.random((24, K)) < 0.3)
    b = rng.integers(-2**(rhs_bits - 1), 2**(rhs_bits - 1), (K, n))
    sums = a @ b
    scale = np.float32((80 if result == "i8" else 5) / max(1, sums.std()))
    bias = rng.standard_normal((1, n)).astype(np.float32)
    container = np.int8 if rhs_bits <= 8 else np.int16
    process, actual = epilogue.run(
        tmp_path, 8, (a, b.astype(container), [scale, bias]),
        text=epilogue.module(spmm.Encoding(8), lhs_bits=lhs_bits, rhs_bits=rhs_bits))
    spmm.assert_exact(process)
    assert_same(actual, epilogue.expected(sums, [scale, bias]))


@pytest.mark.parametrize("result,is_unsigned", WIDTHS)
def test_ties_and_ends(tmp_path, result, is_unsigned):
    """Halves of both signs, and values that are far too large."""
    epilogue = Epilogue(None, ("number",), None, None, result, is_unsigned)
    a = np.zeros((8, K), np.int64)
    a[:, 0] = 1, -1, 2, -2, 3, -3, 127, -128
    b = np.zeros((K, 256), np.int64)
    b[0] = np.arange(-128, 128)
    _, want = epilogue.check(tmp_path, 8, (a, b, [np.float32(0.5)]))
    low, high = quantize(np.float32([-1e9, 1e9]), int(result[1:]), is_unsigned)
    assert want.min() == low and want.max() == high
    assert list(want[0][128:140]) == [0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6]


@pytest.mark.parametrize("result,is_unsigned", WIDTHS)
def test_infinity_and_nan(tmp_path, result, is_unsigned):
    epilogue = Epilogue(None, ("column",), None, None, result, is_unsigned)
    a, b, [scale] = epilogue.random_operands(8, 32)
    a[0] = 0 # times infinity
    scale[0, :4] = np.inf, -np.inf, np.nan, -0.0
    epilogue.check(tmp_path, 8, (a, b, [scale]))


@pytest.mark.parametrize("n", [7, 130])
def test_static_and_chained(tmp_path, n):
    """A result of i4 is the next product's operand, as bytes all the way."""
    text = f"""#w = #magicube.sr_bcrs<vector = 8>
func.func @f(%a: tensor<40x40xi8, #w>, %b: tensor<40x{n}xi8>, %s: f32)
    -> (tensor<40x{n}xi4>, tensor<40x{n}xi32>) {{
  %c = magicube.spmm %a, %b scale(%s) {{unsigned_result}}
     : (tensor<40x40xi8, #w>, tensor<40x{n}xi8>, f32) -> tensor<40x{n}xi4>
  %d = magicube.spmm %a, %c {{unsigned_rhs}}
     : (tensor<40x40xi8, #w>, tensor<40x{n}xi4>) -> tensor<40x{n}xi32>
  return %c, %d : tensor<40x{n}xi4>, tensor<40x{n}xi32>
}}
"""
    rng = np.random.default_rng(n)
    a = spmm.random_bytes(rng, (40, 40), False) * (rng.random((40, 40)) < 0.4)
    b = spmm.random_bytes(rng, (40, n), False)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (c, d) = spmm.run_program(
        tmp_path, text, [tmp_path / "a.mtx", b.astype(np.int8), "0.0005"], 2,
        "--check")
    spmm.assert_exact(process)
    want = quantize((a @ b).astype(np.float32) * np.float32(0.0005), 4, True)
    assert_same(c, want)
    assert np.array_equal(d, a @ want.astype(np.int64))


@pytest.mark.parametrize("pattern", ["none", "empty_rows", "dense"])
@pytest.mark.parametrize("result", ["i8", "i4"])
def test_patterns(tmp_path, pattern, result):
    epilogue = Epilogue(None, ("number",), "row", "relu", result)
    a, b, [_, bias] = epilogue.random_operands(8, 20)
    rng = np.random.default_rng(1)
    mask = spmm.PATTERNS[pattern](rng, 3, K).repeat(8, axis=0)
    a = np.where(mask, spmm.random_bytes(rng, mask.shape, False), 0)
    epilogue.check(tmp_path, 8,
                   (a, b, [np.float32(scale_for(result)), bias * 20]))


@pytest.mark.parametrize("n", [7, 8, 129])
def test_packed_bytes(tmp_path, n):
    """The bytes themselves: low nibble first, the odd one at the end 0."""
    width = (n + 1) // 2
    text = f"""#w = #magicube.sr_bcrs<vector = 8>
func.func @f(%a: tensor<24x40xi8, #w>, %b: tensor<40x{n}xi8>, %s: f32,
             %z: tensor<24x1xf32>) -> tensor<24x{width}xi8> {{
  %p, %i, %v = magicube.disassemble %a
     : tensor<24x40xi8, #w> -> tensor<3x2xi32>, tensor<?xi32>, tensor<?xi8>
  %n = arith.constant {n} : index
  %init = tensor.empty() : tensor<24x{width}xi8>
  %c = magicube.spmm storage(%p, %i, %v) as tensor<24x40xi8, #w>, %b
       scale(%s) bias(%z) columns(%n) outs(%init)
       {{overwrite, packed_result = i4}}
     : (tensor<3x2xi32>, tensor<?xi32>, tensor<?xi8>, tensor<40x{n}xi8>, f32,
        tensor<24x1xf32>, index, tensor<24x{width}xi8>)
    -> tensor<24x{width}xi8>
  return %c : tensor<24x{width}xi8>
}}
"""
    a, b, _ = Epilogue().random_operands(8, n)
    scale, bias = np.float32(3e-4), np.full((24, 1), 3, np.float32)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (actual,) = spmm.run_program(
        tmp_path, text,
        [tmp_path / "a.mtx", b.astype(np.int8), repr(float(scale)), bias], 1)
    assert process.returncode == 0, process.stderr
    want = quantize((a @ b).astype(np.float32) * scale + bias, 4, False)
    nibbles = np.zeros((24, 2 * width), np.uint8)
    nibbles[:, :n] = want.view(np.uint8) & 0xF
    packed = nibbles[:, ::2] | nibbles[:, 1::2] << 4
    assert np.array_equal(actual.view(np.uint8), packed)


@pytest.mark.parametrize("first,n", [(3, 33), (4, 33), (4, 32), (0, 61)])
def test_slice(tmp_path, first, n):
    """Into columns of a wider matrix, whose others stay: rows that start at
    odd bytes, and words that end past the last column."""
    text = f"""#w = #magicube.sr_bcrs<vector = 8>
func.func @f(%a: tensor<24x40xi8, #w>, %b: tensor<40x{n}xi8>, %s: f32,
             %wide: tensor<24x64xi8>) -> tensor<24x64xi8> {{
  %slice = tensor.extract_slice %wide[0, {first}] [24, {n}] [1, 1]
     : tensor<24x64xi8> to tensor<24x{n}xi8>
  %c = magicube.spmm %a, %b scale(%s) outs(%slice) {{overwrite}}
     : (tensor<24x40xi8, #w>, tensor<40x{n}xi8>, f32, tensor<24x{n}xi8>)
    -> tensor<24x{n}xi8>
  %r = tensor.insert_slice %c into %wide[0, {first}] [24, {n}] [1, 1]
     : tensor<24x{n}xi8> into tensor<24x64xi8>
  return %r : tensor<24x64xi8>
}}
"""
    a, b, _ = Epilogue().random_operands(8, n)
    scale = np.float32(4e-3)
    wide = np.arange(24 * 64, dtype=np.int64).reshape(24, 64).astype(np.int8)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (actual,) = spmm.run_program(
        tmp_path, text,
        [tmp_path / "a.mtx", b.astype(np.int8), repr(float(scale)), wide], 1)
    assert process.returncode == 0, process.stderr
    want = wide.copy()
    want[:, first:first + n] = quantize((a @ b).astype(np.float32) * scale, 8,
                                        False)
    assert np.array_equal(actual, want)
