#===- test_programs.py - Functions of more than one product ----------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Shared operands, chains of products, calls, and how operands are given."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse

import ir
import spmm
from spmm import Case, Encoding, run_program

M, K, N = 24, 40, 36
LHS, RHS, RESULT = f"tensor<{M}x{K}xi8, #w>", f"tensor<{K}x{N}xi8>", \
    f"tensor<{M}x{N}xi32>"
PREFIX = "#w = #magicube.sr_bcrs<vector = 4>\n"


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def sparse(rng, shape=(M, K)):
    return spmm.random_bytes(rng, shape, False) * (rng.random(shape) < 0.2)


def dense(rng, shape=(K, N)):
    return spmm.random_bytes(rng, shape, False)


def products(*lines):
    """Text of the products "result = lhs * rhs [+ init]"."""
    text = ""
    for line in lines:
        result, _, lhs, _, rhs, *rest = line.split()
        init = ir.Value(f"%{rest[1]}", RESULT) if rest else None
        text += ir.spmm_op(f"%{result}", ir.Value(f"%{lhs}", LHS),
                           ir.Value(f"%{rhs}", RHS), RESULT, init=init)
    return text


def function(arguments, results, body, types=None):
    """A module with @f; every result is a RESULT unless `types` says else."""
    types = types or [RESULT] * len(results)
    listed = ", ".join(f"%{name}" for name in results)
    return (f"{PREFIX}func.func @f({arguments}) -> ({', '.join(types)}) {{\n"
            f"{body}  return {listed} : {', '.join(types)}\n}}\n")


def mtx(directory, matrix):
    """A new file of a matrix."""
    path = directory / f"sparse{len(list(directory.glob('*.mtx')))}.mtx"
    spmm.write_mtx(path, matrix)
    return path


def run(directory, module, arguments, results, *options):
    """Arrays of a run that must succeed."""
    process, arrays = run_program(directory, module, arguments, results,
                                  *options)
    assert process.returncode == 0, process.stderr
    assert process.stdout == ("exact\n" if "--check" in options else "")
    return arrays


def test_two_products_share_the_sparse_operand(tmp_path, rng):
    a, b, d = sparse(rng), dense(rng), dense(rng)
    module = function(f"%a: {LHS}, %b: {RHS}, %d: {RHS}", ["c", "e"],
                      products("c = a * b", "e = a * d"))
    c, e = run(tmp_path, module,
               [mtx(tmp_path, a), np.int8(b), np.int8(d)], 2, "--check")
    np.testing.assert_array_equal(c, spmm.product(a, b))
    np.testing.assert_array_equal(e, spmm.product(a, d))


def test_two_products_share_the_dense_operand(tmp_path, rng):
    a, d, b = sparse(rng), sparse(rng), dense(rng)
    module = function(f"%a: {LHS}, %d: {LHS}, %b: {RHS}", ["c", "e"],
                      products("c = a * b", "e = d * b"))
    c, e = run(tmp_path, module,
               [mtx(tmp_path, a), mtx(tmp_path, d), np.int8(b)], 2, "--check")
    np.testing.assert_array_equal(c, spmm.product(a, b))
    np.testing.assert_array_equal(e, spmm.product(d, b))


def test_a_product_is_added_to_another(tmp_path, rng):
    a, b, d = sparse(rng), dense(rng), dense(rng)
    module = function(f"%a: {LHS}, %b: {RHS}, %d: {RHS}", ["e"],
                      products("c = a * b", "e = a * d + c"))
    e, = run(tmp_path, module,
             [mtx(tmp_path, a), np.int8(b), np.int8(d)], 1, "--check")
    np.testing.assert_array_equal(e, spmm.product(a, b + d))


def test_the_first_sum_outlives_the_second(tmp_path, rng):
    """%c may not be overwritten by the product that is added to it."""
    a, b, d = sparse(rng), dense(rng), dense(rng)
    module = function(f"%a: {LHS}, %b: {RHS}, %d: {RHS}", ["c", "e"],
                      products("c = a * b", "e = a * d + c"))
    c, e = run(tmp_path, module,
               [mtx(tmp_path, a), np.int8(b), np.int8(d)], 2, "--check")
    np.testing.assert_array_equal(c, spmm.product(a, b))
    np.testing.assert_array_equal(e, spmm.product(a, b + d))


def test_an_init_outlives_its_product(tmp_path, rng):
    a, b = sparse(rng), dense(rng)
    init = rng.integers(-2**31, 2**31, (M, N), dtype=np.int32)
    module = function(f"%a: {LHS}, %b: {RHS}, %i: {RESULT}", ["c", "i"],
                      products("c = a * b + i"))
    c, i = run(tmp_path, module,
               [mtx(tmp_path, a), np.int8(b), init], 2, "--check")
    np.testing.assert_array_equal(c, spmm.product(a, b, init))
    np.testing.assert_array_equal(i, init)


