#===- test_random_programs.py - Random whole programs against numpy -------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Many programs make one module: compiling and loading cost most. MALLOC_PERTURB_
# fills freed memory, so that a use after free shows.
#
#===----------------------------------------------------------------------===#
"""Random programs, compiled to objects and called on the simulated device."""

import sys
from pathlib import Path

import pytest

import tools
from random_programs import make_program

BATCH = 20
BATCHES = 50 if tools.RUNS_ALL else 1
RUNTIME = tools.BUILD_DIR / "lib" / "libmagicube_runtime.so"
CALLER = Path(__file__).with_name("call_programs.py")


def build(directory, seeds, place):
    """A shared library of the programs of those seeds."""
    module = directory / "programs.mlir"
    module.write_text("".join(make_program(seed).text for seed in seeds))
    options = ["--host-buffers"] if place == "host" else []
    process = tools.run_tool(tools.COMPILE, module, "--emit=obj", "--chip=sim",
                             *options, "-o", directory / "programs.o")
    if process.returncode:
        return None, process.stderr
    library = directory / "programs.so"
    process = tools.run_tool("clang-22", "-shared", directory / "programs.o",
                             RUNTIME, f"-Wl,-rpath,{RUNTIME.parent}", "-o",
                             library)
    return (None if process.returncode else library), process.stderr


def run(directory, seeds, place):
    """What is wrong, by seed."""
    library, messages = build(directory, seeds, place)
    if library is None:
        if len(seeds) == 1:
            return {seeds[0]: messages}
        # Each on its own says which.
        return {seed: text for one in seeds
                for seed, text in run(directory, [one], place).items()}
    wrong = {}
    while seeds:
        process = tools.run_tool(sys.executable, CALLER, library, RUNTIME,
                                 place, *map(str, seeds),
                                 env={"MALLOC_PERTURB_": "165"})
        for line in process.stdout.splitlines():
            if line.startswith("wrong "):
                seed, _, text = line[len("wrong "):].partition(": ")
                wrong.setdefault(int(seed), text)
        if process.returncode == 0:
            break
        # It died: go on behind the last seed.
        begun = [int(line.split()[1]) for line in process.stdout.splitlines()
                 if line.startswith("seed ")]
        if not begun:
            return {seeds[0]: process.stderr}
        wrong.setdefault(begun[-1], f"ended with {process.returncode}: "
                         f"{process.stderr[-2000:]}")
        seeds = seeds[len(begun):]
    return wrong


@pytest.mark.parametrize("place", ("host", "device"))
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs(tmp_path, batch, place):
    seeds = list(range(batch * BATCH, (batch + 1) * BATCH))
    wrong = run(tmp_path, seeds, place)
    assert not wrong, "\n".join(
        f"seed {seed}, {place} buffers: {text}\n{make_program(seed).text}"
        for seed, text in wrong.items())
