#===- timing.py - How long work on the GPU takes ---------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The method of lib/Runtime/CudaTiming.cpp for calls of torch and of libraries
# that take a stream: median of graph replays after warm-up.
#
#===----------------------------------------------------------------------===#
"""Median times of calls, by CUDA graph replay."""

import itertools
import math
import statistics

import torch

# As in CudaTiming.cpp: what a graph should take, and the most launches in it.
GRAPH_US = 1000
MAX_LAUNCHES = 200
# A measurement ends after so many replays, or fewer that take this long.
REPLAYS = 15
MIN_REPLAYS = 3
BUDGET_US = 60000


def elapsed_us(stream, work):
    """Microseconds of the GPU between start and end of `work`."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record(stream)
    work()
    end.record(stream)
    end.synchronize()
    return begin.elapsed_time(end) * 1000


def _launches(rough_us, calls):
    """Launches in a graph: enough, and each call equally often."""
    count = min(max(math.ceil(GRAPH_US / rough_us), 1), MAX_LAUNCHES)
    return math.ceil(count / calls) * calls


def _capture(stream, calls, count):
    """A graph of `count` launches, or None if the calls cannot be recorded."""
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    graph.capture_begin(capture_error_mode="thread_local")
    try:
        for call in itertools.islice(itertools.cycle(calls), count):
            call()
    except Exception:  # whatever a library refuses while recording
        try:
            graph.capture_end()
        except Exception:
            pass
        return None
    graph.capture_end()
    return graph


def median_us(calls):
    """Median microseconds of one call, and how they were measured.

    Several calls are one call on several copies of the operands, taken in turn
    so that none finds its operands in the L2.
    """
    calls = list(calls)
    # The operands were made on another stream.
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for call in calls:
            call()
        stream.synchronize()
        rough = elapsed_us(stream, lambda: [c() for c in calls * 2])
        rough = max(rough / (2 * len(calls)), 1.0)
        count = _launches(rough, len(calls))
        graph = _capture(stream, calls, count)
        method = "graph" if graph else "events"

        def work():
            if graph:
                graph.replay()
            else:
                for call in itertools.islice(itertools.cycle(calls), count):
                    call()

        work()
        stream.synchronize()
        total = elapsed_us(stream, work)
        replays = min(max(int(BUDGET_US / total), MIN_REPLAYS), REPLAYS)
        times = [elapsed_us(stream, work) / count for _ in range(replays)]
    return statistics.median(times), method


def profiler_us(call, launches=5):
    """Kernel time of a call as CUPTI reports it through torch.profiler."""
    from torch.profiler import ProfilerActivity, profile

    call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as run:
        for _ in range(launches):
            call()
        torch.cuda.synchronize()
    total = sum(event.self_device_time_total for event in run.key_averages())
    return total / launches
