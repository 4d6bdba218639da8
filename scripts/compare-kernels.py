#!/usr/bin/env python3
#===- compare-kernels.py - Whether two compilers make the same kernels -----===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: compare-kernels.py OLD_BUILD NEW_BUILD [--quick] [--keep=DIR] [--sass]
#                           [--filter=REGEX] [--jobs=N]
# The guard of refactorings. Compiles the products of kernel_cases.py with the
# magicube-compile of two build folders and compares the PTX of every kernel,
# without names, registers, labels and comments. Exit status: 0 all equal, 1
# some changed, 2 it could not be found out.
#
#===------------------------------------------------------------------------===#
"""Compare the kernels that two builds of the compiler make."""

import argparse
import collections
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kernel_cases

SOURCE_DIR = Path(__file__).resolve().parent.parent
# Any product; tells which spelling of schedules a compiler reads.
PROBE = kernel_cases.Case("probe", 8, schedule=kernel_cases.Schedule(
    "gathered", 64, 2, 2))
# How many changed kernels are named.
SHOWN = 20


class Compiler:
    """The compiler of one build folder, copied to `place` with its libraries:
    the folder may be rebuilt meanwhile, and it may be a copy itself, with an
    rpath that leads elsewhere."""

    def __init__(self, build, place, keep):
        source = build / "bin" / "magicube-compile"
        if not source.exists():
            sys.exit(f"error: no {source}: build it first")
        place.mkdir()
        digest = hashlib.sha256()
        for file in (source, *sorted((build / "lib").glob("libmagicube*.so"))):
            shutil.copy(file, place)
            digest.update((place / file.name).read_bytes())
        self.binary = place / source.name
        path = [str(place), os.environ.get("LD_LIBRARY_PATH", "")]
        self.env = dict(os.environ, LD_LIBRARY_PATH=":".join(filter(None, path)))
        self.cache = keep / digest.hexdigest()[:16] if keep else None
        if self.cache:
            self.cache.mkdir(parents=True, exist_ok=True)
        self.spell = self.find_spelling()

    def run(self, text, chip, *options):
        return subprocess.run([self.binary, "-", f"--chip={chip}", *options],
                              input=text, capture_output=True, text=True,
                              env=self.env, check=False)

    def find_spelling(self):
        for spell in kernel_cases.SPELLINGS:
            process = self.run(PROBE.text(spell), "sm_80", "--emit=mlir",
                               "--stop-after=schedule")
            if process.returncode == 0:
                return spell
        sys.exit(f"error: {self.binary} reads no known spelling of schedules; "
                 f"add it to kernel_cases.py. It says: {process.stderr}")

    def ptx(self, case, chip):
        """PTX of a case, or "" and the compiler's message."""
        text = case.text(self.spell)
        options = [f"--pattern={case.pattern}"] if case.pattern else []
        kept = None
        if self.cache:
            key = hashlib.sha256("\n".join([text, chip, *options]).encode())
            kept = self.cache / f"{key.hexdigest()[:24]}.ptx"
            if kept.exists():
                return kept.read_text(), ""
        process = self.run(text, chip, "--emit=ptx", *options)
        if process.returncode:
            return "", process.stderr.strip() or f"rc {process.returncode}"
        if kept:
            # Other runs may write the same file.
            with tempfile.NamedTemporaryFile("w", dir=self.cache,
                                             delete=False) as file:
                file.write(process.stdout)
            os.replace(file.name, kept)
        return process.stdout, ""


REGISTER = re.compile(r"%(rd|rs|rq|fd|p|r|f|h|b)(\d+)\b")
LABEL = re.compile(r"\$L_*\w+")
DECLARED = re.compile(r"^\.(?:visible |extern |weak )*\.?(?:entry|func|global"
                      r"|shared|const).*?([\w$]+)(?:\[\w*\])?[ (;=]*$")
ENTRY = re.compile(r"\.entry (\w+)")


def normalize(lines):
    """PTX of one kernel without what a refactoring may change freely."""
    names = {}

    def rename(kind):
        return lambda match: names.setdefault(
            match[0], f"{kind(match)}{len(names)}")

    result = []
    for line in lines:
        line = " ".join(line.split("//")[0].split())
        if not line or line.startswith((".reg", ".loc", ".file")):
            continue
        line = REGISTER.sub(rename(lambda match: f"%{match[1]}_"), line)
        result.append(LABEL.sub(rename(lambda match: "$"), line))
    return "\n".join(result)


def get_kernels(ptx):
    """Normalized text of every kernel by its name; the module's declarations
    belong to each."""
    head, kernels, name = [], {}, None
    for line in ptx.splitlines():
        entry = ENTRY.search(line)
        if entry:
            name = entry[1]
            kernels[name] = []
        if name:
            kernels[name].append(re.sub(rf"\b{name}(?=\b|_param)", "K", line))
            if line.startswith("}"):
                name = None
        elif not line.strip().startswith("//"):
            head.append(line)
    shared = [line for line in head if line.startswith((".version", ".target",
                                                        ".address_size"))]
    symbols = [match[1] for line in head if (match := DECLARED.match(line))]
    shared += [line for line in head if DECLARED.match(line)]
    result = {}
    for name, lines in kernels.items():
        text = "\n".join(shared + lines)
        for i, symbol in enumerate(symbols):
            text = re.sub(rf"\b{re.escape(symbol)}\b", f"S{i}", text)
        result[name] = normalize(text.splitlines())
    return result


