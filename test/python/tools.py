#===- tools.py - Running the project's tools ------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Where the build is, how long tests may take, and a tool in a process.
#
#===----------------------------------------------------------------------===#
"""What every test needs: the build, the test level, a tool's run."""

import os
import subprocess
from pathlib import Path

SOURCE_DIR = Path(__file__).resolve().parents[2]
BUILD_DIR = Path(os.environ.get("MAGICUBE_BUILD_DIR", SOURCE_DIR / "build"))
SHARED_DATA = SOURCE_DIR.parent / "shared" / "data"

# `make check-all` sets it; `make check` runs samples of the large sets.
LEVEL = os.environ.get("MAGICUBE_TEST_LEVEL", "samples")
RUNS_ALL = LEVEL == "all"

# A run takes less than a second, the largest matrix some seconds; a test that
# hangs must not hang the suite.
TIMEOUT_S = 300

RUN = BUILD_DIR / "bin" / "magicube-run"
COMPILE = BUILD_DIR / "bin" / "magicube-compile"
LAUNCH = BUILD_DIR / "bin" / "magicube-launch"
PATTERN = BUILD_DIR / "bin" / "magicube-pattern"


def run_tool(tool, *arguments, cwd=None, env=None, **options):
    """The finished process of a tool, its output as text."""
    return subprocess.run([str(tool), *map(os.fspath, arguments)], cwd=cwd,
                          env={**os.environ, **(env or {})},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="surrogateescape",
                          timeout=TIMEOUT_S, check=False, **options)
