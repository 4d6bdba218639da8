#===- test_huge_headers.py - Small files that promise much -----------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tools run with little memory and within a time that only work for the rows
# and columns of a header would exceed.
#
#===----------------------------------------------------------------------===#
"""Memory and time follow what files hold, not what they promise."""

import gzip
import resource

import numpy as np
import pytest

import tools

BANNER = "%%MatrixMarket matrix coordinate integer general\n"
HUGE = BANNER + "268435456 16 1\n268435456 16 7\n"

# The libraries of LLVM take most of it.
MEMORY = 3 << 30
SECONDS = 60


def module(vector):
    sparse = f"tensor<?x?xi8, #magicube.sr_bcrs<vector = {vector}>>"
    dense, result = "tensor<?x?xi8>", "tensor<?x?xi32>"
    return (f"func.func @f(%a: {sparse}, %b: {dense}) -> {result} {{\n"
            f"  %c = magicube.spmm %a, %b : ({sparse}, {dense}) -> {result}\n"
            f"  return %c : {result}\n}}\n")


def run(directory, tool, *arguments):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    return tools.run_tool(tool, *arguments, cwd=directory, preexec_fn=limit)


def launch(directory, vector, sparse, dense):
    (directory / "f.mlir").write_text(module(vector))
    process = tools.run_tool(tools.COMPILE, "f.mlir", "--emit=bundle",
                             "--chip=sim", "-o", "f.bundle", cwd=directory)
    assert (process.returncode, process.stderr) == (0, "")
    return run(directory, tools.LAUNCH, "f.bundle", "--device=sim",
               f"--arg={sparse}", f"--arg={dense}")


def expect_error(process, message):
    assert (process.returncode, process.stdout) == (1, "")
    assert process.stderr.splitlines()[0] == f"error: {message}"


@pytest.mark.parametrize("vector", [1, 8, 16])
def test_a_pattern(tmp_path, vector):
    (tmp_path / "f.mlir").write_text(module(vector))
    (tmp_path / "a.mtx").write_text(HUGE)
    process = run(tmp_path, tools.COMPILE, "f.mlir", "--pattern=a.mtx",
                  "--emit=mlir", "--stop-after=schedule")
    assert (process.returncode, process.stderr) == (0, "")
    assert "magicube.spmm" in process.stdout


@pytest.mark.parametrize("vector", [1, 8, 16])
def test_an_argument(tmp_path, vector):
    (tmp_path / "a.mtx").write_text(HUGE)
    expect_error(launch(tmp_path, vector, "a.mtx", "random:16x8"),
                 "argument #0 ('a.mtx'): expected at most 1048576 groups of "
                 f"vectors for 1 entries, but got {268435456 // vector} "
                 "vector-rows")


def test_an_argument_of_the_jit(tmp_path):
    (tmp_path / "f.mlir").write_text(module(8))
    (tmp_path / "a.mtx").write_text(HUGE)
    expect_error(run(tmp_path, tools.RUN, "f.mlir", "--entry=f", "--arg=a.mtx",
                     "--arg=random:16x8"),
                 "argument #0 ('a.mtx'): expected at most 1048576 groups of "
                 "vectors for 1 entries, but got 33554432 vector-rows")


def test_many_columns(tmp_path):
    (tmp_path / "a.mtx").write_text(BANNER + "8 2147483647 1\n8 2147483647 7\n")
    expect_error(launch(tmp_path, 8, "a.mtx", "random:16x8"),
                 "expected argument #1 to have as many rows as argument #0 has "
                 "columns, 2147483647, but got 16")


def test_a_result(tmp_path):
    """Operands of some kilobytes."""
    expect_error(launch(tmp_path, 8, "random:1048576x1@0.1",
                        "random:1x65536"),
                 "the result is 1048576x65536, but results have at most "
                 "4294967296 elements")


def test_memory_that_there_is_not(tmp_path):
    process = launch(tmp_path, 8, "random:8x8@1", "random:1048576x4096")
    assert (process.returncode, process.stdout) == (1, "")
    assert process.stderr.startswith("error: out of memory")


@pytest.mark.parametrize("shape, message", [
    (b"(1000000000, 1000000000)",
     "expected 1000000000000000000 bytes of elements (1000000000000000000 of "
     "type int8), but got 128"),
    (b"(9999999999, 9999999999)",
     "expected a shape whose size fits in 64 bits"),
])
def test_an_array(tmp_path, shape, message):
    np.save(tmp_path / "b.npy", np.zeros((16, 8), np.int8))
    data = (tmp_path / "b.npy").read_bytes()
    old = b"(16, 8), }" + b" " * (len(shape) - len(b"(16, 8)"))
    assert old in data
    (tmp_path / "b.npy").write_bytes(data.replace(old, shape + b", }"))
    expect_error(launch(tmp_path, 8, "random:8x16@1", "b.npy"),
                 f"b.npy: {message}")


@pytest.mark.parametrize("suffix", ["mtx.gz", "smtx.gz"])
def test_a_gzip_file(tmp_path, suffix):
    """64 KiB that unpack to 64 MiB and one byte."""
    name = f"a.{suffix}"
    (tmp_path / name).write_bytes(gzip.compress(b" " * ((64 << 20) + 1)))
    size = (tmp_path / name).stat().st_size
    assert size < 100000
    expect_error(launch(tmp_path, 8, name, "random:16x8"),
                 f"{name}: expected at most 67108864 bytes of text in a gzip "
                 f"file of {size} bytes, but got more")
