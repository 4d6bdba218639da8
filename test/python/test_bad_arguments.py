#===- test_bad_arguments.py - Command lines that must be refused -----------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Arguments, entries, devices and options of magicube-run."""

import resource

import pytest

import tools

MODULE = """\
#w = #magicube.sr_bcrs<vector = 2>
func.func @fixed(%a: tensor<4x4xi8, #w>, %b: tensor<4x8xi8>)
    -> tensor<4x8xi32> {
  %c = magicube.spmm %a, %b
     : (tensor<4x4xi8, #w>, tensor<4x8xi8>) -> tensor<4x8xi32>
  return %c : tensor<4x8xi32>
}
func.func @free(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> {
  %c = magicube.spmm %a, %b
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>) -> tensor<?x?xi32>
  return %c : tensor<?x?xi32>
}
func.func @sum(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>, %i: tensor<?x?xi32>)
    -> tensor<?x?xi32> {
  %c = magicube.spmm %a, %b outs(%i)
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>, tensor<?x?xi32>) -> tensor<?x?xi32>
  return %c : tensor<?x?xi32>
}
func.func @narrow(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>)
    -> tensor<?x8xi32> {
  %c = magicube.spmm %a, %b
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>) -> tensor<?x8xi32>
  return %c : tensor<?x8xi32>
}
func.func @mixed(%a: tensor<?x?xi8, #w>, %b: tensor<?x?xi8>)
    -> (tensor<?x?xi32>, tensor<?x?xi32>) {
  %c = magicube.spmm %a, %b
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>) -> tensor<?x?xi32>
  %d = magicube.spmm %a, %b {unsigned_rhs}
     : (tensor<?x?xi8, #w>, tensor<?x?xi8>) -> tensor<?x?xi32>
  return %c, %d : tensor<?x?xi32>, tensor<?x?xi32>
}
func.func @scalar(%i: i32) -> tensor<4x8xi32> {
  %c = tensor.empty() : tensor<4x8xi32>
  return %c : tensor<4x8xi32>
}
func.func @cube(%b: tensor<2x4x8xi8>) -> tensor<4x8xi32> {
  %c = tensor.empty() : tensor<4x8xi32>
  return %c : tensor<4x8xi32>
}
func.func @odd(%b: tensor<4x8xi7>) -> tensor<4x8xi32> {
  %c = tensor.empty() : tensor<4x8xi32>
  return %c : tensor<4x8xi32>
}
func.func @wide(%b: tensor<4x8xi64>) -> tensor<4x8xi64> {
  return %b : tensor<4x8xi64>
}
func.func @sparse(%a: tensor<4x4xi12, #w>) -> tensor<4x4xi12, #w> {
  return %a : tensor<4x4xi12, #w>
}
func.func private @declared(%b: tensor<4x8xi32>) -> tensor<4x8xi32>
"""

A = "--arg=a.mtx"
B = "--arg=random:4x8"
FIXED_TYPES = ("give --arg 2 times; the types are (tensor<4x4xi8, "
               "#magicube.sr_bcrs<vector = 2>>, tensor<4x8xi8>)")
SPARSE_TYPE = "tensor<4x4xi8, #magicube.sr_bcrs<vector = 2>>"
NO_MATRIX = ("expected a matrix of integers, tensor<MxNxi8> for example, "
             "or f32")
NO_WORDS = ("results are matrices of i32, i8, i4, f32, f16 or bf16, sparse "
            "ones also of i16, tensor<MxNxi32> for example")

