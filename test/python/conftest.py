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

# Products that one process compiles and runs: enough that its start does not
# count, few enough to keep all cores busy to the end.
BATCH_CASES = 12
# Of so many cases of a test, `make check-fast` runs one.
FAST_SHARE = 10


def pytest_report_header(config):
    return f"magicube: build {tools.BUILD_DIR}, {tools.LEVEL}"


def pytest_collection_modifyitems(config, items):
    """`make check-fast` runs some cases of each test, always the same ones."""
    if tools.LEVEL != "fast":
        return
    counts, kept, dropped = {}, [], []
    for item in items:
        number = counts.setdefault((item.path, item.originalname), -1) + 1
        counts[item.path, item.originalname] = number
        (dropped if number % FAST_SHARE else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=dropped)


def pytest_sessionstart(session):
    for tool in (tools.RUN, tools.COMPILE):
        if not tool.exists():
            pytest.exit(f"no {tool}: run `make build`, or set "
                        "MAGICUBE_BUILD_DIR to a finished build", 1)


@pytest.fixture(scope="session", autouse=True)
def runs_ahead(request, tmp_path_factory):
    """By case, the runs of all selected tests that ask for an outcome.

    They start with the first test, whichever that is, and go on behind the
    others, one process a core, each of which runs a batch of cases.
    """
    cases = [item.callspec.params["case"] for item in request.session.items
             if "outcome" in item.fixturenames]
    root = tmp_path_factory.mktemp("cases")
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    runs = {}
    for index, batch in enumerate(batches(dict.fromkeys(cases))):
        future = pool.submit(spmm.run_cases, batch,
                             spmm.make_directory(root / str(index)))
        runs.update((case, (future, place))
                    for place, case in enumerate(batch))
    yield runs
    pool.shutdown(cancel_futures=True)


def batches(cases):
    """The cases that can run in one process, at most BATCH_CASES at a time."""
    groups = {}
    for case in cases:
        groups.setdefault(spmm.launch_key(case), []).append(case)
    for group in groups.values():
        for first in range(0, len(group), BATCH_CASES):
            yield group[first:first + BATCH_CASES]


@pytest.fixture
def outcome(runs_ahead):
    """outcome(case): the process and the result of a case's run."""
    def get(case):
        future, place = runs_ahead[case]
        return future.result()[place]

    return get
