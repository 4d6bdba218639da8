#===- spmm.py - One SpMM: its module, its data, its run --------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A case is a value; from it follow the IR, the operands and the result, which
# numpy computes in 64 bits. Nothing here knows how the compiler stores or
# multiplies a matrix.
#
#===----------------------------------------------------------------------===#
"""SpMM cases and their independent results."""

import sys
import zlib
from dataclasses import dataclass, field, fields

import numpy as np

import ir
import tools

sys.path.insert(0, str(tools.SOURCE_DIR / "scripts"))
import kernel_cases

VECTOR_LENGTHS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Encoding:
    """#magicube.sr_bcrs"""
    vector: int = 8
    stride: int = 32
    order: str = "natural"
    index: str = "i32"
    slab: int = 0

    def __str__(self):
        return (f"#magicube.sr_bcrs<vector = {self.vector}, stride = "
                f"{self.stride}, order = {self.order}, slab = {self.slab}, "
                f"index = {self.index}>")


@dataclass(frozen=True)
class Schedule:
    """#magicube.schedule, with the fields that kernel_cases.py spells."""
    tile_n: int
    warps: int
    # Gathered: smem_stages. Else prefetch_stages.
    stages: int
    # Words of the operand layout: form, order, use of idle columns.
    layout: str = "transposed"
    placement: str = "gathered"
    shared: str = "conflict_free"
    num_ctas: int = 0
    rows_per_cta: int = 0
    # Of K-tiles.
    smem_stages: int = 1

    def __str__(self):
        return kernel_cases.spell_variants(self)


@dataclass(frozen=True)
class Case:
    """C = A B [+ init], A of vector_rows * vector x k, B of k x n."""
    encoding: Encoding = field(default_factory=Encoding)
    vector_rows: int = 3
    k: int = 50
    n: int = 64
    pattern: str = "random"
    unsigned_lhs: bool = False
    unsigned_rhs: bool = False
    has_init: bool = False
    is_static: bool = False
    schedule: Schedule = None
    chip: str = "sm_80"
    warp_order: str = "forward"
    async_copy: str = "issue"
    seed: int = 0
    lhs_bits: int = 8
    rhs_bits: int = 8

    @property
    def m(self):
        return self.vector_rows * self.encoding.vector

    @property
    def is_stationary(self):
        return self.schedule is not None and self.schedule.placement != "gathered"

    @property
    def has_static_k(self):
        return self.is_static or self.is_stationary or self.encoding.slab != 0

    def __str__(self):
        """What differs from the defaults, as a test's name."""
        default = Case()
        parts = [f"V{self.encoding.vector}", f"{self.m}x{self.k}x{self.n}",
                 self.pattern]
        for item in fields(Encoding)[1:]:
            value = getattr(self.encoding, item.name)
            if value != getattr(default.encoding, item.name):
                parts.append(f"{item.name}-{value}")
        if self.schedule:
            parts += [f"tile{self.schedule.tile_n}",
                      f"warps{self.schedule.warps}",
                      f"stages{self.schedule.stages}", self.schedule.layout]
            for item in fields(Schedule)[4:]:
                value = getattr(self.schedule, item.name)
                if value != item.default:
                    parts.append(value if isinstance(value, str) else
                                 f"{item.name}{value}")
        for item in fields(Case)[5:]:
            value = getattr(self, item.name)
            if item.name != "schedule" and value != getattr(default, item.name):
                parts.append(item.name if value is True else
                             f"{item.name}-{value}")
        return "-".join(parts)


#===----------------------------------------------------------------------===#
# Patterns of vectors: a boolean matrix of vector_rows x k
#===----------------------------------------------------------------------===#

def _random(rng, rows, k):
    return rng.random((rows, k)) < 0.4


def _empty_rows(rng, rows, k):
    """The first and the last row and every other one in between."""
    pattern = _random(rng, rows, k)
    pattern[::2] = False
    pattern[-1] = False
    return pattern


def _one_vector(rng, rows, k):
    pattern = np.zeros((rows, k), bool)
    pattern[rng.integers(rows), rng.integers(k)] = True
    return pattern


def _uneven(rng, rows, k):
    """Rows from empty to full."""
    lengths = np.linspace(0, k, rows).astype(int)
    return np.array([rng.permutation(k) < length for length in lengths])


