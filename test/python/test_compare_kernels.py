#===- test_compare_kernels.py - The guard of refactorings ------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# scripts/compare-kernels.py calls kernels equal that differ in names alone, and
# no others; every product of kernel_cases.py is one that can be compiled.
#
#===----------------------------------------------------------------------===#
"""scripts/compare-kernels.py and kernel_cases.py."""

import re
import subprocess
import sys

import pytest

import tools

SCRIPT = tools.SOURCE_DIR / "scripts" / "compare-kernels.py"
sys.path.insert(0, str(SCRIPT.parent))

import kernel_cases  # noqa: E402

# A compiler that edits what the real one makes.
EDITOR = """#!/bin/sh
"{compiler}" "$@" | sed -e '{edit}'
"""


def build_folder(path, edit):
    compiler = path / "bin" / "magicube-compile"
    compiler.parent.mkdir(parents=True)
    (path / "lib").mkdir()
    compiler.write_text(EDITOR.format(compiler=tools.COMPILE, edit=edit))
    compiler.chmod(0o755)
    return path


def compare(*arguments):
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments, "--filter=chosen/L8-R8-V8 sm_80"],
        capture_output=True, text=True, check=False)


@pytest.mark.parametrize("edit", [
    "s/%r\\([0-9]\\)/%r9\\1/g; s/__BB/__X/g; s/spmm_i8/renamed/g",
    "s/smem/memory/; s/\\t/    /g",
])
def test_names_do_not_count(tmp_path, edit):
    done = compare(tools.BUILD_DIR, build_folder(tmp_path / "new", edit))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 products, 3 kernels: 3 equal, 0 changed" in done.stdout


@pytest.mark.parametrize("edit", ["s/mad\\.lo/mad.hi/",
                                  "s/maxntid 64/maxntid 32/"])
def test_code_counts(tmp_path, edit):
    done = compare(tools.BUILD_DIR, build_folder(tmp_path / "new", edit),
                   f"--keep={tmp_path / 'kept'}")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "0 equal, 3 changed" in done.stdout
    kept = list((tmp_path / "kept" / "changed").rglob("*.ptx"))
    assert len(kept) == 2
    assert kept[0].read_text()


def test_missing_build(tmp_path):
    done = compare(tools.BUILD_DIR, tmp_path)
    assert done.returncode != 0
    assert re.search("error: no .*magicube-compile: build it first", done.stderr)


def test_cases_are_named_once():
    names = [(case.name, chip) for case, chip in kernel_cases.all_cases()]
    assert len(set(names)) == len(names)
    assert set(kernel_cases.quick_cases()) <= set(kernel_cases.all_cases())
