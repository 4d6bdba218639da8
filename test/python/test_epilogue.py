#===- test_epilogue.py - Scaled results -----------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Results in f32, f16 and bf16 against numpy, one rounding at a time."""

import numpy as np
import pytest

import spmm
from tools import RUN, run_tool

K = 40


def to_bf16(values):
    """float32 rounded to bfloat16, to nearest even, as float32."""
    bits = values.view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32)


ROUND = {"f32": lambda x: x, "f16": lambda x: x.astype(np.float16),
         "bf16": to_bf16}

# Operands of an epilogue: name, type in IR, shape for M rows and N columns.
OPERANDS = {
    "number": ("f32", lambda m, n: ()),
    "row": ("tensor<?x1xf32>", lambda m, n: (m, 1)),
    "column": ("tensor<1x?xf32>", lambda m, n: (1, n)),
}


def module(v, scales, bias, relu, result):
    """A module with @f: one product with that epilogue."""
    types = [OPERANDS[name][0] for name in [*scales, *bias]]
    names = [f"%e{i}" for i in range(len(types))]
    arguments = "".join(f", {n}: {t}" for n, t in zip(names, types))
    clause = f"scale({', '.join(names[:len(scales)])}) " if scales else ""
    clause += f"bias({names[-1]}) " if bias else ""
    attributes = "{activation = #magicube.activation<relu>} " if relu else ""
    lhs, rhs, out = "tensor<?x?xi8, #w>", "tensor<?x?xi8>", \
        f"tensor<?x?x{result}>"
    listed = ", ".join([lhs, rhs, *types])
    return (f"#w = #magicube.sr_bcrs<vector = {v}>\n"
            f"func.func @f(%a: {lhs}, %b: {rhs}{arguments}) -> {out} {{\n"
            f"  %c = magicube.spmm %a, %b {clause}{attributes}"
            f": ({listed}) -> {out}\n  return %c : {out}\n}}\n")


def expected(sums, factors, bias, relu, result):
    """What the epilogue makes of i32 sums."""
    values = sums.astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for factor in factors:
            values = values * factor
        if bias is not None:
            values = values + bias
        if relu:
            values = np.where(values > 0, values, np.float32(0))
        return ROUND[result](values)


def random_operands(v, n, names, factor=1.0):
    """A, B and the operands of an epilogue, normal times `factor`."""
    rng = np.random.default_rng([v, n, len(names)])
    m = 3 * v
    a = spmm.random_bytes(rng, (m, K), False) * (rng.random((m, K)) < 0.4)
    b = spmm.random_bytes(rng, (K, n), False)
    return a, b, [np.float32(factor) *
                  rng.standard_normal(OPERANDS[name][1](m, n)).astype(np.float32)
                  for name in names]


def run_product(directory, v, operands, scales, bias, relu, result):
    """The process and the result of one product."""
    a, b, factors = operands
    spmm.write_mtx(directory / "a.mtx", a)
    arguments = [directory / "a.mtx", b.astype(np.int8)]
    arguments += [factor if factor.shape else repr(float(factor))
                  for factor in factors]
    process, (actual,) = spmm.run_program(
        directory, module(v, scales, bias, relu, result), arguments, 1,
        "--check")
    return process, actual


def check(directory, v, operands, scales, bias, relu, result):
    """Runs one product; compares its result with what numpy says, which is
    returned with the sums."""
    process, actual = run_product(directory, v, operands, scales, bias, relu,
                                  result)
    spmm.assert_exact(process)
    a, b, factors = operands
    sums = spmm.product(a, b)
    want = expected(sums, factors[:len(scales)], factors[-1] if bias else None,
                    relu, result)
    assert actual.dtype == want.dtype
    # Which NaN it is does not matter.
    is_nan = np.isnan(want)
    assert (np.isnan(actual) == is_nan).all()
    assert actual[~is_nan].tobytes() == want[~is_nan].tobytes()
    return sums, want


@pytest.mark.parametrize("result", ROUND)
@pytest.mark.parametrize("scales,bias,relu", [
    (["number"], [], False),
    (["row"], ["column"], False),
    (["column"], ["row"], True),
    (["number", "row"], [], True),
    (["row", "column"], ["column"], False),
    ([], ["row"], True),
])
def test_operands(tmp_path, scales, bias, relu, result):
    operands = random_operands(8, 36, [*scales, *bias], 0.37)
    check(tmp_path, 8, operands, scales, bias, relu, result)


# N by alignment of the rows: 16, 4 and 1 bytes.
@pytest.mark.parametrize("n", [1, 7, 64, 130, 132])
@pytest.mark.parametrize("v", [1, 4, 8, 16])
def test_shapes(tmp_path, v, n):
    operands = random_operands(v, n, ["number", "row", "column"], 0.01)
    check(tmp_path, v, operands, ["number", "row"], ["column"], False, "f16")


