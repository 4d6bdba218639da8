#===- epilogue.py - Products with epilogues -------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""What happens to the sums of a product, as a value: its IR, its operands, and
what numpy makes of it, one rounding at a time."""

from dataclasses import dataclass

import numpy as np

import ir
import spmm
from spmm import Encoding

K = 40

# Operands of an epilogue: shape in IR, shape for M rows and N columns.
SHAPES = {
    "number": ("", lambda m, n: ()),
    "row": ("?x1x", lambda m, n: (m, 1)),
    "column": ("1x?x", lambda m, n: (1, n)),
}


def operand_type(name, element):
    shape = SHAPES[name][0]
    return f"tensor<{shape}{element}>" if shape else element


def to_bf16(values):
    """float32 rounded to bfloat16, to nearest even, as float32."""
    bits = values.view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32)


ROUND = {"f32": lambda x: x, "f16": lambda x: x.astype(np.float16),
         "bf16": to_bf16}


def quantize(values, bits, is_unsigned):
    """Nearest integers, even ones first, that `bits` bits hold; NaN is 0."""
    low, high = (0, 2**bits - 1) if is_unsigned else \
        (-2**(bits - 1), 2**(bits - 1) - 1)
    values = np.where(np.isnan(values), np.float32(0), values)
    return np.clip(np.rint(values), low, high).astype(
        np.uint8 if is_unsigned else np.int8)


@dataclass(frozen=True)
class Epilogue:
    """The operands by name, in the order in which they are applied."""
    sum_bias: str = None
    scales: tuple = ()
    bias: str = None
    activation: str = None
    result: str = "i32"
    is_unsigned: bool = False

    def operands(self):
        """(name, element type) of each."""
        floats = [*self.scales, *([self.bias] if self.bias else [])]
        return ([(self.sum_bias, "i32")] if self.sum_bias else []) + [
            (name, "f32") for name in floats]

    def module(self, encoding, attributes=(), lhs_bits=8, rhs_bits=8,
               inner=None, n=None):
        """A module with @f: one product with this epilogue. K is `inner`, N is
        `n`; None is dynamic."""
        function = ir.Function()
        a = function.argument("a", function.sparse(encoding, None, inner,
                                                   f"i{lhs_bits}"))
        b = function.argument("b", ir.tensor(inner, n, f"i{rhs_bits}"))
        rest = [function.argument(f"e{i}", operand_type(*operand))
                for i, operand in enumerate(self.operands())]
        sum_bias = rest.pop(0) if self.sum_bias else None
        bias = rest.pop() if self.bias else None
        attributes = [*attributes,
                      *ir.flags(unsigned_result=self.is_unsigned)]
        if self.activation:
            attributes.append("activation = #magicube.activation<"
                              f"{self.activation}>")
        return str(function.returns(function.spmm(
            a, b, ir.tensor(None, n, self.result), sum_bias=sum_bias,
            scales=rest, bias=bias, attributes=attributes)))

    def expected(self, sums, operands):
        """What it makes of exact sums."""
        rest = list(operands)
        if self.sum_bias:
            sums = sums + rest.pop(0).astype(np.int64)
        if self.result == "i32":
            return sums.astype(np.int32)
        # Modulo 2^32; sums of accumulate = f32 are floats.
        values = sums if sums.dtype == np.float32 else \
            sums.astype(np.int32).astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in self.scales:
                values = values * rest.pop(0)
            if self.bias:
                values = values + rest.pop(0)
            if self.activation == "relu":
                values = np.where(values > 0, values, np.float32(0))
            if self.result in ROUND:
                return ROUND[self.result](values)
            return quantize(values, int(self.result[1:]), self.is_unsigned)

    def random_operands(self, v, n, factor=1.0):
        """A, B and the operands: floats are normal times `factor`."""
        rng = np.random.default_rng([v, n, len(self.operands())])
        m = 3 * v
        a = spmm.random_bytes(rng, (m, K), False) * (rng.random((m, K)) < 0.4)
        b = spmm.random_bytes(rng, (K, n), False)
        operands = []
        for name, element in self.operands():
            shape = SHAPES[name][1](m, n)
            operands.append(
                rng.choice([-2**31, 2**31 - 1, 12345], shape).astype(np.int32)
                if element == "i32" else
                np.float32(factor) * rng.standard_normal(shape).astype(
                    np.float32))
        return a, b, operands

    def run(self, directory, v, operands, *options, text=None):
        """The process and the result of one product."""
        a, b, rest = operands
        spmm.write_mtx(directory / "a.mtx", a)
        if b.dtype == np.int64:
            b = b.astype(np.int8)
        arguments = [directory / "a.mtx", b]
        arguments += [operand if operand.shape else repr(float(operand))
                      for operand in rest]
        process, (actual,) = spmm.run_program(
            directory, text or self.module(Encoding(v)), arguments, 1, "--check",
            *options)
        return process, actual

    def check(self, directory, v, operands, *options):
        """Runs one product; compares its result with what numpy says, which is
        returned with the sums."""
        process, actual = self.run(directory, v, operands, *options)
        spmm.assert_exact(process)
        a, b, rest = operands
        sums = a.astype(np.int64) @ b.astype(np.int64)
        want = self.expected(sums, rest)
        assert_same(actual, want)
        return sums, want


def assert_same(actual, want):
    """Bit by bit; which NaN it is does not matter."""
    assert actual.dtype == want.dtype
    if want.dtype.kind == "f":
        is_nan = np.isnan(want)
        assert (np.isnan(actual) == is_nan).all()
        actual, want = actual[~is_nan], want[~is_nan]
    assert actual.tobytes() == want.tobytes()
