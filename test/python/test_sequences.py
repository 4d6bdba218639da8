#===- test_sequences.py - Bundles of several operations --------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What one operation makes for another is in memory that only the launches use.
#
#===----------------------------------------------------------------------===#
"""Bundles of functions with several operations against numpy."""

import numpy as np
import pytest

import sddmm
import softmax
import tools

VECTOR = 8
MODULE = """
#w = #magicube.sr_bcrs<vector = 8, stride = {stride}>
func.func @f({arguments}) -> tensor<?x?xf32> {{{body}
  return %o : tensor<?x?xf32>
}}
"""
SOFTMAX = """
  %q, %f = magicube.softmax %s scale(%c) {{unsigned_result}}
    : (tensor<?x?xi32, #w>, f32) -> (tensor<?x?xi{bits}, #w>, tensor<?x1xf32>)"""
PRODUCT = """
  %o = magicube.spmm %q, %v scale(%f) {{unsigned_lhs}}
    : (tensor<?x?xi{bits}, #w>, tensor<?x?xi8>, tensor<?x1xf32>)
    -> tensor<?x?xf32>"""
SAMPLED = """
  %s = magicube.sddmm %a, %b, %p
    : (tensor<?x?xi8>, tensor<?x?xi8>, tensor<?x?xi1, #w>)
    -> tensor<?x?xi32, #w>"""


def write_mtx(path, values, mask):
    rows, columns = np.nonzero(mask)
    lines = ["%%MatrixMarket matrix coordinate integer general",
             f"{mask.shape[0]} {mask.shape[1]} {len(rows)}"]
    lines += [f"{row + 1} {column + 1} {values[row, column]}"
              for row, column in zip(rows, columns)]
    path.write_text("\n".join(lines) + "\n")


def load_results(directory, text, count, *arguments):
    """The dense results of a function of several."""
    (directory / "f.mlir").write_text(text)
    process = tools.run_tool(tools.COMPILE, directory / "f.mlir",
                             "--emit=bundle", "--chip=sim", "-o",
                             directory / "f.bundle")
    assert process.returncode == 0, process.stderr
    outs = [directory / f"o{i}.npy" for i in range(count)]
    process = tools.run_tool(
        tools.LAUNCH, directory / "f.bundle", "--device=sim",
        *(f"--arg={argument}" for argument in arguments),
        *(f"--out={out}" for out in outs))
    assert process.returncode == 0, process.stderr
    return [np.load(out) for out in outs]


def run(directory, text, *arguments):
    return load_results(directory, text, 1, *arguments)[0]


def expected(scores, mask, scale, bits, v):
    q, factors = softmax.quantized(scores, mask, [np.float32(scale)], bits)
    sums = q.astype(np.int64) @ v.astype(np.int64)
    return sums.astype(np.int32).astype(np.float32) * factors


@pytest.mark.parametrize("bits, stride", ((4, 8), (8, 32), (16, 64)))
def test_softmax_and_product(tmp_path, bits, stride):
    rng = np.random.default_rng(bits)
    vectors = sddmm.random_vectors(rng, 5, 90, 0.2)
    mask = sddmm.to_mask(vectors, VECTOR)
    scores = rng.integers(-3000, 3000, mask.shape).astype(np.int32)
    v = rng.integers(-128, 128, (90, 33)).astype(np.int8)
    write_mtx(tmp_path / "s.mtx", scores, mask)
    np.save(tmp_path / "v.npy", v)
    text = MODULE.format(
        stride=stride, body=SOFTMAX.format(bits=bits) + PRODUCT.format(bits=bits),
        arguments="%s: tensor<?x?xi32, #w>, %c: f32, %v: tensor<?x?xi8>")
    result = run(tmp_path, text, tmp_path / "s.mtx", "0.001", tmp_path / "v.npy")
    np.testing.assert_array_equal(result,
                                  expected(scores, mask, 0.001, bits, v))


