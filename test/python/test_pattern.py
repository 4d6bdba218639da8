#===- test_pattern.py - Patterns from masks --------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What people have in numpy, through magicube-pattern, against numpy; and the
# files it writes as arguments of a product.
#
#===----------------------------------------------------------------------===#
"""Masks as .npy files to patterns of vectors."""

import json

import numpy as np
import pytest

import tools


def run_pattern(directory, *options):
    process = tools.run_tool(tools.PATTERN, *options, "--statistics=json",
                             cwd=directory)
    assert (process.returncode, process.stderr) == (0, "")
    return json.loads(process.stdout)


def read_smtx(path):
    """The vectors of a .smtx file as booleans."""
    sizes, offsets, columns = path.read_text().split("\n")[:3]
    rows, cols, _ = map(int, sizes.split(","))
    offsets = list(map(int, offsets.split()))
    columns = np.array(columns.split(), int)
    vectors = np.zeros((rows, cols), bool)
    for row in range(rows):
        vectors[row, columns[offsets[row]:offsets[row + 1]]] = True
    return vectors


def to_vectors(mask, v, keep):
    """What numpy makes of a mask of elements."""
    padded = -mask.shape[0] % v
    reduce, fill = (np.any, False) if keep == "any" else (np.all, True)
    mask = np.pad(mask, ((0, padded), (0, 0)), constant_values=fill)
    return reduce(mask.reshape(-1, v, mask.shape[1]), axis=1)


MASKS = {
    "bool": lambda m: m,
    "fortran": np.asfortranarray,
    "int64": lambda m: m * np.int64(-2**40),
    "uint8": lambda m: m * np.uint8(7),
}


@pytest.mark.parametrize("v", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("keep", ["any", "all"])
@pytest.mark.parametrize("form", MASKS)
def test_mask(tmp_path, v, keep, form):
    rng = np.random.default_rng(v)
    mask = rng.random((43, 29)) < 0.7
    mask[v:2 * v] = True
    mask[2 * v:3 * v] = False
    np.save(tmp_path / "mask.npy", MASKS[form](mask))
    row = run_pattern(tmp_path, "--mask=mask.npy", f"--vector={v}", "--pad",
                      f"--keep={keep}", "--out=p.smtx")
    vectors = to_vectors(mask, v, keep)
    np.testing.assert_array_equal(read_smtx(tmp_path / "p.smtx"), vectors)
    lengths = vectors.sum(1)
    assert row["elements"] == mask.sum()
    assert row["vectors"] == vectors.sum()
    assert row["longest"] == lengths.max()
    assert row["empty_vector_rows"] == (lengths == 0).sum()
    assert row["padding"] == (-lengths % 32).sum()


@pytest.mark.parametrize("block", [(1, 1), (8, 8), (3, 5), (64, 16)])
@pytest.mark.parametrize("causal", [False, True])
def test_block_mask(tmp_path, block, causal):
    rng = np.random.default_rng(block[0])
    rows, cols = 100, 70
    shape = [-(-rows // block[0]), -(-cols // block[1])]
    blocks = rng.random(shape) < 0.5
    np.save(tmp_path / "blocks.npy", blocks)
    run_pattern(tmp_path, "--block-mask=blocks.npy",
                f"--block={block[0]}x{block[1]}", f"--rows={rows}",
                f"--cols={cols}", "--vector=4", "--out=p.smtx",
                *(["--causal"] if causal else []))
    mask = np.kron(blocks, np.ones(block, bool))[:rows, :cols]
    if causal:
        mask = np.tril(mask)
    np.testing.assert_array_equal(read_smtx(tmp_path / "p.smtx"),
                                  to_vectors(mask, 4, "any"))


@pytest.mark.parametrize("mask, message", [
    (np.ones((16, 4), np.float32), "m.npy: expected a mask of booleans or "
     "integers, but got float32\nnote: save the mask as array != 0"),
    (np.ones(16, bool), "m.npy: expected an array of rank 2, but got shape "
     "(16,)"),
    (np.ones((2, 16, 4), bool), "m.npy: expected an array of rank 2, but got "
     "shape (2, 16, 4)"),
    (np.ones((0, 4), bool), "m.npy: expected a mask of at least one row and "
     "one column, but got shape (0, 4)"),
    (np.ones((12, 4), bool), "expected a multiple of the vector length 8 for "
     "the number of rows, but got 12\nnote: give --pad"),
])
def test_bad_masks(tmp_path, mask, message):
    np.save(tmp_path / "m.npy", mask)
    process = tools.run_tool(tools.PATTERN, "--mask=m.npy", cwd=tmp_path)
    assert process.returncode == 1
    assert process.stderr.startswith("error: " + message)


def test_mask_of_another_shape(tmp_path):
    np.save(tmp_path / "m.npy", np.ones((16, 4), bool))
    process = tools.run_tool(tools.PATTERN, "--mask=m.npy", "--rows=24",
                             cwd=tmp_path)
    assert process.stderr == ("error: m.npy: expected a mask of 24x4 for a "
                              "pattern of 24x4, but got 16x4\n")


def test_written_file_is_an_argument(tmp_path):
    """A product with the pattern as a matrix of ones."""
    mask = np.random.default_rng(0).random((32, 24)) < 0.3
    b = np.arange(24 * 16, dtype=np.int8).reshape(24, 16)
    np.save(tmp_path / "mask.npy", mask)
    np.save(tmp_path / "b.npy", b)
    run_pattern(tmp_path, "--mask=mask.npy", "--out=p.mtx", "--vector=8")
    (tmp_path / "f.mlir").write_text(
        "#w = #magicube.sr_bcrs<vector = 8>\n"
        "func.func @f(%a: tensor<32x24xi8, #w>, %b: tensor<24x16xi8>)"
        " -> tensor<32x16xi32> {\n"
        "  %c = magicube.spmm %a, %b : (tensor<32x24xi8, #w>, "
        "tensor<24x16xi8>) -> tensor<32x16xi32>\n"
        "  return %c : tensor<32x16xi32>\n}\n")
    process = tools.run_tool(tools.RUN, "f.mlir", "--entry=f", "--arg=p.mtx",
                             "--arg=b.npy", "--out=c.npy", cwd=tmp_path)
    assert (process.returncode, process.stderr) == (0, "")
    ones = np.repeat(to_vectors(mask, 8, "any"), 8, axis=0).astype(np.int32)
    np.testing.assert_array_equal(np.load(tmp_path / "c.npy"), ones @ b)
