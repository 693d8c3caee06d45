"""ONNX Runtime on the CPU: a model of one node, LayerNormalization (opset 17) or RMSNormalization (opset 23)."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before onnxruntime, so that MXCSR is read as it was

import functools

import onnxruntime

import one_node


@functools.lru_cache(maxsize=64)
def session(op, kind, epsilon, *names):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = protocol.THREADS, 1
    return onnxruntime.InferenceSession(one_node.model(op, kind, epsilon, names), options, providers=["CPUExecutionProvider"])


def norm(call):
    given = one_node.inputs(call)
    try:
        ready = session(call.op, call.formats.split("/")[0], call.epsilon, *given)
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented as error:
        raise protocol.Unsupported(str(error)) from error
    return ready.run(None, given)[0]


onnxruntime.set_default_logger_severity(3)
protocol.serve("onnxruntime", onnxruntime.__version__, "layer_norm rms_norm", "f32 f16 bf16", norm, epsilon="f32")
