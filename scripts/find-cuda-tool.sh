#!/bin/sh
#===- find-cuda-tool.sh - Finds ptxas or a disassembler --------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: find-cuda-tool.sh [--root] TOOL   (ptxas, nvdisasm, cuobjdump, ...)
# Prints the path of TOOL, with --root the directory that holds bin/TOOL.
# Prints nothing and exits 1 if there is none.
#
#===------------------------------------------------------------------------===#
#
# Order: $MAGICUBE_CUDA_TOOLKIT, $CUDA_PATH, $CUDA_HOME, PATH, the usual place
# of a CUDA toolkit, and what setup.sh installed into .venv-cuda.
# MAGICUBE_IGNORE_SYSTEM_CUDA=1 leaves out the four in between.

set -eu
repository=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

print_root=no
if [ "${1:-}" = --root ]; then
  print_root=yes
  shift
fi
if [ $# -ne 1 ]; then
  echo "usage: $0 [--root] TOOL" >&2
  exit 2
fi
tool=$1

# Prints the answer and ends the script if the directory $1 holds bin/$tool.
try_root() {
  [ -n "$1" ] && [ -f "$1/bin/$tool" ] && [ -x "$1/bin/$tool" ] || return 0
  if [ $print_root = yes ]; then echo "$1"; else echo "$1/bin/$tool"; fi
  exit 0
}

try_root "${MAGICUBE_CUDA_TOOLKIT:-}"
if [ "${MAGICUBE_IGNORE_SYSTEM_CUDA:-0}" != 1 ]; then
  try_root "${CUDA_PATH:-}"
  try_root "${CUDA_HOME:-}"
  on_path=$(command -v -- "$tool" || true)
  case $on_path in
  */bin/*) try_root "${on_path%/bin/*}" ;;
  esac
  try_root /usr/local/cuda
fi
for root in "$repository"/.venv-cuda/lib/python3*/site-packages/nvidia/cu*; do
  try_root "$root"
done
exit 1
