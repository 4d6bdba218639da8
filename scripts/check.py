#!/usr/bin/env python3
#===- check.py - Runs all tests and adds up their counts -----------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs ctest, lit and pytest on a finished build. The last line of the output
# is "N passed, N failed[, N skipped]" over all of them.
#
#===----------------------------------------------------------------------===#
"""Run the tests of a finished build; see `make check` and `make check-all`."""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

SOURCE_DIR = Path(__file__).resolve().parent.parent

# The release LLVM is not instrumented, so its containers look overflown; and
# undefined behaviour must fail a test, not only print.
SANITIZER_ENV = {
    "ASAN_OPTIONS": "detect_container_overflow=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}


class Counts(NamedTuple):
    """How many tests ended how."""
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def plus(self, other):
        return Counts(*map(sum, zip(self, other)))

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


class Runner(NamedTuple):
    """A command that runs tests and writes a JUnit report."""
    name: str
    command: list
    report: Path
    env: dict = {}


def ctest_runner(name, build_dir, env={}):
    """The unit tests below build_dir; ctest counts executables."""
    report = build_dir / "test-results" / "ctest.xml"
    jobs = len(os.sched_getaffinity(0))
    command = ["ctest", "--test-dir", str(build_dir), "--output-on-failure",
               "-j", str(jobs), "--output-junit", str(report)]
    return Runner(name, command, report, env)


def lit_runner(build_dir):
    """The target knows lit's place and arguments; lit reads LIT_OPTS too."""
    report = build_dir / "test-results" / "lit.xml"
    options = os.environ.get("LIT_OPTS", "")
    command = ["cmake", "--build", str(build_dir),
               "--target", "check-magicube-lit"]
    env = {"LIT_OPTS": f"{options} --xunit-xml-output={report}".strip()}
    return Runner("lit", command, report, env)


def pytest_runner(build_dir):
    """test/python under the environment that setup.sh made, if it did."""
    report = build_dir / "test-results" / "pytest.xml"
    venv_python = SOURCE_DIR / ".venv" / "bin" / "python"
    python = str(venv_python) if venv_python.exists() else "python3"
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider",
               f"--junitxml={report}", str(SOURCE_DIR / "test" / "python")]
    return Runner("pytest", command, report)


def all_runners(build_dir, asan_build_dir):
    """The runners whose tests exist in the source tree."""
    runners = [ctest_runner("ctest", build_dir)]
    if (SOURCE_DIR / "test" / "lit.cfg.py").exists():
        runners.append(lit_runner(build_dir))
    if any((SOURCE_DIR / "test" / "python").rglob("test_*.py")):
        runners.append(pytest_runner(build_dir))
    if asan_build_dir:
        runners.append(
            ctest_runner("ctest (asan)", asan_build_dir, SANITIZER_ENV))
    return runners


def outcome(case):
    """The Counts of one <testcase> element."""
    if case.find("failure") is not None or case.find("error") is not None:
        return Counts(failed=1)
    status = case.get("status")
    skipped = case.find("skipped")
    if skipped is None:
        return Counts(skipped=1) if status == "disabled" else Counts(passed=1)
    # ctest calls a test whose executable is missing "skipped" as well; one
    # that asked to be skipped did so through a property named SKIP_...
    asked = skipped.get("message", "").startswith("SKIP_")
    return Counts(failed=1) if status == "notrun" and not asked else Counts(
        skipped=1)


def read_report(report):
    """Count the test cases of a JUnit report; all three runners write one."""
    total = Counts()
    for case in ElementTree.parse(report).iter("testcase"):
        total = total.plus(outcome(case))
    return total


def common_environment(build_dir):
    """What tests may read besides the caller's environment."""
    env = dict(os.environ, MAGICUBE_BUILD_DIR=str(build_dir))
    found = subprocess.run([SOURCE_DIR / "scripts" / "find-ptxas.sh"],
                           stdout=subprocess.PIPE, text=True, check=False)
    if found.returncode == 0:
        env["MAGICUBE_CUDA_TOOLKIT"] = found.stdout.strip()
    return env


def execute(runner, env):
    """Run one runner. A run without a sound result counts as a failure."""
    print(f"==> {runner.name}", flush=True)
    runner.report.parent.mkdir(parents=True, exist_ok=True)
    runner.report.unlink(missing_ok=True)
    start = time.monotonic()
    try:
        status = subprocess.run(runner.command, env={**env, **runner.env},
                                cwd=SOURCE_DIR, check=False).returncode
        counts = read_report(runner.report)
    except (OSError, ElementTree.ParseError) as error:
        print(f"check.py: error: {runner.name} left no report: {error}")
        return Counts(failed=1)
    if counts.passed + counts.failed == 0:
        print(f"check.py: error: {runner.name} ran no test")
        counts = counts._replace(failed=1)
    elif status != 0 and counts.failed == 0:
        print(f"check.py: error: {runner.name} exited with {status}")
        counts = counts._replace(failed=1)
    print(f"==> {runner.name}: {counts} in {time.monotonic() - start:.1f} s",
          flush=True)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=Path("build"))
    parser.add_argument("--asan-build-dir", type=Path,
                        help="run the unit tests of this build as well")
    args = parser.parse_args()
    build_dir = args.build_dir.resolve()
    asan_build_dir = args.asan_build_dir and args.asan_build_dir.resolve()

    env = common_environment(build_dir)
    total = Counts()
    for runner in all_runners(build_dir, asan_build_dir):
        total = total.plus(execute(runner, env))
    print(total, flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
