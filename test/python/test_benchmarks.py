#===- test_benchmarks.py - Arithmetic of the benchmark's reports -----------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What needs no GPU: the cases, the tables and the bounds, on rows that were
# written by hand and counted by hand.
#
#===----------------------------------------------------------------------===#
"""benchmarks/: cases.py, results.py, roofline.py, report.py."""

import json
import subprocess
import sys

import pytest

import tools

BENCHMARKS = tools.SOURCE_DIR / "benchmarks"
REFERENCE = tools.SHARED_DATA / "reference-h200.csv"
sys.path.insert(0, str(BENCHMARKS))

import cases  # noqa: E402
import defaults  # noqa: E402
import results  # noqa: E402
import roofline  # noqa: E402

LAYER = "rn50/random_pruning/0.5/matrix.smtx"
OTHER = "transformer/l0_regularization/0.9/matrix.smtx"
CHIP = {"chip": "GPU", "l2_bytes": 1 << 20}
# Round numbers of bytes and operations a microsecond.
RATES = {"dram_read": 1e9, "l2_read": 2e9, "shared_read": 4e9,
         "mma_int8": 1e12, "launch": 1.5}


def timed(**changes):
    """A row of magicube-launch: 2 vector-rows of 40 vectors, in 2 strides."""
    row = {"name": LAYER, "bundle": "bundles/v8.bundle",
           "args": ["dlmc/" + LAYER, "random:100x512"], "kernel": "spmm",
           "grid": [2, 4, 1], "shared_memory": 8192, "m": 16, "k": 100,
           "n": 512, "v": 8, "vectors": 80, "stored": 128, "median_us": 4.0,
           "tops": 0.16}
    row.update(changes)
    return row


def llm(sparsity, **changes):
    return timed(name=f"llm/16x100/{sparsity}",
                 args=[f"random:16x100@{1 - sparsity:.4g}", "random:100x512"],
                 **changes)


def peer(system, sparsity, time, **changes):
    row = {"system": system, "sparsity": sparsity, "m": 16, "k": 100, "n": 512,
           "v": 8, "vectors": 80, "pattern": "dlmc/" + LAYER,
           "rotate_bytes": 0, "density": 0.4, "median_us": time}
    row.update(changes)
    return row


@pytest.fixture
def run(tmp_path):
    """write(file=rows...): the folder of a run with these files."""
    def write(**files):
        for name, rows in files.items():
            (tmp_path / f"{name}.jsonl").write_text(
                "".join(json.dumps(row) + "\n" for row in rows))
        return tmp_path
    return write


def ceilings():
    return [CHIP] + [{"ceiling": name, "value": value, "unit": "", "method": ""}
                     for name, value in RATES.items()]


def report(folder, *arguments):
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "report.py"), str(folder),
         *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


#===----------------------------------------------------------------------===#
# Cases
#===----------------------------------------------------------------------===#

def test_bundles_name_known_groups():
    names = [bundle.name for bundle in cases.read_bundles()]
    assert len(names) == len(set(names))
    assert {"v2", "v4", "v8"} <= set(names)


def test_bad_bundles_are_refused(tmp_path):
    table = tmp_path / "bundles.tsv"
    table.write_text("v8\tvector = 8\t-\tllm,nothing\n")
    with pytest.raises(ValueError, match=r"\['nothing'\].*'llm'"):
        cases.read_bundles(table)
    table.write_text("v8\tvector = 8\n")
    with pytest.raises(ValueError, match="expected 4 columns, but got 2"):
        cases.read_bundles(table)


