"""ONNX Runtime on the CPU: a model of one node, LayerNormalization (opset 17) or RMSNormalization (opset 23)."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before onnxruntime, so that MXCSR is read as it was

import ctypes
import functools

import numpy as np
import onnxruntime

import one_node


REFUSED = {}  # (op, kind): why


@functools.lru_cache(maxsize=64)
def session(op, kind, epsilon, *names):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = protocol.THREADS, 1
    return onnxruntime.InferenceSession(one_node.model(op, kind, epsilon, names), options, providers=["CPUExecutionProvider"])


def value(array):
    array = np.array(array)
    if array.dtype == np.uint16:
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array, one_node.KINDS["bf16"])
    return onnxruntime.OrtValue.ortvalue_from_numpy(array)


def norm(call):
    given, kind = one_node.inputs(call), call.formats.split("/")[0]
    if (call.op, kind) in REFUSED:
        raise protocol.Unsupported(REFUSED[call.op, kind])
    try:
        ready = session(call.op, kind, call.epsilon, *given)
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented as error:
        REFUSED[call.op, kind] = str(error)
        raise protocol.Unsupported(str(error)) from error
    y = ready.run_with_ort_values(None, {name: value(array) for name, array in given.items()})[0]
    if kind != "bf16":
        return y.numpy()
    words = np.empty(call.x.shape, np.uint16)  # numpy() has no type for it
    ctypes.memmove(words.ctypes.data, y.data_ptr(), words.nbytes)
    return words


onnxruntime.set_default_logger_severity(4)
protocol.serve("onnxruntime", onnxruntime.__version__, "layer_norm rms_norm", "f32 f16 bf16", norm, epsilon="f32", no_beta="rms_norm")
