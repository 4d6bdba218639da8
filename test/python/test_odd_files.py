#===- test_odd_files.py - Matrix files that are unusual but right ----------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What other programs write: each file is multiplied and compared with numpy's
# product of what it stands for.
#
#===----------------------------------------------------------------------===#
"""Unusual .mtx, .smtx and .npy files as arguments of the tools."""

import gzip

import numpy as np
import pytest

import epilogue
import spmm
import tools
from spmm import Case, Encoding

CASE = Case(Encoding(2), 2, 4, 8)
BANNER = "%%MatrixMarket matrix coordinate "
B = np.arange(32, dtype=np.int8).reshape(4, 8) - 11


def matrix(*entries):
    result = np.zeros((4, 4), np.int64)
    for row, column, value in entries:
        result[row, column] = value
    return result


def multiply(directory, sparse, dense):
    """The product of two files, by magicube-run."""
    (directory / "f.mlir").write_text(spmm.module_text(CASE))
    process = tools.run_tool(tools.RUN, "f.mlir", "--entry=f",
                             f"--arg={sparse}", f"--arg={dense}",
                             "--out=c.npy", "--check", cwd=directory)
    assert (process.returncode, process.stderr) == (0, "")
    return np.load(directory / "c.npy")


# Text and what it stands for.
MTX = {
    "real": (BANNER + "real general\n4 4 4\n1 1 5\n2 3 -1.0\n4 1 1.2e1\n"
             "4 4 +7\n",
             matrix((0, 0, 5), (1, 2, -1), (3, 0, 12), (3, 3, 7))),
    "double": (BANNER + "double general\n4 4 1\n2 2 3.0\n", matrix((1, 1, 3))),
    "unsigned": (BANNER + "unsigned-integer general\n4 4 1\n2 2 3\n",
                 matrix((1, 1, 3))),
    "symmetric, either triangle": (
        BANNER + "integer symmetric\n4 4 3\n2 1 4\n1 3 -2\n4 4 1\n",
        matrix((1, 0, 4), (0, 1, 4), (0, 2, -2), (2, 0, -2), (3, 3, 1))),
    "skew-symmetric": (
        BANNER + "integer skew-symmetric\n4 4 2\n2 1 4\n4 3 -2\n",
        matrix((1, 0, 4), (0, 1, -4), (3, 2, -2), (2, 3, 2))),
    "blanks, tabs and comments": (
        BANNER.upper() + "integer\tgeneral  \n%\n\n% x\n \t4\t4 2 \n%\n"
        "\t1 1  5\t\n\n%%\n4 4 -6", matrix((0, 0, 5), (3, 3, -6))),
    "BOM and CRLF": (
        "\ufeff" + BANNER + "integer general\r\n4 4 1\r\n3 2 9\r\n",
        matrix((2, 1, 9))),
}


@pytest.mark.parametrize("text, expected", MTX.values(), ids=list(MTX))
def test_mtx(tmp_path, text, expected):
    (tmp_path / "ä.mtx").write_bytes(text.encode())
    np.save(tmp_path / "b.npy", B)
    np.testing.assert_array_equal(multiply(tmp_path, "ä.mtx", "b.npy"),
                                  expected @ B)


def test_smtx_columns_in_any_order(tmp_path):
    """The values are those of the sorted file."""
    np.save(tmp_path / "b.npy", B)
    (tmp_path / "a.smtx").write_text("2, 4, 5\n0 3 5\n0 1 3 0 2\n")
    (tmp_path / "z.smtx").write_text("2, 4, 5\n0 3 5\n3 0 1 2 0\n")
    sorted_result = multiply(tmp_path, "a.smtx", "b.npy")
    assert sorted_result.any()
    np.testing.assert_array_equal(multiply(tmp_path, "z.smtx", "b.npy"),
                                  sorted_result)


def test_packed_files(tmp_path):
    """As gzip, pigz and bgzip write them: of one or several members."""
    np.save(tmp_path / "b.npy", B)
    text, expected = MTX["real"]
    data = text.encode()
    (tmp_path / "a.mtx.gz").write_bytes(gzip.compress(data[:60]) +
                                        gzip.compress(data[60:]))
    np.testing.assert_array_equal(multiply(tmp_path, "a.mtx.gz", "b.npy"),
                                  expected @ B)
    text = "2, 4, 5\n0 3 5\n0 1 3 0 2\n"
    (tmp_path / "a.smtx").write_text(text)
    (tmp_path / "a.smtx.gz").write_bytes(gzip.compress(text.encode()))
    np.testing.assert_array_equal(multiply(tmp_path, "a.smtx.gz", "b.npy"),
                                  multiply(tmp_path, "a.smtx", "b.npy"))


