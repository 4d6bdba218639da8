#===- random_programs.py - Whole programs at random, and their values ------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A program is a public function of products, arithmetic, choices, branches,
# loops, slices and private calls on tensors of unequal dynamic extents. It is
# made statement by statement: each knows its lines of IR and what numpy makes of
# it, and is dropped where extents do not fit.
#
#===----------------------------------------------------------------------===#
"""Random whole programs: text of IR, arguments, and results by numpy."""

from dataclasses import dataclass, field

import numpy as np

VECTOR, STRIDE = 2, 8
ENCODING = f"#magicube.sr_bcrs<vector = {VECTOR}, stride = {STRIDE}>"

# Extents are few, so that operands fit now and then, and unequal.
ROWS, DEPTHS, COLUMNS = (4, 6, 10), (5, 8), (3, 4, 7)

# Types by the names that programs here use.
TYPES = {
    "sparse": f"tensor<?x?xi8, {ENCODING}>",
    "bytes": "tensor<?x?xi8>",
    "words": "tensor<?x?xi32>",
    "line": "tensor<?xi32>",
    "flag": "i1",
    "index": "index",
}
DTYPES = {"bytes": np.int8, "words": np.int32, "line": np.int32}
TENSORS = ("sparse", "bytes", "words", "line")


class Mismatch(Exception):
    """A statement does not fit the extents of its operands."""


def require(condition):
    if not condition:
        raise Mismatch


@dataclass(frozen=True)
class Sparse:
    """The matrix of a sparse tensor."""
    matrix: np.ndarray

    @property
    def shape(self):
        return self.matrix.shape

    def components(self):
        """Pointers, indices and values, as docs/Storage.md has them."""
        pointers, indices, values = [], [], []
        for row in range(0, self.matrix.shape[0], VECTOR):
            vectors = self.matrix[row:row + VECTOR]
            columns = np.nonzero(vectors.any(axis=0))[0]
            pointers.append((len(indices), len(indices) + columns.size))
            padding = -columns.size % STRIDE
            indices += [*columns, *[-1] * padding]
            stored = np.pad(vectors[:, columns], ((0, 0), (0, padding)))
            for first in range(0, stored.shape[1], STRIDE):
                values += list(stored[:, first:first + STRIDE].ravel())
        return (np.array(pointers, np.int32).reshape(-1, 2),
                np.array(indices, np.int32), np.array(values, np.int8))


def random_value(rng, kind):
    """An argument of a type."""
    if kind == "flag":
        return bool(rng.integers(2))
    if kind == "index":
        return int(rng.integers(4))
    if kind == "line":
        return rng.integers(-2**31, 2**31, rng.choice((2, 4, 5)), np.int32)
    if kind == "bytes":
        return rng.integers(-128, 128, (rng.choice(DEPTHS),
                                        rng.choice(COLUMNS)), np.int8)
    if kind == "words":
        return rng.integers(-2**31, 2**31, (rng.choice(ROWS),
                                            rng.choice(COLUMNS)), np.int32)
    matrix = rng.integers(-128, 128, (rng.choice(ROWS), rng.choice(DEPTHS)),
                          np.int8)
    return Sparse(matrix * (rng.random(matrix.shape) < 0.3).astype(np.int8))


@dataclass
class Block:
    """Statements in order: lines of IR, and functions that run them on the
    values by name; the names and types that it can use."""
    scope: dict
    lines: list = field(default_factory=list)
    steps: list = field(default_factory=list)

    def run(self, values):
        for step in self.steps:
            step(values)

    def indented(self):
        return ["  " + line for line in self.lines]


def listed(names):
    return ", ".join(f"%{name}" for name in names)


def types_of(kinds):
    return ", ".join(TYPES[kind] for kind in kinds)


#===----------------------------------------------------------------------===#
# Statements
#===----------------------------------------------------------------------===#