def test_every_case_is_checked_and_timed(tmp_path):
    pattern = tmp_path / "dlmc" / LAYER
    pattern.parent.mkdir(parents=True)
    pattern.write_text("2, 100, 1\n0 1 1\n7\n")
    subprocess.run([sys.executable, str(BENCHMARKS / "cases.py"),
                    str(tmp_path)], check=True)
    files = {path.stem: path.read_text().splitlines()
             for path in (tmp_path / "cases").iterdir()}
    assert set(files) == {*cases.GROUPS, *cases.PAIR_GROUPS}
    for line in sum(files.values(), []):
        assert "--check" in line and "--repeat=" in line
    bundles = cases.read_bundles()
    count = sum(bundle.runs("llm") for bundle in bundles)
    assert len(files["llm"]) == 60 * count
    assert len(files["pairs"]) == 24
    assert len(files["published"]) == 9
    assert (f"bundles/L16-R8_V4.bundle --name=L16-R8_V4/{LAYER} "
            f"--arg=dlmc/{LAYER} --arg=random:100x256 --check --repeat=20"
            ) in files["published"]
    assert (f"bundles/v8.bundle --name={LAYER} --arg=dlmc/{LAYER} "
            "--arg=random:100x512 --check --repeat=20") in files["layer"]
    assert ("bundles/v8.bundle --name=llm/4096x4096/0.9 --arg="
            "random:4096x4096@0.1 --arg=random:4096x16 --check-projection "
            "--repeat=20") in files["llm"]
    assert all("--rotate-bytes=" in line for line in files["decode"])


def test_default_bundles_follow_the_matrix(tmp_path):
    """The compiler is told shape and matrix; equal schedules share a bundle."""
    pattern = tmp_path / "dlmc" / "p.smtx"
    pattern.parent.mkdir(parents=True)
    pattern.write_text("2, 1024, 3\n0 1 3\n7 7 900\n")
    (tmp_path / "bundles").mkdir()
    bundle = cases.Bundle("v8", "vector = 8, order = bank_aware, index = u16",
                          "-", "layer")
    chosen = [cases.case(bundle, "sparse", "random:2048x2304@0.02", 2304, 512),
              cases.case(bundle, "dense", "random:2048x2304@0.5", 2304, 512),
              cases.case(bundle, "denser", "random:2048x2304@0.6", 2304, 512),
              cases.case(bundle, "file", "dlmc/p.smtx", 1024, 512)]
    maker = defaults.Defaults(tmp_path, str(tools.COMPILE), "sm_90")
    maker.compile = lambda item: (tmp_path / "bundles" / item[0]).touch()
    names = maker.bundles(chosen)
    assert names[0].startswith("v8.gathered_t128_w2_s2_")
    assert names[1].startswith("v8.stationary_k2304_t64_w16_s4_")
    assert names[2] == names[1]
    assert names[3].startswith("v8.gathered_")
    assert len(list((tmp_path / "bundles").iterdir())) == len(set(names)) == 2
    assert all(results.bundle({"bundle": name}) == "v8" for name in names)
    with pytest.raises(RuntimeError, match="expected a matrix for"):
        maker.select(cases.case(bundle, "wrong", "random:8x16@0.5", 32, 1))


@pytest.mark.skipif(not REFERENCE.exists(), reason="no shared data")
def test_published_pairs_are_those_of_the_reference():
    kernels = {(*bits, v) for bits, _, v, n in results.read_reference(REFERENCE)
               if n == cases.PUBLISHED_COLUMNS and bits != (8, 8)}
    assert sorted(cases.PUBLISHED_PAIRS) == sorted(kernels)


#===----------------------------------------------------------------------===#
# Bounds
#===----------------------------------------------------------------------===#

def test_gathered_kernel_needs():
    row = timed()
    # Vectors of 8 bytes with 4-byte indices, 2 pairs of pointers, the dense
    # operand, the result.
    assert roofline.dram_bytes(row) == 80 * 12 + 2 * 8 + 100 * 512 + 16 * 512 * 4
    # 4 tiles of columns read the sparse operand each.
    assert roofline.column_tiles(row) == 4
    assert roofline.l2_bytes(row) == (128 * 512 + 4 * (128 * 12 + 2 * 8)
                                      + 16 * 512 * 4)
    assert roofline.shared_bytes(row) == 2 * 128 * 512
    # Vectors of 2 take as many MMAs as vectors of 8.
    assert roofline.mma_operations(row) == 2 * 128 * 8 * 512
    assert roofline.mma_operations(timed(v=2)) == 2 * 128 * 8 * 512
    assert roofline.mma_operations(timed(v=16)) == 2 * 128 * 16 * 512
    # 7 columns fill an MMA of 16.
    assert roofline.shared_bytes(timed(n=7)) == 2 * 128 * 16


