#===- ir.py - The IR of test programs, written in one place ---------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Types, products and functions as values; every test that makes its IR makes
# it here.
#
#===----------------------------------------------------------------------===#
"""A function of products, value by value, and its text."""

from dataclasses import dataclass


def tensor(rows, columns, element, encoding=None):
    """Text of a matrix type; an extent that is None is dynamic."""
    shape = "".join("?x" if extent is None else f"{extent}x"
                    for extent in (rows, columns))
    return f"tensor<{shape}{element}{f', {encoding}' if encoding else ''}>"


def flags(**are_set):
    """The names of the unit attributes that are set."""
    return [name for name, is_set in are_set.items() if is_set]


@dataclass(frozen=True)
class Value:
    """An SSA value: its name, with the %, and the text of its type."""
    name: str
    type: str


def spmm_op(name, lhs, rhs, result, sum_bias=None, scales=(), bias=None,
            init=None, attributes=()):
    """Text of `name` = magicube.spmm with a result of that type; operands are
    Values."""
    operands, clauses = [lhs, rhs], ""
    for clause, values in (("sum_bias", [sum_bias]), ("scale", scales),
                           ("bias", [bias]), ("outs", [init])):
        values = [value for value in values if value is not None]
        operands += values
        if values:
            clauses += f" {clause}({', '.join(value.name for value in values)})"
    if attributes:
        clauses += f" {{{', '.join(attributes)}}}"
    types = ", ".join(value.type for value in operands)
    return (f"  {name} = magicube.spmm {lhs.name}, {rhs.name}{clauses}\n"
            f"     : ({types}) -> {result}\n")


class Function:
    """A public function, built from its arguments on."""

    def __init__(self, name="f"):
        self.name = name
        self.aliases = {}
        self.arguments = []
        self.lines = []
        self.results = []

    def encoding(self, text):
        """The alias of an encoding, #w for the first one."""
        number = len(self.aliases)
        return self.aliases.setdefault(
            str(text), f"#w{number}" if number else "#w")

    def sparse(self, encoding, rows, columns, element):
        """The type of a sparse matrix."""
        return tensor(rows, columns, element, self.encoding(encoding))

    def argument(self, name, type_text):
        """The next argument; its name without the %."""
        value = Value(f"%{name}", type_text)
        self.arguments.append(value)
        return value

    def spmm(self, lhs, rhs, result, **clauses):
        """The product as a Value; see spmm_op."""
        value = Value(f"%{len(self.lines)}", result)
        self.lines.append(spmm_op(value.name, lhs, rhs, result, **clauses))
        return value

    def returns(self, *values):
        """Ends the function; returns itself."""
        self.results += values
        return self

    def __str__(self):
        heads = "".join(f"{alias} = {text}\n"
                        for text, alias in self.aliases.items())
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        names = ", ".join(value.name for value in self.results)
        types = ", ".join(value.type for value in self.results)
        return (f"{heads}func.func @{self.name}({arguments}) -> ({types}) {{\n"
                f"{''.join(self.lines)}  return {names} : {types}\n}}\n")