class Generator:
    """Makes one program. Methods `make_...` add a statement to a block whose
    names have `values`, or raise Mismatch."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.name = f"p{seed}"
        self.functions = []
        self.names = 0
        self.depth = 0
        self.makers = [getattr(self, name) for name in dir(self)
                       if name.startswith("make_")]
        # Those that rarely fit, or that programs here are about.
        self.makers += 5 * [self.make_product] + 4 * [self.make_call] + \
            [self.make_select]

    def new(self):
        self.names += 1
        return f"v{self.names}"

    def pick(self, block, kind, holds=lambda name: True):
        """A name of a type, later ones more often."""
        names = [name for name, its in block.scope.items()
                 if its == kind and holds(name)]
        require(names)
        return names[int(len(names) * np.sqrt(self.rng.random()))]

    def pick_any(self, block):
        return self.pick(block, self.rng.choice(TENSORS))

    def add(self, block, values, kinds, text, run):
        """Adds a statement `%a, %b = text` unless it does not fit; returns the
        names of its results."""
        results = [self.new() for _ in kinds]

        def step(values):
            for name, value in zip(results, run(values)):
                values[name] = value

        step(values)
        lines = text.split("\n")
        if results:
            lines[0] = f"{listed(results)} = {lines[0]}"
        block.lines += lines
        block.steps.append(step)
        block.scope.update(zip(results, kinds))
        return results

    def fill(self, block, values, count):
        """Adds `count` statements; each is tried until one fits."""
        for _ in range(count):
            for _ in range(20):
                size = len(block.lines), len(block.steps)
                scope = dict(block.scope)
                functions = len(self.functions)
                try:
                    self.rng.choice(self.makers)(block, values)
                    break
                except Mismatch:
                    del block.lines[size[0]:], block.steps[size[1]:]
                    del self.functions[functions:]
                    block.scope.clear()
                    block.scope.update(scope)

    # Products.

    def make_product(self, block, values):
        rng = self.rng
        a = self.pick(block, "sparse")
        b = self.pick(block, "bytes", lambda name: values[name].shape[0] ==
                      values[a].shape[1])
        text = f"magicube.spmm %{a}, %{b}"
        kinds = ["sparse", "bytes"]
        init = None
        if rng.random() < 0.5:
            shape = values[a].shape[0], values[b].shape[1]
            init = self.pick(block, "words",
                             lambda name: values[name].shape == shape)
            overwrite = rng.random() < 0.2
            text += f" outs(%{init})" + " {overwrite}" * overwrite
            kinds.append("words")

        def run(values):
            lhs, rhs = values[a].matrix, values[b]
            require(lhs.shape[1] == rhs.shape[0])
            exact = lhs.astype(np.int64) @ rhs.astype(np.int64)
            if init:
                require(values[init].shape == exact.shape)
                exact = exact + (0 if overwrite else values[init])
            return [exact.astype(np.int32)]

        self.add(block, values, ["words"],
                 f"{text} : ({types_of(kinds)}) -> {TYPES['words']}", run)

    # Arithmetic.

    def make_arithmetic(self, block, values):
        kind = self.rng.choice(("words", "line", "words", "bytes"))
        a = self.pick(block, kind)
        b = self.pick(block, kind,
                      lambda name: values[name].shape == values[a].shape)
        name, function = [("addi", np.add), ("subi", np.subtract),
                          ("muli", np.multiply), ("maxsi", np.maximum),
                          ("xori", np.bitwise_xor)][self.rng.integers(5)]

        def run(values):
            require(values[a].shape == values[b].shape)
            return [function(values[a], values[b])]

        self.add(block, values, [kind],
                 f"arith.{name} %{a}, %{b} : {TYPES[kind]}", run)

    def make_truncation(self, block, values):
        a = self.pick(block, "words")
        self.add(block, values, ["bytes"], f"arith.trunci %{a} : "
                 f"{TYPES['words']} to {TYPES['bytes']}",
                 lambda values: [values[a].astype(np.int8)])

    def make_extension(self, block, values):
        a = self.pick(block, "bytes")
        self.add(block, values, ["words"], f"arith.extsi %{a} : "
                 f"{TYPES['bytes']} to {TYPES['words']}",
                 lambda values: [values[a].astype(np.int32)])

    # Writes into tensors.

    def make_fill(self, block, values):
        """Of a tensor that may be used later."""
        kind = self.rng.choice(("words", "line"))
        a = self.pick(block, kind)
        number = int(self.rng.integers(-100, 100))
        constant = self.new()
        block.lines.append(f"%{constant} = arith.constant {number} : i32")
        self.add(block, values, [kind],
                 f"linalg.fill ins(%{constant} : i32) outs(%{a} : "
                 f"{TYPES[kind]}) -> {TYPES[kind]}",
                 lambda values: [np.full_like(values[a], number)])

    def make_insertion(self, block, values):
        a = self.pick(block, "words")
        number = int(self.rng.integers(-100, 100))
        at = tuple(int(self.rng.integers(extent))
                   for extent in values[a].shape)
        constant, row, column = self.new(), self.new(), self.new()
        block.lines += [f"%{constant} = arith.constant {number} : i32",
                        f"%{row} = arith.constant {at[0]} : index",
                        f"%{column} = arith.constant {at[1]} : index"]

        def run(values):
            require(np.all(np.less(at, values[a].shape)))
            result = values[a].copy()
            result[at] = number
            return [result]

        self.add(block, values, ["words"],
                 f"tensor.insert %{constant} into %{a}[%{row}, %{column}] : "
                 f"{TYPES['words']}", run)

    # Slices and shapes.

    def sizes(self, block, shape):
        """Text of extents, as numbers or as values."""
        texts = [str(extent) for extent in shape]
        if self.rng.random() < 0.5:
            return texts, "tensor<" + "x".join(texts) + "xi32>"
        names = [self.new() for _ in shape]
        block.lines += [f"%{name} = arith.constant {extent} : index"
                        for name, extent in zip(names, shape)]
        return [f"%{name}" for name in names], TYPES["words"]

    def make_slice(self, block, values):
        a = self.pick(block, "words")
        end = [int(self.rng.integers(1, extent + 1))
               for extent in values[a].shape]
        begin = [int(self.rng.integers(extent)) for extent in end]
        shape = [int(last - first) for first, last in zip(begin, end)]
        texts, part = self.sizes(block, shape)

        def run(values):
            require(np.all(np.less_equal(end, values[a].shape)))
            return [values[a][begin[0]:end[0], begin[1]:end[1]].copy()]

        static = self.new()
        block.lines.append(
            f"%{static} = tensor.extract_slice %{a}[{begin[0]}, {begin[1]}] "
            f"[{', '.join(texts)}] [1, 1] : {TYPES['words']} to {part}")
        if part == TYPES["words"]:
            block.lines.append(f"%{static}_ = tensor.cast %{static} : {part} "
                               "to tensor<?x?xi32>")
        self.add(block, values, ["words"], f"tensor.cast %{static}"
                 f"{'_' * (part == TYPES['words'])} : {part} to "
                 f"{TYPES['words']}", run)

    def make_slice_insertion(self, block, values):
        a = self.pick(block, "words")
        b = self.pick(block, "words", lambda name: np.all(
            np.less_equal(values[name].shape, values[a].shape)))
        shape = values[b].shape
        at = [int(self.rng.integers(outer - inner + 1))
              for outer, inner in zip(values[a].shape, shape)]
        texts, part = self.sizes(block, shape)
        static = self.new()
        block.lines.append(f"%{static} = tensor.cast %{b} : {TYPES['words']} "
                           f"to {part}")

        def run(values):
            require(values[b].shape == shape)
            require(np.all(np.less_equal(np.add(at, shape), values[a].shape)))
            result = values[a].copy()
            result[at[0]:at[0] + shape[0], at[1]:at[1] + shape[1]] = values[b]
            return [result]

        self.add(block, values, ["words"],
                 f"tensor.insert_slice %{static} into %{a}[{at[0]}, {at[1]}] "
                 f"[{', '.join(texts)}] [1, 1] : {part} into "
                 f"{TYPES['words']}", run)

    def make_collapse(self, block, values):
        a = self.pick(block, "words")
        self.add(block, values, ["line"],
                 f"tensor.collapse_shape %{a} [[0, 1]] : {TYPES['words']} "
                 f"into {TYPES['line']}",
                 lambda values: [values[a].reshape(-1).copy()])

    def make_cast(self, block, values):
        """To static extents and back."""
        a = self.pick(block, "words")
        shape = values[a].shape
        static = f"tensor<{shape[0]}x{shape[1]}xi32>"
        name = self.new()
        block.lines.append(
            f"%{name} = tensor.cast %{a} : {TYPES['words']} to {static}")

        def run(values):
            require(values[a].shape == shape)
            return [values[a]]

        self.add(block, values, ["words"], f"tensor.cast %{name} : {static} "
                 f"to {TYPES['words']}", run)

    def make_dim(self, block, values):
        a = self.pick_any(block)
        dim = int(self.rng.integers(values[a].ndim)) if \
            block.scope[a] != "sparse" else int(self.rng.integers(2))
        constant = self.new()
        block.lines.append(f"%{constant} = arith.constant {dim} : index")
        self.add(block, values, ["index"],
                 f"tensor.dim %{a}, %{constant} : {TYPES[block.scope[a]]}",
                 lambda values: [values[a].shape[dim]])

    # Choices.

    def make_select(self, block, values):
        kind = self.rng.choice(TENSORS)
        flag = self.pick(block, "flag")
        a, b = self.pick(block, kind), self.pick(block, kind)
        self.add(block, values, [kind], f"arith.select %{flag}, %{a}, %{b} : "
                 f"{TYPES[kind]}",
                 lambda values: [values[a if values[flag] else b]])

    def region(self, block, values, kinds, count, extra=()):
        """A nested block, and names in it of those types."""
        require(self.depth < 3)
        self.depth += 1
        inner = Block({**block.scope, **dict(extra)})
        local = dict(values)
        self.fill(inner, local, count)
        self.depth -= 1
        return inner, [self.pick(inner, kind) for kind in kinds]

    def kinds(self, most=3):
        return list(self.rng.choice(TENSORS, self.rng.integers(1, most + 1)))

    def make_if(self, block, values):
        kinds = self.kinds()
        flag = self.pick(block, "flag")
        regions = [self.region(block, values, kinds, self.rng.integers(3))
                   for _ in range(2)]
        (then, yes), (other, no) = regions
        text = "\n".join([f"scf.if %{flag} -> ({types_of(kinds)}) {{",
                          *then.indented(),
                          f"  scf.yield {listed(yes)} : {types_of(kinds)}",
                          "} else {", *other.indented(),
                          f"  scf.yield {listed(no)} : {types_of(kinds)}",
                          "}"])

        def run(values):
            inner, names = regions[0 if values[flag] else 1]
            local = dict(values)
            inner.run(local)
            return [local[name] for name in names]

        self.add_many(block, values, kinds, text, run)

    def add_many(self, block, values, kinds, text, run, hidden=0):
        """Adds a statement with one name for all results; the last `hidden`
        ones are not used."""
        name = self.new()
        at = len(block.lines)
        results = self.add(block, values, kinds, text, run)
        first, *rest = text.split("\n")
        block.lines[at:] = [f"%{name}:{len(kinds) + hidden} = {first}", *rest]
        # Names of their own, by casts that change nothing.
        for i, (result, kind) in enumerate(zip(results, kinds)):
            block.lines.append(f"%{result} = tensor.cast %{name}#{i} : "
                               f"{TYPES[kind]} to {TYPES[kind]}")

    def loop(self, block, values):
        """What both kinds of loops have: count, types, first values, names in
        the body, the body and what it yields."""
        kinds = self.kinds()
        count = self.pick(block, "index", lambda name: values[name] <= 4)
        init = [self.pick(block, kind) for kind in kinds]
        carried = [self.new() for _ in kinds]
        local = {**values, **{name: values[first] for name, first in
                              zip(carried, init)}}
        body, yielded = self.region(block, local, kinds,
                                    self.rng.integers(1, 4),
                                    zip(carried, kinds))

        def run(values):
            require(values[count] <= 4)
            now = [values[name] for name in init]
            for _ in range(values[count]):
                local = {**values, **dict(zip(carried, now))}
                body.run(local)
                now = [local[name] for name in yielded]
            return now

        return count, kinds, init, carried, body, yielded, run

    def make_for(self, block, values):
        count, kinds, init, carried, body, yielded, run = \
            self.loop(block, values)
        pairs = ", ".join(f"%{a} = %{b}" for a, b in zip(carried, init))
        i, low, step = self.new(), self.new(), self.new()
        block.lines += [f"%{low} = arith.constant 0 : index",
                        f"%{step} = arith.constant 1 : index"]
        text = "\n".join(
            [f"scf.for %{i} = %{low} to %{count} step %{step} "
             f"iter_args({pairs}) -> ({types_of(kinds)}) {{",
             *body.indented(),
             f"  scf.yield {listed(yielded)} : {types_of(kinds)}", "}"])
        self.add_many(block, values, kinds, text, run)

    def make_while(self, block, values):
        count, kinds, init, carried, body, yielded, run = \
            self.loop(block, values)
        low, step, now, next_, goes = [self.new() for _ in range(5)]
        before = [self.new() for _ in kinds]
        block.lines += [f"%{low} = arith.constant 0 : index",
                        f"%{step} = arith.constant 1 : index"]
        pairs = ", ".join(f"%{a} = %{b}" for a, b in
                          zip([*before, now + "b"], [*init, low]))
        types = types_of([*kinds, "index"])
        arguments = ", ".join(f"%{name}: {TYPES[kind]}" for name, kind in
                              zip([*carried, now], [*kinds, "index"]))
        text = "\n".join(
            [f"scf.while ({pairs}) : ({types}) -> ({types}) {{",
             f"  %{goes} = arith.cmpi ult, %{now}b, %{count} : index",
             f"  scf.condition(%{goes}) {listed([*before, now + 'b'])} : "
             f"{types}", "} do {", f"^bb0({arguments}):", *body.indented(),
             f"  %{next_} = arith.addi %{now}, %{step} : index",
             f"  scf.yield {listed([*yielded, next_])} : {types}", "}"])
        # The counter is a result too.
        self.add_many(block, values, kinds, text, run, hidden=1)

    # Functions.

    def make_call(self, block, values):
        require(self.depth < 2)
        arguments = [self.pick_any(block)
                     for _ in range(self.rng.integers(1, 4))]
        for kind in ("flag", "index"):
            if kind in block.scope.values():
                arguments.append(self.pick(block, kind))
        kinds = [block.scope[name] for name in arguments]
        self.depth += 1
        given = [values[name] for name in arguments]
        name = f"{self.name}_{self.new()}"
        function, results = self.function(name, "private ", kinds, given,
                                          self.rng.integers(1, 4))
        self.depth -= 1
        self.functions.append(function.text)
        text = (f"func.call @{name}({listed(arguments)}) : "
                f"({types_of(kinds)}) -> ({types_of(results)})")

        def run(values):
            return function.run([values[name] for name in arguments])

        for _ in range(self.rng.integers(1, 3)):
            self.add_many(block, values, results, text, run)

    def function(self, name, visibility, kinds, given, count):
        """A function, and the types of its results."""
        names = [self.new() for _ in kinds]
        block = Block(dict(zip(names, kinds)))
        values = dict(zip(names, given))
        form = self.rng.choice((make_straight, make_branch, make_cf_loop),
                               p=(0.5, 0.25, 0.25))
        return form(self, name, visibility, block, values, names, count)

    def results(self, block):
        """Names to return: often one twice, or two that are related."""
        names = [self.pick_any(block)
                 for _ in range(self.rng.integers(1, 6))]
        if self.rng.random() < 0.3:
            names.append(names[0])
        return names


@dataclass
class Function:
    """Its text, and what runs it on arguments."""
    text: str
    run: callable


def finish(name, visibility, block, names, kinds, run, lines):
    arguments = ", ".join(f"%{a}: {TYPES[block.scope[a]]}" for a in names)
    text = "\n".join(
        [f"func.func {visibility}@{name}({arguments}) -> "
         f"({types_of(kinds)}) {{", *lines, "}", ""])
    return Function(text, run), kinds


def make_straight(generator, name, visibility, block, values, names, count):
    """One block."""
    arguments = list(names)
    generator.fill(block, values, count)
    results = generator.results(block)
    kinds = [block.scope[result] for result in results]

    def run(given):
        local = dict(zip(arguments, given))
        block.run(local)
        return [local[result] for result in results]

    lines = [*block.indented(),
             f"  return {listed(results)} : {types_of(kinds)}"]
    return finish(name, visibility, block, names, kinds, run, lines)


def make_branch(generator, name, visibility, block, values, names, count):
    """cf.cond_br to two blocks, which go on to a third with what they made."""
    generator.fill(block, values, count // 2)
    flag = generator.pick(block, "flag")
    kinds = generator.kinds()
    sides = [generator.region(block, values, kinds, count // 2)
             for _ in range(2)]
    joined = [generator.new() for _ in kinds]
    end = Block({**block.scope, **dict(zip(joined, kinds))})
    inner, picked = sides[0 if values[flag] else 1]
    inner.run(values)
    values.update(zip(joined, [values[name] for name in picked]))
    generator.fill(end, values, count // 2)
    results = generator.results(end)
    types = [end.scope[result] for result in results]

    def run(given):
        local = dict(zip(names, given))
        block.run(local)
        inner, picked = sides[0 if local[flag] else 1]
        inner.run(local)
        local.update(zip(joined, [local[name] for name in picked]))
        end.run(local)
        return [local[result] for result in results]

    lines = [*block.indented(), f"  cf.cond_br %{flag}, ^side0, ^side1"]
    for i, (inner, picked) in enumerate(sides):
        lines += [f"^side{i}:", *inner.indented(),
                  f"  cf.br ^end({listed(picked)} : {types_of(kinds)})"]
    arguments = ", ".join(f"%{a}: {TYPES[kind]}"
                          for a, kind in zip(joined, kinds))
    lines += [f"^end({arguments}):", *end.indented(),
              f"  return {listed(results)} : {types_of(types)}"]
    return finish(name, visibility, block, names, types, run, lines)


def make_cf_loop(generator, name, visibility, block, values, names, count):
    """A loop of blocks that carries tensors."""
    generator.fill(block, values, count // 2)
    times, kinds, init, carried, body, yielded, run_loop = \
        generator.loop(block, values)
    values.update(zip(carried, run_loop(values)))
    end = Block({**block.scope, **dict(zip(carried, kinds))})
    generator.fill(end, values, count // 2)
    results = generator.results(end)
    types = [end.scope[result] for result in results]

    def run(given):
        local = dict(zip(names, given))
        block.run(local)
        local.update(zip(carried, run_loop(local)))
        end.run(local)
        return [local[result] for result in results]

    all_kinds = types_of(["index", *kinds])
    arguments = ", ".join(f"%{a}: {TYPES[kind]}" for a, kind in
                          zip(["i", *carried], ["index", *kinds]))
    lines = [*block.indented(), "  %zero = arith.constant 0 : index",
             "  %one = arith.constant 1 : index",
             f"  cf.br ^head({listed(['zero', *init])} : {all_kinds})",
             f"^head({arguments}):",
             f"  %goes = arith.cmpi ult, %i, %{times} : index",
             "  cf.cond_br %goes, ^body, ^end", "^body:", *body.indented(),
             "  %next = arith.addi %i, %one : index",
             f"  cf.br ^head({listed(['next', *yielded])} : {all_kinds})",
             "^end:", *end.indented(),
             f"  return {listed(results)} : {types_of(types)}"]
    return finish(name, visibility, block, names, types, run, lines)


#===----------------------------------------------------------------------===#
# Programs
#===----------------------------------------------------------------------===#

@dataclass
class Program:
    """A public function @p<seed> with what it calls, its arguments and what it
    returns."""
    seed: int
    text: str
    arguments: list
    kinds: list
    results: list
    result_kinds: list

    @property
    def name(self):
        return f"p{self.seed}"


def make_program(seed):
    """The program of a seed."""
    for attempt in range(100):
        generator = Generator(seed)
        rng = generator.rng = np.random.default_rng((seed, attempt))
        kinds = ["flag", "flag", "index", "sparse", "sparse", "bytes",
                 "bytes", "words", "words", "line"]
        kinds = [*kinds, *rng.choice(TENSORS, rng.integers(3))]
        kinds = [str(kind) for kind in rng.permutation(kinds)]
        arguments = [random_value(rng, kind) for kind in kinds]
        try:
            function, results = generator.function(
                generator.name, "", kinds, arguments, rng.integers(3, 9))
            values = function.run(arguments)
        except Mismatch:
            continue
        return Program(seed, "".join([function.text, *generator.functions]),
                       arguments, kinds, values, [str(k) for k in results])
    raise ValueError(f"no program of seed {seed}")


if __name__ == "__main__":
    import sys
    for argument in sys.argv[1:]:
        print(make_program(int(argument)).text)