def test_stationary_kernel_needs():
    # 8 blocks with 25600 bytes: 256 of the 512 columns each.
    row = timed(schedule="#magicube.stationary", shared_memory=25600)
    assert roofline.l2_bytes(row) == (8 * 25600 + 2 * (128 * 12 + 2 * 8)
                                      + 16 * 512 * 4)
    assert roofline.shared_bytes(row) == 128 * 512
    row["index_bytes"] = 2
    assert roofline.dram_bytes(row) == 80 * 10 + 2 * 8 + 100 * 512 + 16 * 512 * 4


def test_binding_bound():
    times = roofline.bounds(timed(), CHIP, RATES)
    assert times["dram"] == 0
    assert times["l2"] == pytest.approx((65536 + 6208 + 32768) / 2000)
    assert times["shared"] == pytest.approx(131072 / 4000)
    assert times["mma"] == pytest.approx(1048576 / 1e6)
    line = roofline.analyze(timed(median_us=100.0), CHIP, RATES)
    assert (line["bound"], line["bound_us"]) == ("l2", 52.256)
    assert line["fraction"] == pytest.approx(0.5226)
    assert line["tops"] == pytest.approx(2 * 80 * 8 * 512 / 100e6, abs=5e-3)
    # Copies in turn, or more bytes than the L2 has, come from DRAM.
    for row, chip in (timed(copies=3), CHIP), (timed(), {"l2_bytes": 1000}):
        line = roofline.analyze(row, chip, RATES)
        assert (line["bound"], line["bound_us"]) == ("dram", 84.944)
    # Next to nothing to do.
    line = roofline.analyze(timed(vectors=0, stored=0, n=1, grid=[2, 1, 1]),
                            CHIP, RATES)
    assert (line["bound"], line["bound_us"]) == ("launch", 1.5)


#===----------------------------------------------------------------------===#
# Rows and tables
#===----------------------------------------------------------------------===#

def test_groups_and_sparsities():
    def describe(row):
        return results.group(row), results.sparsity(row)
    assert describe(timed()) == ("layer", "0.5")
    assert describe(timed(n=256)) == ("matrices", "0.5")
    assert describe(llm(0.9)) == ("llm", "0.9")
    assert describe(timed(name="random", args=["random:16x100@0.3"])) == (
        "random", "0.7")
    assert results.group(timed(name="L4-R8_V2/" + LAYER)) == "pairs"
    assert results.point(timed()) == ((8, 8), LAYER, 8, 512)
    assert results.point(timed(name="L12-R4_V2/" + LAYER, v=2)) == (
        (12, 4), LAYER, 2, 512)


def test_peers_of_a_row(run):
    folder = run(peers=[
        {"chip": "GPU"},
        peer("dense_int8", "none", 5.0),
        peer("dense_fp16", "none", 4.0),
        peer("dense_int8", "none", 50.0, rotate_bytes=9),
        peer("bell8_fp16", "blocks", 7.0),
        peer("bell8_fp16", "blocks", 70.0, density=0.5),
        peer("csr_fp16", "same", 9.0),
        peer("csr_fp16", "same", 90.0, pattern="dlmc/other.smtx"),
        {**peer("csr_int8", "same", 0), "error": "no"},
    ])
    rows = results.read_rows(folder / "peers.jsonl", "m")
    del rows[-1]["median_us"]
    peers = results.Peers(rows)
    assert peers.best_dense(timed()) == 4.0
    assert peers.time(timed(rotate_bytes=9), "dense_int8") == 50.0
    assert peers.time(timed(), "bell8_fp16") == 7.0
    assert peers.time(timed(), "csr_fp16") == 9.0
    assert peers.time(timed(), "csr_int8") is None
    assert peers.time(timed(m=24), "dense_int8") is None


