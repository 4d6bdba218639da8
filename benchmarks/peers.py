#!/usr/bin/env python3
# ===- peers.py - Dense peers of measured products --------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: peers.py TIMED.jsonl > PEERS.jsonl   (on the GPU machine, with torch)
# Times the dense product of every M x K x N that TIMED.jsonl has, in int8
# (cuBLASLt, i32 result) and in fp16, by the method of magicube-launch: median of
# graph replays after warm-up, L2 warm.
#
# ===------------------------------------------------------------------------===#

import json
import statistics
import sys

import torch

LAUNCHES = 20  # launches in a graph
REPLAYS = 15


def median_us(product):
    """Median time of one call in a replayed graph, in microseconds."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            product()
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(LAUNCHES):
                product()
        graph.replay()
        times = []
        for _ in range(REPLAYS):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record(stream)
            graph.replay()
            end.record(stream)
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1000 / LAUNCHES)
    return statistics.median(times)


def measure(m, k, n):
    a8 = torch.randint(-128, 128, (m, k), dtype=torch.int8, device="cuda")
    # cuBLASLt's int8 wants B with K contiguous: its best layout.
    b8 = torch.randint(-128, 128, (n, k), dtype=torch.int8, device="cuda").t()
    a16 = torch.randn(m, k, dtype=torch.float16, device="cuda")
    b16 = torch.randn(k, n, dtype=torch.float16, device="cuda")
    out8 = torch.empty(m, n, dtype=torch.int32, device="cuda")
    out16 = torch.empty(m, n, dtype=torch.float16, device="cuda")
    return {
        "m": m,
        "k": k,
        "n": n,
        "int8_us": median_us(lambda: torch._int_mm(a8, b8, out=out8)),
        "fp16_us": median_us(lambda: torch.mm(a16, b16, out=out16)),
    }


def main():
    shapes = set()
    for line in open(sys.argv[1]):
        row = json.loads(line)
        if "median_us" in row:
            shapes.add((row["m"], row["k"], row["n"]))
    print(json.dumps({"chip": torch.cuda.get_device_name()}))
    for shape in sorted(shapes):
        print(json.dumps(measure(*shape)))


if __name__ == "__main__":
    main()
