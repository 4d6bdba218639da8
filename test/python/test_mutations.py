#===- test_mutations.py - A wrong MMA table must show ----------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The programs of test/mutation are magicube-run with one wrong entry each.
#
#===----------------------------------------------------------------------===#
"""Wrong fragment layouts against the simulated device."""

import numpy as np
import pytest

import spmm
import tools
from spmm import Case, Encoding, Schedule

MUTATIONS = sorted(path.stem for path in
                   (tools.SOURCE_DIR / "test" / "mutation").glob("*.cmake")
                   if path.stem != "mutate")

CASES = [
    Case(Encoding(8), 2, k=33, n=32, pattern="dense"),
    Case(Encoding(16), 2, k=33, n=32, pattern="dense"),
    Case(Encoding(2), 2, k=33, n=32, pattern="dense"),
    Case(Encoding(4), 2, k=33, n=32, pattern="dense",
         schedule=Schedule(32, 1, 4, "interleaved")),
]


def program(name):
    """A mutant, or magicube-run itself."""
    if name == "none":
        return tools.RUN
    path = tools.BUILD_DIR / "test" / "mutation" / f"magicube-run-{name}"
    if not path.exists():
        pytest.fail(f"no {path}: build the target magicube-mutants")
    return path


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("mutation", ["none", *MUTATIONS])
def test_mutation(tmp_path, mutation, case):
    a, b, _ = spmm.operands(case)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    process, (result,) = spmm.run_program(
        tmp_path, spmm.module_text(case), [tmp_path / "a.mtx", np.int8(b)], 1,
        "--check", tool=program(mutation))
    if mutation == "none":
        spmm.assert_exact(process)
        np.testing.assert_array_equal(result, spmm.product(a, b))
        return
    # Either the sums are in wrong places, or the device refuses to put them
    # there.
    assert process.returncode == 1
    if result is None:
        assert "error: kernel 'spmm_" in process.stderr
    else:
        assert "elements differ from the reference\n  [" in process.stderr
        assert not np.array_equal(result, spmm.product(a, b))
