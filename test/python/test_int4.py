#===- test_int4.py - Products on 4-bit MMAs --------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""compute = i4: every width, sign, vector length and operand layout against numpy; and
the layout on int8 MMAs that is for comparison only."""

import itertools
import json
import random
import re

import numpy as np
import pytest

import ir
import spmm
from test_ptxas import find_tool
from tools import COMPILE, RUNS_ALL, run_tool

COLUMNS = (1, 7, 64, 130)
PATTERNS = ("one_vector", "empty_rows", "uneven", "dense")
VECTORS = (1, 2, 4, 8, 16)
# Of a sparse operand of 4 bits, and of wider ones.
LAYOUTS = {True: ("spread", "merged", "merged,stored", "transposed,stored"),
           False: ("spread", "merged")}


def module(lhs_bits, unsigned_lhs, unsigned_rhs, v, stride, layout, products,
           compute=True):
    """@f(A..., B...) with the products (i, j) of A_i and B_j: all run-time
    shapes, so they share their kernels."""
    function = ir.Function()
    lhs = function.sparse(spmm.Encoding(v, stride), None, None, f"i{lhs_bits}")
    rhs, result = ir.tensor(None, None, "i4"), ir.tensor(None, None, "i32")
    is_int4 = layout is None or layout.split(",")[0] in ("spread", "merged")
    attributes = [f"compute = i{4 if is_int4 else 8}"] if compute else []
    if layout:
        attributes.append(f"schedule = {spmm.Schedule(64, 2, 3, layout)}")
    attributes += ir.flags(unsigned_lhs=unsigned_lhs, unsigned_rhs=unsigned_rhs)
    a = [function.argument(f"a{i}", lhs)
         for i in range(1 + max(i for i, _ in products))]
    b = [function.argument(f"b{j}", rhs)
         for j in range(1 + max(j for _, j in products))]
    return str(function.returns(*[
        function.spmm(a[i], b[j], result, attributes=attributes)
        for i, j in products]))


def run(directory, case, lhs, rhs, chip="sm_80"):
    """All products of the lists of matrices, checked against numpy."""
    lhs_bits, unsigned_lhs, unsigned_rhs, v, stride, layout = case
    products = list(itertools.product(range(len(lhs)), range(len(rhs))))
    arguments = []
    for i, a in enumerate(lhs):
        spmm.write_mtx(directory / f"a{i}.mtx", a)
        arguments.append(directory / f"a{i}.mtx")
    arguments += [b.astype(spmm.byte_type(unsigned_rhs)) for b in rhs]
    process, results = spmm.run_program(
        directory, module(*case, products), arguments, len(products),
        f"--chip={chip}", "--warp-order=reverse", "--async-copy=wait")
    assert process.returncode == 0, process.stderr
    for (i, j), result in zip(products, results):
        want = lhs[i].astype(np.int64) @ rhs[j].astype(np.int64)
        assert np.array_equal(result, want.astype(np.int32)), \
            f"matrix {i}, N = {rhs[j].shape[1]}"


def cases():
    """Widths, signs, layouts and vector lengths; a sample has one length of
    each of the others."""
    draw = random.Random(11)
    for lhs_bits, unsigned_lhs, unsigned_rhs in itertools.product(
            (4, 8, 12, 16), (False, True), (False, True)):
        for layout in LAYOUTS[lhs_bits == 4] + (None,):
            for v in VECTORS if RUNS_ALL else (draw.choice(VECTORS),):
                yield (lhs_bits, unsigned_lhs, unsigned_rhs, v,
                       draw.choice((8, 16, 32, 64)), layout)


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: "-".join(
    map(str, case)))
def test_product(tmp_path, case):
    lhs_bits, unsigned_lhs, unsigned_rhs, v, _, _ = case
    k = 70  # two whole steps and a part of one
    rng = np.random.default_rng([lhs_bits, unsigned_lhs, unsigned_rhs, v])
    low, high = spmm.bounds(unsigned_lhs, lhs_bits)
    lhs = []
    for pattern in PATTERNS:
        mask = spmm.PATTERNS[pattern](rng, 3, k).repeat(v, axis=0)
        lhs.append(np.where(mask, rng.integers(low, high + 1, mask.shape), 0))
    low, high = spmm.bounds(unsigned_rhs, 4)
    rhs = [rng.integers(low, high + 1, (k, n)) for n in COLUMNS]
    run(tmp_path, case, lhs, rhs)


@pytest.mark.parametrize("lhs_bits", (4, 8, 12, 16))
@pytest.mark.parametrize("unsigned", (False, True))
@pytest.mark.parametrize("v, chip", ((2, "sm_80"), (8, "sm_80"), (8, "sm_86")))
def test_extremes_at_large_k(tmp_path, lhs_bits, unsigned, v, chip):
    """Least times least, or largest times largest, in every place of a long
    row: 16 x 4 bits reach 2^31 there, and wrap."""
    k = 5000
    end = 1 if unsigned else 0
    lhs = np.full((v, k), spmm.bounds(unsigned, lhs_bits)[end])
    rhs = np.full((k, 33), spmm.bounds(unsigned, 4)[end])
    run(tmp_path, (lhs_bits, unsigned, unsigned, v, 32, None), [lhs], [rhs],
        chip)


@pytest.mark.parametrize("lhs_bits", (4, 8, 12, 16))
@pytest.mark.parametrize("chip", ("sm_80", "sm_86", "sm_89", "sm_90"))
def test_same_result_on_every_chip(tmp_path, lhs_bits, chip):
    """Without `compute`, a chip gets its own MMAs."""
    case = (lhs_bits, False, False, 8, 32, None)
    rng = np.random.default_rng(5)
    low, high = spmm.bounds(False, lhs_bits)
    a, b = rng.integers(low, high + 1, (8, 40)), rng.integers(-8, 8, (40, 66))
    text = module(*case, [(0, 0)], compute=False)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (result,) = spmm.run_program(
        tmp_path, text, [tmp_path / "a.mtx", b.astype(np.int8)], 1, "--check",
        f"--chip={chip}")
    spmm.assert_exact(process)
    assert np.array_equal(result, spmm.product(a, b))


#===----------------------------------------------------------------------===#
# Images of several chips
#===----------------------------------------------------------------------===#

def images(bundle):
    """(chip, format, bytes) of a bundle's images: a line with the manifest's
    length, the manifest, then the images from the next multiple of 16 on."""
    content = bundle.read_bytes()
    header, rest = content.split(b"\n", 1)
    length = int(header.split()[-1])
    manifest = json.loads(rest[:length])
    start = -(-(len(header) + 1 + length) // 16) * 16
    return [(chip["chip"], image["format"],
             content[start + image["offset"]:][:image["bytes"]])
            for chip in manifest["chips"] for image in chip["images"]]


@pytest.mark.skipif(not (find_tool("ptxas") and find_tool("nvdisasm")),
                    reason="no ptxas or nvdisasm")
@pytest.mark.parametrize("lhs_bits, shape", ((4, "16864"), (12, "16832")))
def test_machine_code_of_each_chip(tmp_path, lhs_bits, shape):
    """One bundle: int4 instructions for sm_80, int8 ones for sm_90."""
    (tmp_path / "f.mlir").write_text(module(
        lhs_bits, False, False, 8, 32, None, [(0, 0)], compute=False))
    process = run_tool(COMPILE, tmp_path / "f.mlir", "--chip=sm_80,sm_90,sim",
                       "--emit=bundle", "-o", tmp_path / "f.bundle")
    assert process.returncode == 0, process.stderr
    code = {}
    for chip, form, content in images(tmp_path / "f.bundle"):
        if form == "cubin":
            (tmp_path / "f.cubin").write_bytes(content)
            process = run_tool(find_tool("nvdisasm"), "-c",
                               tmp_path / "f.cubin")
            assert process.returncode == 0, process.stderr
            code[chip] = set(re.findall(r"IMMA\.[\w.]+", process.stdout))
    types = {4: ("S4.S4",), 12: ("S4.S4", "S4.U4")}[lhs_bits]
    assert code["sm_80"] == {f"IMMA.{shape}.{name}" for name in types}
    bytes_ = {4: ("U8.S8",), 12: ("U8.S8", "U8.U8")}[lhs_bits]
    assert code["sm_90"] == {f"IMMA.16832.{name}" for name in bytes_}
