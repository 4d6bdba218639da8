#!/usr/bin/env python3
# ===- peers.py - Other libraries on the measured products ------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: peers.py TIMED.jsonl [--root=DIR] [--systems=A,B] [--budget=SECONDS]
#                 > PEERS.jsonl           (on the GPU machine, with torch)
# Checks and times, for every product in rows of magicube-launch, what the
# libraries of the table SYSTEMS do: the dense product of the same extents, and
# sparse products of the same sparsity. Each system that fails or is missing is a
# row with "error"; what the budget leaves out is a row with "skipped".
#
# ===------------------------------------------------------------------------===#

import argparse
import dataclasses
import functools
import json
import sys
import time
import traceback

import torch

import cusparse
import patterns
import timing

# Rows of the result that are compared: integers exactly, floats by the norm of
# the difference over the norm of the reference.
CHECKED_ROWS = 64
FLOAT_TOLERANCE = 5e-3
# At most so many copies of operands, and variants are compared with the best one
# only while they are this fast.
MAX_COPIES = 16
VARIANT_LIMIT_US = 5000


@dataclasses.dataclass
class Product:
    """A call of a library and what it computes."""

    call: object
    lhs: torch.Tensor
    rhs: torch.Tensor
    result: torch.Tensor
    # What a copy of the operands takes.
    bytes: int
    detail: str = ""


def check(product):
    """Runs the call on a poisoned result; "exact" or the relative error."""
    integer = product.result.dtype == torch.int32
    product.result.fill_(-12345)
    product.call()
    torch.cuda.synchronize()
    m = product.result.shape[0]
    rows = torch.randperm(m, device="cuda")[:CHECKED_ROWS]
    actual = product.result[rows].double()
    expected = product.lhs[rows].double() @ product.rhs.double()
    if integer:
        if not torch.equal(actual, expected):
            wrong = (actual != expected).sum().item()
            raise ArithmeticError(f"{wrong} of {actual.numel()} elements differ")
        return "exact"
    error = ((actual - expected).norm() / expected.norm()).item()
    if not error < FLOAT_TOLERANCE:
        raise ArithmeticError(f"relative error {error:.3g}")
    return f"{error:.1e}"


