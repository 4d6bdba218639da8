#===- quantized.py - Products of quantized tensors ------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""A product of !quant.uniform tensors as a value: its IR, what docs/Precision.md
says that it is bit by bit, and what it stands for in real numbers."""

from dataclasses import dataclass

import numpy as np

import epilogue
import ir
import spmm


@dataclass(frozen=True)
class Type:
    """!quant.uniform; scales and zero points by `axis` if that is not None, for
    `block` neighbouring indices each."""
    bits: int = 8
    is_signed: bool = True
    scales: tuple = (0.5,)
    zero_points: tuple = (0,)
    axis: int = None
    bounds: str = ""
    block: int = None # a sub-channel type

    def __str__(self):
        pairs = [f"{scale:.17e}:{point}" for scale, point
                 in zip(self.scales, self.points())]
        axis = "" if self.axis is None else f":{self.axis}"
        listed = ", ".join(pairs)
        if self.axis is not None:
            listed = f"{{{listed}}}"
        if self.block is not None:
            axis = f":{{{self.axis}:{self.block}}}"
            rows = pairs if self.axis == 0 else [", ".join(pairs)]
            listed = f"{{{', '.join(f'{{{row}}}' for row in rows)}}}"
        return (f"!quant.uniform<{'i' if self.is_signed else 'u'}{self.bits}"
                f"{self.bounds}:f32{axis}, {listed}>")

    def points(self):
        return self.zero_points if len(self.zero_points) > 1 else \
            self.zero_points * len(self.scales)

    def range(self):
        """Least and largest stored integer."""
        if self.is_signed:
            return -2**(self.bits - 1), 2**(self.bits - 1) - 1
        return 0, 2**self.bits - 1

    def container(self):
        """What numpy keeps stored integers in."""
        width = 8 if self.bits <= 8 else 16
        return np.dtype(f"{'int' if self.is_signed else 'uint'}{width}")

    def along(self, numbers):
        """Numbers of the type as an array that broadcasts over a matrix."""
        numbers = np.array(numbers, dtype=np.float64)
        if self.axis is None or len(numbers) == 1:
            return numbers.reshape(1, 1)
        numbers = numbers.repeat(self.block or 1)
        return numbers.reshape((-1, 1) if self.axis == 0 else (1, -1))

    def real(self, stored):
        """scale * (q - zero point)"""
        return self.along(self.scales) * (stored - self.along(self.points()))


@dataclass(frozen=True)
class Product:
    """Its result is a Type or the name of a float type."""
    lhs: Type = Type()
    rhs: Type = Type(is_signed=False)
    result: object = "f32"
    relu: bool = False
    bias: str = None # "row" or "column"
    sum_bias: str = None
    is_static: bool = True

    def module(self, v, m, k, n, attributes=()):
        if not self.is_static:
            m, k, n = None, None, None
        function = ir.Function()
        a = function.argument("a", function.sparse(spmm.Encoding(v), m, k,
                                                   self.lhs))
        b = function.argument("b", ir.tensor(k, n, self.rhs))
        biases = {name: function.argument(name, epilogue.operand_type(axis,
                                                                      element))
                  for name, axis, element in (("sum_bias", self.sum_bias, "i32"),
                                              ("bias", self.bias, "f32"))
                  if axis}
        if self.relu:
            attributes = [*attributes, "activation = #magicube.activation<relu>"]
        return str(function.returns(function.spmm(
            a, b, ir.tensor(m, n, self.result), **biases,
            attributes=attributes)))

    def factors(self):
        """The numbers that sums are multiplied by, one after the other."""
        number, vectors = np.float64(1), {}
        for kind, axis, is_divisor in ((self.lhs, 0, False),
                                       (self.rhs, 1, False),
                                       (self.result, None, True)):
            if isinstance(kind, str):
                continue
            scales = kind.along(kind.scales)
            if scales.size == 1:
                number = number / scales[0, 0] if is_divisor else \
                    number * scales[0, 0]
                continue
            axis = kind.axis if axis is None else axis
            vector = vectors.get(axis, np.ones_like(scales))
            vectors[axis] = vector / scales if is_divisor else vector * scales
        listed = [vectors[axis] for axis in sorted(vectors)]
        if listed:
            listed[0] = listed[0] * number
        return [vector.astype(np.float32)
                for vector in listed or [np.array([[number]])]]

    def expected(self, a, b, bias=None, sum_bias=None):
        """Bit by bit: exact sums modulo 2^32, then f32."""
        sums = a.astype(np.int64) @ (b - self.rhs.points()[0]).astype(np.int64)
        if sum_bias is not None:
            sums = sums + sum_bias
        values = sums.astype(np.int32)
        if isinstance(self.result, Type) and self.result.bits == 32:
            return values
        values = values.astype(np.float32)
        for factor in self.factors():
            values = values * factor
        if isinstance(self.result, Type):
            scales, points = (self.result.along(numbers).astype(np.float32)
                              for numbers in (self.result.scales,
                                              self.result.points()))
            summand = points if bias is None else bias / scales + points
            values = values + summand
        elif bias is not None:
            values = values + bias
        if self.relu:
            values = np.maximum(values, points if isinstance(self.result, Type)
                                else np.float32(0))
        if isinstance(self.result, str):
            return epilogue.ROUND[self.result](values)
        low, high = self.result.range()
        return np.clip(np.rint(values), low, high).astype(
            self.result.container())

    def real(self, a, b, bias=None, sum_bias=None):
        """In real numbers, as the types say."""
        real = self.lhs.real(a) @ self.rhs.real(b)
        if sum_bias is not None:
            real = real + (self.lhs.along(self.lhs.scales) *
                           self.rhs.along(self.rhs.scales) * sum_bias)
        if bias is not None:
            real = real + bias.astype(np.float64)
        return np.maximum(real, 0) if self.relu else real

    def random_operands(self, v, m, k, n):
        """Stored integers of both operands, one vector-row of lhs is empty; and
        the biases by name."""
        rng = np.random.default_rng([v, m, k, n, self.lhs.bits, self.rhs.bits])
        mask = (rng.random((m // v, k)) < 0.4).repeat(v, axis=0)
        mask[-v:] = m == v
        low, high = self.lhs.range()
        a = rng.integers(low, high + 1, (m, k)) * mask
        low, high = self.rhs.range()
        b = rng.integers(low, high + 1, (k, n))
        biases = {}
        if self.sum_bias:
            shape = epilogue.SHAPES[self.sum_bias][1](m, n)
            biases["sum_bias"] = rng.integers(-2000, 2000, shape).astype(
                np.int32)
        if self.bias:
            shape = epilogue.SHAPES[self.bias][1](m, n)
            biases["bias"] = rng.standard_normal(shape).astype(np.float32)
        return a, b, biases

    def check(self, directory, v, m, k, n, *options):
        """Runs it on random operands and compares the result with both."""
        a, b, biases = self.random_operands(v, m, k, n)
        spmm.write_mtx(directory / "a.mtx", a)
        arguments = [directory / "a.mtx", b.astype(self.rhs.container()),
                     *biases.values()]
        # The tool's reference has no arithmetic but products, and a bias of a
        # quantized result is divided first.
        has_reference = not (self.bias and isinstance(self.result, Type))
        process, (actual,) = spmm.run_program(
            directory, self.module(v, m, k, n), arguments, 1,
            *(["--check"] if has_reference else []), *options)
        assert process.returncode == 0, process.stderr
        assert process.stdout == ("exact\n" if has_reference else "")
        want = self.expected(a, b, **biases)
        epilogue.assert_same(actual, want)
        self.check_real(actual, self.real(a, b, **biases))
        return want

    def check_real(self, actual, real):
        """Each rounding is off by half a unit; cancellation with a bias makes
        that the unit of the largest number."""
        largest = abs(real).max() + 1
        if isinstance(self.result, Type):
            stored = np.clip(real / self.result.along(self.result.scales) +
                             self.result.along(self.result.points()),
                             *self.result.range())
            assert (abs(actual - stored) <= 0.5 + 1e-3).all()
            return
        digits = {"f32": 24, "f16": 11, "bf16": 8}[self.result]
        finite = np.isfinite(actual)
        assert (abs(actual.astype(np.float64) - real)[finite] <=
                largest * (2.0**-digits + 2.0**-20)).all()
