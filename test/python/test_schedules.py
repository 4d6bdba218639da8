#===- test_schedules.py - The compiler's own schedules ---------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Products for which a stationary dense operand is selected, run without naming a
# schedule.
#
#===----------------------------------------------------------------------===#
"""Schedules that are selected for a matrix."""

import numpy as np
import pytest

import spmm
import tools
from spmm import Case, Encoding

# Few long vector-rows: gathered blocks would do 64 steps one after another.
K = 2048


def selected(case, directory):
    """IR with the schedule for the case's shape, all vectors kept."""
    (directory / "f.mlir").write_text(spmm.module_text(case))
    process = tools.run_tool(
        tools.COMPILE, directory / "f.mlir", f"--chip={case.chip}",
        "--emit=mlir", "--stop-after=schedule",
        f"--pattern=random:{case.m}x{case.k}@1")
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.mark.parametrize("n", (1, 7, 64, 130))
@pytest.mark.parametrize("vector", spmm.VECTOR_LENGTHS)
@pytest.mark.parametrize("chip", ("sm_80", "sm_90"))
def test_stationary_by_choice(tmp_path, chip, vector, n):
    case = Case(Encoding(vector, order="bank_aware", index="u16"),
                vector_rows=3, k=K, n=n, pattern="uneven", is_static=True,
                chip=chip)
    assert "#magicube.stationary" in selected(case, tmp_path)
    process, result = spmm.run_case(case, tmp_path)
    spmm.assert_exact(process)
    np.testing.assert_array_equal(result, spmm.product(*spmm.operands(case)[:2]))


def test_nothing_stored(tmp_path):
    """magicube-run tells the compiler that its argument is empty."""
    case = Case(Encoding(8, order="bank_aware", index="u16"), vector_rows=3,
                k=K, n=64, pattern="none", is_static=True, chip="sm_90")
    process, result = spmm.run_case(case, tmp_path)
    spmm.assert_exact(process)
    assert not result.any()
