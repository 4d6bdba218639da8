#===- kernel_cases.py - Products that cover the kernel generator -----------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# For compare-kernels.py. Schedules are kept as fields and spelled for each
# compiler, as their names in IR may differ between the two.
#
#===------------------------------------------------------------------------===#
"""Products for compare-kernels.py, and how schedules are spelled."""

import csv
import itertools
import re
from pathlib import Path
from typing import NamedTuple, Optional

SOURCE_DIR = Path(__file__).resolve().parent.parent
CHIPS = ("sm_80", "sm_90")
VECTORS = (1, 2, 4, 8, 16)
SPARSE_BITS = (4, 8, 12, 16)
DENSE_BITS = (4, 8, 16)
# Stationary kernels are made for one K; odd, so that there are tails.
STATIC_INNER = 197

# Operand layouts: words of `#magicube.operand_layout`, the recipe that stood for
# them before there was such an attribute, widths of the sparse and the dense
# operand, the largest V, unsigned operands.
LAYOUTS = (
    ("transposed", "transpose", (8, 12, 16), (4, 8, 16), 16, ""),
    ("transposed", "transpose-nibble", (4,), (4, 8, 16), 16, ""),
    ("transposed,paired", "transpose-paired", (8, 12, 16), (4, 8, 16), 16, ""),
    ("transposed,stored", "transpose-nibble-ordered", (4,), (4, 8, 16), 16, ""),
    ("transposed,digits", "transpose-stacked", (12, 16), (4, 8, 16), 4, "lhs"),
    ("interleaved", "interleave", (8, 12, 16), (4, 8), 4, ""),
    ("interleaved", "interleave-nibble", (4,), (4, 8), 4, ""),
    ("interleaved,paired", "interleave-paired", (12, 16), (4, 8), 4, ""),
    ("interleaved,paired,digits", "interleave-stacked", (12, 16), (4, 8), 2,
     "lhs"),
    ("raw", "digits", (8, 12, 16), (16,), 16, ""),
    ("raw", "digits-nibble", (4,), (16,), 16, ""),
    ("raw,digits", "digits-stacked", (8, 12, 16), (16,), 4, "rhs"),
    ("spread", "int4-spread", (8, 12, 16), (4,), 16, ""),
    ("spread", "int4-spread-nibble", (4,), (4,), 16, ""),
    ("merged", "int4-merge", (8, 12, 16), (4,), 16, ""),
    ("merged", "int4-merge-nibble", (4,), (4,), 16, ""),
    ("merged,stored", "int4-merge-ordered", (4,), (4,), 16, ""),
)
INT4_FORMS = ("spread", "merged")


class Schedule(NamedTuple):
    """`#magicube.schedule`, by its newest names. Placement: gathered,
    stationary, stationary_k_tiles."""
    placement: str
    tile_n: int
    warps: int
    # Gathered: tiles in the ring. Else steps in registers.
    stages: int
    # Words of LAYOUTS.
    layout: str = "transposed"
    shared: str = "conflict_free"
    num_ctas: int = 0
    rows_per_cta: int = 0
    # Of K-tiles.
    smem_stages: int = 1


class Case(NamedTuple):
    """A product to compile. Extents and types are those of IR."""
    name: str
    vector: int
    lhs: int = 8
    rhs: int = 8
    # Further parameters of the encoding.
    encoding: str = ""
    extents: tuple = ("?", "?", "?")
    schedule: Optional[Schedule] = None
    attributes: str = ""
    # Result type, operands of the epilogue with their types.
    result: str = "i32"
    operands: str = ""
    types: tuple = ()
    pattern: str = ""
    chips: tuple = CHIPS

    def text(self, spell):
        """IR of the product for the compiler that spells schedules so."""
        m, k, n = self.extents
        attributes = [self.attributes] if self.attributes else []
        if self.schedule:
            attributes.append("schedule = " + spell(self.schedule, self.lhs))
        encoding = f"vector = {self.vector}"
        if self.encoding:
            encoding += f", {self.encoding}"
        operands = {f"%x{i}": x for i, x in enumerate(self.types)}
        types = [f"tensor<{m}x{k}xi{self.lhs}, #w>",
                 f"tensor<{k}x{n}xi{self.rhs}>", *operands.values()]
        result = f"tensor<{m}x{n}x{self.result}>"
        arguments = zip(["%a", "%b", *operands], types)
        return (f"#w = #magicube.sr_bcrs<{encoding}>\n"
                f"func.func @f({', '.join(': '.join(x) for x in arguments)}) "
                f"-> {result} {{\n"
                f"  %c = magicube.spmm %a, %b {self.operands} "
                f"{{{', '.join(attributes)}}} : ({', '.join(types)}) "
                f"-> {result}\n  return %c : {result}\n}}\n")


