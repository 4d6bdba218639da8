#===- test_bad_ir.py - Operations with wrong types and attributes ----------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Every operation of both dialects with each of its types and attributes, one at
a time, replaced by what does not belong there: it verifies or it is an ordinary
error. The operations are those of the round-trip tests. The language server
verifies thousands of pieces of a file in a second, for they share a context."""

import re

import pytest

import language_server
import tools

OPT = tools.BUILD_DIR / "bin" / "magicube-opt"
DIALECT_TESTS = tools.SOURCE_DIR / "test" / "Dialect"

ENCODING = "#magicube.sr_bcrs<vector = 8>"

ELEMENTS = """i0 i1 i2 i4 i7 i12 i16 i32 i128 si8 ui8 index f16 f32 f64 bf16
    complex<f32> vector<4xi8> memref<4xi8> !quant.any<i8:f32>
    !quant.calibrated<f32<-1.0:1.0>> !quant.uniform<i8:f32,0.5>
    !quant.uniform<u8:f32,0.5:3> !quant.uniform<i8:f64,0.5>
    !quant.uniform<i8:f32:0,{0.5,0.25}> !quant.uniform<i8:f32:7,{0.5,0.25}>
    !quant.uniform<i8:f32:{0:1,1:2},{{0.5,0.25},{0.5,0.25}}>
    !quant.uniform<i32:f32,0.5:-9000000000> !llvm.ptr<1> !missing""".split()

EXTENTS = ["0x0", "0x16", "16x0", "1x1", "?x?", "7x5", "2147483648x16",
           "16x9223372036854775807", "4294967296x4294967296"]

SHAPED = ["tensor<i8>", "tensor<4xi8>", "tensor<*xi8>", "tensor<0xi32>",
          "tensor<?xi32>", "tensor<2x2xi32>", "tensor<2x16x32xi8>",
          f"tensor<8xi8, {ENCODING}>", f"tensor<2x0x3xi8, {ENCODING}>",
          "tensor<16x32xi8, 3 : i32>", "tensor<16x32xi8, #missing>",
          "memref<i8>", "memref<*xi8>", "memref<?xi32>", "memref<16x32xi8>",
          "memref<16x32xi8, strided<[1, 16]>>",
          "memref<16x32xi8, #gpu.address_space<workgroup>>",
          "vector<16x32xi8>"]

OTHERS = """none tuple<> tuple<i8> !gpu.async.token !llvm.ptr !llvm.struct<()>
    !magicube_gpu.registers<1> !magicube_gpu.registers<4>
    !magicube_gpu.registers<3> !magicube_gpu.tile<rows=1,row_bytes=16>
    !magicube_gpu.tile<rows=32,row_bytes=128,stages=3>
    !magicube_gpu.tile<rows=32,row_bytes=0>
    !magicube_gpu.fragment<"m16n8k32",a,si8>
    !magicube_gpu.fragment<"m16n8k32",b,ui8>
    !magicube_gpu.fragment<"m16n8k32",c,i32>
    !magicube_gpu.fragment<"m16n8k32",c,f32>
    !magicube_gpu.fragment<"m16n8k64",a,si4>
    !magicube_gpu.fragment<"m16n8k32",a,!missing>
    !magicube_gpu.fragment<"m16n8k32",a,none>""".split()

TYPES = (ELEMENTS + SHAPED + OTHERS
         + [f"tensor<16x32x{element}>" for element in ELEMENTS]
         + [f"tensor<16x32x{element}, {ENCODING}>" for element in ELEMENTS]
         + [f"memref<16x32x{element}>" for element in ELEMENTS]
         + [f"tensor<{extents}xi8>" for extents in EXTENTS]
         + [f"tensor<{extents}xi8, {ENCODING}>" for extents in EXTENTS])

NUMBERS = ["0", "-1", "1", "3", "16", "1000", "2147483648",
           "9223372036854775807", "9223372036854775808",
           "-9223372036854775808", "1.5", '"x"', "{}", "i8", ""]

ATTRIBUTES = ["unit", "true", "-1 : i64", "9223372036854775807 : i64",
              "0 : i32", "0 : si64", '"x"', '"transpose"', "i4", "f32",
              "none", "tensor<16x32xi8>", f"tensor<16x32xi8, {ENCODING}>",
              "array<i32: 1>", "array<i64>", "array<i64: -1, 99>",
              "array<i32: 2147483647, 2147483647, 2147483647, 1, 1, 1, 1>",
              "array<i32: 0, 0, 0, 0, 0, 0, 0>", "[]", "{}", "@x",
              "dense<0> : tensor<2xi64>", ENCODING,
              "#magicube.sr_bcrs<vector = 1, stride = 8, slab = 16>",
              "#magicube.pattern<vectors = 4, longest = 2>",
              "#magicube.activation<relu>"]


#===------------------------------------------------------------------------===#
# Reading generic operations
#===------------------------------------------------------------------------===#

def split(text):
    """At the commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for i, letter in enumerate(text.replace("->", "  ")):
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


