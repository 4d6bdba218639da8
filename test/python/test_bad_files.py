#===- test_bad_files.py - Matrix files that must be refused ----------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each message names file, line, limit and value. The readers have unit tests;
# here they are met as users meet them.
#
#===----------------------------------------------------------------------===#
"""Bad .mtx, .smtx and .npy files as arguments of magicube-run."""

import gzip

import numpy as np
import pytest

import spmm
import tools
from spmm import Case, Encoding

MTX = "%%MatrixMarket matrix coordinate integer general\n"
REAL = MTX.replace("integer", "real")

# Text of a file for a sparse argument with V = 2 and K = 4; message, note.
BAD_MTX = {
    "empty": ("", "1: expected '%%MatrixMarket', but got end of file",
              "the file must start with the line '%%MatrixMarket matrix "
              "coordinate integer general'"),
    "no banner": ("4 4 1\n1 1 1\n",
                  "1: expected '%%MatrixMarket', but got '4'",
                  "the file must start with the line '%%MatrixMarket matrix "
                  "coordinate integer general'"),
    "dense": ("%%MatrixMarket matrix array integer general\n1 1\n1\n",
              "1: expected format 'coordinate', but got 'array'",
              "dense matrices are read from .npy files"),
    "complex": ("%%MatrixMarket matrix coordinate complex general\n4 4 0\n",
                "1: expected field 'integer', 'real' or 'pattern', but got "
                "'complex'",
                "quantize the values to integers before writing the file"),
    "leading blank": (" " + MTX + "4 4 0\n",
                      "1: expected the file to start with '%%MatrixMarket', "
                      "but got blanks before it", "delete the blanks"),
    "real": (REAL + "4 4 2\n1 1 2.0\n2 1 1.5\n",
             "4: expected an integer value, but got '1.5'",
             "quantize the values to integers before writing the file"),
    "real beyond 32 bits": (REAL + "4 4 1\n1 1 1e10\n",
                            "3: expected a value of at most 32 bits, but got "
                            "'1e10'"),
    "not a number": (REAL + "4 4 1\n1 1 nan\n",
                     "3: expected an integer value, but got 'nan'",
                     "quantize the values to integers before writing the "
                     "file"),
    "both triangles": (MTX.replace("general", "symmetric") +
                       "4 4 2\n2 1 1\n1 2 1\n",
                       "4: duplicate entry at row 1, column 2",
                       "in a symmetric matrix an entry stands for its mirror "
                       "image too; if both are there, declare it general"),
    "no sizes": (MTX, "2: expected the number of rows, but got end of file"),
    "two sizes": (MTX + "4 4\n1 1 1\n",
                  "2: expected the number of entries, but got end of line"),
    "no rows": (MTX + "0 4 0\n",
                "2: expected the number of rows in [1, 2147483647], but got 0"),
    "too many rows": (MTX + "2147483648 4 0\n",
                      "2: expected the number of rows in [1, 2147483647], but "
                      "got 2147483648"),
    "fraction": (MTX + "4 4 1\n1 1 1.5\n",
                 "3: expected an integer value, but got '1.5'"),
    "word": (MTX + "4 4 1\n1 one 1\n", "3: expected a column, but got 'one'"),
    "row too large": (MTX + "4 4 1\n5 1 1\n",
                      "3: expected a row in [1, 4], but got 5"),
    "row zero": (MTX + "4 4 1\n0 1 1\n",
                 "3: expected a row in [1, 4], but got 0"),
    "column too large": (MTX + "4 4 1\n1 5 1\n",
                         "3: expected a column in [1, 4], but got 5"),
    "duplicate": (MTX + "4 4 2\n2 1 1\n2 1 2\n",
                  "4: duplicate entry at row 2, column 1"),
    "truncated": (MTX + "4 4 2\n1 1 1\n",
                  "4: expected 2 entries as the header promises, but got 1"),
    "truncated entry": (MTX + "4 4 2\n1 1 1\n2 2",
                        "4: expected an integer value, but got end of file"),
    "truncated CRLF": (MTX.replace("\n", "\r\n") + "4 4 2\r\n1 1 1\r\n",
                       "4: expected 2 entries as the header promises, but got "
                       "1"),
    "header too large": (MTX + "4 4 1000000\n1 1 1\n",
                         "2: the header promises 1000000 entries, but the 7 "
                         "bytes after it hold at most 2"),
    "more than the header": (MTX + "4 4 1\n1 1 1\n2 2 2\n",
                             "4: expected the end of the file after 1 entries, "
                             "but got '2'",
                             "the header promises fewer entries than there "
                             "are"),
    "huge value": (MTX + "4 4 1\n1 1 99999999999\n",
                   "3: expected a value of at most 32 bits, but got "
                   "99999999999"),
}

RESHAPE = "give the matrix as array.reshape(rows, columns)"
DTYPES = ("bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, "
          "float16, float32, float64")

