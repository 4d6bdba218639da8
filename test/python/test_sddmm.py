#===- test_sddmm.py - Sampled products on the CPU device -------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Kernels of magicube.sddmm against numpy, bit for bit: shapes, encodings, all
pairs of widths and signs, epilogues."""

import sys
from pathlib import Path

import pytest

import sddmm_cases
import tools

RUNTIME = tools.BUILD_DIR / "lib" / "libmagicube_runtime.so"


def build(directory, cases):
    """A shared library of the cases' functions."""
    module = directory / "cases.mlir"
    module.write_text("".join(
        case.text(name) for name, case in
        zip(sddmm_cases.names(cases), cases)))
    process = tools.run_tool(tools.COMPILE, module, "--emit=obj", "--chip=sim",
                             "-o", directory / "cases.o")
    assert process.returncode == 0, process.stderr
    library = directory / "cases.so"
    process = tools.run_tool("clang-22", "-shared", directory / "cases.o",
                             RUNTIME, f"-Wl,-rpath,{RUNTIME.parent}", "-o",
                             library)
    assert process.returncode == 0, process.stderr
    return library


@pytest.mark.parametrize("name", sddmm_cases.SETS)
def test_exact(tmp_path, name):
    library = build(tmp_path, sddmm_cases.SETS[name])
    process = tools.run_tool(sys.executable, Path(sddmm_cases.__file__),
                             library, RUNTIME, name)
    lines = process.stdout.splitlines()
    assert process.returncode == 0, lines[-1:] + [process.stderr[-2000:]]
    wrong = [f"{case}: {line}" for case, line in zip(lines, lines[1:])
             if line.startswith("wrong")]
    assert not wrong, "\n".join(wrong)
    assert len(lines) == len(sddmm_cases.SETS[name])
