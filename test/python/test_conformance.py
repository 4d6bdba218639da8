#===- test_conformance.py - The conformance artifact -----------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A GPU is needed for the comparison itself (scripts/gpu-conformance.sh); here:
# that the table has every simulated operation, and that a difference is found.
#
#===----------------------------------------------------------------------===#
"""The artifact that compares the simulator with a GPU."""

import json
import os
import re

import pytest

import tools

PACK = tools.BUILD_DIR / "bin" / "magicube-conformance-pack"
CHECK = tools.BUILD_DIR / "bin" / "magicube-conformance"

# Rows of the simulator's tables: {"prmt", Meeting:: and row<...>("barrier...".
ROW = re.compile(r'(?:\{|row<[^;{]*?>\()\s*"([a-z][a-z0-9_.]*)",\s*Meeting::')

# No result that is defined to the bit, or part of other rows' kernels.
NOT_COMPARED = {
    "exit", "nanosleep", "membar.cta", "membar.gl", "membar.sys", "fence.",
    "prefetch.", "prefetchu.", "applypriority.", "read.ptx.sreg.clock",
    "read.ptx.sreg.clock64", "read.ptx.sreg.globaltimer",
    "read.ptx.sreg.globaltimer.lo", "cp.async.commit.group",
    "cp.async.wait.group", "cp.async.wait.all",
}


@pytest.fixture(scope="module")
def artifact(tmp_path_factory):
    """The folder that magicube-conformance-pack fills."""
    found = tools.run_tool(tools.SOURCE_DIR / "scripts" / "find-cuda-tool.sh",
                           "fatbinary")
    if found.returncode != 0:
        pytest.skip("no fatbinary")
    folder = tmp_path_factory.mktemp("conformance")
    packed = tools.run_tool(PACK, folder, "sm_90", env={
        "MAGICUBE_CUDA_TOOLKIT": str(
            os.path.dirname(os.path.dirname(found.stdout.strip())))})
    assert packed.returncode == 0, packed.stderr
    return folder


def test_every_simulated_operation_has_a_kernel(artifact):
    kernels = [kernel["name"] for kernel in json.loads(
        (artifact / "conformance.json").read_text())["kernels"]]
    assert len(kernels) == len(set(kernels))
    rows = set()
    for source in (tools.SOURCE_DIR / "lib" / "Simulator").glob("*.cpp"):
        rows.update(ROW.findall(source.read_text()))
    assert len(rows) > 100, "the tables have another form now"
    missing = [row for row in sorted(rows - NOT_COMPARED)
               if not any(kernel.startswith(row.replace(".", "_"))
                          for kernel in kernels)]
    assert not missing


def test_simulator_agrees_with_itself(artifact):
    run = tools.run_tool(CHECK, artifact, "--device=sim")
    assert run.returncode == 0, run.stdout
    assert re.search(r"conformance of sim: \d+ passed, 0 failed\n$",
                     run.stdout)


def test_one_wrong_bit_is_found(artifact, tmp_path):
    for file in artifact.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    manifest = json.loads((tmp_path / "conformance.json").read_text())
    kernel = next(row for row in manifest["kernels"]
                  if row["name"].startswith("mma"))
    data = bytearray((tmp_path / "data.bin").read_bytes())
    # Word 5 of the output of a kernel with 4 words a thread.
    data[4 * (kernel["expected"] + 5)] ^= 1
    (tmp_path / "data.bin").write_bytes(data)
    run = tools.run_tool(CHECK, tmp_path, "--device=sim")
    assert run.returncode == 1
    assert f"FAIL {kernel['name']}: 1 of" in run.stdout
    assert ", 1 failed\n" in run.stdout


@pytest.mark.parametrize("name, change, message", [
    ("conformance.json", lambda text: text[:-3], "unexpected end of input; expected '}'"),
    ("conformance.json", lambda text: text.replace(b'"module": 0',
                                                   b'"module": 7', 1),
     "kernels[0].module: expected an integer from 0 to 1, but got 7"),
    ("data.bin", lambda text: text[:64],
     "expected an integer from 0 to"),
])
def test_damaged_artifacts_are_refused(artifact, tmp_path, name, change,
                                       message):
    for file in artifact.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / name).write_bytes(change((tmp_path / name).read_bytes()))
    run = tools.run_tool(CHECK, tmp_path, "--device=sim")
    assert run.returncode == 1
    assert message in run.stderr