BAD_SMTX = {
    "empty": ("", "1: expected the number of rows, but got end of file"),
    "no commas": ("2 4 3\n0 1 3\n1 0 3\n", "1: expected ',', but got '4'",
                  "line 1 must read 'rows, columns, entries'"),
    "fraction": ("2.5, 4, 3\n0 1 3\n1 0 3\n",
                 "1: expected the number of rows, but got '2.5,'"),
    "word": ("2, 4, 3\n0 1 3\n1 0 x\n", "3: expected a column, but got 'x'"),
    "no offsets": ("2, 4, 3\n",
                   "2: the header promises 3 row offsets, but the 0 bytes "
                   "after it hold at most 0"),
    "too few columns": ("2, 4, 3\n0 1 3\n1 3\n",
                        "3: the header promises 3 columns, but the 4 bytes "
                        "after it hold at most 2"),
    "column missing": ("2, 4, 3\n0 1 3\n1 3 \n\n",
                       "3: expected 3 columns, but got 2"),
    "header too large": ("2000000, 4, 3\n0 1 3\n1 0 3\n",
                         "2: the header promises 2000001 row offsets, but the "
                         "12 bytes after it hold at most 6"),
    "more entries than places": ("2, 4, 9\n0 1 3\n1 0 3\n",
                                 "1: expected at most 8 entries in 2 x 4, but "
                                 "got 9"),
    "offsets descend": ("2, 4, 3\n0 2 1\n1 0 3\n",
                        "2: expected the offset of row 2 in [2, 3], but got 1"),
    "last offset": ("2, 4, 3\n0 1 2\n1 0 3\n",
                    "2: expected the last row offset to be the 3 entries of "
                    "line 1, but got 2"),
    "duplicate": ("2, 4, 3\n0 1 3\n1 3 3\n",
                  "3: row 1: column 3 occurs twice"),
    "unsorted duplicate": ("2, 4, 4\n0 1 4\n1 3 0 3\n",
                           "3: row 1: column 3 occurs twice"),
    "column too large": ("2, 4, 3\n0 1 3\n1 3 4\n",
                         "3: row 1: expected a column in [0, 4), but got 4"),
    "negative column": ("2, 4, 3\n0 1 3\n1 -1 3\n",
                        "3: row 1: expected a column in [0, 4), but got -1"),
    "duplicate with CRLF": ("2, 4, 3\r\n0 1 3\r\n1 3 3\r\n",
                            "3: row 1: column 3 occurs twice"),
    "more than the header": ("2, 4, 3\n0 1 3\n1 0 3\n2\n",
                             "4: expected the end of the file, but got '2'"),
}


def refuse(directory, sparse, dense, message, note=None):
    """The run must fail with this text alone and leave the result alone."""
    case = Case(Encoding(2), 2, 4, 8)
    (directory / "f.mlir").write_text(spmm.module_text(case))
    (directory / "c.npy").write_text("as it was")
    before = sorted(directory.iterdir())
    process = tools.run_tool(tools.RUN, "f.mlir", "--entry=f",
                             f"--arg={sparse}", f"--arg={dense}",
                             "--out=c.npy", cwd=directory)
    expected = f"error: {message}\n" + (f"note: {note}\n" if note else "")
    assert (process.stderr, process.stdout) == (expected, "")
    assert process.returncode == 1
    assert (directory / "c.npy").read_text() == "as it was"
    assert sorted(directory.iterdir()) == before


@pytest.mark.parametrize("text, message, note",
                         [(*row, None)[:3] for row in BAD_MTX.values()],
                         ids=list(BAD_MTX))
def test_mtx(tmp_path, text, message, note):
    (tmp_path / "a.mtx").write_bytes(text.encode())
    refuse(tmp_path, "a.mtx", "random:4x8", f"a.mtx:{message}", note)


@pytest.mark.parametrize("text, message, note",
                         [(*row, None)[:3] for row in BAD_SMTX.values()],
                         ids=list(BAD_SMTX))
def test_smtx(tmp_path, text, message, note):
    (tmp_path / "a.smtx").write_bytes(text.encode())
    refuse(tmp_path, "a.smtx", "random:4x8", f"a.smtx:{message}", note)


def test_mtx_value_that_does_not_fit(tmp_path):
    (tmp_path / "a.mtx").write_text(MTX + "4 4 2\n1 1 127\n2 4 128\n")
    refuse(tmp_path, "a.mtx", "random:4x8",
           "argument #0 ('a.mtx'): row 1, column 3: value 128 does not fit i8 "
           "[-128, 127]", "rows and columns are counted from 0 here")


def test_mtx_rows_that_vectors_do_not_divide(tmp_path):
    (tmp_path / "a.mtx").write_text(MTX + "5 4 1\n5 1 1\n")
    refuse(tmp_path, "a.mtx", "random:4x8",
           "argument #0 ('a.mtx'): expected dimension 0 to be a multiple of "
           "the vector length 2, but got 5",
           "pad the rows with zeros or choose a vector length that divides "
           "them")


