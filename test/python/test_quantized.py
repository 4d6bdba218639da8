#===- test_quantized.py - Products of quantized tensors --------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""!quant.uniform types through magicube-run against numpy."""

import numpy as np
import pytest

import spmm
from quantized import Product, Type
from tools import RUN, run_tool


def scales(count, seed=0):
    """Numbers that are not powers of two, so that wrong ones show."""
    rng = np.random.default_rng([count, seed])
    return tuple(rng.uniform(0.001, 0.1, count).tolist())


M, K, N = 24, 50, 36
ROWS = Type(scales=scales(M), axis=0)
COLUMNS = Type(scales=scales(N), axis=1)
U8 = Type(is_signed=False, scales=(0.037,), zero_points=(117,))


@pytest.mark.parametrize("result", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("lhs", [Type(scales=(0.0123,)), ROWS])
@pytest.mark.parametrize("rhs", [
    Type(scales=(0.07,)), U8, COLUMNS,
    Type(is_signed=False, scales=scales(N, 1), zero_points=(128,), axis=1)])
def test_scales_of_operands(tmp_path, lhs, rhs, result):
    Product(lhs, rhs, result).check(tmp_path, 8, M, K, N)


# N by alignment of the rows: 16, 4 and 1 bytes.
@pytest.mark.parametrize("is_static", [False, True])
@pytest.mark.parametrize("n", [1, 7, 64, 130])
@pytest.mark.parametrize("v", [1, 2, 8])
def test_shapes(tmp_path, v, n, is_static):
    Product(Type(scales=(0.01,)), U8, is_static=is_static).check(
        tmp_path, v, 3 * v, 45, n)


@pytest.mark.parametrize("m,k", [(1, 1), (1, 40), (2, 1), (16, 300)])
def test_few_rows(tmp_path, m, k):
    lhs = Type(scales=scales(m), axis=0)
    Product(lhs, U8).check(tmp_path, 1, m, k, 5)


# A zero point at both ends of every range, and one in two words.
@pytest.mark.parametrize("lhs_signed", [False, True])
@pytest.mark.parametrize("rhs", [
    Type(4, True, (0.3,), (-8,)), Type(4, True, (0.3,), (7,)),
    Type(4, False, (0.3,), (15,)),
    Type(8, True, (0.3,), (-128,)), Type(8, True, (0.3,), (127,)),
    Type(8, False, (0.3,), (128,)), Type(8, False, (0.3,), (129,)),
    Type(8, False, (0.3,), (255,)),
    Type(16, True, (0.3,), (-32768,)), Type(16, True, (0.3,), (32767,)),
    Type(16, False, (0.3,), (32768,)), Type(16, False, (0.3,), (65535,)),
    # As far outside of the range as is allowed.
    Type(8, True, (0.3,), (-65535,)), Type(4, False, (0.3,), (65535,)),
], ids=lambda rhs: f"{'iu'[not rhs.is_signed]}{rhs.bits}-{rhs.zero_points[0]}")
def test_zero_points(tmp_path, rhs, lhs_signed):
    lhs = Type(8, lhs_signed, (0.01,))
    Product(lhs, rhs).check(tmp_path, 4, 12, 45, 21)


@pytest.mark.parametrize("lhs_bits", [4, 8, 12, 16])
@pytest.mark.parametrize("rhs_bits", [4, 8, 16])
def test_widths(tmp_path, lhs_bits, rhs_bits):
    """Few columns of K: sums of 16 x 16 bits must not wrap to have a meaning."""
    Product(Type(lhs_bits, scales=(0.01,)),
            Type(rhs_bits, False, (0.07,), (5,))).check(tmp_path, 2, 8, 2, 9)


def test_narrow_range(tmp_path):
    lhs = Type(scales=(0.01,), bounds="<-127:127>")
    assert "<-127:127>" in str(lhs)
    Product(lhs, U8).check(tmp_path, 8, M, K, N)


@pytest.mark.parametrize("bias", [None, "row", "column"])
@pytest.mark.parametrize("sum_bias", [None, "row"])
@pytest.mark.parametrize("relu", [False, True])
def test_epilogue_of_floats(tmp_path, bias, sum_bias, relu):
    Product(ROWS, U8, relu=relu, bias=bias, sum_bias=sum_bias).check(
        tmp_path, 8, M, K, N)


def test_sum_bias_by_column(tmp_path):
    Product(ROWS, COLUMNS, sum_bias="column").check(tmp_path, 8, M, K, N)


def test_blocks(tmp_path):
    """Sub-channel types; upstream's normalization would get both wrong."""
    lhs = Type(scales=scales(M // 8), axis=0, block=8)
    rhs = Type(is_signed=False, scales=scales(N // 2), zero_points=(200,),
               axis=1, block=2)
    assert ":{0:8}, {{" in str(lhs)
    Product(lhs, rhs).check(tmp_path, 8, M, K, N)


def test_sums(tmp_path):
    """A result in i32 is the corrected sums."""
    product = Product(Type(scales=(0.5,)), U8,
                      Type(32, scales=(0.5 * 0.037,)))
    a, b, _ = product.random_operands(8, M, K, N)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (actual,) = spmm.run_program(
        tmp_path, product.module(8, M, K, N),
        [tmp_path / "a.mtx", b.astype(np.uint8)], 1, "--check")
    spmm.assert_exact(process)
    np.testing.assert_array_equal(actual, a @ (b - 117))


def test_nothing_stored(tmp_path):
    product = Product(ROWS, U8)
    _, b, _ = product.random_operands(8, M, K, N)
    spmm.write_mtx(tmp_path / "a.mtx", np.zeros((M, K), int))
    process, (actual,) = spmm.run_program(
        tmp_path, product.module(8, M, K, N),
        [tmp_path / "a.mtx", b.astype(np.uint8)], 1, "--check")
    spmm.assert_exact(process)
    assert not actual.any()


def test_casts_and_calls(tmp_path):
    """Integers at the edge, quantized types inside; dequantization is
    arithmetic on the host."""
    lhs, rhs = ROWS, Type(scales=(0.037,), zero_points=(-77,))
    a_type, q_type = f"tensor<{M}x{K}x{lhs}, #w>", f"tensor<{K}x{N}x{rhs}>"
    stored = f"tensor<{M}x{K}xi8, #w>", f"tensor<{K}x{N}xi8>"
    out = f"tensor<{M}x{N}xf32>"
    text = f"""#w = #magicube.sr_bcrs<vector = 8>
func.func private @g(%a: {a_type}, %b: {q_type}) -> ({out}, {q_type}) {{
  %c = magicube.spmm %a, %b : ({a_type}, {q_type}) -> {out}
  return %c, %b : {out}, {q_type}
}}
func.func @f(%a: {stored[0]}, %b: {stored[1]})
    -> ({out}, tensor<{K}x{N}xf32>) {{
  %qa = quant.scast %a : {stored[0]} to {a_type}
  %qb = quant.scast %b : {stored[1]} to {q_type}
  %c, %same = call @g(%qa, %qb) : ({a_type}, {q_type}) -> ({out}, {q_type})
  %d = quant.dcast %same : {q_type} to tensor<{K}x{N}xf32>
  return %c, %d : {out}, tensor<{K}x{N}xf32>
}}
"""
    product = Product(lhs, rhs)
    a, b, _ = product.random_operands(8, M, K, N)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (c, d) = spmm.run_program(
        tmp_path, text, [tmp_path / "a.mtx", b.astype(np.int8)], 2)
    assert process.returncode == 0, process.stderr
    np.testing.assert_array_equal(c, product.expected(a, b))
    np.testing.assert_array_equal(
        d, (b.astype(np.float32) - np.float32(-77)) * np.float32(0.037))


def test_wrong_types(tmp_path):
    """The line of the file that the error is about."""
    text = Product(Type(scales=(0.1, 0.2), axis=0), U8).module(8, M, K, N)
    (tmp_path / "f.mlir").write_text(text)
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f")
    assert process.returncode == 1
    assert ("f.mlir:3:8: error: 'magicube.spmm' op expected scales for 24 "
            "indices along axis 0 of the lhs, but got 2\n") in process.stderr
    assert "note: give one scale for each index of the axis" in process.stderr


RESULTS = [
    Type(scales=(0.31,)), Type(scales=(0.31,), zero_points=(-7,)),
    Type(is_signed=False, scales=(0.31,), zero_points=(130,)),
    Type(4, scales=(6.3,)), Type(4, False, (6.3,), (8,)),
    Type(scales=scales(M, 2), zero_points=tuple(range(-12, 12)), axis=0),
    Type(is_signed=False, scales=scales(N, 3), zero_points=tuple(range(N)),
         axis=1),
]


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("lhs,rhs", [(Type(scales=(0.05,)), U8),
                                     (ROWS, COLUMNS)], ids=["one", "axes"])
def test_quantized_results(tmp_path, lhs, rhs, result):
    want = Product(lhs, rhs, result).check(tmp_path, 8, M, K, N)
    # Some saturate, most do not.
    low, high = result.range()
    inside = (want > low) & (want < high)
    assert 0.1 < inside.mean() < 1


@pytest.mark.parametrize("result", RESULTS[2:4])
@pytest.mark.parametrize("n", [1, 7, 64, 130])
@pytest.mark.parametrize("v", [1, 2, 8])
def test_shapes_of_quantized_results(tmp_path, v, n, result):
    Product(Type(scales=(0.01,)), U8, result, is_static=v != 2).check(
        tmp_path, v, 3 * v, 45, n)


@pytest.mark.parametrize("bias", ["row", "column"])
@pytest.mark.parametrize("sum_bias", [None, "row"])
def test_bias_of_quantized_results(tmp_path, bias, sum_bias):
    """A bias in real numbers, divided by the result's scale."""
    Product(ROWS, U8, RESULTS[1], bias=bias, sum_bias=sum_bias).check(
        tmp_path, 8, M, K, N)


def test_bias_along_scales(tmp_path):
    Product(ROWS, U8, RESULTS[5], bias="row").check(tmp_path, 8, M, K, N)


@pytest.mark.parametrize("result", [
    Type(scales=(0.31,)), Type(scales=(0.31,), zero_points=(-128,)),
    Type(is_signed=False, scales=(0.31,)), Type(4, False, (6.3,))])
def test_relu_before_quantization(tmp_path, result):
    want = Product(ROWS, U8, result, relu=True).check(tmp_path, 8, M, K, N)
    assert set(np.unique(want)) > {result.zero_points[0]}
    assert want.min() == result.zero_points[0]


def test_ties(tmp_path):
    """The worked example of docs/Precision.md: 3.5 becomes 4, -11.5 -12."""
    product = Product(Type(scales=(0.5,)),
                      Type(is_signed=False, scales=(0.25,), zero_points=(3,)),
                      Type(scales=(0.1,), zero_points=(-4,)))
    a = np.array([[1, -2, 0], [0, 3, 4]])
    b = np.array([[5, 3], [1, 7], [3, 0]])
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (actual,) = spmm.run_program(
        tmp_path, product.module(2, 2, 3, 2),
        [tmp_path / "a.mtx", b.astype(np.uint8)], 1, "--check")
    spmm.assert_exact(process)
    np.testing.assert_array_equal(actual, [[4, -14], [-12, -4]])


def test_two_layers(tmp_path):
    """The result of one product is the operand of the next, also through
    'quant.qcast'."""
    hidden = Type(is_signed=False, scales=(0.31,), zero_points=(130,))
    first = Product(Type(scales=scales(M), axis=0), U8, hidden)
    second = Product(Type(scales=(0.02,)), hidden)
    w1, w2 = f"tensor<{M}x{K}x{first.lhs}, #w>", \
        f"tensor<16x{M}x{second.lhs}, #w>"
    x, h = f"tensor<{K}x{N}x{U8}>", f"tensor<{M}x{N}x{hidden}>"
    floats, out = f"tensor<{M}x{N}xf32>", f"tensor<16x{N}xf32>"
    text = f"""#w = #magicube.sr_bcrs<vector = 8>
func.func @f(%w1: {w1}, %w2: {w2}, %x: {x}) -> {out} {{
  %0 = magicube.spmm %w1, %x : ({w1}, {x}) -> {floats}
  %1 = quant.qcast %0 : {floats} to {h}
  %2 = magicube.spmm %w2, %1 : ({w2}, {h}) -> {out}
  return %2 : {out}
}}
"""
    a, b, _ = first.random_operands(8, M, K, N)
    a2, _, _ = second.random_operands(8, 16, M, N)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    spmm.write_mtx(tmp_path / "a2.mtx", a2)
    process, (actual,) = spmm.run_program(
        tmp_path, text, [tmp_path / "a.mtx", tmp_path / "a2.mtx",
                         b.astype(np.uint8)], 1, "--check")
    spmm.assert_exact(process)
    want = second.expected(a2, first.expected(a, b).astype(np.int64))
    np.testing.assert_array_equal(actual, want)


def test_f32_sums(tmp_path):
    """16 x 16 bits do not wrap with accumulate = f32."""
    product = Product(Type(16, scales=(0.01,)), Type(16, scales=(0.02,)))
    a = np.full((8, 300), -32768)
    b = np.full((300, 9), -32768)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    text = product.module(8, 8, 300, 9, ["accumulate = f32"])
    process, (actual,) = spmm.run_program(
        tmp_path, text, [tmp_path / "a.mtx", b.astype(np.int16)], 1, "--check")
    spmm.assert_exact(process)
    np.testing.assert_allclose(actual, product.real(a, b), rtol=2.0**-22)
