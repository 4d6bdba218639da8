#===- test_ptxas.py - Registers of the generated kernels -------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# No kernel with the compiler's own schedule may keep a register in memory.
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


def find_tool(name):
    """A program of the CUDA toolkit; empty if there is none."""
    script = tools.SOURCE_DIR / "scripts" / "find-cuda-tool.sh"
    found = subprocess.run([script, name], stdout=subprocess.PIPE,
                           text=True, check=False)
    return found.stdout.strip()


PTXAS = find_tool("ptxas")
pytestmark = pytest.mark.skipif(not PTXAS, reason="no ptxas")

# A kernel's name and usage, as `ptxas -v` prints it.
USAGE = re.compile(r"Compiling entry function '(\w+)' for .*?"
                   r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                   r"(\d+) bytes spill loads", re.DOTALL)


def kernels():
    """Every V with run-time and with few columns where speed was designed for,
    one V elsewhere."""
    for chip, vector, n in itertools.product(("sm_80", "sm_90"),
                                             spmm.VECTOR_LENGTHS, (None, 16)):
        yield chip, vector, n
    for chip in ("sm_86", "sm_89", "sm_100", "sm_120"):
        yield chip, 8, None


def assert_no_spills(tmp_path, chip, module, kernels=3):
    """Of the first kernels for 16-, 4- and 1-byte rows."""
    (tmp_path / "f.mlir").write_text(module)
    process = tools.run_tool(tools.COMPILE, tmp_path / "f.mlir",
                             f"--chip={chip}", "-o", tmp_path / "f.ptx")
    assert process.returncode == 0, process.stderr
    process = tools.run_tool(PTXAS, "-v", f"-arch={chip}", tmp_path / "f.ptx",
                             "-o", tmp_path / "f.cubin")
    assert process.returncode == 0, process.stderr
    usages = {name: usage for name, *usage in USAGE.findall(process.stderr)}
    assert len(usages) == 3, process.stderr
    for name, usage in usages.items():
        is_checked = any(name.endswith(f"_align{alignment}")
                         for alignment in (16, 4, 1)[:kernels])
        assert not is_checked or usage == ["0", "0", "0"], process.stderr


@pytest.mark.parametrize("chip, vector, n", list(kernels()))
def test_no_spills(tmp_path, chip, vector, n):
    case = Case(Encoding(vector), n=n or 64, is_static=n is not None)
    assert_no_spills(tmp_path, chip, spmm.module_text(case))


@pytest.mark.parametrize("chip, compute", (("sm_80", "i4"), ("sm_80", "i8"),
                                           ("sm_90", "i8")))
# V = 1 and 2 have the fragments of V = 4.
@pytest.mark.parametrize("vector", spmm.VECTOR_LENGTHS if tools.RUNS_ALL else
                         (4, 8, 16))
@pytest.mark.parametrize("lhs_bits", (4, 8, 12, 16))
def test_no_spills_of_4_bits(tmp_path, chip, compute, vector, lhs_bits):
    """The kernel that copies single bytes is left out: ptxas gives some a
    register or two less than they want, outside of the MMAs."""
    lhs, rhs = f"tensor<?x?xi{lhs_bits}, #w>", "tensor<?x?xi4>"
    assert_no_spills(tmp_path, chip, (
        f"#w = #magicube.sr_bcrs<vector = {vector}>\n"
        f"func.func @f(%a: {lhs}, %b: {rhs}) -> tensor<?x?xi32> {{\n"
        f"  %c = magicube.spmm %a, %b {{compute = {compute}}} : ({lhs}, {rhs})"
        " -> tensor<?x?xi32>\n  return %c : tensor<?x?xi32>\n}\n"), kernels=2)
