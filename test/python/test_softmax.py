#===- test_softmax.py - Softmax kernels on the host SIMT device ------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every kind of kernel in storage form against numpy, bit for bit; a process
# compiles and calls many. `make check` runs every third case: others of each
# vector length.
#
#===----------------------------------------------------------------------===#
"""Softmax kernels against numpy."""

import sys
from pathlib import Path

import pytest

import softmax_cases
import tools

CASES = softmax_cases.make_cases()
NUMBERS = range(0, len(CASES), 1 if tools.RUNS_ALL else 5)
RUNTIME = tools.BUILD_DIR / "lib" / "libmagicube_runtime.so"
CALLER = Path(__file__).with_name("call_softmax.py")
BATCHES = 6 if tools.RUNS_ALL else 2


@pytest.mark.parametrize("batch", range(BATCHES))
def test_softmax(tmp_path, batch):
    numbers = NUMBERS[batch::BATCHES]
    module = tmp_path / "f.mlir"
    module.write_text("".join(softmax_cases.text(CASES[number], f"f{number}")
                              for number in numbers))
    process = tools.run_tool(tools.COMPILE, module, "--emit=obj", "--chip=sim",
                             "-o", tmp_path / "f.o")
    assert process.returncode == 0, process.stderr
    process = tools.run_tool("clang-22", "-shared", tmp_path / "f.o", RUNTIME,
                             f"-Wl,-rpath,{RUNTIME.parent}", "-o",
                             tmp_path / "f.so")
    assert process.returncode == 0, process.stderr
    process = tools.run_tool(sys.executable, CALLER, tmp_path / "f.so", RUNTIME,
                             *map(str, numbers))
    assert process.returncode == 0, process.stdout[-500:] + process.stderr
    wrong = [line for line in process.stdout.splitlines()
             if line.startswith("wrong")]
    assert not wrong, "\n".join(wrong)