def test_report(run, tmp_path):
    reference = tmp_path / "reference.csv"
    reference.write_text("op,matrix,rows,cols,nnz,N_or_K,V,L,R,median_us\n"
                         f"spmm,{LAYER},2,100,80,256,8,8,8,8.0\n"
                         f"spmm,{LAYER},2,100,80,256,8,4,4,1.0\n"
                         f"spmm,{OTHER},2,100,80,256,8,4,4,9.0\n"
                         f"sddmm,{LAYER},2,100,80,256,8,4,4,100.0\n"
                         f"spmm,{LAYER},2,100,80,256,4,16,8,3.0\n")
    folder = run(
        timed=[timed(), timed(n=256), timed(bundle="bundles/v8_natural.bundle",
                                            median_us=3.0),
               llm(0.6), {"name": "x", "error": "no"}],
        pairs=[timed(name="L4-R8_V8/" + LAYER, median_us=2.5)],
        published=[
            timed(name="L16-R8_V4/" + LAYER, n=256, v=4, median_us=2.0),
            timed(name="L4-R4_V8/" + LAYER, n=256, median_us=2.0),
            timed(name="L4-R4_V8/" + OTHER, n=256, median_us=4.5),
            timed(name="L4-R4_V2/" + LAYER, n=256, v=2),
            {"name": "L4-R4_V8/" + LAYER, "error": "no"}],
        peers=[peer("dense_int8", "none", 5.0), peer("dense_fp16", "none", 6.0),
               peer("bell8_fp16", "blocks", 7.0),
               {k: v for k, v in peer("csr_fp16", "same", 0,
                                      error="too | hard").items()
                if k != "median_us"}],
        ceilings=ceilings())
    text = report(folder, reference)
    for line in (
            "| 8 | 256 | 1 | 2.00 | 2.00 |",
            # Other widths, by their numbers; their means are geometric.
            f"| L4-R4 | 8 | 2 | 3.00 | 3.00 | 1.00 | 0.50 | {LAYER} |",
            f"| L16-R8 | 4 | 1 | 2.00 | 3.00 | 1.50 | 1.50 | {LAYER} |",
            "| 0.5 | 8 | 16 x 100 x 512 | 4.00 | 0.2 | 5.00 | 6.00 | 1.25 |",
            "| L4-R8 | 2.50 / - / - / - | - / - / - / - |",
            "| 16 x 100 x 512 | 0.6 | 4.00 | 0 | 5.00 | 6.00 | 1.25 |",
            "| layer | 16 x 100 x 512 | 0.5 | 4.00 | 3.00 | v8_natural |",
            "| layer | 8 | 512 | l2 | 1 | 12.94 | 12.94 | 12.94 |",
            "| csr_fp16 | 1 | error | too / hard |"):
        assert line in text.splitlines(), text


def test_report_of_an_older_run(run):
    """Both dense times in a row, no ceilings, products named `random`."""
    folder = run(timed=[timed(name="random",
                              args=["random:16x100@0.4", "random:100x512"])],
                 peers=[{"m": 16, "k": 100, "n": 512, "int8_us": 5.0,
                         "fp16_us": 2.0}])
    text = report(folder)
    assert "| 16 x 100 x 512 | 0.6 | 4.00 | 0 | 5.00 | 2.00 | 0.50 |" in text
    assert "bound" not in text


def test_csv_of_a_run(run):
    # A bundle with the schedule that was selected for its case.
    bundle = "bundles/v8.gathered_t128_w2_s2_54d5.bundle"
    folder = run(timed=[timed(bundle=bundle),
                        timed(median_us=0.0)], ceilings=ceilings())
    done = subprocess.run([sys.executable, str(BENCHMARKS / "roofline.py"),
                           str(folder)], capture_output=True, text=True,
                          check=True)
    header, *lines = done.stdout.splitlines()
    assert len(lines) == 1
    row = dict(zip(header.split(","), lines[0].split(",")))
    # 16-bit indices, as the table of bundles says.
    assert float(row["l2_us"]) == pytest.approx(
        (65536 + 4 * (128 * 10 + 16) + 32768) / 2000, abs=1e-3)
