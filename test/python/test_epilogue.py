#===- test_epilogue.py - Scaled results -----------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Results in f32, f16 and bf16 against numpy, one rounding at a time."""

from dataclasses import replace

import numpy as np
import pytest

import spmm
from epilogue import ROUND, Epilogue
from tools import RUN, run_tool

@pytest.mark.parametrize("result", ROUND)
@pytest.mark.parametrize("epilogue", [
    Epilogue(None, ("number",)),
    Epilogue(None, ("row",), "column"),
    Epilogue(None, ("column",), "row", "relu"),
    Epilogue(None, ("number", "row"), None, "relu"),
    Epilogue(None, ("row", "column"), "column"),
    Epilogue(None, (), "row", "relu"),
    Epilogue("row", ("column",), "row"),
    Epilogue("column", (), "column", "relu"),
], ids=str)
def test_operands(tmp_path, epilogue, result):
    epilogue = replace(epilogue, result=result)
    epilogue.check(tmp_path, 8, epilogue.random_operands(8, 36, 0.37))


# N by alignment of the rows: 16, 4 and 1 bytes.
@pytest.mark.parametrize("n", [1, 7, 64, 130, 132])
@pytest.mark.parametrize("v", [1, 4, 8, 16])
def test_shapes(tmp_path, v, n):
    epilogue = Epilogue("column", ("number", "row"), "column", None, "f16")
    epilogue.check(tmp_path, v, epilogue.random_operands(v, n, 1e-5))


# N by alignment of the rows, as above.
@pytest.mark.parametrize("n", [1, 7, 64, 130, 132])
@pytest.mark.parametrize("name", ["row", "column"])
def test_sum_bias(tmp_path, name, n):
    """A result in i32 has one too; it wraps."""
    epilogue = Epilogue(name)
    sums, want = epilogue.check(tmp_path, 8, epilogue.random_operands(8, n))
    assert n < 64 or (abs(sums - want) >= 2**31).any()


def test_sum_bias_next_to_init(tmp_path):
    text = """#w = #magicube.sr_bcrs<vector = 4>
func.func @f(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>, %z: tensor<1x?xi32>,
             %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %d = magicube.spmm %a, %b sum_bias(%z) outs(%c)
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>, tensor<1x?xi32>, tensor<?x?xi32>)
    -> tensor<?x?xi32>
  return %d : tensor<?x?xi32>
}
"""
    a, b, [bias] = Epilogue("column").random_operands(4, 33)
    init = np.arange(12 * 33, dtype=np.int32).reshape(12, 33) * 2**22
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (actual,) = spmm.run_program(
        tmp_path, text, [tmp_path / "a.mtx", b.astype(np.int8), bias, init], 1,
        "--check")
    spmm.assert_exact(process)
    want = (a @ b + init.astype(np.int64) + bias).astype(np.int32)
    assert np.array_equal(actual, want)


