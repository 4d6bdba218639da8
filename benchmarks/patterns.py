#===- patterns.py - Sparse operands of the peers ---------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The points that rows of magicube-launch describe, and the operands of the same
# sparsity for other libraries.
#
#===----------------------------------------------------------------------===#
"""Points and operands of sparse products."""

import dataclasses
import zlib
from pathlib import Path

import torch


@dataclasses.dataclass(frozen=True)
class Point:
    """A sparse product: M x K times K x N with V x 1 vectors."""

    pattern: str
    m: int
    k: int
    n: int
    v: int
    vectors: int
    rotate_bytes: int = 0

    @property
    def density(self):
        return self.vectors * self.v / (self.m * self.k)

    @property
    def shape(self):
        return self.m, self.k, self.n

    @staticmethod
    def from_row(row):
        return Point(row["args"][0], row["m"], row["k"], row["n"], row["v"],
                     row["vectors"], row.get("rotate_bytes", 0))


def seed(*key):
    """A seed that depends on `key` alone."""
    torch.manual_seed(zlib.crc32(repr(key).encode()))


def random_choice(rows, cols, count):
    """`count` distinct columns of each row, ascending, as int64."""
    ranks = torch.rand(rows, cols, device="cuda").argsort(dim=1)
    return ranks[:, :count].sort(dim=1).values


def read_smtx(path):
    """Offsets and columns of a pattern file, and its extents."""
    sizes, offsets, columns = Path(path).read_text().split("\n")[:3]
    rows, cols, _ = map(int, sizes.split(","))
    return rows, cols, [torch.tensor([int(word) for word in line.split()])
                        for line in (offsets, columns)]


def vector_mask(point, root):
    """The point's vectors as a boolean [M / V][K]."""
    rows = point.m // point.v
    mask = torch.zeros(rows, point.k, dtype=torch.bool, device="cuda")
    if point.pattern.startswith("random:"):
        chosen = random_choice(rows, point.k, point.vectors // rows)
        return mask.scatter_(1, chosen, True)
    _, _, (offsets, columns) = read_smtx(Path(root) / point.pattern)
    row = torch.arange(rows).repeat_interleave(offsets.diff())
    mask[row.cuda(), columns.cuda()] = True
    return mask


def values(shape, dtype):
    """Random values of a type; no zeros among integers, as stored ones are."""
    if dtype != torch.int8:
        return torch.randn(shape, dtype=dtype, device="cuda")
    random = torch.randint(-127, 128, shape, dtype=dtype, device="cuda")
    return torch.where(random == 0, 1, random).to(dtype)


def csr(point, dtype, root):
    """Offsets, columns and values of the point's matrix, and it as a dense
    one."""
    mask = vector_mask(point, root).repeat_interleave(point.v, dim=0)
    offsets = torch.zeros(point.m + 1, dtype=torch.int32, device="cuda")
    offsets[1:] = mask.sum(dim=1).cumsum(0)
    columns = mask.nonzero()[:, 1].to(torch.int32)
    stored = values((columns.numel(),), dtype)
    dense = torch.zeros(point.m, point.k, dtype=dtype, device="cuda")
    dense[mask] = stored
    return offsets, columns, stored, dense


def blocks(point, block, dtype):
    """Random square blocks of the point's density, equally many in each block
    row: block columns [M / block][count], their values [M / block][count]
    [block][block], and the matrix as a dense one."""
    rows, cols = point.m // block, point.k // block
    count = min(max(round(point.density * cols), 1), cols)
    chosen = random_choice(rows, cols, count)
    stored = values((rows, count, block, block), dtype)
    dense = torch.zeros(rows, cols, block, block, dtype=dtype, device="cuda")
    index = chosen[:, :, None, None].expand(-1, -1, block, block)
    dense.scatter_(1, index, stored)
    dense = dense.permute(0, 2, 1, 3).reshape(point.m, point.k)
    return chosen.to(torch.int32), stored, dense
