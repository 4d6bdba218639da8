#!/usr/bin/env bash
#===- build-programs.sh - Compiles the programs that measure the chip ------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: build-programs.sh NVCC FOLDER
# ceilings needs the driver alone; kernel_trace.so finds CUPTI when it is loaded.
#
#===------------------------------------------------------------------------===#

set -euo pipefail
nvcc=$1 folder=$2
here=$(dirname "${BASH_SOURCE[0]}")
readonly nvcc folder here

"$nvcc" -O3 -std=c++17 -cudart static \
  -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 \
  -gencode=arch=compute_90,code=compute_90 \
  -Xcompiler -static-libstdc++,-static-libgcc \
  "$here/ceilings.cu" -o "$folder/ceilings"
"$nvcc" -O2 -std=c++17 -shared -Xcompiler -fPIC,-static-libstdc++,-static-libgcc \
  -cudart none "$here/kernel_trace.cpp" -ldl -o "$folder/kernel_trace.so"