# The unit in the last place of a sum is 2 up to here: an odd one is a tie.
@pytest.mark.parametrize("result,limit", [("f16", 4096), ("bf16", 512)])
def test_ties(tmp_path, result, limit):
    epilogue = Epilogue(None, ("number",), result=result)
    a, b, _ = epilogue.random_operands(8, 64)
    sums, want = epilogue.check(tmp_path, 8, (a, b // 8, [np.float32(1)]))
    ties = (sums % 2 != 0) & (abs(sums) > limit // 2) & (abs(sums) < limit)
    errors = want[ties].astype(np.int64) - sums[ties]
    # Both ways, of both signs.
    for sign in (-1, 1):
        assert set(errors[np.sign(sums[ties]) == sign]) == {-1, 1}


def test_overflow(tmp_path):
    epilogue = Epilogue(None, ("row",), result="f16")
    _, want = epilogue.check(tmp_path, 8, epilogue.random_operands(8, 32, 1e3))
    assert set(want[np.isinf(want)]) == {np.inf, -np.inf}
    assert not np.isinf(want).all()


# Scales that make the results subnormal; for bf16 they are so in f32 already.
@pytest.mark.parametrize("result,scale", [("f16", 1e-10), ("bf16", 1e-42),
                                          ("f32", 1e-42)])
def test_subnormal(tmp_path, result, scale):
    epilogue = Epilogue(None, ("row",), result=result)
    _, want = epilogue.check(tmp_path, 8, epilogue.random_operands(8, 32, scale))
    least = np.finfo(np.float16 if result == "f16" else np.float32).tiny
    assert ((want != 0) & (abs(want) < least)).any()


@pytest.mark.parametrize("result", ROUND)
@pytest.mark.parametrize("activation", [None, "relu"])
def test_infinity_and_nan(tmp_path, activation, result):
    epilogue = Epilogue(None, ("column",), None, activation, result)
    a, b, [scale] = epilogue.random_operands(8, 32)
    a[0] = 0 # times infinity
    scale[0, :4] = np.inf, -np.inf, np.nan, -0.0
    _, want = epilogue.check(tmp_path, 8, (a, b, [scale]))
    assert np.isnan(want).any() == (activation is None)


# A type of 1 x 1 is a row's where there are more columns.
def test_one_row(tmp_path):
    epilogue = Epilogue(None, ("row", "column"), result="f32")
    text = epilogue.module(spmm.Encoding(1), n=5).replace(
        "tensor<?x1xf32>", "tensor<1x1xf32>")
    a, b = np.array([[3, 0, -4]]), np.arange(15).reshape(3, 5)
    row, column = np.float32([[0.3]]), np.float32([[1, 2, 3, 0.1, -1]])
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (actual,) = spmm.run_program(
        tmp_path, text, [tmp_path / "a.mtx", b.astype(np.int8), row, column], 1,
        "--check")
    spmm.assert_exact(process)
    want = epilogue.expected(a @ b, [row, column])
    assert actual.tobytes() == want.tobytes()


@pytest.mark.parametrize("name,shape,wanted,got", [
    ("row", (16, 1), "24x1", "16x1"),
    ("column", (1, 33), "1x32", "1x33"),
])
@pytest.mark.parametrize("what", ["sum_bias", "scale", "bias"])
def test_extents(tmp_path, name, shape, wanted, got, what):
    epilogue = {"sum_bias": Epilogue(name),
                "scale": Epilogue(None, (name,), result="f32"),
                "bias": Epilogue(None, (), name, result="f32")}[what]
    a, b, _ = epilogue.random_operands(8, 32)
    element = np.int32 if what == "sum_bias" else np.float32
    process, result = epilogue.run(tmp_path, 8, (a, b, [np.ones(shape, element)]))
    assert process.returncode == 1
    assert (f"'magicube.spmm' op expected a {what} of {wanted}, but got {got}\n"
            in process.stderr)
    assert f"note: {what} is argument #2, a {got} matrix\n" in process.stderr
    assert result is None


def test_random(tmp_path):
    (tmp_path / "f.mlir").write_text(
        Epilogue(None, ("number", "row"), "column", "relu", "bf16").module(spmm.Encoding(8)))
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f",
                       "--arg=random:16x40@0.5", "--arg=random:40x12",
                       "--arg=-0.125", "--arg=random:16x1", "--arg=random:1x12",
                       "--check")
    spmm.assert_exact(process)


def test_result_type(tmp_path):
    text = Epilogue(None, ("number",), None, "relu", "i16").module(spmm.Encoding(8))
    (tmp_path / "f.mlir").write_text(text)
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f",
                       "--arg=random:16x40@0.5", "--arg=random:40x12",
                       "--arg=1")
    assert process.returncode == 1
    assert ("expected the result of an epilogue to be f32, f16, bf16, i8 or "
            "i4, but got 'i16'\n" in process.stderr)


def test_function_result(tmp_path):
    (tmp_path / "f.mlir").write_text(
        "func.func @f(%a: tensor<4x4xi16>) -> tensor<4x4xi16> {\n"
        "  return %a : tensor<4x4xi16>\n}\n")
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f", "--arg=random")
    assert process.returncode == 1
    assert process.stderr == (
        "error: result #0 of 'f' has type tensor<4x4xi16>\n"
        "note: results are matrices of i32, i8, i4, f32, f16 or bf16, sparse "
        "ones also of i16, tensor<MxNxi32> for example\n")


def test_number_needs_a_number(tmp_path):
    (tmp_path / "f.mlir").write_text(
        Epilogue(None, ("number",), result="f32").module(spmm.Encoding(8)))
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f",
                       "--arg=random:8x8@0.5", "--arg=random:8x8", "--arg=x")
    assert process.returncode == 1
    assert process.stderr == (
        "error: argument #2 ('x'): expected a number of f32\n"
        "note: write it in decimal, as in 0.125\n")


def test_private_function(tmp_path):
    (tmp_path / "f.mlir").write_text(
        Epilogue(None, ("number",), result="f32").module(spmm.Encoding(8)).replace(
            "func.func @f", "func.func private @f"))
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f")
    assert process.returncode == 1
    assert process.stderr.startswith("error: function 'f' is private\n")