@pytest.mark.parametrize("array, message, note", [
    (np.zeros((4, 8), np.float32),
     "expected an integer array, but got float32",
     "quantize the values and save them as int8 or int16"),
    (np.full((4, 8), 200),
     "value 200 at row 0, column 0 does not fit i8 [-128, 127]", None),
    (np.zeros((2, 4, 4), np.int8),
     "expected an array of rank 2, but got shape (2, 4, 4)", RESHAPE),
    (np.zeros(4, np.int8),
     "expected an array of rank 2, but got shape (4,)", RESHAPE),
    (np.zeros((4, 8), ">i4"), "expected little-endian elements, but got '>i4'",
     "convert with array.astype('<i4')"),
    (np.zeros((0, 8), np.int8),
     "expected a dense matrix of at least 1 x 1, but got 0 x 8", None),
    (np.zeros((4, 0), np.int8),
     "expected a dense matrix of at least 1 x 1, but got 4 x 0", None),
    (np.int8(1), "expected an array of rank 2, but got shape ()", RESHAPE),
    (np.zeros((4, 8), np.complex64), f"expected elements of type {DTYPES}, but "
     "got '<c8'", None),
    (np.zeros((4, 8), "i1,i1"),
     "expected a plain element type, but got a structured one", None),
], ids=["float", "range", "cube", "vector", "endian", "no rows", "no columns",
        "scalar", "complex", "structured"])
def test_npy(tmp_path, array, message, note):
    (tmp_path / "a.mtx").write_text(MTX + "4 4 0\n")
    np.save(tmp_path / "b.npy", array)
    refuse(tmp_path, "a.mtx", "b.npy", f"b.npy: {message}", note)


@pytest.mark.parametrize("change, message", [
    (lambda data: data[:-1],
     "expected 32 bytes of elements (32 of type int8), but got 31"),
    (lambda data: data + b"x",
     "expected 32 bytes of elements (32 of type int8), but got 33"),
    (lambda data: data[:20], "the header is truncated"),
    (lambda data: b"",
     "expected a .npy file, but its first bytes are not \\x93NUMPY"),
], ids=["short", "long", "header", "nothing"])
def test_npy_of_a_wrong_size(tmp_path, change, message):
    (tmp_path / "a.mtx").write_text(MTX + "4 4 0\n")
    np.save(tmp_path / "b.npy", np.zeros((4, 8), np.int8))
    data = (tmp_path / "b.npy").read_bytes()
    (tmp_path / "b.npy").write_bytes(change(data))
    refuse(tmp_path, "a.mtx", "b.npy", f"b.npy: {message}")


@pytest.mark.parametrize("sparse, dense, what", [
    ("a.mtx", "random:4x8", "a.mtx': No such file or directory"),
    ("a.smtx", "random:4x8", "a.smtx': No such file or directory"),
    ("d.mtx", "random:4x8", "d.mtx': neither a regular file nor a pipe"),
    ("e.mtx", "b.npy", "b.npy': No such file or directory"),
    ("e.mtx", "d.npy", "d.npy': neither a regular file nor a pipe"),
])
def test_files_that_are_none(tmp_path, sparse, dense, what):
    (tmp_path / "d.mtx").mkdir()
    (tmp_path / "d.npy").mkdir()
    (tmp_path / "e.mtx").write_text(MTX + "4 4 0\n")
    refuse(tmp_path, sparse, dense, f"cannot read '{what}")


@pytest.mark.parametrize("change, message", [
    (lambda data: data[:-1], "a.mtx.gz: the gzip file is truncated"),
    (lambda data: data[:10], "a.mtx.gz: the gzip file is truncated"),
    (lambda data: data[:-8] + b"12345678",
     "a.mtx.gz: the gzip file is damaged"),
    (lambda data: data + b"xyz", "a.mtx.gz: the gzip file is damaged"),
    (lambda data: "\ufeff2, 4, 0".encode("utf-16-le"),
     "a.mtx.gz: expected text in UTF-8, but got UTF-16"),
    (lambda data: b"x" + data,
     "a.mtx.gz:1: expected '%%MatrixMarket', but got 'x"),
], ids=["short", "header", "sum", "more", "UTF-16", "no magic"])
def test_packed_files(tmp_path, change, message):
    data = change(gzip.compress((MTX + "4 4 0\n").encode()))
    (tmp_path / "a.mtx.gz").write_bytes(data)
    (tmp_path / "f.mlir").write_text(spmm.module_text(
        Case(Encoding(2), 2, 4, 8)))
    process = tools.run_tool(tools.RUN, "f.mlir", "--entry=f",
                             "--arg=a.mtx.gz", "--arg=random:4x8",
                             cwd=tmp_path)
    assert process.returncode == 1
    assert process.stderr.splitlines()[0].startswith(f"error: {message}")