def total_bytes(*tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


# ===------------------------------------------------------------------------===#
# Dense products
# ===------------------------------------------------------------------------===#


def dense_int8(point, root):
    """cuBLASLt with i32 results, B with K contiguous (its best layout), as C and
    as C transposed."""
    m, k, n = point.shape
    a = patterns.values((m, k), torch.int8)
    # cuBLASLt takes columns by eights.
    padded = max(-(-n // 8) * 8, 8)
    detail = f"n = {padded}" if padded != n else ""
    b = patterns.values((padded, k), torch.int8)
    out = torch.empty(m, padded, dtype=torch.int32, device="cuda")
    swapped = torch.empty(padded, m, dtype=torch.int32, device="cuda")
    size = total_bytes(a, b, out)
    yield Product(lambda: torch._int_mm(a, b.t(), out=out), a, b.t(), out, size,
                  " ".join(["row-major", detail]).strip())
    if padded > 16 and m % 8 == 0:
        yield Product(lambda: torch._int_mm(b, a.t(), out=swapped), a, b.t(),
                      swapped.t(), size,
                      " ".join(["transposed", detail]).strip())


def dense_fp16(point, root):
    """cuBLAS, B with N or with K contiguous."""
    m, k, n = point.shape
    a = patterns.values((m, k), torch.float16)
    b = patterns.values((k, n), torch.float16)
    bt = b.t().contiguous().t()
    out = torch.empty(m, n, dtype=torch.float16, device="cuda")
    size = total_bytes(a, b, out)
    for rhs, detail in (b, "row-major"), (bt, "column-major"):
        yield Product(lambda rhs=rhs: torch.mm(a, rhs, out=out), a, rhs, out,
                      size, detail)


# ===------------------------------------------------------------------------===#
# Sparse products
# ===------------------------------------------------------------------------===#


@functools.lru_cache(maxsize=None)
def library():
    return cusparse.Cusparse()


def allocate(rows, cols, order, dtype):
    """An uninitialized rows x cols matrix of an order."""
    if order == "row":
        return torch.empty(rows, cols, dtype=dtype, device="cuda")
    return torch.empty(cols, rows, dtype=dtype, device="cuda").t()


def ordered(tensor, order):
    """The matrix with rows or columns contiguous."""
    return tensor.contiguous() if order == "row" else tensor.t().contiguous().t()


def cusparse_products(matrix, dense, point, variants):
    """cusparseSpMM of a matrix in every variant that the library takes."""
    dtype = dense.dtype
    result_type = torch.int32 if dtype == torch.int8 else torch.float16
    b = patterns.values((point.k, point.n), dtype)
    errors = []
    taken = 0
    for orders, algorithm in variants:
        rhs = ordered(b, orders[0])
        out = allocate(point.m, point.n, orders[1], result_type)
        detail = f"B {orders[0]}, C {orders[1]}, {algorithm}"
        try:
            call = library().spmm(matrix, rhs, out, orders, algorithm)
            call()
            torch.cuda.synchronize()
        except cusparse.CusparseError as error:
            errors.append(f"{detail}: {error}")
            continue
        taken += 1
        yield Product(call, dense, rhs, out, total_bytes(rhs, out), detail)
    if not taken:
        raise cusparse.CusparseError("; ".join(errors))


CSR_VARIANTS = (
    (("row", "row"), "csr_alg2"),
    (("row", "row"), "csr_alg3"),
    (("col", "col"), "csr_alg1"),
)
ELL_VARIANTS = (
    (("row", "row"), "blocked_ell_alg1"),
    (("col", "row"), "blocked_ell_alg1"),
    (("col", "col"), "blocked_ell_alg1"),
)


def csr(dtype, point, root):
    """CSR of the very same nonzeros."""
    offsets, columns, stored, dense = patterns.csr(point, dtype, root)
    matrix = library().csr((point.m, point.k), offsets, columns, stored)
    size = total_bytes(offsets, columns, stored)
    for product in cusparse_products(matrix, dense, point, CSR_VARIANTS):
        product.bytes += size
        # The library's descriptor does not own them.
        product.keep = offsets, columns, stored
        yield product


# How values of [block row][place][row][column] lie in ellValue, and block
# columns of [block row][place] in ellColInd. The documentation leaves it open:
# find_ell_layout asks the library.
ELL_VALUES = {
    "rows": lambda t: t.permute(0, 2, 1, 3).contiguous(),
    "blocks": lambda t: t.contiguous(),
    "column-major blocks": lambda t: t.transpose(2, 3).contiguous(),
    "columns of blocks": lambda t: t.transpose(0, 1).contiguous(),
    "columns": lambda t: t.permute(1, 3, 0, 2).contiguous(),
}
ELL_COLUMNS = {
    "row-major": lambda t: t.contiguous(),
    "column-major": lambda t: t.t().contiguous(),
}


def ell_matrix(point, block, layout, chosen, stored):
    """A descriptor and the tensors that it points to."""
    columns = ELL_COLUMNS[layout[1]](chosen).view(chosen.shape)
    data = ELL_VALUES[layout[0]](stored)
    matrix = library().blocked_ell((point.m, point.k), block, columns, data)
    return matrix, (columns, data)


@functools.lru_cache(maxsize=None)
def find_ell_layout(block, dtype):
    """The order of values and columns with which results are right."""
    point = patterns.Point("random:", 4 * block, 8 * block, 64, 1,
                           16 * block * block)
    for layout in [(v, c) for c in ELL_COLUMNS for v in ELL_VALUES]:
        chosen, stored, dense = patterns.blocks(point, block, dtype)
        matrix, keep = ell_matrix(point, block, layout, chosen, stored)
        for product in cusparse_products(matrix, dense, point, ELL_VARIANTS):
            try:
                check(product)
                return layout
            except ArithmeticError:
                pass
    raise ArithmeticError("no order of values gives a right Blocked-ELL product")


def blocked_ell(block, dtype, point, root):
    """Blocked-ELL of random square blocks, as many values as the point has."""
    layout = find_ell_layout(block, dtype)
    chosen, stored, dense = patterns.blocks(point, block, dtype)
    matrix, keep = ell_matrix(point, block, layout, chosen, stored)
    for product in cusparse_products(matrix, dense, point, ELL_VARIANTS):
        product.bytes += total_bytes(*keep)
        product.keep = keep
        yield product


def triton_bsr(block, point, root):
    """torch's own kernel for random square blocks."""
    from torch.sparse._triton_ops import bsr_dense_mm

    chosen, stored, dense = patterns.blocks(point, block, torch.float16)
    rows, count = chosen.shape
    offsets = torch.arange(rows + 1, device="cuda", dtype=torch.int32) * count
    bsr = torch.sparse_bsr_tensor(offsets, chosen.reshape(-1),
                                  stored.reshape(-1, block, block),
                                  size=(point.m, point.k))
    b = patterns.values((point.k, point.n), torch.float16)
    out = torch.empty(point.m, point.n, dtype=torch.float16, device="cuda")
    yield Product(lambda: bsr_dense_mm(bsr, b, out=out), dense, b, out,
                  total_bytes(stored, b, out), f"{block} x {block} blocks")


def cusparselt_int8(point, root):
    """cuSPARSELt: 2 of 4 values, whatever sparsity the point has."""
    m, k, n = point.shape
    a = patterns.values((m, k // 4, 4), torch.int8)
    dropped = torch.rand(m, k // 4, 4, device="cuda").argsort(dim=2)[:, :, :2]
    a = a.scatter(2, dropped, 0).reshape(m, k)
    b = patterns.values((n, k), torch.int8).t()
    compressed = torch._cslt_compress(a)
    try:
        number = torch._cslt_sparse_mm_search(compressed, b,
                                              out_dtype=torch.int32)
    except RuntimeError:
        number = 0  # the library's default
    out = torch.empty(m, n, dtype=torch.int32, device="cuda")

    def call():
        product.result = torch._cslt_sparse_mm(
            compressed, b, out_dtype=torch.int32, alg_id=number)

    product = Product(call, a, b, out, total_bytes(compressed, b, out),
                      f"algorithm {number}")
    yield product


# ===------------------------------------------------------------------------===#
# The table
# ===------------------------------------------------------------------------===#


@dataclasses.dataclass
class System:
    """A library's product: `make(point, root)` yields its variants."""

    name: str
    make: object
    # What sparsity it sees: "none" (depends on M, K, N alone), "2:4", "same"
    # (the point's pattern) or "blocks" (other positions, the same density).
    sparsity: str
    # Which points it is measured on.
    applies: object = lambda point: True

    def key(self, point):
        """Points of the same key are one measurement."""
        if self.sparsity in ("none", "2:4"):
            return point.shape, point.rotate_bytes
        if self.sparsity == "blocks":
            return point.shape, point.rotate_bytes, round(point.density, 6)
        return point


def is_published(point):
    """Vectors of the published system."""
    return point.v in (2, 4, 8)


def is_block_of(block):
    return lambda point: (point.v == 8 and point.m % block == 0
                          and point.k % block == 0)


def bind(function, *arguments):
    return functools.partial(function, *arguments)


HALF, BYTE = torch.float16, torch.int8
SYSTEMS = [
    System("dense_int8", dense_int8, "none"),
    System("dense_fp16", dense_fp16, "none"),
    System("cusparselt_int8", cusparselt_int8, "2:4",
           lambda p: p.m >= 32 and p.n % 16 == 0),
    System("bell8_int8", bind(blocked_ell, 8, BYTE), "blocks", is_block_of(8)),
    System("bell8_fp16", bind(blocked_ell, 8, HALF), "blocks", is_block_of(8)),
    System("bell16_int8", bind(blocked_ell, 16, BYTE), "blocks",
           is_block_of(16)),
    System("bell16_fp16", bind(blocked_ell, 16, HALF), "blocks",
           is_block_of(16)),
    System("csr_int8", bind(csr, BYTE), "same", is_published),
    System("csr_fp16", bind(csr, HALF), "same", is_published),
    System("triton_bsr16_fp16", bind(triton_bsr, 16), "blocks",
           lambda p: is_block_of(16)(p) and p.n % 16 == 0),
]
# A second opinion on times, for dense products of these extents.
PROFILED = {(2048, 2304, 512), (4096, 4096, 4096), (4096, 4096, 256)}


def measure_variant(product, make_copy, rotate_bytes):
    """Median time of a product, on several copies where points rotate."""
    calls, keep = [product.call], [product]
    copies = min(-(-rotate_bytes // product.bytes), MAX_COPIES)
    while len(calls) < copies:
        keep.append(make_copy())
        calls.append(keep[-1].call)
    median, method = timing.median_us(calls)
    return {"median_us": median, "method": method, "copies": len(calls),
            "detail": product.detail}


def nth(products, index):
    for number, product in enumerate(products):
        if number == index:
            return product
    raise IndexError(index)


def measure(system, point, root):
    """The fastest variant of a system as members of a row, with all variants'
    times."""
    patterns.seed(system.name, point)
    best, times = None, {}
    for index, product in enumerate(system.make(point, root)):
        exact = check(product)
        row = measure_variant(
            product, lambda: nth(system.make(point, root), index),
            point.rotate_bytes)
        row["check"] = exact
        if system.sparsity == "none" and point.shape in PROFILED:
            row["profiler_us"] = timing.profiler_us(product.call)
        times[product.detail] = row["median_us"]
        if not best or row["median_us"] < best["median_us"]:
            best = row
        if row["median_us"] > VARIANT_LIMIT_US:
            break
    best["variants"] = times
    return best


def describe_machine():
    properties = torch.cuda.get_device_properties(0)
    try:
        sparse = library().version()
    except (cusparse.CusparseError, AttributeError) as error:
        sparse = str(error)
    return {"chip": properties.name, "torch": torch.__version__,
            "cuda": torch.version.cuda, "cusparse": sparse,
            "multiprocessors": properties.multi_processor_count}


def read_points(path):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    points = (patterns.Point.from_row(row) for row in rows if "vectors" in row)
    return list(dict.fromkeys(points))


def run(points, systems, root, deadline):
    """Yields a row for each point of each system."""
    for system in systems:
        done, broken, failed = set(), False, False
        for point in points:
            key = system.key(point)
            if not system.applies(point) or key in done:
                continue
            done.add(key)
            row = {"system": system.name, "sparsity": system.sparsity,
                   **dataclasses.asdict(point), "density": point.density}
            if time.monotonic() > deadline:
                yield {**row, "skipped": "the budget of time was used up"}
                continue
            if broken:
                yield {**row, "skipped": "the system is not there"}
                continue
            try:
                row.update(measure(system, point, root))
            except Exception as error:  # what a library refuses, in its words
                row["error"] = f"{type(error).__name__}: {error}"[:500]
                broken = isinstance(error, (ImportError, AttributeError))
                if not failed:
                    print(traceback.format_exc(), file=sys.stderr)
                failed = True
            yield row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("timed")
    parser.add_argument("--root", default=".device-carry/pack")
    parser.add_argument("--systems", default="")
    parser.add_argument("--budget", type=float, default=240)
    options = parser.parse_args()
    names = [name for name in options.systems.split(",") if name]
    unknown = set(names) - {system.name for system in SYSTEMS}
    if unknown:
        parser.error(f"unknown systems {', '.join(sorted(unknown))}; there are "
                     + ", ".join(system.name for system in SYSTEMS))
    systems = [s for s in SYSTEMS if not names or s.name in names]
    points = read_points(options.timed)
    print(json.dumps(describe_machine()), flush=True)
    counts, start, last = {}, time.monotonic(), None
    for row in run(points, systems, options.root,
                   time.monotonic() + options.budget):
        print(json.dumps(row), flush=True)
        kind = next((k for k in ("error", "skipped") if k in row), "measured")
        name = row["system"]
        counts.setdefault(name, {}).setdefault(kind, 0)
        counts[name][kind] += 1
        if kind == "error" and last != (name, row["error"]):
            last = name, row["error"]
            print(f"{name} {row['m']}x{row['k']}x{row['n']}: {row['error']}",
                  file=sys.stderr)
    for name, kinds in counts.items():
        print(f"{name}: " + ", ".join(f"{n} {k}" for k, n in kinds.items()),
              file=sys.stderr)
    print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