@pytest.mark.parametrize("array", [
    np.ascontiguousarray(B.T).T,
    np.asfortranarray(B.astype(np.int64)),
    B > 0,
    B.astype(np.float32).astype(np.int16)[:, ::-1],
], ids=["transposed", "fortran64", "bool", "reversed"])
def test_npy(tmp_path, array):
    text, expected = MTX["real"]
    (tmp_path / "a.mtx").write_text(text)
    np.save(tmp_path / "b.npy", array)
    np.testing.assert_array_equal(multiply(tmp_path, "a.mtx", "b.npy"),
                                  expected @ array.astype(np.int64))


def scaled_product(directory, tool, scales):
    """A product with a number per row and one per column, by a tool."""
    text, _ = MTX["real"]
    (directory / "a.mtx").write_text(text)
    np.save(directory / "b.npy", B)
    for name, scale in zip(("row", "column"), scales):
        np.save(directory / f"{name}.npy", scale)
    module = epilogue.Epilogue(scales=("row",), bias="column",
                               result="f32").module(Encoding(2))
    (directory / "f.mlir").write_text(module)
    arguments = ["--arg=a.mtx", "--arg=b.npy", "--arg=row.npy",
                 "--arg=column.npy", "--out=c.npy", "--check"]
    if tool == tools.LAUNCH:
        process = tools.run_tool(tools.COMPILE, "f.mlir", "--emit=bundle",
                                 "--chip=sim", "-o", "f.bundle", cwd=directory)
        assert (process.returncode, process.stderr) == (0, "")
        command = ["f.bundle", "--device=sim"]
    else:
        command = ["f.mlir", "--entry=f"]
    return tools.run_tool(tool, *command, *arguments, cwd=directory)


@pytest.mark.parametrize("tool", [tools.RUN, tools.LAUNCH],
                         ids=["run", "launch"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_vectors_of_floats(tmp_path, tool, dtype):
    """An array of rank 1 is the row or column that the type asks for; doubles
    are rounded once."""
    row = np.array([0.1, 1, 2, 3], dtype)
    column = (np.arange(8) / 7).astype(dtype)
    process = scaled_product(tmp_path, tool, (row, column))
    assert (process.returncode, process.stderr) == (0, "")
    sums = (MTX["real"][1] @ B).astype(np.float32)
    expected = sums * row.astype(np.float32)[:, None] + column.astype(
        np.float32)
    np.testing.assert_array_equal(np.load(tmp_path / "c.npy"), expected)


@pytest.mark.parametrize("tool", [tools.RUN, tools.LAUNCH],
                         ids=["run", "launch"])
@pytest.mark.parametrize("row, message", [
    (np.array([1, 1e39, 1, 1]),
     "row.npy: value 1e+39 at row 1, column 0 is too large for float32"),
    (np.zeros((4, 1, 1), np.float32),
     "row.npy: expected an array of rank 2, but got shape (4, 1, 1)"),
    (np.zeros((4, 0), np.float32),
     "row.npy: expected a matrix of at least 1 x 1, but got 4 x 0"),
    (np.zeros((1, 4), np.float32),
     "argument #2 ('row.npy'): expected a matrix for tensor<?x1xf32>, but got "
     "1x4"),
    (np.ones(4, np.int64),
     "row.npy: expected an array of floats, but got int64"),
], ids=["overflow", "cube", "empty", "transposed", "integers"])
def test_floats_that_are_refused(tmp_path, tool, row, message):
    process = scaled_product(tmp_path, tool,
                             (row, np.zeros(8, np.float32)))
    assert (process.returncode, process.stdout) == (1, "")
    assert process.stderr.splitlines()[0] == f"error: {message}"


def test_a_pattern_needs_no_integers(tmp_path):
    """Of the matrix that guides a schedule only the positions are used."""
    (tmp_path / "f.mlir").write_text(spmm.module_text(CASE))
    texts = {}
    for name, entries in {"real": ("real", "0.25"),
                          "integer": ("integer", "1")}.items():
        field, value = entries
        (tmp_path / f"{name}.mtx").write_text(
            f"{BANNER}{field} general\n4 4 2\n1 2 {value}\n4 4 {value}\n")
        process = tools.run_tool(tools.COMPILE, "f.mlir", "--emit=mlir",
                                 "--stop-after=schedule",
                                 f"--pattern={name}.mtx", cwd=tmp_path)
        assert (process.returncode, process.stderr) == (0, "")
        texts[name] = process.stdout
    assert texts["real"] == texts["integer"]
