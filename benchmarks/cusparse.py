#===- cusparse.py - Sparse products of cuSPARSE ----------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cusparseSpMM on tensors of torch through ctypes: CSR and Blocked-ELL in fp16
# and int8. Constants as in cusparse.h and library_types.h.
#
#===----------------------------------------------------------------------===#
"""cusparseSpMM for tensors of torch."""

import ctypes
import glob
import os
import site

import torch

NON_TRANSPOSE = 0
INDEX_32I = 2
BASE_ZERO = 0
ORDER = {"col": 1, "row": 2}
DATA_TYPE = {torch.float32: 0, torch.float16: 2, torch.int8: 3, torch.int32: 10}
ALGORITHM = {"default": 0, "csr_alg1": 4, "csr_alg2": 6, "csr_alg3": 12,
             "blocked_ell_alg1": 13}
LIBRARY = "libcusparse.so.12"


class CusparseError(RuntimeError):
    """A function of cuSPARSE failed, or there is no cuSPARSE."""


def _candidates():
    """Where the library may be; torch may have loaded it already."""
    yield LIBRARY
    for root in {*site.getsitepackages(), os.path.dirname(torch.__path__[0])}:
        yield from sorted(glob.glob(f"{root}/nvidia/*/lib/{LIBRARY}"))
    yield from sorted(glob.glob(f"/usr/local/cuda*/lib64/{LIBRARY}"))


def _load():
    errors = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            errors.append(str(error))
    raise CusparseError("; ".join(errors))


def _pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def _long(value):
    return ctypes.c_int64(value)


class Cusparse:
    """The library with one handle."""

    def __init__(self):
        self.library = _load()
        self.library.cusparseGetErrorString.restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p()
        self.call("cusparseCreate", ctypes.byref(self.handle))

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = self.library.cusparseGetErrorString(status).decode()
            raise CusparseError(f"{name}: {text}")

    def version(self):
        value = ctypes.c_int()
        self.call("cusparseGetVersion", self.handle, ctypes.byref(value))
        return value.value

    def _create(self, name, *arguments):
        descriptor = ctypes.c_void_p()
        self.call(name, ctypes.byref(descriptor), *arguments)
        return descriptor

    def csr(self, shape, offsets, columns, values):
        """A matrix of compressed rows; offsets and columns are int32."""
        return self._create(
            "cusparseCreateCsr", _long(shape[0]), _long(shape[1]),
            _long(values.numel()), _pointer(offsets), _pointer(columns),
            _pointer(values), INDEX_32I, INDEX_32I, BASE_ZERO,
            DATA_TYPE[values.dtype])

    def blocked_ell(self, shape, block, columns, values):
        """A matrix of square blocks: columns [M / block][blocks a row] are
        int32, values [M][blocks a row * block]."""
        return self._create(
            "cusparseCreateBlockedEll", _long(shape[0]), _long(shape[1]),
            _long(block), _long(columns.shape[1] * block), _pointer(columns),
            _pointer(values), INDEX_32I, BASE_ZERO, DATA_TYPE[values.dtype])

    def dense(self, tensor, order):
        """A dense matrix whose logical element (i, j) is tensor[i, j]; `order`
        says which of the two extents is contiguous."""
        rows, cols = tensor.shape
        fast = tensor.stride(1 if order == "row" else 0)
        assert fast == 1 or 1 in (rows, cols), "the order contradicts strides"
        leading = cols if order == "row" else rows
        return self._create(
            "cusparseCreateDnMat", _long(rows), _long(cols), _long(leading),
            _pointer(tensor), DATA_TYPE[tensor.dtype], ORDER[order])

    def spmm(self, matrix, rhs, result, orders, algorithm):
        """A call without arguments that computes result = matrix * rhs on
        torch's current stream. Integers accumulate in int32, halves in f32."""
        integer = rhs.dtype == torch.int8
        scalar = ctypes.c_int32 if integer else ctypes.c_float
        compute = DATA_TYPE[torch.int32 if integer else torch.float32]
        one, zero = scalar(1), scalar(0)
        b = self.dense(rhs, orders[0])
        c = self.dense(result, orders[1])
        common = (self.handle, NON_TRANSPOSE, NON_TRANSPOSE, ctypes.byref(one),
                  matrix, b, ctypes.byref(zero), c, compute,
                  ALGORITHM[algorithm])
        size = ctypes.c_size_t()
        self.call("cusparseSpMM_bufferSize", *common, ctypes.byref(size))
        workspace = torch.empty(max(size.value, 1), dtype=torch.uint8,
                                device="cuda")
        self._set_stream()
        self.call("cusparseSpMM_preprocess", *common, _pointer(workspace))

        def run():
            # The scalars live as long as this closure.
            _ = one, zero, rhs, result
            self._set_stream()
            self.call("cusparseSpMM", *common, _pointer(workspace))

        return run

    def _set_stream(self):
        stream = torch.cuda.current_stream().cuda_stream
        self.call("cusparseSetStream", self.handle, ctypes.c_void_p(stream))
