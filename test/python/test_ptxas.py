#===- test_ptxas.py - Registers of the generated kernels -------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# No streamed kernel with the compiler's own schedule may keep a register in
# memory, a resident one no more than two.
# Skipped without a CUDA toolkit.
#
#===----------------------------------------------------------------------===#
"""Machine code of the kernels, by ptxas."""

import itertools
import re
import subprocess

import pytest

import spmm
import tools
from spmm import Case, Encoding


def find_ptxas():
    script = tools.SOURCE_DIR / "scripts" / "find-cuda-tool.sh"
    found = subprocess.run([script, "ptxas"], stdout=subprocess.PIPE,
                           text=True, check=False)
    return found.stdout.strip()


PTXAS = find_ptxas()
pytestmark = pytest.mark.skipif(not PTXAS, reason="no ptxas")

# A kernel's usage, as `ptxas -v` prints it.
USAGE = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                   r"(\d+) bytes spill loads")


def kernels():
    """Every V with run-time and with few columns where speed was designed for,
    one V elsewhere."""
    for chip, vector, n in itertools.product(("sm_80", "sm_90"),
                                             spmm.VECTOR_LENGTHS, (None, 16)):
        yield chip, vector, n
    for chip in ("sm_86", "sm_89", "sm_100", "sm_120"):
        yield chip, 8, None


def assemble(directory, chip, text, *options):
    """Usages of the kernels of f.mlir: stack, stored, loaded bytes."""
    (directory / "f.mlir").write_text(text)
    process = tools.run_tool(tools.COMPILE, directory / "f.mlir",
                             f"--chip={chip}", *options,
                             "-o", directory / "f.ptx")
    assert process.returncode == 0, process.stderr
    process = tools.run_tool(PTXAS, "-v", f"-arch={chip}", directory / "f.ptx",
                             "-o", directory / "f.cubin")
    assert process.returncode == 0, process.stderr
    usages = USAGE.findall(process.stderr)
    assert usages, process.stderr
    return [tuple(map(int, usage)) for usage in usages]


@pytest.mark.parametrize("chip, vector, n", list(kernels()))
def test_no_spills(tmp_path, chip, vector, n):
    case = Case(Encoding(vector), n=n or 64, is_static=n is not None)
    usages = assemble(tmp_path, chip, spmm.module_text(case))
    assert set(usages) == {(0, 0, 0)}


def resident_kernels():
    """Every V of bytes, every pair of widths at one V."""
    for chip, vector in itertools.product(("sm_80", "sm_90"),
                                          spmm.VECTOR_LENGTHS):
        yield chip, vector, 8, 8
    for lhs, rhs in itertools.product((4, 8, 12, 16), (4, 8, 16)):
        if (lhs, rhs) != (8, 8):
            yield "sm_90", 8, lhs, rhs


@pytest.mark.parametrize("chip, vector, lhs, rhs", list(resident_kernels()))
def test_few_spills_of_resident_kernels(tmp_path, chip, vector, lhs, rhs):
    """ptxas rather keeps one or two registers in memory than use more than a
    round number of them."""
    m, k, n = 256 * vector, 2304, 512
    types = (f"tensor<{m}x{k}xi{lhs}, #w>", f"tensor<{k}x{n}xi{rhs}>",
             f"tensor<{m}x{n}xi32>")
    encoding = Encoding(vector, order="bank_aware", index="u16")
    text = (f"#w = {encoding}\n"
            f"func.func @f(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n"
            + spmm.spmm_op("a", "b", "c", *types)
            + f"  return %c : {types[2]}\n}}\n")
    usages = assemble(tmp_path, chip, text, f"--pattern=random:{m}x{k}@0.5")
    assert "_resident2304_" in (tmp_path / "f.ptx").read_text()
    assert all(stored <= 8 for _, stored, _ in usages), usages
