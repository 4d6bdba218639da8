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
    (tmp_path / "f.mlir").write_text(spmm.module_text(case))
    process = tools.run_tool(tools.COMPILE, tmp_path / "f.mlir",
                             f"--chip={chip}", "-o", tmp_path / "f.ptx")
    assert process.returncode == 0, process.stderr
    process = tools.run_tool(PTXAS, "-v", f"-arch={chip}", tmp_path / "f.ptx",
                             "-o", tmp_path / "f.cubin")
    assert process.returncode == 0, process.stderr
    usages = USAGE.findall(process.stderr)
    assert usages and set(usages) == {("0", "0", "0")}, process.stderr
