#===- test_manifests.py - Bundles that contradict themselves ---------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The runtime's part is in test/unit/Runtime/ManifestMutationTest.cpp; here
# magicube-launch makes arguments, memory and the reference by what a manifest
# says of types and roles.
#
#===----------------------------------------------------------------------===#
"""magicube-launch on compiled bundles with wrong fields in the manifest."""

import copy
import json

import pytest

import tools

INPUTS = tools.SOURCE_DIR / "test" / "Tools" / "magicube-launch" / "Inputs"

# Name: file and function, arguments.
PRODUCTS = {
    "add": ("products.mlir",
            ["random:32x33", "random:32x96@0.5", "random:96x33"]),
    "halves": ("epilogues.mlir",
               ["random:64x1", "random:96x33", "random:1x33", "0.001",
                "random:64x96@0.3"]),
    "sums": ("sddmm.mlir",
             ["random:32x33", "random:96x33", "random:32x96@0.5"]),
    "masked": ("softmax.mlir", ["random:32x96@1", "random:32x96@1"]),
}
# What a kernel reads and writes is in its plan; these say what is copied.
FIELDS = ("arguments", "results", "operands", "reference")
VALUES = (None, True, -1, 0, 1, 2, 3, 33, 2**31 - 1, 2**31, 2**63 - 1, 0.5, "",
          "i1", "i4", "u8", "i16", "i32", "f16", "f32", "bf16", "gelu", "lhs",
          [], {})


def read(path):
    """The manifest of a bundle, and its images."""
    content = path.read_bytes()
    header, rest = content.split(b"\n", 1)
    length = int(header.split()[-1])
    start = -(-(len(header) + 1 + length) // 16) * 16
    return json.loads(rest[:length]), content[start:]


def write(path, manifest, images):
    """A bundle with another manifest."""
    text = json.dumps(manifest).encode()
    head = b"magicube-bundle 2 %d\n" % len(text) + text
    path.write_bytes(head + bytes(-len(head) % 16) + images)


def places(value, path=()):
    """Paths to all values of a document."""
    yield path
    items = (value.items() if isinstance(value, dict)
             else enumerate(value) if isinstance(value, list) else ())
    for key, item in items:
        yield from places(item, (*path, key))


def mutations(manifest):
    """The manifest with each field left out or with another value."""
    for field in FIELDS:
        for path in places(manifest[field], (field,)):
            for value in (*VALUES, "missing"):
                mutated = copy.deepcopy(manifest)
                parent = mutated
                for key in path[:-1]:
                    parent = parent[key]
                if value == "missing":
                    del parent[path[-1]]
                else:
                    parent[path[-1]] = value
                yield mutated


@pytest.mark.parametrize("entry", PRODUCTS)
def test_wrong_fields(tmp_path, entry):
    """An error or the right result, for every field and value."""
    file, arguments = PRODUCTS[entry]
    good = tmp_path / "good.bundle"
    compiled = tools.run_tool(tools.COMPILE, INPUTS / file, f"--entry={entry}",
                              "--chip=sim", "--emit=bundle", "-o", good)
    assert compiled.returncode == 0, compiled.stderr
    manifest, images = read(good)
    text = " ".join(f"--arg={argument}" for argument in arguments)
    lines = [f"good.bundle {text} --check"]
    for number, mutated in enumerate(mutations(manifest)):
        if number % (1 if tools.RUNS_ALL else 17) == 0 and mutated != manifest:
            name = f"{number}.bundle"
            write(tmp_path / name, mutated, images)
            lines.append(f"{name} {text} --check")
    (tmp_path / "cases.txt").write_text("\n".join(lines) + "\n")
    run = tools.run_tool(tools.LAUNCH, "--device=sim", "--cases=cases.txt",
                         cwd=tmp_path)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 1, run.stderr
    assert len(rows) == len(lines), f"ended at {rows[-1:]}: {run.stderr}"
    assert rows[0]["check"] == "exact"
    errors = [row["error"] for row in rows if "error" in row]
    # Some change nothing that matters: an extent that says what is there.
    assert all(errors) and len(errors) > len(rows) / 2
