#===- sddmm_cases.py - Sampled products as compiled functions -------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# In a process of its own, which a wrong kernel may take down:
#
#   sddmm_cases.py LIBRARY RUNTIME NAME
#
# calls the cases of SETS[NAME] in the library, and prints a line for each that
# is wrong. Operands are buffers of the CPU device, which ends the process where
# a kernel reads or writes beside them.
#
#===----------------------------------------------------------------------===#
"""Cases of magicube.sddmm on memrefs: IR, operands, what numpy computes."""

import ctypes
import itertools
import sys
import zlib
from dataclasses import dataclass, replace

import numpy as np

import sddmm
import tools
from call_programs import Memory, pass_buffer
from epilogue import Epilogue
from test_float_sums import float_sums
from spmm import Encoding, random_bytes

SHAPES = {"number": "{0}", "row": "memref<{m}x1x{0}>",
          "column": "memref<1x{n}x{0}>"}
BUFFERS = {"i32": np.int32, "f32": np.float32, "f16": np.uint16,
           "bf16": np.uint16, "i8": np.uint8, "i4": np.uint8}


@dataclass(frozen=True)
class Case:
    """One product; `is_static` says whether types have its shape."""
    encoding: Encoding = Encoding(8)
    rows: int = 5
    n: int = 40
    k: int = 64
    density: float = 0.3
    lhs_bits: int = 8
    rhs_bits: int = 8
    unsigned_lhs: bool = False
    unsigned_rhs: bool = False
    is_static: bool = True
    extreme: bool = False
    has_float_sums: bool = False
    attributes: tuple = ()
    epilogue: Epilogue = Epilogue()

    @property
    def m(self):
        return self.rows * self.encoding.vector

    def text(self, name):
        """The function of this case."""
        extents = dict(zip("mnk", (self.m, self.n, self.k) if self.is_static
                           else "???"))
        extents["rows"] = self.rows if self.is_static else "?"
        packed = (self.k + 1) // 2 if self.is_static else "?"

        def matrix(rows, bits):
            return f"memref<{extents[rows]}x{packed}xi8>" if bits == 4 else \
                f"memref<{extents[rows]}x{extents['k']}xi{bits}>"

        result = self.epilogue.result
        index = "i16" if self.encoding.index == "u16" else "i32"
        values = "i8" if result == "i4" else result
        slabs = f"{slab_count(self.encoding, self.n)}x" \
            if self.encoding.slab else ""
        arguments = [("a", matrix("m", self.lhs_bits)),
                     ("b", matrix("n", self.rhs_bits)),
                     ("p", f"memref<{extents['rows']}x{slabs}2xi32>"),
                     ("i", f"memref<?x{index}>")]
        rest = [(f"e{i}", SHAPES[shape].format(element, **extents))
                for i, (shape, element) in
                enumerate(self.epilogue.operands())]
        inner = [("k", "index")] if 4 in (self.lhs_bits, self.rhs_bits) else []
        operands = [*arguments, *rest, *inner, ("v", f"memref<?x{values}>")]
        clauses, left = "", [f"%{name}" for name, _ in rest]
        if self.epilogue.sum_bias:
            clauses += f" sum_bias({left.pop(0)})"
        bias = f" bias({left.pop()})" if self.epilogue.bias else ""
        if left:
            clauses += f" scale({', '.join(left)})"
        clauses += bias + (" inner(%k)" if inner else "")
        attributes = ["overwrite", *self.attributes]
        for word, is_set in (("unsigned_lhs", self.unsigned_lhs),
                             ("unsigned_rhs", self.unsigned_rhs),
                             ("unsigned_result", self.epilogue.is_unsigned),
                             ("accumulate = f32", self.has_float_sums),
                             ("packed_lhs = i4", self.lhs_bits == 4),
                             ("packed_rhs = i4", self.rhs_bits == 4),
                             ("packed_result = i4", result == "i4")):
            attributes += [word] if is_set else []
        if self.epilogue.activation:
            attributes.append("activation = #magicube.activation<"
                              f"{self.epilogue.activation}>")
        types = ", ".join(type_text for _, type_text in operands)
        declared = ", ".join(f"%{name}: {type_text}"
                             for name, type_text in operands)
        return (f"func.func @{name}({declared}) attributes "
                "{llvm.emit_c_interface} {\n"
                "  magicube.sddmm %a, %b, storage(%p, %i) as "
                f"tensor<{extents['m']}x{extents['n']}xi1, {self.encoding}>"
                f"{clauses} outs(%v) {{{', '.join(attributes)}}}\n"
                f"    : ({types}) -> ()\n  return\n}}\n")

    def sums(self, a, b):
        if self.has_float_sums:
            return float_sums(a.astype(np.int64), b.astype(np.int64).T,
                              self.lhs_bits, self.rhs_bits)
        return sddmm.sums(a, b).astype(np.int64)

    def operands(self):
        """A, B, the vectors that are stored, and the epilogue's operands."""
        rng = np.random.default_rng(zlib.crc32(repr(self).encode()))

        def values(shape, is_unsigned, bits):
            if self.extreme:
                return np.full(shape, 2**bits - 1 if is_unsigned
                               else -2**(bits - 1))
            return random_bytes(rng, shape, is_unsigned, bits)

        a = values((self.m, self.k), self.unsigned_lhs, self.lhs_bits)
        b = values((self.n, self.k), self.unsigned_rhs, self.rhs_bits)
        vectors = sddmm.random_vectors(rng, self.rows, self.n, self.density)
        shapes = {"number": (), "row": (self.m, 1), "column": (1, self.n)}
        rest = [rng.choice([-2**31, 12345], shapes[shape]).astype(np.int32)
                if element == "i32" else
                np.float32(1e-3) * rng.standard_normal(
                    shapes[shape]).astype(np.float32)
                for shape, element in self.epilogue.operands()]
        return a, b, vectors, rest