def _huge_row(rng, rows, k):
    """One full row among empty ones, and a vector in the last."""
    pattern = np.zeros((rows, k), bool)
    pattern[rows // 2] = True
    pattern[-1, rng.integers(k)] = True
    return pattern


PATTERNS = {
    "random": _random,
    "empty_rows": _empty_rows,
    "none": lambda rng, rows, k: np.zeros((rows, k), bool),
    "dense": lambda rng, rows, k: np.ones((rows, k), bool),
    "one_vector": _one_vector,
    "uneven": _uneven,
    "huge_row": _huge_row,
}


def _tenth(rng, rows, k):
    return rng.random((rows, k)) < 0.1


def _skewed(rng, rows, k):
    """Full rows, one after the other, among nearly empty ones."""
    pattern = rng.random((rows, k)) < 0.5 / k
    first = rng.integers(rows)
    pattern[first:first + 1 + rows // 20] = True
    return pattern


def _left(rng, rows, k):
    """Everything in the first columns, most of it in the first rows."""
    pattern = np.zeros((rows, k), bool)
    columns = min(k, 30)
    pattern[:, :columns] = rng.random((rows, columns)) < 0.3
    pattern[:(rows + 3) // 4, :columns] = True
    return pattern


def _right(rng, rows, k):
    """Everything in the last columns, most of it in the last rows."""
    return _left(rng, rows, k)[::-1, ::-1]


# What the ways of slabs differ in.
SLAB_PATTERNS = {**PATTERNS, "tenth": _tenth, "skewed": _skewed, "left": _left,
                 "right": _right}


#===----------------------------------------------------------------------===#
# Data
#===----------------------------------------------------------------------===#

def bounds(is_unsigned, bits=8):
    """Least and largest value."""
    return (0, 2**bits - 1) if is_unsigned else \
        (-2**(bits - 1), 2**(bits - 1) - 1)


def random_bytes(rng, shape, is_unsigned, bits=8):
    """Values of 8 bits, or of `bits`."""
    low, high = bounds(is_unsigned, bits)
    return rng.integers(low, high + 1, shape, dtype=np.int64)


def operands(case):
    """A, B and init (or None) of a case in 64 bits; the same in every run.

    Vectors of A have zeros among their elements, and a few are nothing else.
    """
    rng = np.random.default_rng(zlib.crc32(repr(case).encode()))
    pattern = SLAB_PATTERNS[case.pattern](rng, case.vector_rows, case.k)
    a = random_bytes(rng, (case.m, case.k), case.unsigned_lhs, case.lhs_bits)
    a[rng.random(a.shape) < 0.2] = 0
    a[~pattern.repeat(case.encoding.vector, axis=0)] = 0
    b = random_bytes(rng, (case.k, case.n), case.unsigned_rhs, case.rhs_bits)
    init = None
    if case.has_init:
        init = rng.integers(-2**31, 2**31, (case.m, case.n), dtype=np.int64)
    return a, b, init


def product(a, b, init=None):
    """A B + init modulo 2^32, in 64 bits before."""
    exact = a.astype(np.int64) @ b.astype(np.int64)
    if init is not None:
        exact = exact + init
    return exact.astype(np.int32)


def write_mtx(path, matrix, rng=None):
    """A MatrixMarket file, its entries in an order that `rng` chooses."""
    rows, columns = np.nonzero(matrix)
    order = np.arange(rows.size) if rng is None else rng.permutation(rows.size)
    lines = ["%%MatrixMarket matrix coordinate integer general",
             f"{matrix.shape[0]} {matrix.shape[1]} {rows.size}"]
    lines += [f"{rows[i] + 1} {columns[i] + 1} {matrix[rows[i], columns[i]]}"
              for i in order]
    path.write_text("\n".join(lines) + "\n")


def byte_type(is_unsigned, bits=8):
    """The type that numpy keeps values of 8 bits, or of `bits`, in."""
    if bits > 8:
        return np.uint16 if is_unsigned else np.int16
    return np.uint8 if is_unsigned else np.int8


#===----------------------------------------------------------------------===#
# The module
#===----------------------------------------------------------------------===#

def add_product(function, case, suffix="", attributes=()):
    """Adds a case to a function: its arguments, whose names end with `suffix`,
    and its product, with `attributes` besides its own. Returns the result."""
    m, k, n = (case.m, case.k, case.n) if case.is_static else (None,) * 3
    if case.has_static_k:
        k = case.k
    lhs = function.sparse(case.encoding, m, k, f"i{case.lhs_bits}")
    result = ir.tensor(m, n, "i32")
    a = function.argument(f"a{suffix}", lhs)
    b = function.argument(f"b{suffix}", ir.tensor(k, n, f"i{case.rhs_bits}"))
    init = function.argument(f"init{suffix}", result) if case.has_init else None
    attributes = [*attributes, *ir.flags(unsigned_lhs=case.unsigned_lhs,
                                         unsigned_rhs=case.unsigned_rhs)]
    if case.schedule:
        attributes.append(f"schedule = {case.schedule}")
    return function.spmm(a, b, result, init=init, attributes=attributes)


def module_text(*cases, attributes=()):
    """A module with the one function @f that has the products of the cases."""
    function = ir.Function()
    return str(function.returns(*[
        add_product(function, case, i or "", attributes)
        for i, case in enumerate(cases)]))


#===----------------------------------------------------------------------===#
# The run
#===----------------------------------------------------------------------===#

def run_program(directory, module, arguments, results, *options, entry="f",
                tool=tools.RUN):
    """Runs a module in `directory`; arguments are file names there, arrays
    (saved as .npy) or texts. Returns the process and the result arrays."""
    (directory / "module.mlir").write_text(module)
    command = [tool, directory / "module.mlir", f"--entry={entry}",
               "--device=sim", *options]
    for i, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            path = directory / f"arg{i}.npy"
            np.save(path, argument)
            argument = path
        command.append(f"--arg={argument}")
    outs = [directory / f"out{i}.npy" for i in range(results)]
    command += [f"--out={out}" for out in outs]
    process = tools.run_tool(*command)
    return process, [np.load(out) if out.exists() else None for out in outs]


def launch_key(case):
    """Cases with the same key can run in one process."""
    seed = case.seed if case.warp_order == "random" else 0
    return (case.chip, case.warp_order, case.async_copy, seed)


def run_cases(cases, directory):
    """Runs cases with the same key as products of one function, with --check.
    Returns the process and the result of each.

    If anything goes wrong, every case runs again by itself, so that a fault is
    its own.
    """
    arguments = []
    for i, case in enumerate(cases):
        a, b, init = operands(case)
        path = directory / f"a{i}.mtx"
        write_mtx(path, a, np.random.default_rng(case.seed))
        arguments += [path, b.astype(byte_type(case.unsigned_rhs,
                                               case.rhs_bits))]
        if init is not None:
            arguments.append(init.astype(np.int32))
    chip, warp_order, async_copy, seed = launch_key(cases[0])
    process, results = run_program(
        directory, module_text(*cases), arguments, len(cases), "--check",
        f"--chip={chip}", f"--warp-order={warp_order}",
        f"--async-copy={async_copy}", f"--seed={seed}")
    if len(cases) == 1 or process.returncode == 0:
        return [(process, result) for result in results]
    return [run_case(case, make_directory(directory / f"alone{i}"))
            for i, case in enumerate(cases)]


def run_case(case, directory):
    """Runs a case with --check. Returns the process and the result."""
    return run_cases([case], directory)[0]


def make_directory(path):
    path.mkdir()
    return path


def assert_exact(process):
    """The run succeeded, and the tool's own check agreed."""
    assert process.returncode == 0, process.stderr
    assert process.stdout == "exact\n"


def extreme(is_unsigned, bits):
    """The value of the largest magnitude."""
    return bounds(is_unsigned, bits)[is_unsigned]


def check_extremes(directory, case):
    """Runs a case with the values of the largest magnitudes everywhere."""
    a = np.full((case.m, case.k), extreme(case.unsigned_lhs, case.lhs_bits))
    b = np.full((case.k, case.n), extreme(case.unsigned_rhs, case.rhs_bits))
    write_mtx(directory / "a.mtx", a)
    process, (result,) = run_program(
        directory, module_text(case),
        [directory / "a.mtx", b.astype(byte_type(case.unsigned_rhs,
                                                 case.rhs_bits))], 1,
        "--check", f"--chip={case.chip}", f"--warp-order={case.warp_order}",
        f"--async-copy={case.async_copy}")
    assert_exact(process)
    np.testing.assert_array_equal(result, product(a, b))
