#===- softmax_cases.py - Softmaxes of stored scores ------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""A softmax in storage form as a value: its IR, operands as they lie in memory,
and what numpy says of them."""

from dataclasses import dataclass

import numpy as np

import sddmm
import softmax

DTYPES = {"i32": np.int32, "f32": np.float32, "f16": np.float16}


@dataclass(frozen=True)
class Case:
    """Three or more vector-rows: an empty one, a full one, one vector; others
    have a part of the vectors."""
    scores: str = "i32"
    result: str = "u8"
    vector: int = 8
    stride: int = 32
    index: str = "i32"
    slab: int = 0
    columns: int = 40
    vector_rows: int = 4
    mask: str = None
    scale: str = "number" # "rows" or None
    value_scale: bool = False
    seed: int = 0

    @property
    def rows(self):
        return self.vector_rows * self.vector

    @property
    def bits(self):
        """Of integers; None of floats."""
        return int(self.result[1:]) if self.result[0] == "u" else None


def encoding(case):
    slab = f", slab = {case.slab}" if case.slab else ""
    return (f"#magicube.sr_bcrs<vector = {case.vector}, "
            f"stride = {case.stride}{slab}, index = {case.index}>")


def text(case, name):
    """A function that writes its results into its last arguments."""
    columns = case.columns if case.slab else "?"
    pointers = "2"
    if case.slab:
        pointers = f"{-(-case.columns // case.slab)}x2"
    index = case.index.replace("u", "i")
    container = {"u4": "i8", "u8": "i8", "u16": "i16"}.get(case.result,
                                                          case.result)
    arguments = {"ptr": f"memref<?x{pointers}xi32>", "idx": f"memref<?x{index}>",
                 "val": f"memref<?x{case.scores}>"}
    clauses = ""
    if case.scale:
        arguments["scale"] = "f32" if case.scale == "number" else \
            "memref<?x1xf32>"
        clauses += " scale(%scale)"
    if case.value_scale:
        arguments["value"] = "f32"
        clauses += " value_scale(%value)"
    if case.mask:
        arguments["mask"] = f"memref<?x{case.mask}>"
        clauses += " mask(%mask)"
    arguments["q"] = f"memref<?x{container}>"
    attributes = "overwrite"
    results = "%q"
    if case.bits:
        arguments["factors"] = "memref<?x1xf32>"
        attributes += ", unsigned_result"
        results += ", %factors"
    if case.result == "u4":
        attributes += ", packed_result = i4"
    listed = ", ".join(f"%{name}: {type}" for name, type in arguments.items())
    types = ", ".join(arguments.values())
    return f"""
