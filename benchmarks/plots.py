#!/usr/bin/env python3
# ===- plots.py - Figures of a run -------------------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: plots.py OUT FOLDER             (needs matplotlib)
# From what run.sh wrote to OUT, in FOLDER:
#   speedup-llm.svg    speed over the faster dense product against sparsity
#   speedup-layer.svg  the same for the matrix of the paper's figures
#   roofline.svg       operations a second against operations for each byte of L2
#
# ===------------------------------------------------------------------------===#

import sys
from pathlib import Path

import matplotlib

import results
import roofline
from results import group, sparsity

matplotlib.use("Agg")
# The same file for the same numbers.
matplotlib.rcParams["svg.hashsalt"] = "magicube"
# Text stays text: smaller, and it can be searched.
matplotlib.rcParams["svg.fonttype"] = "none"
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of back end)

METADATA = {"Date": None}
PEERS = {
    "bell8_fp16": ("cuSPARSE Blocked-ELL 8, fp16", "tab:orange"),
    "bell16_fp16": ("cuSPARSE Blocked-ELL 16, fp16", "tab:red"),
    "bell16_int8": ("cuSPARSE Blocked-ELL 16, int8", "tab:pink"),
    "csr_fp16": ("cuSPARSE CSR, fp16", "tab:green"),
    "csr_int8": ("cuSPARSE CSR, int8", "tab:olive"),
    "triton_bsr16_fp16": ("Triton BSR 16, fp16", "tab:purple"),
    "cusparselt_int8": ("cuSPARSELt 2:4, int8", "tab:brown"),
}
OURS = "Magicube, int8, V = 8"


def curves(rows, peers):
    """By system, points (sparsity, speed over the faster dense product)."""
    lines = {}
    for row in rows:
        dense = peers.best_dense(row)
        if not dense:
            continue
        times = {OURS: row["median_us"]}
        for system, (name, _) in PEERS.items():
            # 2 of 4 is one sparsity.
            if system != "cusparselt_int8" or sparsity(row) == "0.5":
                times[name] = peers.time(row, system)
        for name, time in times.items():
            if time:
                lines.setdefault(name, []).append(
                    (float(sparsity(row)), dense / time))
    return {name: sorted(points) for name, points in lines.items()}


def draw_curves(axes, lines, title):
    colors = {name: color for name, color in PEERS.values()}
    for name, points in lines.items():
        axes.plot(*zip(*points), marker="o", markersize=3,
                  linewidth=2 if name == OURS else 1,
                  color=colors.get(name, "tab:blue"), label=name)
    axes.axhline(1, color="gray", linewidth=0.8, linestyle="--")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_title(title, fontsize=8)
    axes.tick_params(labelsize=7)


def save(figure, path):
    figure.savefig(path, metadata=METADATA, bbox_inches="tight")
    plt.close(figure)


def draw_speedups(rows, peers, path):
    """One panel for each M x K and N."""
    panels = {}
    for row in rows:
        panels.setdefault((row["m"], row["k"], row["n"]), []).append(row)
    if not panels:
        return
    columns = len({n for _, _, n in panels})
    lines = -(-len(panels) // columns)
    figure, grid = plt.subplots(lines, columns, squeeze=False, sharex=True,
                                sharey=True,
                                figsize=(3 * columns, 2.3 * lines))
    for axes, (extents, points) in zip(grid.flat, sorted(panels.items())):
        draw_curves(axes, curves(points, peers), "{} x {} x {}".format(*extents))
    for axes in grid[-1]:
        axes.set_xlabel("sparsity", fontsize=8)
    for axes in grid[:, 0]:
        axes.set_ylabel("over the faster dense", fontsize=8)
    handles = {}
    for axes in grid.flat:
        for handle, name in zip(*axes.get_legend_handles_labels()):
            handles.setdefault(name, handle)
    figure.legend(handles.values(), handles, loc="upper center", ncol=4,
                  fontsize=7, bbox_to_anchor=(0.5, 0))
    save(figure, path)


def draw_roofline(out, path):
    """Our products under the roofs of L2 and of the MMAs."""
    chip, rates = roofline.read_ceilings(out / "ceilings.jsonl")
    rows = [row for row in roofline.analyze_run(out)
            if row["bundle"] in results.DEFAULT_BUNDLES]
    figure, axes = plt.subplots(figsize=(6, 4))
    low, high = 0.5, 4000
    peak = rates["mma_int8"] / 1e12
    for name, rate, style in (("L2", rates["l2_read"], "-"),
                              ("DRAM", rates["dram_read"], "--")):
        slope = rate / 1e12
        axes.plot([low, peak / slope, high], [low * slope, peak, peak], style,
                  color="black", linewidth=1, label=f"{name} and int8 MMAs")
    for v, color in (2, "tab:green"), (4, "tab:orange"), (8, "tab:blue"):
        points = [(row["operations_per_l2_byte"], row["tops"])
                  for row in rows if row["v"] == v]
        if points:
            axes.scatter(*zip(*points), s=8, color=color, label=f"V = {v}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations for each byte between L2 and multiprocessors")
    axes.set_ylabel("TOP/s")
    axes.set_title(chip["chip"], fontsize=9)
    axes.legend(fontsize=7)
    save(figure, path)


def main():
    out, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    rows = [row for row in results.read_rows(out / "timed.jsonl", "median_us")
            if results.is_default(row) and row["v"] == 8]
    peers = results.read_peers(out / "peers.jsonl")
    draw_speedups([row for row in rows if group(row) == "llm"], peers,
                  folder / "speedup-llm.svg")
    draw_speedups([row for row in rows if group(row) == "layer"], peers,
                  folder / "speedup-layer.svg")
    if (out / "ceilings.jsonl").exists():
        draw_roofline(out, folder / "roofline.svg")


if __name__ == "__main__":
    main()