class SampledCase(NamedTuple):
    """A sampled product to compile."""
    name: str
    vector: int
    lhs: int = 8
    rhs: int = 8
    encoding: str = ""
    inner: str = "?"
    attributes: str = ""
    chips: tuple = CHIPS
    pattern: str = ""

    def text(self, spell):
        """IR of the product; it has no schedule to spell."""
        del spell
        encoding = f"vector = {self.vector}"
        if self.encoding:
            encoding += f", {self.encoding}"
        types = [f"tensor<?x{self.inner}xi{self.lhs}>",
                 f"tensor<?x{self.inner}xi{self.rhs}>", "tensor<?x?xi1, #w>"]
        arguments = zip(("%a", "%b", "%p"), types)
        result = "tensor<?x?xi32, #w>"
        return (f"#w = #magicube.sr_bcrs<{encoding}>\n"
                f"func.func @f({', '.join(': '.join(x) for x in arguments)}) "
                f"-> {result} {{\n"
                f"  %c = magicube.sddmm %a, %b, %p {{{self.attributes}}} "
                f": ({', '.join(types)}) -> {result}\n"
                f"  return %c : {result}\n}}\n")


def spell_recipes(schedule, lhs_bits):
    """As up to commit 0dde14e: one attribute for all placements, recipes."""
    recipe = next(row[1] for row in LAYOUTS if row[0] == schedule.layout
                  and lhs_bits in row[2])
    fields = [f"tile_n = {schedule.tile_n}", f"warps = {schedule.warps}",
              f"stages = {schedule.stages}", f'recipe = "{recipe}"',
              f"shared = {schedule.shared}"]
    if schedule.placement != "gathered":
        fields.append("rhs = resident")
    if schedule.num_ctas:
        fields.append(f"blocks = {schedule.num_ctas}")
    if schedule.rows_per_cta:
        fields += [f"rows = {schedule.rows_per_cta}",
                   f"buffers = {schedule.smem_stages}"]
    return f"#magicube.schedule<{', '.join(fields)}>"


def spell_layout(words):
    """The attribute of words such as "interleaved,paired"."""
    form, *others = words.split(",")
    fields = [f"form = {form}"]
    for word in others:
        name = "idle_columns" if word == "digits" else "order"
        fields.append(f"{name} = {word}")
    return f"<{', '.join(fields)}>"


def spell_layouts(schedule, lhs_bits):
    """Recipes replaced by operand layouts."""
    return re.sub(r'recipe = "[\w-]*"',
                  f"layout = {spell_layout(schedule.layout)}",
                  spell_recipes(schedule, lhs_bits))


def spell_variants(schedule, lhs_bits=None):
    """A variant per placement. The test programs spell theirs so, too."""
    del lhs_bits
    if schedule.placement == "gathered":
        fields = [f"smem_stages = {schedule.stages}"]
    elif schedule.placement == "stationary":
        fields = [f"prefetch_stages = {schedule.stages}",
                  f"num_ctas = {schedule.num_ctas}"]
    else:
        fields = [f"prefetch_stages = {schedule.stages}",
                  f"rows_per_cta = {schedule.rows_per_cta}",
                  f"smem_stages = {schedule.smem_stages}"]
    return (f"#magicube.schedule<tile_n = {schedule.tile_n}, warps = "
            f"{schedule.warps}, layout = {spell_layout(schedule.layout)}, "
            f"shared = {schedule.shared}, placement = "
            f"#magicube.{schedule.placement}<{', '.join(fields)}>>")


# The newest first.
SPELLINGS = (spell_variants, spell_layouts, spell_recipes)


def signs(unsigned):
    return f"unsigned_{unsigned}" if unsigned else ""


def cross(*axes):
    return itertools.product(*axes)


def chosen():
    """Every pair of widths and V with the compiler's own schedule: all sizes
    known at run time only; then what it takes for stationary operands."""
    for lhs, rhs, v in cross(SPARSE_BITS, DENSE_BITS, VECTORS):
        yield Case(f"chosen/L{lhs}-R{rhs}-V{v}", v, lhs, rhs)
        yield Case(f"static/L{lhs}-R{rhs}-V{v}", v, lhs, rhs,
                   "order = bank_aware, index = u16", (2048, 2304, 512),
                   pattern="random:2048x2304@0.3")