#===----------------------------------------------------------------------===#
# Storage
#===----------------------------------------------------------------------===#

def slab_count(encoding, columns):
    return -(-columns // encoding.slab) if encoding.slab else 1


def store_pattern(encoding, vectors):
    """Pointers (M / V x slabs x 2, without slabs M / V x 2) and indices."""
    slab = encoding.slab or max(1, vectors.shape[1])
    slabs = slab_count(encoding, vectors.shape[1])
    pointers, indices = [], []
    for row in vectors:
        for first in range(0, slabs * slab, slab):
            columns = first + np.flatnonzero(row[first:first + slab])
            pointers.append((len(indices), len(indices) + len(columns)))
            padding = -len(columns) % encoding.stride
            indices += [*columns, *[-1] * padding]
    index = np.uint16 if encoding.index == "u16" else np.int32
    shape = (-1, slabs, 2) if encoding.slab else (-1, 2)
    return (np.array(pointers, np.int32).reshape(shape),
            np.array(indices, np.int64).astype(index))


def store_values(encoding, pointers, indices, matrix):
    """The values of `matrix` at a pattern's places, padding zero."""
    v, stride = encoding.vector, encoding.stride
    values = np.zeros((len(indices) // stride, v, stride), matrix.dtype)
    for row, groups in enumerate(pointers.reshape(len(pointers), -1, 2)):
        for start, end in groups:
            places = np.arange(start, end)
            values[places // stride, :, places % stride] = \
                matrix[row * v:(row + 1) * v, indices[start:end]].T
    return values.reshape(-1)


def pack_nibbles(values, fill=0):
    """Two in a byte along the last axis; `fill` in an odd one's other half."""
    odd = values.shape[-1] % 2
    padded = np.pad(values.astype(np.int64) & 15,
                    [(0, 0)] * (values.ndim - 1) + [(0, odd)],
                    constant_values=fill)
    return (padded[..., ::2] | padded[..., 1::2] << 4).astype(np.uint8)


def to_buffer(values, bits):
    """An operand; the nibble behind an odd K is anything."""
    return pack_nibbles(values, fill=9) if bits == 4 else \
        values.astype(np.int64).astype({8: np.uint8, 16: np.uint16}[bits])


def to_result(values, element):
    """The buffer of a result's values."""
    if element == "i4":
        return pack_nibbles(values)
    if element == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    return np.ascontiguousarray(values).view(BUFFERS[element])


#===----------------------------------------------------------------------===#
# The call
#===----------------------------------------------------------------------===#

def call(library, memory, name, case):
    """The values that a case's function makes, and those expected."""
    a, b, vectors, rest = case.operands()
    pointers, indices = store_pattern(case.encoding, vectors)
    matrix = case.epilogue.expected(case.sums(a, b), rest)
    expected = to_result(store_values(case.encoding, pointers, indices,
                                      matrix), case.epilogue.result)
    arrays = [to_buffer(a, case.lhs_bits), to_buffer(b, case.rhs_bits),
              pointers, indices, *rest, np.full_like(expected, 0x55)]
    arguments, buffers = [], []
    for array in arrays:
        if array.ndim == 0:
            arguments.append(ctypes.c_float(float(array)))
            continue
        buffers.append(pass_buffer(memory, array))
        arguments.append(ctypes.byref(buffers[-1]))
    if 4 in (case.lhs_bits, case.rhs_bits):
        arguments.insert(-1, ctypes.c_int64(case.k))
    getattr(library, f"_mlir_ciface_{name}")(*arguments)
    values = ctypes.string_at(buffers[-1].aligned, expected.nbytes)
    for buffer in buffers:
        memory.free(buffer.allocated)
    return np.frombuffer(values, expected.dtype), expected


def names(cases):
    return [f"f{i}" for i in range(len(cases))]


def main(library, runtime, name):
    memory = Memory(runtime, "device")
    library = ctypes.CDLL(library)
    for function, case in zip(names(SETS[name]), SETS[name]):
        print(f"case {case}", flush=True)
        values, expected = call(library, memory, function, case)
        wrong = np.flatnonzero(values != expected)
        if wrong.size:
            print(f"wrong: {wrong.size} of {values.size} values, first at "
                  f"{wrong[0]}: {values[wrong[0]]}, expected "
                  f"{expected[wrong[0]]}", flush=True)


#===----------------------------------------------------------------------===#
# The cases
#===----------------------------------------------------------------------===#

WIDTHS = list(itertools.product((4, 8, 16), repeat=2))
SIGNS = list(itertools.product((False, True), repeat=2))


def _shapes():
    """Bytes: K by alignment, cut chunks and loops, encodings."""
    encodings = [Encoding(v, stride, index=index) for v, stride, index in
                 [(8, 32, "i32"), (16, 16, "u16"), (4, 8, "i32"),
                  (2, 64, "u16"), (1, 32, "i32"), (8, 8, "u16")]]
    for i, k in enumerate((1, 7, 33, 36, 48, 64, 80, 512)):
        for j in range(2):
            yield Case(encodings[(i + 3 * j) % len(encodings)], k=k,
                       is_static=(i + j) % 2 == 0)
    for k in (1100, 1104):
        yield Case(k=k, n=20)
    for density in (0.0, 1.0):
        yield Case(density=density, rows=4)
    yield Case(rows=1, n=1, k=16)
    # Several groups of vector-rows, and parts of each.
    yield Case(Encoding(1, 8), rows=40, n=600, k=16, density=0.6)
    for tiling in ("warps = 4, steps = 1", "warps = 32, ahead = 1",
                   "resident = 0, ahead = 8"):
        yield Case(k=400, n=300,
                   attributes=(f"tiling = #magicube.sddmm_tiling<{tiling}>",))


def _widths(extreme=False):
    encodings = [Encoding(v, stride) for v, stride in
                 ((8, 32), (16, 16), (4, 32), (2, 8), (1, 64))]
    for i, ((lhs, rhs), (unsigned_lhs, unsigned_rhs)) in enumerate(
            itertools.product(WIDTHS, SIGNS)):
        for k in ((31 + i % 3,) if extreme else (31 + i % 3, 128)):
            yield Case(encodings[(i + k) % len(encodings)], k=k, n=33,
                       lhs_bits=lhs, rhs_bits=rhs, unsigned_lhs=unsigned_lhs,
                       unsigned_rhs=unsigned_rhs, extreme=extreme,
                       is_static=(i + k) % 3 != 0)


def _int4_mmas():
    for k, (unsigned_lhs, unsigned_rhs) in itertools.product((7, 64, 301),
                                                             SIGNS):
        yield Case(Encoding(8 if k < 300 else 16), k=k, lhs_bits=4, rhs_bits=4,
                   unsigned_lhs=unsigned_lhs, unsigned_rhs=unsigned_rhs,
                   is_static=k != 64, attributes=("compute = i4",))


def _epilogues():
    shapes = [(8, 32), (16, 8), (4, 64), (1, 16), (2, 32)]
    epilogues = [Epilogue("row", ("number",), "column", "relu"),
                 Epilogue(None, ("row", "column")),
                 Epilogue("column", ("number",), "row")]
    results = [("f32", False), ("f16", False), ("bf16", False), ("i8", False),
               ("i8", True), ("i4", False), ("i4", True)]
    for i, (result, is_unsigned) in enumerate(results):
        for j, epilogue in enumerate(epilogues):
            yield Case(Encoding(*shapes[(i + j) % len(shapes)]), n=37, k=40,
                       epilogue=replace(epilogue, result=result,
                                        is_unsigned=is_unsigned))
    yield Case(epilogue=Epilogue("row"))
    yield Case(epilogue=Epilogue("column"), lhs_bits=16, rhs_bits=8)


def _slabs():
    """Slabs of one column, of all and more, cut last ones."""
    encodings = itertools.product((1, 4, 8, 16), (1, 7, 32, 100))
    for i, (v, slab) in enumerate(encodings):
        case = Case(Encoding(v, (8, 32, 64)[i % 3],
                             index=("i32", "u16")[i % 2], slab=slab),
                    n=(37, 65, 96)[i % 3], k=(7, 33, 64, 100)[i // 4])
        yield replace(case, lhs_bits=(8, 16)[i // 2 % 2],
                      rhs_bits=(8, 16, 4)[i % 3])
    yield Case(Encoding(slab=32), rows=40, n=300,
               epilogue=Epilogue("row", ("column",), "row", "relu", "i8"))


def _float_sums():
    results = (Epilogue(result="f32"), Epilogue(result="f16"),
               Epilogue(None, ("row", "column"), "row", "relu", "f32"),
               Epilogue(None, ("number",), "column", None, "i8"))
    pairs = [pair for pair in WIDTHS if 16 in pair]
    for i, (v, bits) in enumerate(itertools.product((1, 4, 8, 16), pairs)):
        unsigned_lhs, unsigned_rhs = SIGNS[i % 4]
        yield Case(Encoding(v, (8, 32)[i % 2], slab=(0, 0, 24)[i % 3]), n=37,
                   k=(33, 7, 100)[i // 2 % 3], lhs_bits=bits[0],
                   rhs_bits=bits[1], unsigned_lhs=unsigned_lhs,
                   unsigned_rhs=unsigned_rhs, has_float_sums=True,
                   is_static=True, epilogue=results[i // 5 % 4])
    for is_unsigned in (False, True):
        yield Case(k=40, lhs_bits=16, rhs_bits=16, unsigned_lhs=is_unsigned,
                   unsigned_rhs=is_unsigned, extreme=True, is_static=False,
                   has_float_sums=True, epilogue=Epilogue(result="f32"))


# Of the sets that cross everything with everything, `make check` runs some.
STEP = 1 if tools.RUNS_ALL else 3
SETS = {"shapes": list(_shapes()), "widths": list(_widths())[::STEP],
        "extremes": list(_widths(extreme=True))[::STEP],
        "int4_mmas": list(_int4_mmas()),
        "epilogues": list(_epilogues())[::STEP],
        "slabs": list(_slabs())[::STEP],
        "float_sums": list(_float_sums())[::STEP]}

if __name__ == "__main__":
    main(*sys.argv[1:])
