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
    with np.errstate(over="ignore"):
        for factor in factors:
            values = values * factor
        if bias is not None:
            values = values + bias
        if relu:
            values = np.maximum(values, np.float32(0))
        return ROUND[result](values)


def run(directory, v, n, scales, bias, relu, result, scale_by=1.0):
    """Runs one product; returns the result and what numpy says."""
    rng = np.random.default_rng([v, n, len(scales)])
    m = 3 * v
    a = spmm.random_bytes(rng, (m, K), False) * (rng.random((m, K)) < 0.4)
    b = spmm.random_bytes(rng, (K, n), False)
    operands = []
    for name in [*scales, *bias]:
        shape = OPERANDS[name][1](m, n)
        operands.append(np.float32(scale_by) *
                        rng.standard_normal(shape).astype(np.float32))
    spmm.write_mtx(directory / "a.mtx", a)
    np.save(directory / "b.npy", b)
    arguments = [directory / "a.mtx", directory / "b.npy"]
    for i, operand in enumerate(operands):
        path = directory / f"e{i}.npy"
        np.save(path, operand)
        arguments.append(path if operand.shape else repr(float(operand)))
    (directory / "f.mlir").write_text(module(v, scales, bias, relu, result))
    process = run_tool(RUN, directory / "f.mlir", "--entry=f",
                       *[f"--arg={x}" for x in arguments],
                       f"--out={directory / 'c.npy'}", "--check")
    assert process.returncode == 0, process.stderr
    assert process.stdout == "exact\n"
    sums = a.astype(np.int64) @ b.astype(np.int64)
    want = expected(sums.astype(np.int32), operands[:len(scales)],
                    operands[-1] if bias else None, relu, result)
    return np.load(directory / "c.npy"), want


def check(actual, want):
    assert actual.dtype == want.dtype
    assert actual.tobytes() == want.tobytes()


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
    check(*run(tmp_path, 8, 36, scales, bias, relu, result, 0.37))


# N by alignment of the rows: 16, 4 and 1 bytes.
@pytest.mark.parametrize("n", [1, 7, 64, 130, 132])
@pytest.mark.parametrize("v", [1, 4, 8, 16])
def test_shapes(tmp_path, v, n):
    check(*run(tmp_path, v, n, ["number", "row"], ["column"], False, "f16",
               0.01))


@pytest.mark.parametrize("result", ["f16", "bf16"])
def test_overflow_and_subnormal(tmp_path, result):
    for i, scale in enumerate((1e3, 1e-10)):
        directory = tmp_path / str(i)
        directory.mkdir()
        check(*run(directory, 8, 32, ["row"], [], False, result, scale))


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
