#===- call_programs.py - Calls random programs and checks them ------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# In a process of its own, which a wrong program may take down:
#
#   call_programs.py LIBRARY RUNTIME host|device SEED...
#
# prints every seed before its call, and a line for each thing that is wrong.
#
#===----------------------------------------------------------------------===#
"""Calls of compiled random programs through their C interface."""

import ctypes
import sys

import numpy as np

from random_programs import DTYPES, Sparse, make_program

COMPONENT_DTYPES = (np.int32, np.int32, np.int8)


def descriptor(rank):
    """MLIR's descriptor of a buffer."""
    class Descriptor(ctypes.Structure):
        _fields_ = [("allocated", ctypes.c_void_p),
                    ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64),
                    ("sizes", ctypes.c_int64 * rank),
                    ("strides", ctypes.c_int64 * rank)]
    return Descriptor


DESCRIPTORS = {rank: descriptor(rank) for rank in (1, 2, 3)}


class Memory:
    """Where a program's buffers are: on the host's heap or the device."""

    def __init__(self, runtime, place):
        self.runtime = ctypes.CDLL(runtime, mode=ctypes.RTLD_GLOBAL)
        self.runtime.mgpuMemAlloc.restype = ctypes.c_void_p
        self.libc = ctypes.CDLL(None)
        self.on_host = place == "host"

    def copy(self, array):
        """The address of a copy."""
        if self.on_host:
            self.libc.malloc.restype = ctypes.c_void_p
            address = self.libc.malloc(ctypes.c_size_t(max(array.nbytes, 1)))
        else:
            address = self.runtime.mgpuMemAlloc(
                ctypes.c_uint64(array.nbytes), None, ctypes.c_bool(True))
        if array.nbytes:
            ctypes.memmove(address, array.ctypes.data, array.nbytes)
        return address

    def free(self, address):
        if self.on_host:
            self.libc.free(ctypes.c_void_p(address))
        else:
            self.runtime.mgpuMemFree(ctypes.c_void_p(address), None)


def buffers_of(value):
    """The arrays that a value is passed as, and the numbers behind them."""
    if isinstance(value, Sparse):
        return value.components(), value.shape
    return ([value], ()) if isinstance(value, np.ndarray) else ([], [value])


def pass_buffer(memory, array):
    """The descriptor of a copy of an array."""
    strides = np.array(array.strides) // array.itemsize
    address = memory.copy(np.ascontiguousarray(array))
    return DESCRIPTORS[array.ndim](address, address, 0, array.shape,
                                   tuple(int(stride) for stride in strides))


def read_buffer(buffer, dtype):
    """The array that a row-major descriptor describes, or None."""
    shape = list(buffer.sizes)
    size = np.dtype(dtype).itemsize
    packed = [int(np.prod(shape[dim + 1:])) for dim in range(len(shape))]
    if any(extent > 1 and wanted != stride for extent, wanted, stride in
           zip(shape, packed, buffer.strides)) and 0 not in shape:
        return None
    count = int(np.prod(shape))
    if count == 0:
        return np.zeros(shape, dtype)
    raw = ctypes.string_at(buffer.aligned + buffer.offset * size, count * size)
    return np.frombuffer(raw, dtype).reshape(shape)


def result_struct(kinds):
    """What the C interface returns, in one struct."""
    fields = []
    for i, kind in enumerate(kinds):
        if kind == "sparse":
            fields += [(f"r{i}_0", DESCRIPTORS[2]), (f"r{i}_1", DESCRIPTORS[1]),
                       (f"r{i}_2", DESCRIPTORS[1]),
                       (f"r{i}_3", ctypes.c_int64), (f"r{i}_4", ctypes.c_int64)]
        else:
            fields.append((f"r{i}_0", DESCRIPTORS[1 if kind == "line" else 2]))
    return type("Results", (ctypes.Structure,), {"_fields_": fields})


def call(library, memory, program):
    """Calls a program; yields what is wrong."""
    passed, written = [], []
    for value, kind in zip(program.arguments, program.kinds):
        arrays, numbers = buffers_of(value)
        for array in arrays:
            buffer = pass_buffer(memory, array)
            written.append((kind, array, buffer))
            passed.append(ctypes.byref(buffer))
        passed += [ctypes.c_bool(number) if kind == "flag" else
                   ctypes.c_int64(number) for number in numbers]
    results = result_struct(program.result_kinds)()
    getattr(library, f"_mlir_ciface_{program.name}")(ctypes.byref(results),
                                                     *passed)
    for i, (kind, array, buffer) in enumerate(written):
        now = read_buffer(buffer, array.dtype)
        if not np.array_equal(now, array):
            yield f"argument buffer {i} ({kind}) is {now.tolist()}, was " \
                  f"{array.tolist()}"
    addresses = [buffer.allocated for _, _, buffer in written]
    for i, (expected, kind) in enumerate(zip(program.results,
                                             program.result_kinds)):
        arrays, numbers = buffers_of(expected)
        for j, array in enumerate(arrays):
            buffer = getattr(results, f"r{i}_{j}")
            dtype = COMPONENT_DTYPES[j] if kind == "sparse" else DTYPES[kind]
            now = read_buffer(buffer, dtype)
            if now is None:
                yield f"result {i} ({kind}, component {j}) has gaps"
            elif not np.array_equal(now, array):
                yield f"result {i} ({kind}, component {j}) is " \
                      f"{now.tolist()}, expected {array.tolist()}"
            if buffer.allocated in addresses:
                yield f"result {i} ({kind}, component {j}) is memory of " \
                      "another buffer"
            else:
                addresses.append(buffer.allocated)
        got = [getattr(results, f"r{i}_{j + 3}") for j in range(len(numbers))]
        if got != list(numbers):
            yield f"result {i} has extents {got}, expected {list(numbers)}"
    for address in addresses:
        memory.free(address)


def main(library, runtime, place, *seeds):
    memory = Memory(runtime, place)
    library = ctypes.CDLL(library)
    for seed in seeds:
        print(f"seed {seed}", flush=True)
        for message in call(library, memory, make_program(int(seed))):
            print(f"wrong {seed}: {message}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
