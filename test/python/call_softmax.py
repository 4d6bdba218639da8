#===- call_softmax.py - Calls softmaxes and checks them --------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# In a process of its own, which a wrong kernel may take down:
#
#   call_softmax.py LIBRARY RUNTIME CASE...
#
# calls function f<CASE> for the case of that number, and prints a line for each
# that is wrong.
#
#===----------------------------------------------------------------------===#
"""Calls of compiled softmaxes through their C interface."""

import ctypes
import sys

import numpy as np

from call_programs import Memory, pass_buffer, read_buffer
from softmax_cases import Data, make_cases


def call(library, memory, name, case):
    """What is wrong, or nothing."""
    data = Data(case)
    arguments, before = data.arguments()
    buffers = [pass_buffer(memory, array) for array in arguments + before
               if isinstance(array, np.ndarray)]
    remaining = iter(buffers)
    passed = [ctypes.byref(next(remaining)) if isinstance(value, np.ndarray)
              else ctypes.c_float(value) for value in arguments + before]
    getattr(library, f"_mlir_ciface_{name}")(*passed)
    results = buffers[-len(before):]
    for what, buffer, expected in zip(("values", "factors"), results,
                                      data.expected()):
        got = read_buffer(buffer, expected.dtype)
        if not np.array_equal(got, expected, equal_nan=expected.dtype.kind == "f"):
            wrong = np.flatnonzero(got.ravel() != expected.ravel())
            return (f"{len(wrong)} {what} of {expected.size}, the first at "
                    f"{wrong[0]}: {got.ravel()[wrong[0]]}, expected "
                    f"{expected.ravel()[wrong[0]]}")
    for buffer in buffers:
        memory.free(buffer.allocated)
    return None


def main(library, runtime, *numbers):
    memory = Memory(runtime, "device")
    library = ctypes.CDLL(library)
    cases = make_cases()
    for number in map(int, numbers):
        print(f"case {number}", flush=True)
        message = call(library, memory, f"f{number}", cases[number])
        if message:
            print(f"wrong {cases[number]}: {message}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