class Operation:
    """One operation in generic form, its operands any values of their types."""

    # The region of one that has it is empty here.
    PATTERN = re.compile(r'"(magicube(?:_gpu)?\.\w+)"\([^)]*\)'
                         r"(?: <\{(.*)\}>)?( \(\{\s*\}\))?"
                         r" : \((.*?)\) -> (.*)$", re.MULTILINE)

    def __init__(self, match):
        self.name, attributes, region, operands, results = match.groups()
        self.region = " ({})" if region else ""
        self.attributes = split(attributes or "")
        self.operands = split(operands)
        bare = results[1:-1] if results.startswith("(") else results
        self.results = split(bare)

    def __str__(self):
        operands = ", ".join(f"%{i}" for i in range(len(self.operands)))
        sources = "\n".join(
            f'%{i} = "builtin.unrealized_conversion_cast"() : () -> {operand}'
            for i, operand in enumerate(self.operands))
        attributes = (f" <{{{', '.join(self.attributes)}}}>"
                      if self.attributes else "")
        return (f'{sources}\n"{self.name}"({operands}){attributes}'
                f"{self.region} : "
                f"({', '.join(self.operands)}) -> ({', '.join(self.results)})")

    def changed(self):
        """The operation with one thing changed at a time."""
        for values in (self.operands, self.results):
            for i, right in enumerate(values):
                for wrong in TYPES:
                    values[i] = wrong
                    yield str(self)
                values[i] = right
            for wrong in ([], values[:-1], values + ["i32"]):
                kept, values[:] = list(values), wrong
                yield str(self)
                values[:] = kept
        for i, right in enumerate(self.attributes):
            name = right.split(" = ")[0]
            for wrong in ATTRIBUTES:
                self.attributes[i] = f"{name} = {wrong}"
                yield str(self)
            self.attributes[i] = f"{right}, {right}"
            yield str(self)
            kept = self.attributes.pop(i)
            yield str(self)
            self.attributes.insert(i, kept)


def read_operations():
    """One of each name, number of operands and set of attributes."""
    found = {}
    for file in sorted(DIALECT_TESTS.glob("*/roundtrip*.mlir")):
        printed = tools.run_tool(OPT, file, "--mlir-print-op-generic")
        assert printed.returncode == 0, printed.stderr
        for match in Operation.PATTERN.finditer(printed.stdout):
            op = Operation(match)
            names = [text.split(" = ")[0] for text in op.attributes]
            found.setdefault((op.name, len(op.operands), tuple(names)), op)
    return list(found.values())


#===------------------------------------------------------------------------===#
# Tests
#===------------------------------------------------------------------------===#

SEPARATOR = "\n// -----\n"

# Folders, canonicalizers, effects and the inference of types and shapes.
PASSES = ["--canonicalize", "--cse",
          "--resolve-ranked-shaped-type-result-dims", "--canonicalize"]


def changed_operations(dialect):
    return [text for op in read_operations() if op.name.startswith(dialect)
            for text in op.changed()]


def test_operations_are_found():
    """The round-trip tests have each operation that TableGen knows."""
    defined = {f"{file.parent.name}.{name}"
               for file in tools.SOURCE_DIR.glob("dialect/*/*Ops.td")
               for name in re.findall(r'^def \w+Op\s*:[^"]*"(\w+)"',
                                      file.read_text(), re.MULTILINE)}
    assert len(defined) > 20
    assert defined - {op.name for op in read_operations()} == set()


@pytest.mark.parametrize("dialect", ["magicube.", "magicube_gpu."])
def test_verifiers(tmp_path, dialect):
    texts = changed_operations(dialect)
    answers = language_server.edit([SEPARATOR.join(texts)],
                                   tmp_path / "messages")
    assert answers.count(b'"severity":1') > len(texts) // 2


@pytest.mark.parametrize("dialect", ["magicube.", "magicube_gpu."])
def test_passes(tmp_path, dialect):
    texts = changed_operations(dialect)
    # The step has no divisor in common with the number of wrong types.
    texts = texts[::7 if tools.RUNS_ALL else 71]
    file = tmp_path / "bad.mlir"
    file.write_text(SEPARATOR.join([*texts, "func.func private @last()"]))
    done = tools.run_tool(OPT, file, "--split-input-file", *PASSES)
    assert done.returncode == 1, done.stderr[-4000:]
    assert "@last" in done.stdout
    assert done.stderr.count("error: ") > len(texts) // 2


def inside(text, start):
    """From `start`, behind a <, to the > that closes it."""
    depth = 1
    for place, letter in enumerate(text[start:].replace("->", "  "), start):
        depth += (letter == "<") - (letter == ">")
        if depth == 0:
            return text[start:place]
    return text[start:]


def read_attributes():
    """Attributes of the round-trip tests, also inside of others: (name,
    fields)."""
    printed = "\n".join(str(op) for op in read_operations())
    found = {}
    for start in re.finditer(r"#magicube\.(\w+)<", printed):
        fields = split(inside(printed, start.end()))
        if fields and all(" = " in field for field in fields):
            found[start[1], tuple(fields)] = None
    return list(found)


def wrong_attributes():
    """An attribute with a field that is wrong, missing or there twice."""
    for name, fields in read_attributes():
        for i, field in enumerate(fields):
            key = field.split(" = ")[0]
            for wrong in [f"{key} = {number}" for number in NUMBERS] + [
                    key, "", f"{field}, {field}", f"un{field}", "!missing"]:
                inner = ", ".join([*fields[:i], wrong, *fields[i + 1:]])
                yield f"module attributes {{a = #magicube.{name}<{inner}>}} {{}}"


def test_attributes(tmp_path):
    names = {name for name, _ in read_attributes()}
    assert names >= {"sr_bcrs", "schedule", "pattern"}
    texts = list(wrong_attributes())
    answers = language_server.edit([SEPARATOR.join(texts)],
                                   tmp_path / "messages")
    assert answers.count(b'"severity":1') > len(texts) // 2