class Comparison:
    """A case on a chip: what both compilers make of it."""

    def __init__(self, case, chip, old, new):
        self.name = f"{case.name} {chip}"
        self.case, self.chip = case, chip
        (self.old_ptx, self.old_error) = old.ptx(case, chip)
        (self.new_ptx, self.new_error) = new.ptx(case, chip)
        self.is_refused = bool(self.old_error and self.new_error)
        old_kernels = get_kernels(self.old_ptx)
        new_kernels = get_kernels(self.new_ptx)
        # By place: names may change.
        pairs = zip(old_kernels.items(), new_kernels.items())
        self.changed = [(a[0], b[0]) for a, b in pairs if a[1] != b[1]]
        self.kernels = max(len(old_kernels), len(new_kernels))
        # Kernels that only one of them makes.
        self.unpaired = abs(len(old_kernels) - len(new_kernels))

    @property
    def differs(self):
        return bool(self.changed or self.unpaired)


def find_tool(name):
    process = subprocess.run([SOURCE_DIR / "scripts" / "find-cuda-tool.sh", name],
                             stdout=subprocess.PIPE, text=True, check=False)
    if process.returncode:
        sys.exit(f"error: --sass needs {name}: run scripts/setup.sh --cuda")
    return process.stdout.strip()


def get_histograms(ptx, chip):
    """Opcodes of each kernel as ptxas compiles it."""
    with tempfile.TemporaryDirectory() as directory:
        source, cubin = Path(directory, "f.ptx"), Path(directory, "f.cubin")
        source.write_text(ptx)
        subprocess.run([find_tool("ptxas"), f"-arch={chip}", source, "-o", cubin],
                       check=True)
        sass = subprocess.run([find_tool("nvdisasm"), "-c", cubin], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
    histograms, kernel = {}, None
    for line in sass.splitlines():
        section = re.match(r"\.text\.(\w+):", line)
        if section:
            kernel = histograms.setdefault(section[1], collections.Counter())
        code = re.search(r"\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w]*)[\w.]*.*;", line)
        if code and kernel is not None and "@!PT" not in line:
            kernel[code[1]] += 1
    return histograms


def print_sass(comparison):
    old = get_histograms(comparison.old_ptx, comparison.chip)
    new = get_histograms(comparison.new_ptx, comparison.chip)
    for old_name, new_name in comparison.changed:
        a, b = old[old_name], new[new_name]
        print(f"  {new_name}: {sum(a.values())} -> {sum(b.values())} "
              "instructions")
        for opcode in sorted(set(a) | set(b)):
            if a[opcode] != b[opcode]:
                print(f"    {opcode:12} {a[opcode]:6} {b[opcode]:6} "
                      f"{b[opcode] - a[opcode]:+6}")


def write_changed(comparison, directory):
    """Normalized PTX of both, for diff."""
    place = directory / "changed" / re.sub(r"\W+", "_", comparison.name)
    place.mkdir(parents=True, exist_ok=True)
    for side, ptx in (("old", comparison.old_ptx), ("new", comparison.new_ptx)):
        kernels = get_kernels(ptx)
        (place / f"{side}.ptx").write_text("\n\n".join(kernels.values()))


def report(comparisons, args):
    """Prints what came out; the exit status."""
    changed = [x for x in comparisons if x.differs]
    refused = [x for x in comparisons if x.is_refused]
    for comparison in changed[:SHOWN]:
        what = ", ".join(new for _, new in comparison.changed)
        if comparison.unpaired:
            error = comparison.old_error or comparison.new_error
            what += f" {comparison.unpaired} kernels on one side {error}"
        print(f"changed: {comparison.name}: {what}")
        if args.sass:
            print_sass(comparison)
    if len(changed) > SHOWN:
        print(f"and {len(changed) - SHOWN} more; --filter shows them")
    for comparison in refused[:SHOWN if args.verbose else 0]:
        print(f"refused: {comparison.name}: {comparison.new_error}")
    if args.keep:
        for comparison in changed:
            write_changed(comparison, args.keep)
    kernels = sum(x.kernels for x in comparisons)
    different = sum(len(x.changed) + x.unpaired for x in comparisons)
    print(f"{len(comparisons)} products, {kernels} kernels: "
          f"{kernels - different} equal, {different} changed; {len(refused)} "
          "products refused by both")
    if not kernels:
        return 2
    return 1 if different else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, metavar="OLD_BUILD")
    parser.add_argument("new", type=Path, metavar="NEW_BUILD")
    parser.add_argument("--quick", action="store_true", help="a sample")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="folder for "
                        "PTX: a compiler that has not changed is not run again; "
                        "DIR/changed has both forms of what changed")
    parser.add_argument("--sass", action="store_true", help="print opcodes of "
                        "changed kernels whose numbers differ (needs ptxas)")
    parser.add_argument("--filter", default="", metavar="REGEX",
                        help="only products whose name and chip match")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true",
                        help="name the products that both refuse, and why")
    return parser.parse_args()


def main():
    args = parse_arguments()
    cases = (kernel_cases.quick_cases() if args.quick
             else kernel_cases.all_cases())
    work = [(case, chip) for case, chip in cases
            if re.search(args.filter, f"{case.name} {chip}")]
    with tempfile.TemporaryDirectory() as place, \
            ThreadPoolExecutor(args.jobs) as pool:
        old = Compiler(args.old, Path(place, "old"), args.keep)
        new = Compiler(args.new, Path(place, "new"), args.keep)
        comparisons = list(pool.map(
            lambda item: Comparison(*item, old, new), work))
    return report(comparisons, args)


if __name__ == "__main__":
    sys.exit(main())
