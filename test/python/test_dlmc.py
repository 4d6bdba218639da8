#===- test_dlmc.py - Real pruned layers ------------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Patterns of the Deep Learning Matrix Collection; each entry stands for one
# vector. Skipped where the data is absent.
#
#===----------------------------------------------------------------------===#
"""SpMM with matrices of ../shared/data/dlmc."""

import itertools

import numpy as np
import pytest

import spmm
import tools
from spmm import Case, Encoding, run_program

DLMC = tools.SHARED_DATA / "dlmc"
MATRICES = sorted(DLMC.rglob("*.smtx"))
# 512 x 512 vectors at sparsities of 0.5 to 0.98.
SMALL = [path for path in MATRICES if path.stem.endswith("attention_k")]

needs_data = pytest.mark.skipif(not MATRICES, reason=f"no matrices in {DLMC}")


def name(path):
    return f"{path.parents[2].name}-{path.parent.name}-{path.stem}"


def read_pattern(path):
    """Boolean matrix of a .smtx file."""
    sizes, offsets, columns = path.read_text().splitlines()[:3]
    rows, cols, _ = map(int, sizes.split(","))
    offsets = np.array(offsets.split(), int)
    pattern = np.zeros((rows, cols), bool)
    pattern[np.repeat(np.arange(rows), np.diff(offsets)),
            np.array(columns.split(), int)] = True
    return pattern


def runs():
    """A few small products, or those and every matrix at N = 256."""
    yield from itertools.product(SMALL, (64, 130))
    if tools.RUNS_ALL:
        yield from itertools.product(MATRICES, (256,))


@needs_data
@pytest.mark.parametrize("path, n", list(runs()),
                         ids=lambda value: name(value) if value in MATRICES
                         else f"N{value}")
def test_matrix(path, n, tmp_path):
    columns = read_pattern(path).shape[1]
    process, _ = run_program(tmp_path, spmm.module_text(Case()),
                             [path, f"random:{columns}x{n}"], 0, "--check")
    spmm.assert_exact(process)


@needs_data
@pytest.mark.parametrize("encoding", (Encoding(8), Encoding(2, 64),
                                      Encoding(16, 8, "bank_aware", "u16")),
                         ids=lambda encoding: f"V{encoding.vector}")
def test_values_are_seeded_and_where_the_pattern_says(tmp_path, encoding):
    """A product with the identity shows the values that a seed gave."""
    path = SMALL[-1]
    module = spmm.module_text(Case(encoding))
    pattern = read_pattern(path)
    identity = np.eye(pattern.shape[1], dtype=np.int8)
    process, (a,) = run_program(tmp_path, module, [path, identity], 1)
    assert process.returncode == 0, process.stderr
    stored = pattern.repeat(encoding.vector, axis=0)
    assert not a[~stored].any()
    # Bytes at random: one in 256 is zero, and both ends of the range occur.
    assert np.count_nonzero(a[stored]) > 0.98 * np.count_nonzero(stored)
    assert (a.min(), a.max()) == spmm.bounds(False)

    b = spmm.random_bytes(np.random.default_rng(3), (pattern.shape[1], 40),
                          False)
    process, (c,) = run_program(tmp_path, module, [path, np.int8(b)], 1,
                                "--check")
    spmm.assert_exact(process)
    np.testing.assert_array_equal(c, spmm.product(a, b))
