#===- test_outputs.py - What the tools write, and what they leave alone ----===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Output files: complete, or as they were before."""

import os
import resource
import stat

import numpy as np
import pytest

import spmm
import tools
from spmm import Case

SPMM = tools.SOURCE_DIR / "examples" / "spmm.mlir"
OLD = "as it was"

# Command lines that write `out`, given the directory of their input.
WRITERS = {
    "mlir": [tools.COMPILE, SPMM, "--emit=mlir", "-o"],
    "llvm": [tools.COMPILE, SPMM, "--emit=llvm", "-o"],
    "ptx": [tools.COMPILE, SPMM, "--emit=ptx", "-o"],
    "npy": [tools.RUN, SPMM, "--entry=spmm", "--arg=a.mtx",
            "--arg=random:50x64", "--out"],
}


@pytest.fixture(params=WRITERS.values(), ids=list(WRITERS))
def write(request, tmp_path):
    """write(path, ...): the process of a tool that writes there."""
    spmm.write_mtx(tmp_path / "a.mtx", spmm.operands(Case())[0])
    return lambda path, **options: tools.run_tool(*request.param, path,
                                                  cwd=tmp_path, **options)


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def expect_error(process, message):
    assert process.returncode == 1
    # Remarks of the compiler may come before.
    assert process.stderr.endswith(f"error: {message}\n")


def test_a_new_file(write, tmp_path):
    process = write("out")
    assert process.returncode == 0, process.stderr
    assert process.stdout == ""
    assert names(tmp_path) == ["a.mtx", "out"]
    mode = stat.S_IMODE((tmp_path / "out").stat().st_mode)
    assert mode & 0o600 == 0o600


def test_an_existing_file_is_replaced_and_keeps_its_mode(write, tmp_path):
    (tmp_path / "out").write_text(OLD * 100000)
    (tmp_path / "out").chmod(0o640)
    process = write("out")
    assert process.returncode == 0, process.stderr
    assert OLD not in (tmp_path / "out").read_text(errors="replace")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640
    assert names(tmp_path) == ["a.mtx", "out"]


def test_a_link_is_followed(write, tmp_path):
    (tmp_path / "target").write_text(OLD)
    (tmp_path / "out").symlink_to("target")
    assert write("out").returncode == 0
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "target").read_bytes() != OLD.encode()


def test_a_full_disk(write, tmp_path):
    """The limit of file sizes stands for the size of a disk."""
    (tmp_path / "out").write_text(OLD)
    process = write("out", preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (100, 100)))
    expect_error(process, "cannot write 'out': File too large")
    assert (tmp_path / "out").read_text() == OLD
    assert names(tmp_path) == ["a.mtx", "out"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_write_protected_file(write, tmp_path):
    (tmp_path / "out").write_text(OLD)
    (tmp_path / "out").chmod(0o400)
    expect_error(write("out"), "cannot write 'out': Permission denied")
    assert (tmp_path / "out").read_text() == OLD


@pytest.mark.parametrize("path, reason", [
    ("missing/out", "No such file or directory"),
    ("folder", "Is a directory"),
    ("a.mtx/out", "Not a directory"),
    ("/dev/full", "No space left on device"),
    ("loop", "Too many levels of symbolic links"),
])
def test_no_place_for_a_file(write, tmp_path, path, reason):
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    before = names(tmp_path)
    expect_error(write(path), f"cannot write '{path}': {reason}")
    assert names(tmp_path) == before


def test_a_name_that_is_no_text(write, tmp_path):
    name = os.fsdecode(b"\xff\xfe out")
    assert write(name).returncode == 0
    assert (tmp_path / name).exists()


@pytest.mark.parametrize("command", [
    [tools.COMPILE, "bad.mlir", "-o", "out"],
    [tools.COMPILE, SPMM, "--chip=sm_75", "-o", "out"],
    [tools.COMPILE, SPMM, "--emit=mlir", "--stop-after=nothing", "-o", "out"],
    [tools.RUN, "bad.mlir", "--entry=f", "--out=out"],
    [tools.RUN, SPMM, "--entry=spmm", "--arg=bad.mlir", "--arg=random:4x4",
     "--out=out"],
], ids=["module", "chip", "stage", "program", "argument"])
def test_an_error_before_there_is_output(tmp_path, command):
    (tmp_path / "bad.mlir").write_text("func.func @f(\n")
    (tmp_path / "out").write_text(OLD)
    process = tools.run_tool(*command, cwd=tmp_path)
    assert process.returncode == 1
    assert "error: " in process.stderr
    assert (tmp_path / "out").read_text() == OLD
    assert names(tmp_path) == ["bad.mlir", "out"]


@pytest.mark.parametrize("emit", ["mlir", "llvm", "ptx"])
def test_standard_output(tmp_path, emit):
    """-o - is the default, and holds what a file would."""
    command = [tools.COMPILE, SPMM, f"--emit={emit}"]
    to_file = tools.run_tool(*command, "-o", tmp_path / "out")
    assert to_file.returncode == 0
    text = (tmp_path / "out").read_text()
    assert tools.run_tool(*command, "-o", "-").stdout == text
    assert tools.run_tool(*command).stdout == text


def test_standard_output_that_is_full():
    with open("/dev/full", "w") as full:
        process = spmm.tools.subprocess.run(
            [tools.COMPILE, SPMM], stdout=full, text=True,
            stderr=spmm.tools.subprocess.PIPE, check=False)
    expect_error(process,
                 "cannot write to standard output: No space left on device")


def test_nothing_else_is_written(write, tmp_path):
    """In particular no profiler's or temporary files."""
    places = {}
    for variable in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "JITDUMPDIR"):
        (tmp_path / variable).mkdir()
        places[variable] = str(tmp_path / variable)
    assert write("out", env=places).returncode == 0
    for place in places.values():
        assert not os.listdir(place)


def test_a_comparison_that_cannot_be_made(tmp_path):
    """No result is written; without --check it is."""
    module = ("func.func @f(%a: tensor<4x4xi32>) -> tensor<4x4xi32> {\n"
              "  %c = arith.addi %a, %a : tensor<4x4xi32>\n"
              "  return %c : tensor<4x4xi32>\n}\n")
    array = np.arange(16, dtype=np.int32).reshape(4, 4)
    process, (result,) = spmm.run_program(tmp_path, module, [array], 1,
                                          "--check")
    expect = ("error: the reference does not know a result of the function\n"
              "note: leave --check out\n")
    assert (process.returncode, process.stderr) == (1, expect)
    assert result is None
    process, (result,) = spmm.run_program(tmp_path, module, [array], 1)
    assert process.returncode == 0, process.stderr
    np.testing.assert_array_equal(result, 2 * array)
