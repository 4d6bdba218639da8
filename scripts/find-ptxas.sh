#!/bin/sh
#===- find-ptxas.sh - Finds the toolkit whose ptxas makes the cubins -------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints the directory that holds bin/ptxas: the value for
# MAGICUBE_CUDA_TOOLKIT. Prints nothing and exits 1 if there is none.
#
#===------------------------------------------------------------------------===#

exec "$(dirname -- "$0")/find-cuda-tool.sh" --root ptxas