# The unit in the last place of a sum is 2 up to here: an odd one is a tie.
@pytest.mark.parametrize("result,limit", [("f16", 4096), ("bf16", 512)])
def test_ties(tmp_path, result, limit):
    a, b, _ = random_operands(8, 64, [])
    operands = a, b // 8, [np.float32(1)]
    sums, want = check(tmp_path, 8, operands, ["number"], [], False, result)
    ties = (sums % 2 != 0) & (abs(sums) > limit // 2) & (abs(sums) < limit)
    errors = want[ties].astype(np.int64) - sums[ties]
    # Both ways, of both signs.
    for sign in (-1, 1):
        assert set(errors[np.sign(sums[ties]) == sign]) == {-1, 1}


def test_overflow(tmp_path):
    operands = random_operands(8, 32, ["row"], 1e3)
    _, want = check(tmp_path, 8, operands, ["row"], [], False, "f16")
    assert set(want[np.isinf(want)]) == {np.inf, -np.inf}
    assert not np.isinf(want).all()


# Scales that make the results subnormal; for bf16 they are so in f32 already.
@pytest.mark.parametrize("result,scale", [("f16", 1e-10), ("bf16", 1e-42),
                                          ("f32", 1e-42)])
def test_subnormal(tmp_path, result, scale):
    operands = random_operands(8, 32, ["row"], scale)
    _, want = check(tmp_path, 8, operands, ["row"], [], False, result)
    least = np.finfo(np.float16 if result == "f16" else np.float32).tiny
    assert ((want != 0) & (abs(want) < least)).any()


@pytest.mark.parametrize("result", ROUND)
@pytest.mark.parametrize("relu", [False, True])
def test_infinity_and_nan(tmp_path, relu, result):
    a, b, [scale] = random_operands(8, 32, ["column"])
    a[0] = 0 # times infinity
    scale[0, :4] = np.inf, -np.inf, np.nan, -0.0
    _, want = check(tmp_path, 8, (a, b, [scale]), ["column"], [], relu, result)
    assert np.isnan(want).any() != relu


# A type of 1 x 1 is a row's where there are more columns.
def test_one_row(tmp_path):
    text = module(1, ["row", "column"], [], False, "f32").replace(
        "tensor<?x?xi8>", "tensor<?x5xi8>").replace(
            "tensor<?x1xf32>", "tensor<1x1xf32>").replace(
                "-> tensor<?x?xf32>", "-> tensor<?x5xf32>").replace(
                    ": tensor<?x?xf32>", ": tensor<?x5xf32>")
    a, b = np.array([[3, 0, -4]]), np.arange(15).reshape(3, 5)
    row, column = np.float32([[0.3]]), np.float32([[1, 2, 3, 0.1, -1]])
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (actual,) = spmm.run_program(
        tmp_path, text, [tmp_path / "a.mtx", b.astype(np.int8), row, column], 1,
        "--check")
    spmm.assert_exact(process)
    want = expected(a @ b, [row, column], None, False, "f32")
    assert actual.tobytes() == want.tobytes()


@pytest.mark.parametrize("name,shape,wanted,got", [
    ("row", (16, 1), "24x1", "16x1"),
    ("column", (1, 33), "1x32", "1x33"),
])
@pytest.mark.parametrize("is_bias", [False, True])
def test_extents(tmp_path, name, shape, wanted, got, is_bias):
    a, b, _ = random_operands(8, 32, [])
    scales, bias = ([], [name]) if is_bias else ([name], [])
    process, result = run_product(
        tmp_path, 8, (a, b, [np.ones(shape, np.float32)]), scales, bias, False,
        "f32")
    what = "bias" if is_bias else "scale"
    assert process.returncode == 1
    assert (f"'magicube.spmm' op expected a {what} of {wanted}, but got {got}\n"
            in process.stderr)
    assert f"note: {what} is argument #2, a {got} matrix\n" in process.stderr
    assert result is None


def test_random(tmp_path):
    (tmp_path / "f.mlir").write_text(
        module(8, ["number", "row"], ["column"], True, "bf16"))
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f",
                       "--arg=random:16x40@0.5", "--arg=random:40x12",
                       "--arg=-0.125", "--arg=random:16x1", "--arg=random:1x12",
                       "--check")
    spmm.assert_exact(process)


@pytest.mark.parametrize("old,new,message", [
    ("relu", "gelu", "has no kernel yet for the activation gelu\n"),
    ("xf32>", "xi8>", "result #0 of 'f' has type tensor<?x?xi8>\n"),
])
def test_refused(tmp_path, old, new, message):
    text = module(8, ["number"], [], True, "f32")
    (tmp_path / "f.mlir").write_text(text.replace(old, new))
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f",
                       "--arg=random:16x40@0.5", "--arg=random:40x12",
                       "--arg=1")
    assert process.returncode == 1
    assert message in process.stderr


def test_number_needs_a_number(tmp_path):
    (tmp_path / "f.mlir").write_text(module(8, ["number"], [], False, "f32"))
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f",
                       "--arg=random:8x8@0.5", "--arg=random:8x8", "--arg=x")
    assert process.returncode == 1
    assert process.stderr == (
        "error: argument #2 ('x'): expected a number of f32\n"
        "note: write it in decimal, as in 0.125\n")


def test_private_function(tmp_path):
    (tmp_path / "f.mlir").write_text(
        module(8, ["number"], [], False, "f32").replace("func.func @f",
                                                        "func.func private @f"))
    process = run_tool(RUN, tmp_path / "f.mlir", "--entry=f")
    assert process.returncode == 1
    assert process.stderr.startswith("error: function 'f' is private\n")
