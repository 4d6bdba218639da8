#===- lit.cfg.py - Settings of the lit suite -------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Loaded by the lit.site.cfg.py of a build. Features: all-tests (long tests,
# MAGICUBE_TEST_LEVEL=all), ptxas (a CUDA toolkit), shared-data (../shared/data).
#
#===------------------------------------------------------------------------===#

import os
import subprocess

import lit.formats

config.name = "Magicube"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "python", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.magicube_build_dir, "test")

# magicube-opt and its like, then FileCheck, not, split-file and mlir-opt.
config.environment["PATH"] = os.pathsep.join([
    os.path.join(config.magicube_build_dir, "bin"), config.llvm_tools_dir,
    config.environment["PATH"]])


def find_toolkit():
    """The folder with bin/ptxas, or None."""
    script = os.path.join(config.magicube_source_dir, "scripts",
                          "find-ptxas.sh")
    found = subprocess.run([script], stdout=subprocess.PIPE, text=True,
                           check=False)
    return found.stdout.strip() if found.returncode == 0 else None


config.substitutions.append(("%{examples}", os.path.join(
    config.magicube_source_dir, "examples")))

build_lib = os.path.join(config.magicube_build_dir, "lib")
mlir_lib = os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")
config.substitutions += [
    ("%{build}", config.magicube_build_dir),
    # Upstream's driver with our passes and dialects.
    ("%{stock-opt}", "mlir-opt --load-dialect-plugin={0} --load-pass-plugin={0}"
     .format(os.path.join(build_lib, "MagicubePlugin.so"))),
    # Runs @main of what --magicube-to-llvm made.
    ("%{run-main}", "mlir-runner -e main --entry-point-result=void "
     "--shared-libs={}/libmagicube_runtime.so,{}/libmlir_c_runner_utils.so"
     .format(build_lib, mlir_lib)),
]

# A command with a CUDA driver that is none.
config.substitutions.append(
    ("%{fake-cuda}", "env MAGICUBE_CUDA_DRIVER={}/libMagicubeFakeCuda.so"
     .format(build_lib)))

# Splits a line of MLIR that has an escaped PTX text in it at its line ends.
config.substitutions.append(
    ("%{unescape-ptx}", r"sed -e 's/\\0A/\n/g' -e 's/\\09/ /g'"))

toolkit = find_toolkit()
if toolkit:
    config.available_features.add("ptxas")
    # Found in the project's own folder, the tools need to be told.
    config.environment["MAGICUBE_CUDA_TOOLKIT"] = toolkit
    config.substitutions.append(
        ("%{ptxas}", os.path.join(toolkit, "bin", "ptxas")))
    config.substitutions.append(("%{toolkit}", toolkit))

shared_data = os.path.join(config.magicube_source_dir, "..", "shared", "data")
if os.path.isdir(shared_data):
    config.available_features.add("shared-data")
    config.substitutions.append(("%{shared-data}", shared_data))

if os.environ.get("MAGICUBE_TEST_LEVEL") == "all":
    config.available_features.add("all-tests")