@pytest.mark.parametrize("bits, stride", ((8, 32), (16, 8)))
def test_attention(tmp_path, bits, stride):
    """Sampled product, softmax, product."""
    rng = np.random.default_rng(bits)
    vectors = sddmm.random_vectors(rng, 5, 90, 0.2)
    mask = sddmm.to_mask(vectors, VECTOR)
    a, b, v = (rng.integers(-128, 128, shape).astype(np.int8)
               for shape in ((len(mask), 64), (90, 64), (90, 48)))
    write_mtx(tmp_path / "p.mtx", mask.astype(int), mask)
    for name, array in (("a", a), ("b", b), ("v", v)):
        np.save(tmp_path / f"{name}.npy", array)
    text = MODULE.format(
        stride=stride, body=(SAMPLED + SOFTMAX + PRODUCT).format(bits=bits),
        arguments="%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, "
                  "%p: tensor<?x?xi1, #w>, %c: f32, %v: tensor<?x?xi8>")
    result = run(tmp_path, text, tmp_path / "a.npy", tmp_path / "b.npy",
                 tmp_path / "p.mtx", "0.0001", tmp_path / "v.npy")
    np.testing.assert_array_equal(
        result, expected(sddmm.sums(a, b), mask, 0.0001, bits, v))
    process = tools.run_tool(
        tools.LAUNCH, tmp_path / "f.bundle", "--device=sim",
        *(f"--arg={tmp_path / name}" for name in ("a.npy", "b.npy", "p.mtx")),
        "--arg=0.0001", f"--arg={tmp_path / 'v.npy'}", "--check")
    assert process.returncode != 0
    assert "there is no reference of several operations" in process.stderr + \
        process.stdout


EQUAL = """
#w = #magicube.sr_bcrs<vector = 8, stride = 32>
func.func @f(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %p: tensor<?x?xi1, #w>,
             %c: f32, %v: tensor<?x?xi8>)
    -> (tensor<?x?xf32>, tensor<?x1xf32>, tensor<?x?xf32>) {{
  {first}
  {second}
  return %o1, %f2, %o2 : tensor<?x?xf32>, tensor<?x1xf32>, tensor<?x?xf32>
}}
"""


def rename(body, number):
    for name in "sqfo":
        body = body.replace(f"%{name} ", f"%{name}{number} ").replace(
            f"%{name},", f"%{name}{number},").replace(
            f"%{name})", f"%{name}{number})")
    return body


@pytest.mark.parametrize("repeated", ("results", "scores"))
def test_equal_operations(tmp_path, repeated):
    """What is computed twice is merged; what is returned twice is there
    twice."""
    rng = np.random.default_rng(7)
    vectors = sddmm.random_vectors(rng, 3, 50, 0.3)
    mask = sddmm.to_mask(vectors, VECTOR)
    a, b, v = (rng.integers(-128, 128, shape).astype(np.int8)
               for shape in ((len(mask), 40), (50, 40), (50, 16)))
    write_mtx(tmp_path / "p.mtx", mask.astype(int), mask)
    for name, array in (("a", a), ("b", b), ("v", v)):
        np.save(tmp_path / f"{name}.npy", array)
    body = (SAMPLED + SOFTMAX + PRODUCT).format(bits=8)
    second = rename(body, 2)
    if repeated == "scores":
        # All but the sampled products differ.
        second = second.replace("scale(%f2)", "scale(%f2) bias(%f2)")
    text = EQUAL.format(first=rename(body, 1), second=second)
    if repeated == "scores":
        text = text.replace("""%f2) bias(%f2) {unsigned_lhs}
    : (tensor<?x?xi8, #w>, tensor<?x?xi8>, tensor<?x1xf32>)""",
                            """%f2) bias(%f2) {unsigned_lhs}
    : (tensor<?x?xi8, #w>, tensor<?x?xi8>, tensor<?x1xf32>, tensor<?x1xf32>)""")
    results = load_results(
        tmp_path, text, 3, tmp_path / "a.npy", tmp_path / "b.npy",
        tmp_path / "p.mtx", "0.0001", tmp_path / "v.npy")
    scores = sddmm.sums(a, b)
    product = expected(scores, mask, 0.0001, 8, v)
    factors = softmax.quantized(scores, mask, [np.float32(0.0001)], 8)[1]
    np.testing.assert_array_equal(results[0], product)
    np.testing.assert_array_equal(results[1], factors.reshape(-1, 1))
    np.testing.assert_array_equal(
        results[2], product + (factors if repeated == "scores" else 0))