# Entry, further arguments, message and note.
BAD = {
    "no such entry": (
        "nothing", [A, B], "no function 'nothing' in the module",
        "it has fixed, free, sum, narrow, mixed, scalar, cube, odd, "
        "wide, sparse, declared"),
    "empty entry": (
        "", [], "no function '' in the module",
        "it has fixed, free, sum, narrow, mixed, scalar, cube, odd, "
        "wide, sparse, declared"),
    "declaration": ("declared", [B], "function 'declared' has no body",
                    "define it in this module"),
    "no arguments": ("fixed", [], "'fixed' takes 2 arguments, but got 0",
                     FIXED_TYPES),
    "one argument": ("fixed", [A], "'fixed' takes 2 arguments, but got 1",
                     FIXED_TYPES),
    "three arguments": ("fixed", [A, B, B],
                        "'fixed' takes 2 arguments, but got 3", FIXED_TYPES),
    "swapped": (
        "fixed", ["--arg=b.npy", A],
        "argument #0 ('b.npy'): expected a .mtx or .smtx file or random:MxK@D "
        f"for the sparse type {SPARSE_TYPE}",
        "write the matrix as MatrixMarket coordinates (.mtx)"),
    "no dense file": (
        "fixed", [A, A],
        "argument #1 ('a.mtx'): expected a .npy file or random[:RxC] for the "
        "dense type tensor<4x8xi8>", "save the matrix with numpy.save"),
    "empty argument": (
        "fixed", [A, "--arg="],
        "argument #1 (''): expected a .npy file or random[:RxC] for the dense "
        "type tensor<4x8xi8>", "save the matrix with numpy.save"),
    "shape": (
        "fixed", [A, "--arg=random:5x8"],
        "argument #1 ('random:5x8'): expected a matrix for tensor<4x8xi8>, but "
        "got 5x8", "change the file or the type in the entry function"),
    "no shape": (
        "free", [A, "--arg=random"],
        "argument #1 ('random'): the type tensor<?x?xi8> does not say how "
        "large the matrix is", "give the extents, as in random:2304x512"),
    "empty shape": (
        "free", [A, "--arg=random:4x0"],
        "argument #1 ('random:4x0'): expected a dense matrix of at least 1 x "
        "1, but got 4 x 0", None),
    "negative shape": (
        "free", [A, "--arg=random:-4x8"],
        "argument #1 ('random:-4x8'): expected a dense matrix of at least 1 x "
        "1, but got -4 x 8", None),
    "huge shape": (
        "free", [A, "--arg=random:4x4000000000"],
        "argument #1 ('random:4x4000000000'): expected a dense matrix of at "
        "most 4294967296 elements, but got 4 x 4000000000", None),
    "scalar argument": ("scalar", [B], "argument #0 has type i32", NO_MATRIX),
    "cube": ("cube", [B], "argument #0 has type tensor<2x4x8xi8>", NO_MATRIX),
    "seven bits": (
        "odd", [B], "argument #0: expected an element type of 1 (pattern), 4, "
        "8, 12, 16 or 32 bits, but got 7", None),
    "wide result": ("wide", [B], "result #0 of 'wide' has type tensor<4x8xi64>",
                    NO_WORDS),
    "sparse result": ("sparse", [A],
                      "result #0 of 'sparse' has type "
                      + SPARSE_TYPE.replace("i8", "i12"),
                      NO_WORDS),
    "two signs": (
        "mixed", [A, B],
        "argument #1 is signed in one product and unsigned in another",
        "give the function an argument for each"),
    "too many outs": (
        "fixed", [A, B, "--out=c.npy", "--out=d.npy"],
        "'fixed' has 1 results, but got 2 times --out",
        "give --out once for each result, in order"),
    "out to a stream": (
        "fixed", [A, B, "--out=-"], "--out #0 ('-') names no file",
        "results are .npy files, as in --out=result.npy, sparse ones also "
        ".mtx files"),
    "one out for two": (
        "mixed", [A, B, "--out=c.npy", "--out=c.npy"],
        "--out #1 ('c.npy') names the file of an earlier result",
        "give each result a file of its own"),
    "device": ("fixed", [A, B, "--device=gpu"], "unknown device 'gpu'",
               "use one of: 'sim', 'cuda'"),
    "warp order": (
        "fixed", [A, B, "--warp-order=upward"],
        "option 'warp-order' of device 'sim' expects one of forward, reverse, "
        "random, but got 'upward'", None),
    "async copy": (
        "fixed", [A, B, "--async-copy=never"],
        "option 'async-copy' of device 'sim' expects one of issue, wait, but "
        "got 'never'", None),
    "option of another device": (
        "fixed", [A, B, "--device=cuda", "--warp-order=reverse"],
        "--warp-order is an option of device 'sim', but the device is 'cuda'",
        "leave --warp-order out"),
    "chip below the least": (
        "fixed", [A, B, "--chip=sm_75"],
        "chip sm_75 is below the minimum sm_80",
        "use one of sm_80, sm_86, sm_89, sm_90, sm_100, sm_120"),
}
for text in ("random:", "random:5", "random:5x", "random:x8", "random:4x8x2",
             "random:4,8", "random:4x8 ", "random:4x99999999999999999999"):
    BAD[text] = ("free", [A, f"--arg={text}"],
                 f"argument #1 ('{text}'): expected random or random:RxC",
                 "for example random:2304x512")
