"""Zstd and Brotli by the libraries themselves, which the library's build needs anyway."""

import ctypes
import ctypes.util

_ROOM = 1 << 20


def _library(name):
    return ctypes.CDLL(ctypes.util.find_library(name))


def zstd(data, level=3):
    """One frame with a checksum-free header and the content's size."""
    lib = _library("zstd")
    lib.ZSTD_compressBound.restype = lib.ZSTD_compress.restype = ctypes.c_size_t
    lib.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    lib.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    out = ctypes.create_string_buffer(lib.ZSTD_compressBound(len(data)))
    size = lib.ZSTD_compress(out, len(out), data, len(data), level)
    assert not lib.ZSTD_isError(ctypes.c_size_t(size))
    return out.raw[:size]


def brotli(piece, count=1, quality=5):
    """`count` times the same piece, without ever having them all in memory."""
    lib = _library("brotlienc")
    lib.BrotliEncoderCreateInstance.restype = ctypes.c_void_p
    lib.BrotliEncoderSetParameter.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32]
    lib.BrotliEncoderCompressStream.argtypes = [ctypes.c_void_p, ctypes.c_int] + 5 * [ctypes.c_void_p]
    lib.BrotliEncoderDestroyInstance.argtypes = [ctypes.c_void_p]
    state = lib.BrotliEncoderCreateInstance(None, None, None)
    lib.BrotliEncoderSetParameter(state, 1, quality)
    lib.BrotliEncoderSetParameter(state, 2, 24)  # window
    out, room = b"", ctypes.create_string_buffer(_ROOM)
    for i in range(count):
        available, following = ctypes.c_size_t(len(piece)), ctypes.c_char_p(piece)
        while True:
            left, at = ctypes.c_size_t(_ROOM), ctypes.c_void_p(ctypes.addressof(room))
            operation = 2 if i + 1 == count else 0  # finish, process
            done = lib.BrotliEncoderCompressStream(state, operation, ctypes.byref(available), ctypes.byref(following),
                                                   ctypes.byref(left), ctypes.byref(at), None)
            assert done
            out += room.raw[:_ROOM - left.value]
            if available.value == 0 and left.value > 0:
                break
    lib.BrotliEncoderDestroyInstance(state)
    return out
