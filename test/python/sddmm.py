#===- sddmm.py - Sampled products ------------------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""A * B^T at the vectors of a pattern, as numpy computes it. Sparse matrices are
dense arrays here, zero where nothing is stored; epilogue.Epilogue.expected makes
other results of the sums."""

import numpy as np


def sums(a, b):
    """a (M x K) times the transpose of b (N x K), modulo 2^32."""
    exact = a.astype(np.int64) @ b.astype(np.int64).T
    return exact.astype(np.uint32).astype(np.int32)


def sample(values, mask):
    """Zero where nothing is stored; `mask` as booleans of M x N."""
    return np.where(mask, values, values.dtype.type(0))


def random_vectors(rng, vector_rows, columns, density):
    """Booleans of vectors: an empty row, a full one, one vector, then random
    ones."""
    vectors = rng.random((vector_rows, columns)) < density
    vectors[0:1] = False
    vectors[1:2] = True
    vectors[2:3] = np.arange(columns) == columns - 1
    return vectors


def to_mask(vectors, v):
    """Of elements."""
    return np.repeat(vectors, v, axis=0)


def write_smtx(path, vectors):
    columns = [np.flatnonzero(row) for row in vectors]
    offsets = np.cumsum([0, *map(len, columns)])
    lines = [f"{vectors.shape[0]}, {vectors.shape[1]}, {offsets[-1]}",
             " ".join(map(str, offsets)),
             " ".join(map(str, np.concatenate(columns)))]
    path.write_text("\n".join(lines) + "\n")