func.func @{name}({listed}) {{
  magicube.softmax storage(%ptr, %idx, %val)
    as tensor<?x{columns}x{case.scores}, {encoding(case)}>{clauses}
    outs({results}) {{{attributes}}} : ({types}) -> ()
  return
}}
"""


def extremes(dtype):
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, 0, -1, 1], dtype)
    info = np.finfo(dtype)
    return np.array([np.inf, -np.inf, np.nan, info.max, info.min,
                     info.smallest_subnormal, -0.0, 0.0], dtype)


def random_scores(rng, shape, dtype):
    """Small numbers; a row of extremes, one of nothing but -inf or the least,
    one with a few of them."""
    wide = rng.normal(0, 1000 if dtype == np.int32 else 3, shape)
    values = wide.astype(dtype)
    special = extremes(dtype)
    if shape[0] > 2:
        values[-1] = rng.choice(special, shape[1])
        values[-2] = special[:2].min()
        few = rng.random(shape[1]) < 0.1
        values[-3, few] = rng.choice(special, few.sum())
    return values


class Data:
    """Operands, dense and as stored, and results."""

    def __init__(self, case):
        rng = np.random.default_rng(case.seed)
        self.case = case
        vectors = sddmm.random_vectors(rng, case.vector_rows, case.columns, 0.3)
        # The full one has the extremes too.
        vectors = np.roll(vectors, -2, axis=0)
        self.stored = sddmm.to_mask(vectors, case.vector)
        shape = (case.rows, case.columns)
        self.scores = random_scores(rng, shape, DTYPES[case.scores])
        self.added = None
        if case.mask:
            self.added = np.where(rng.random(shape) < 0.2, -np.inf,
                                  rng.normal(0, 1, shape)
                                  ).astype(DTYPES[case.mask])
        unit = 1e-3 if case.scores == "i32" else 1
        self.scale = np.float32([1])
        if case.scale == "number":
            self.scale = np.float32([unit * rng.choice([1, 0.125, 7])])
        elif case.scale == "rows":
            choices = [1, 0.5, 0, 1e-38, 3e-7, 1e3, 1e37]
            self.scale = np.float32(unit * rng.choice(choices, case.rows))
        self.value_scale = np.float32(0.37 if case.value_scale else 1)
        self.pack(vectors)

    def pack(self, vectors):
        """Pointers, indices, and where values of each stored position come
        from; -1 is padding."""
        case = self.case
        slab = case.slab or case.columns
        pointers, indices = [], []
        for row in vectors:
            for first in range(0, case.columns, slab):
                columns = np.flatnonzero(row[first:first + slab]) + first
                pointers += [len(indices), len(indices) + len(columns)]
                indices += [*columns, *[-1] * (-len(columns) % case.stride)]
        self.pointers = np.array(pointers, np.int32).reshape(
            (case.vector_rows, -1, 2) if case.slab else (-1, 2))
        self.indices = np.array(
            indices, np.int64).astype(np.uint16 if case.index == "u16"
                                      else np.int32)
        starts = self.pointers.reshape(case.vector_rows, -1)[:, 0]
        position = np.arange(len(indices))
        row = np.searchsorted(starts, position, "right") - 1
        v = np.arange(case.vector)
        s = case.stride
        # One line a component: the order of memory inside of a stride.
        self.offsets = (position // s * s * case.vector + position % s +
                        v[:, None] * s)
        self.row = row * case.vector + v[:, None]
        self.column = np.broadcast_to(np.array(indices, np.int64),
                                      self.row.shape)

    def values(self, dense, padding):
        """A dense array as stored."""
        stored = np.zeros(self.offsets.size, dense.dtype)
        stored[self.offsets] = np.where(self.column < 0, padding,
                                        dense[self.row, self.column])
        return stored

    def expected(self):
        """Stored results and, of integers, factors."""
        case = self.case
        if case.bits:
            q, factors = softmax.quantized(self.scores, self.stored, self.scale,
                                           case.bits, self.value_scale,
                                           self.added)
            stored = self.values(q, 0)
            if case.bits == 4:
                stored = stored[0::2] | stored[1::2] << 4
            return stored, factors
        return (self.values(softmax.floats(self.scores, self.stored, self.scale,
                                           DTYPES[case.result], self.added),
                            0),)

    def arguments(self):
        """Arrays and numbers, and then arrays of what is there before."""
        case = self.case
        # Padding is zero, but nothing may depend on it.
        arguments = [self.pointers, self.indices,
                     self.values(self.scores, DTYPES[case.scores](77))]
        if case.scale == "number":
            arguments.append(float(self.scale[0]))
        elif case.scale == "rows":
            arguments.append(self.scale.reshape(-1, 1))
        if case.value_scale:
            arguments.append(float(self.value_scale))
        if case.mask:
            arguments.append(self.values(self.added, DTYPES[case.mask](55)))
        return arguments, [np.full_like(result, 99) for result in
                           self.expected()]


def make_cases():
    """What the kernels differ in, and rows of all kinds of lengths."""
    cases = []

    def add(**fields):
        cases.append(Case(**fields, seed=len(cases)))

    for vector in (1, 2, 4, 8, 16):
        for stride in (8, 16, 32, 64):
            add(vector=vector, stride=stride, columns=75)
        # One, two and four groups of octets, and the loop behind them.
        for columns in (1, 130, 250, 500, 1200):
            add(vector=vector, stride=16, columns=columns, scale="rows")
        for result in ("u4", "u16"):
            add(vector=vector, result=result, columns=300, value_scale=True,
                scale="rows", vector_rows=5)
        add(vector=vector, stride=8, slab=48, columns=200, index="u16")
        add(vector=vector, stride=32, slab=64, columns=300, result="u16")
        for scores in ("f32", "f16"):
            add(vector=vector, scores=scores, columns=700,
                result="u8" if scores == "f32" else "u16", scale="rows")
            for mask in (None, "f32", "f16"):
                add(vector=vector, scores=scores, columns=100, mask=mask,
                    scale=None)
                for result in ("f32", "f16"):
                    add(vector=vector, scores=scores, columns=330, mask=mask,
                        result=result, scale="rows", stride=8)
        add(vector=vector, result="f32", columns=1200)
    return cases