def stationary():
    """Every pair of widths and V with stationary operands, shapes in turns."""
    shapes = itertools.cycle((
        Schedule("stationary", 64, 16, 4, num_ctas=132),
        Schedule("stationary", 32, 32, 2, num_ctas=264),
        Schedule("stationary", 96, 4, 3, shared="padded", num_ctas=5),
        Schedule("stationary", 32, 8, 1, shared="plain", num_ctas=2)))
    k_tiles = itertools.cycle((
        (80, Schedule("stationary_k_tiles", 32, 32, 4, rows_per_cta=3,
                      smem_stages=2)),
        (50, Schedule("stationary_k_tiles", 64, 4, 2, rows_per_cta=15)),
        (64, Schedule("stationary_k_tiles", 64, 8, 3, rows_per_cta=9,
                      smem_stages=3))))
    extents = ("?", STATIC_INNER, "?")
    for lhs, rhs, v in cross(SPARSE_BITS, DENSE_BITS, VECTORS):
        yield Case(f"stationary/L{lhs}-R{rhs}-V{v}", v, lhs, rhs, "", extents,
                   next(shapes))
        slab, schedule = next(k_tiles)
        yield Case(f"k_tiles/L{lhs}-R{rhs}-V{v}", v, lhs, rhs, f"slab = {slab}",
                   extents, schedule)


def layouts():
    """Every operand layout with every pair that it takes, gathered; some
    stationary."""
    for words, _, sparse, dense, most, unsigned in LAYOUTS:
        is_int4 = words.split(",")[0] in INT4_FORMS
        for lhs, rhs in cross(sparse, dense):
            for v in {2: (1, 2), 4: (2, 4), 16: (4, 8, 16)}[most]:
                name = f"{words.replace(',', '_')}/L{lhs}-R{rhs}-V{v}"
                attributes = signs(unsigned)
                if is_int4:
                    attributes = "compute = i4"
                tile = 1024 // rhs
                yield Case(f"layout/{name}", v, lhs, rhs,
                           schedule=Schedule("gathered", tile, 2, 2, words),
                           attributes=attributes,
                           chips=("sm_80",) if is_int4 else CHIPS)
                if not is_int4 and v in (2, 8):
                    yield Case(f"layout_stationary/{name}", v, lhs, rhs,
                               "index = u16", ("?", STATIC_INNER, "?"),
                               Schedule("stationary", 512 // rhs, 8, 2, words,
                                        num_ctas=7), attributes)


def variants():
    """Signs, parameters of the encoding, stages, forms of shared memory."""
    for v in VECTORS:
        for sign in ("unsigned_lhs", "unsigned_rhs",
                     "unsigned_lhs, unsigned_rhs"):
            yield Case(f"variant/{sign}-V{v}", v, attributes=sign)
        for encoding in ("index = u16", "order = bank_aware", "slab = 48",
                         "stride = 8", "stride = 16", "stride = 64"):
            # K-tiles are of a static K.
            inner = STATIC_INNER if "slab" in encoding else "?"
            yield Case(f"variant/{encoding}-V{v}", v, encoding=encoding,
                       extents=("?", inner, "?"))
        yield Case(f"variant/sum-V{v}", v, operands="outs(%x0)",
                   types=("tensor<?x?xi32>",))
    for lhs, rhs in cross((4, 12, 16), DENSE_BITS):
        for sign in ("unsigned_lhs", "unsigned_rhs",
                     "unsigned_lhs, unsigned_rhs"):
            for v in (2, 8):
                yield Case(f"signs/{sign}/L{lhs}-R{rhs}-V{v}", v, lhs, rhs,
                           attributes=sign)
    for stages, shared, warps in cross((1, 2, 3, 6), ("padded", "plain",
                                       "conflict_free"), (1, 4)):
        yield Case(f"ring/{stages}-{shared}-{warps}", 8,
                   schedule=Schedule("gathered", 64, warps, stages,
                                     shared=shared))
    for stride, stages in cross((32, 64), (1, 4)):
        yield Case(f"registers/{stride}-{stages}", 8,
                   encoding=f"stride = {stride}", extents=("?", 4096, "?"),
                   schedule=Schedule("stationary", 32, 32, stages,
                                     num_ctas=132))


# Operands and types of epilogues, result, attributes. Extents ? only.
EPILOGUES = {
    "integers": ("sum_bias(%x0)", ("tensor<1x?xi32>",), "i32", ""),
    "rows": ("sum_bias(%x0)", ("tensor<?x1xi32>",), "i32", ""),
    "halves": ("scale(%x0, %x1) bias(%x2)",
               ("f32", "tensor<1x?xf32>", "tensor<?x1xf32>"), "f16",
               "activation = #magicube.activation<gelu>"),
    "brains": ("scale(%x0)", ("tensor<?x1xf32>",), "bf16",
               "activation = #magicube.activation<relu>"),
    "floats": ("scale(%x0) bias(%x1)", ("tensor<?x1xf32>", "tensor<1x?xf32>"),
               "f32", ""),
    "bytes": ("sum_bias(%x0) scale(%x1)", ("tensor<1x?xi32>", "f32"), "i8",
              "unsigned_result"),
    "nibbles": ("scale(%x0)", ("f32",), "i4", ""),
}


