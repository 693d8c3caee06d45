"""oneDNN 3 on the CPU through its C interface: layer normalization, inference. Argument: f32, or mixed (x and y in 16 bits, gamma and beta f32)."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before oneDNN, so that MXCSR is read as it was

import ctypes
import functools

import numpy as np

TYPES = {"f16": 1, "bf16": 2, "f32": 3}
CPU, IN_ORDER, INFERENCE, USE_SCALE, USE_SHIFT, UNIMPLEMENTED = 1, 1, 96, 2, 4, 3
SRC, DST, SCALE, SHIFT = 1, 17, 51, 52
DNNL = ctypes.CDLL(f"{sys.prefix}/lib/libdnnl.so.3")
Dims = ctypes.c_int64 * 12


class Argument(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_int), ("memory", ctypes.c_void_p)]


class Version(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int * 3), ("hash", ctypes.c_char_p), ("runtimes", ctypes.c_uint * 2)]


def made(function, *arguments):
    """The object that a dnnl_*_create function makes."""
    created = ctypes.c_void_p()
    status = getattr(DNNL, f"dnnl_{function}")(ctypes.byref(created), *arguments)
    if status == UNIMPLEMENTED:
        raise protocol.Unsupported(f"dnnl_{function}: unimplemented")
    if status:
        raise RuntimeError(f"dnnl_{function}: status {status}")
    return created


def described(kind, *sizes):
    return made("memory_desc_create_with_strides", len(sizes), Dims(*sizes), TYPES[kind], Dims(*[*sizes[1:], 1]))


@functools.lru_cache(maxsize=4096)
def primitive(x_kind, y_kind, rows, width, epsilon, flags):
    descriptions = described(x_kind, rows, width), described(y_kind, rows, width), described("f32", width)
    chosen = made("layer_normalization_forward_primitive_desc_create", ENGINE, INFERENCE, *descriptions[:2], None,
                  ctypes.c_float(epsilon), flags, None)
    return made("primitive_create", chosen), descriptions


def norm(call):
    y = np.empty(call.x.shape, call.types[2])
    if y.size == 0:
        return y
    x_kind, _, y_kind = call.formats.split("/")
    flags = (USE_SCALE if call.gamma is not None else 0) | (USE_SHIFT if call.beta is not None else 0)
    ready, (x_rows, y_rows, parameters) = primitive(x_kind, y_kind, call.rows, call.width, call.epsilon, flags)
    given = [(SRC, x_rows, np.array(call.x)), (DST, y_rows, y), (SCALE, parameters, call.gamma), (SHIFT, parameters, call.beta)]
    given = [(name, description, np.require(array, requirements="CW")) for name, description, array in given if array is not None]
    memories = [made("memory_create", description, ENGINE, array.ctypes.data_as(ctypes.c_void_p)) for _, description, array in given]
    arguments = (Argument * len(given))(*[(name, memory) for (name, _, _), memory in zip(given, memories)])
    status = DNNL.dnnl_primitive_execute(ready, STREAM, len(given), arguments) or DNNL.dnnl_stream_wait(STREAM)
    for memory in memories:
        DNNL.dnnl_memory_destroy(memory)
    if status:
        raise RuntimeError(f"dnnl_primitive_execute: status {status}")
    return y


ENGINE = made("engine_create", CPU, ctypes.c_size_t(0))
STREAM = made("stream_create", ENGINE, IN_ORDER)
DNNL.dnnl_version.restype = ctypes.POINTER(Version)
protocol.serve("onednn", ".".join(map(str, DNNL.dnnl_version().contents.number)), "layer_norm",
               "f32" if sys.argv[1] == "f32" else "bf16/f32/bf16 f16/f32/f16", norm, epsilon="f32")
