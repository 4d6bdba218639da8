#!/usr/bin/env bash
#===- gpu-conformance.sh - Compares the simulator with a GPU ---------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs on the GPU every intrinsic that the simulator knows, on random bits, and
# every kernel variant, and compares each bit with what the simulator gave. Packs
# first (device-pack.sh) where nothing is packed yet, which needs a build; a
# packed folder needs the NVIDIA driver alone.
#
#===------------------------------------------------------------------------===#

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -d .device-carry/pack/conformance ]] || scripts/device-pack.sh
exec scripts/device-run.sh conformance variants