def test_two_products_are_added_to_one_init(tmp_path, rng):
    a, b, d = sparse(rng), dense(rng), dense(rng)
    init = rng.integers(-2**31, 2**31, (M, N), dtype=np.int32)
    module = function(f"%a: {LHS}, %b: {RHS}, %d: {RHS}, %i: {RESULT}",
                      ["c", "e"], products("c = a * b + i", "e = a * d + i"))
    c, e = run(tmp_path, module,
               [mtx(tmp_path, a), np.int8(b), np.int8(d), init], 2, "--check")
    np.testing.assert_array_equal(c, spmm.product(a, b, init))
    np.testing.assert_array_equal(e, spmm.product(a, d, init))


def test_an_init_that_is_overwritten(tmp_path, rng):
    a, b = sparse(rng), dense(rng)
    init = rng.integers(-2**31, 2**31, (M, N), dtype=np.int32)
    body = ir.spmm_op("%c", ir.Value("%a", LHS), ir.Value("%b", RHS), RESULT,
                      init=ir.Value("%i", RESULT), attributes=["overwrite"])
    module = function(f"%a: {LHS}, %b: {RHS}, %i: {RESULT}", ["c", "i"], body)
    c, i = run(tmp_path, module, [mtx(tmp_path, a), np.int8(b), init], 2,
               "--check")
    np.testing.assert_array_equal(c, spmm.product(a, b))
    np.testing.assert_array_equal(i, init)


def test_an_init_that_the_function_fills(tmp_path, rng):
    a, b = sparse(rng), dense(rng)
    body = (f"  %five = arith.constant 5 : i32\n"
            f"  %empty = tensor.empty() : {RESULT}\n"
            f"  %i = linalg.fill ins(%five : i32) outs(%empty : {RESULT})"
            f" -> {RESULT}\n" + products("c = a * b + i"))
    module = function(f"%a: {LHS}, %b: {RHS}", ["c"], body)
    c, = run(tmp_path, module, [mtx(tmp_path, a), np.int8(b)], 1)
    np.testing.assert_array_equal(c, spmm.product(a, b, 5))


def test_a_constant_dense_operand(tmp_path, rng):
    a = sparse(rng)
    body = (f"  %b = arith.constant dense<-3> : {RHS}\n"
            + products("c = a * b"))
    c, = run(tmp_path, function(f"%a: {LHS}", ["c"], body),
             [mtx(tmp_path, a)], 1)
    np.testing.assert_array_equal(c, spmm.product(a, np.full((K, N), -3)))


def test_one_product_returned_twice(tmp_path, rng):
    a, b = sparse(rng), dense(rng)
    module = function(f"%a: {LHS}, %b: {RHS}", ["c", "c"],
                      products("c = a * b"))
    for result in run(tmp_path, module,
                      [mtx(tmp_path, a), np.int8(b)], 2, "--check"):
        np.testing.assert_array_equal(result, spmm.product(a, b))


def test_a_product_of_a_truncated_product(tmp_path, rng):
    a, d, b = sparse(rng, (K, K)), sparse(rng), dense(rng)
    square, inner = f"tensor<{K}x{K}xi8, #w>", f"tensor<{K}x{N}xi32>"
    body = ir.spmm_op("%c", ir.Value("%a", square), ir.Value("%b", RHS), inner)
    body += f"  %t = arith.trunci %c : {inner} to {RHS}\n"
    body += products("e = d * t")
    module = function(f"%a: {square}, %d: {LHS}, %b: {RHS}", ["e"], body)
    e, = run(tmp_path, module,
             [mtx(tmp_path, a), mtx(tmp_path, d), np.int8(b)], 1)
    truncated = spmm.product(a, b).astype(np.int8)
    np.testing.assert_array_equal(e, spmm.product(d, truncated))


def test_a_call_with_a_sparse_argument(tmp_path, rng):
    a, b = sparse(rng), dense(rng)
    signature = f"({LHS}, {RHS}) -> {RESULT}"
    module = function(f"%a: {LHS}, %b: {RHS}", ["c"],
                      f"  %c = call @g(%a, %b) : {signature}\n")
    module += (f"func.func private @g(%a: {LHS}, %b: {RHS}) -> {RESULT} {{\n"
               + products("c = a * b") + f"  return %c : {RESULT}\n}}\n")
    c, = run(tmp_path, module, [mtx(tmp_path, a), np.int8(b)], 1)
    np.testing.assert_array_equal(c, spmm.product(a, b))


def test_a_function_without_products(tmp_path):
    i = np.arange(M * N, dtype=np.int32).reshape(M, N)
    module = function(f"%i: {RESULT}", ["i"], "")
    result, = run(tmp_path, module, [i], 1, "--check")
    np.testing.assert_array_equal(result, i)


