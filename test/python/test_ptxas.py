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
from epilogue import Epilogue
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


@pytest.mark.parametrize("chip, vector, n", list(kernels()))
def test_no_spills(tmp_path, chip, vector, n):
    case = Case(Encoding(vector), n=n or 64, is_static=n is not None)
    check_usage(tmp_path, chip, spmm.module_text(case))


EPILOGUES = [
    Epilogue("column", ("row", "column"), "column", "gelu", "f16"),
    Epilogue("row", ("number",), None, "gelu", "i8"),
    Epilogue(None, ("column",), "row", None, "i4"),
]


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("epilogue", EPILOGUES, ids=str)
def test_epilogues_do_not_spill(tmp_path, chip, bits, epilogue):
    check_usage(tmp_path, chip,
                epilogue.module(8, lhs_bits=bits, rhs_bits=bits))


def check_usage(directory, chip, text):
    (directory / "f.mlir").write_text(text)
    process = tools.run_tool(tools.COMPILE, directory / "f.mlir",
                             f"--chip={chip}", "-o", directory / "f.ptx")
    assert process.returncode == 0, process.stderr
    process = tools.run_tool(PTXAS, "-v", f"-arch={chip}", directory / "f.ptx",
                             "-o", directory / "f.cubin")
    assert process.returncode == 0, process.stderr
    usages = USAGE.findall(process.stderr)
    assert usages and set(usages) == {("0", "0", "0")}, process.stderr