def epilogues():
    placements = (
        ("gathered", ("?", "?", "?"), "", None),
        ("stationary", ("?", STATIC_INNER, "?"), "",
         Schedule("stationary", 64, 16, 4, num_ctas=132)),
        ("k_tiles", ("?", STATIC_INNER, "?"), "slab = 80",
         Schedule("stationary_k_tiles", 64, 8, 4, rows_per_cta=3)))
    for name, (operands, types, result, attributes) in EPILOGUES.items():
        for (placement, extents, encoding, schedule), v in cross(placements,
                                                                 (2, 8, 16)):
            yield Case(f"epilogue/{name}/{placement}-V{v}", v, 8, 8, encoding,
                       extents, schedule, attributes, result, operands, types)
        yield Case(f"epilogue/{name}/L4-R4", 4, 4, 4, "", ("?", "?", "?"), None,
                   attributes, result, operands, types)
    for v in (2, 8):
        yield Case(f"epilogue/float_sums-V{v}", v, 16, 16, result="f32",
                   attributes="accumulate = f32")


# Shapes of the cases of benchmarks/cases.py.
BENCHMARK_SHAPES = (
    (2048, 2304, 512, 0.5), (2048, 2304, 512, 0.02), (4096, 4096, 4096, 0.1),
    (4096, 4096, 16, 0.5), (4096, 14336, 256, 0.3), (16384, 16384, 16, 0.1))


def benchmarks():
    """bundles.tsv; where the compiler selects the schedule, for some shapes."""
    with open(SOURCE_DIR / "benchmarks" / "bundles.tsv") as file:
        rows = list(csv.reader((x for x in file if x.strip() and x[0] != "#"),
                               delimiter="\t"))
    for name, encoding, schedule, *_ in rows:
        vector, _, rest = encoding.partition(", ")
        vector = int(vector.rpartition(" ")[2])
        if schedule != "-":
            fields = dict(re.findall(r"(\w+) = (\w+)", schedule))
            stages = fields["smem_stages"]
            yield Case(f"bundle/{name}", vector, encoding=rest,
                       schedule=Schedule("gathered", int(fields["tile_n"]),
                                         int(fields["warps"]), int(stages)))
            continue
        for m, k, n, density in BENCHMARK_SHAPES:
            yield Case(f"bundle/{name}/{m}x{k}x{n}@{density}", vector,
                       encoding=rest, extents=("?", k, n),
                       pattern=f"random:{m}x{k}@{density}")


def sampled():
    """Sampled products: every pair of widths and V, K known or not; signs."""
    for lhs, rhs, v in cross(DENSE_BITS, DENSE_BITS, VECTORS):
        yield SampledCase(f"sampled/L{lhs}-R{rhs}-V{v}", v, lhs, rhs)
        yield SampledCase(f"sampled_static/L{lhs}-R{rhs}-V{v}", v, lhs, rhs,
                          "stride = 8, index = u16", "256")
        yield SampledCase(f"sampled_signs/L{lhs}-R{rhs}-V{v}", v, lhs, rhs,
                          inner=str(STATIC_INNER), attributes="unsigned_rhs")


# Groups whose kernels hardly depend on the chip get one of them, in turns.
ONE_CHIP = ("static", "stationary", "k_tiles", "layout", "layout_stationary",
            "variant", "signs", "ring", "registers", "epilogue",
            "sampled_static", "sampled_signs")


def all_cases():
    """Pairs of a case and a chip."""
    turns = itertools.count()
    for case in (*benchmarks(), *chosen(), *stationary(), *layouts(),
                 *variants(), *epilogues(), *sampled()):
        chips = case.chips
        if case.name.split("/")[0] in ONE_CHIP:
            chips = (chips[next(turns) % len(chips)],)
        for chip in chips:
            yield case, chip


def quick_cases():
    """A sample in which every group is."""
    groups = {}
    for case, chip in all_cases():
        groups.setdefault(case.name.split("/")[0], []).append((case, chip))
    # An odd stride meets all widths, vectors and chips.
    return [item for group in groups.values()
            for item in group[1::max(1, len(group) // 2 | 1)]]
