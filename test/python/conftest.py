#===- conftest.py - Fixtures of the execution tests ------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Fixtures: runs of SpMM cases, several at a time."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

import spmm
import tools


def pytest_report_header(config):
    level = "all" if tools.RUNS_ALL else "samples"
    return f"magicube: build {tools.BUILD_DIR}, {level}"


def pytest_sessionstart(session):
    for tool in (tools.RUN, tools.COMPILE):
        if not tool.exists():
            pytest.exit(f"no {tool}: run `make build`, or set "
                        "MAGICUBE_BUILD_DIR to a finished build", 1)


@pytest.fixture(scope="session", autouse=True)
def runs_ahead(request, tmp_path_factory):
    """By case, the runs of all selected tests that ask for an outcome.

    They start with the first test, whichever that is, and go on behind the
    others, one a core: the time goes into processes that each use one core.
    """
    cases = [item.callspec.params["case"] for item in request.session.items
             if "outcome" in item.fixturenames]
    root = tmp_path_factory.mktemp("cases")

    def run(index, case):
        directory = root / str(index)
        directory.mkdir()
        return spmm.run_case(case, directory)

    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    yield {case: pool.submit(run, index, case)
           for index, case in enumerate(dict.fromkeys(cases))}
    pool.shutdown(cancel_futures=True)


@pytest.fixture
def outcome(runs_ahead):
    """outcome(case): the process and the result of a case's run."""
    return lambda case: runs_ahead[case].result()