def test_bytecode_as_input(tmp_path, rng):
    a, b = sparse(rng), dense(rng)
    module = function(f"%a: {LHS}, %b: {RHS}", ["c"], products("c = a * b"))
    (tmp_path / "text.mlir").write_text(module)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    np.save(tmp_path / "b.npy", np.int8(b))
    opt = spmm.tools.BUILD_DIR / "bin" / "magicube-opt"
    bytecode = tmp_path / "module.mlirbc"
    process = spmm.tools.run_tool(opt, tmp_path / "text.mlir",
                                  "--emit-bytecode", "-o", bytecode)
    assert process.returncode == 0, process.stderr
    process = spmm.tools.run_tool(
        spmm.tools.RUN, bytecode, "--entry=f", f"--arg={tmp_path}/a.mtx",
        f"--arg={tmp_path}/b.npy", f"--out={tmp_path}/c.npy", "--check")
    spmm.assert_exact(process)
    np.testing.assert_array_equal(np.load(tmp_path / "c.npy"),
                                  spmm.product(a, b))


@pytest.mark.parametrize("unsigned_lhs", (False, True))
@pytest.mark.parametrize("unsigned_rhs", (False, True))
def test_extreme_values(tmp_path, unsigned_lhs, unsigned_rhs):
    """Every product is the largest or the least there is: -128 * -128, ..."""
    case = Case(Encoding(8), 2, k=300, n=40, unsigned_lhs=unsigned_lhs,
                unsigned_rhs=unsigned_rhs, has_init=True)
    lows_highs = np.array(spmm.bounds(unsigned_lhs))
    a = np.repeat(lows_highs, 8)[:, None].repeat(case.k, axis=1)
    b = np.array(spmm.bounds(unsigned_rhs)).repeat(20)[None].repeat(case.k, 0)
    # Sums pass 2^31 in both directions.
    init = np.where(np.arange(case.n) % 2, 2**31 - 1, -2**31)
    init = init[None].repeat(case.m, axis=0)
    arguments = [mtx(tmp_path, a), b.astype(spmm.byte_type(unsigned_rhs)),
                 np.int32(init)]
    c, = run(tmp_path, spmm.module_text(case), arguments, 1, "--check")
    np.testing.assert_array_equal(c, spmm.product(a, b, init))


@pytest.mark.parametrize("symmetry", ("general", "symmetric"))
def test_mtx_of_scipy_against_scipy(tmp_path, rng, symmetry):
    """Scalars anywhere: vectors are what the packer makes of them."""
    shape = (K, K) if symmetry == "symmetric" else (M, K)
    a = scipy.sparse.random_array(
        shape, density=0.05, rng=rng, dtype=np.int64,
        data_sampler=lambda size: rng.integers(-128, 128, size))
    if symmetry == "symmetric":
        lower = scipy.sparse.tril(a)
        a = lower + scipy.sparse.tril(a, -1).T
    b = dense(rng)
    scipy.io.mmwrite(tmp_path / "a.mtx", a, field="integer", symmetry=symmetry)
    case = Case(Encoding(4), shape[0] // 4, K, N)
    c, = run(tmp_path, spmm.module_text(case),
             [tmp_path / "a.mtx", np.int8(b)], 1, "--check")
    np.testing.assert_array_equal(c, (a @ b).astype(np.int32))


@pytest.mark.parametrize("element", (np.int8, np.int16, np.int32, np.int64,
                                     np.uint8))
def test_npy_of_any_integers_in_range(tmp_path, rng, element):
    a = sparse(rng)
    b = rng.integers(0, 128, (K, N)).astype(element)
    case = Case(Encoding(4), M // 4, K, N)
    c, = run(tmp_path, spmm.module_text(case),
             [mtx(tmp_path, a), b], 1, "--check")
    np.testing.assert_array_equal(c, spmm.product(a, b))


def test_crlf_files_are_read_like_others(tmp_path, rng):
    a, b = sparse(rng), dense(rng)
    case = Case(Encoding(4), M // 4, K, N)
    spmm.write_mtx(tmp_path / "a.mtx", a)
    text = (tmp_path / "a.mtx").read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "a.mtx").write_bytes(text)
    c, = run(tmp_path, spmm.module_text(case),
             [tmp_path / "a.mtx", np.int8(b)], 1, "--check")
    np.testing.assert_array_equal(c, spmm.product(a, b))


def test_seeds(tmp_path):
    """The same seed gives the same values, another one others."""
    case = Case(Encoding(4), 4, 33, 20)
    (tmp_path / "a.smtx").write_text("4, 33, 5\n0 2 2 4 5\n0 32 5 6 7\n")
    arguments = [tmp_path / "a.smtx", "random:33x20"]
    results = [run(tmp_path, spmm.module_text(case), arguments, 1,
                   "--check", f"--seed={seed}")[0] for seed in (1, 1, 2)]
    np.testing.assert_array_equal(results[0], results[1])
    assert (results[0] != results[2]).any()