for text in ("random:4x4", "random:3x4@0.5", "random:4x4@2", "random:4x4@x",
             "random"):
    BAD["sparse " + text] = (
        "free", [f"--arg={text}", B],
        f"argument #0 ('{text}'): expected random:MxK@D with a multiple of 2 "
        "for M and a density D from 0 to 1",
        "for example random:2048x2304@0.1")

# The same, of operands that do not go together; these messages show the line.
BAD_SHAPES = {
    "K": ("free", [A, "--arg=random:3x8"],
          "m.mlir:9:8: error: 'magicube.spmm' op expected rhs to have as many "
          "rows as lhs has columns, 4, but got 3",
          "m.mlir:8:41: note: rhs is argument #1, a 3x8 matrix"),
    "init": ("sum", [A, B, "--arg=random:4x7"],
             "m.mlir:15:8: error: 'magicube.spmm' op expected an init of 4x8, "
             "but got 4x7",
             "m.mlir:13:60: note: init is argument #2, a 4x7 matrix"),
    "result": ("narrow", [A, "--arg=random:4x9"],
               "m.mlir:21:8: error: 'magicube.spmm' op expected a result of "
               "4x9, but its type is 'tensor<?x8xi32>'", ""),
}


@pytest.fixture
def run(tmp_path):
    """run(entry, arguments): a run that must leave nothing behind."""
    (tmp_path / "m.mlir").write_text(MODULE)
    (tmp_path / "a.mtx").write_text(
        "%%MatrixMarket matrix coordinate integer general\n4 4 1\n1 1 1\n")

    def run_it(entry, arguments, **options):
        process = tools.run_tool(tools.RUN, "m.mlir", f"--entry={entry}",
                                 *arguments, cwd=tmp_path, **options)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mtx",
                                                                    "m.mlir"]
        assert process.stdout == ""
        assert process.returncode == 1
        return process

    return run_it


@pytest.mark.parametrize("entry, arguments, message, note", BAD.values(),
                         ids=list(BAD))
def test_bad_arguments(run, entry, arguments, message, note):
    expected = f"error: {message}\n" + (f"note: {note}\n" if note else "")
    assert run(entry, arguments).stderr == expected


@pytest.mark.parametrize("entry, arguments, message, note", BAD_SHAPES.values(),
                         ids=list(BAD_SHAPES))
def test_shapes_that_do_not_go_together(run, entry, arguments, message, note):
    text = run(entry, arguments).stderr
    assert text.startswith(message + "\n")
    assert note in text


@pytest.mark.parametrize("option, message", [
    ("--seed=-1", "for the --seed option: '-1' value invalid"),
    ("--seed=x", "for the --seed option: 'x' value invalid"),
    ("--arg", "for the --arg option: requires a value!"),
    ("--nothing", "Unknown command line argument '--nothing'."),
    ("second.mlir", "Too many positional arguments specified!"),
])
def test_options_that_are_none(run, option, message):
    assert f"magicube-run: {message}" in run("fixed", [option]).stderr


def test_cuda_without_a_driver(run):
    """The driver is hidden, so that the test says the same on every machine."""
    process = run("fixed", [A, B, "--device=cuda"],
                  env={"MAGICUBE_CUDA_DRIVER": "/nonexistent/libcuda.so.1"})
    error, note = process.stderr.strip().splitlines()[-2:]
    assert error.startswith("error: device 'cuda' ")
    assert note.startswith("note: ") and "'sim'" in note


def test_out_of_memory(run):
    """A message, not a stack trace."""
    limit = 3 << 30
    process = run("free", [A, "--arg=random:65536x65536"],
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                        (limit, limit)))
    assert process.stderr == ("error: out of memory\n"
                              "note: use a smaller matrix or more memory\n")
