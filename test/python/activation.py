#===- activation.py - Activations on the CPU device -----------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Values of an activation, and arguments to try it on."""

import numpy as np

import spmm
from epilogue import Epilogue


def apply(activation, directory, values, result="f32", is_unsigned=False):
    """The activation of each of `values`, float32, as the biases of zero sums."""
    epilogue = Epilogue(None, (), "column", activation, result, is_unsigned)
    a, b = np.zeros((1, 1), np.int64), np.ones((1, values.size), np.int64)
    process, actual = epilogue.run(
        directory, 1, (a, b, [values.reshape(1, -1)]))
    spmm.assert_exact(process)
    return actual.reshape(-1)


def inputs():
    """Every range of exponents from tiny to 16, of both signs."""
    rng = np.random.default_rng(5)
    exponents = rng.uniform(-40, 4, 40000)
    uniform = rng.uniform(0, 10, 60000)
    magnitudes = np.concatenate([2.0**exponents, uniform])
    return np.concatenate([magnitudes, -magnitudes]).astype(np.float32)
