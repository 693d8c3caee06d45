"""OpenVINO on the CPU: ONNX's one-node models. Argument: f32, the precision hint that keeps the model's own, or default, the plug-in's."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before openvino, so that MXCSR is read as it was

import functools

import numpy as np
import openvino

import one_node

HINT = sys.argv[1]
CORE = openvino.Core()


@functools.lru_cache(maxsize=64)
def request(op, kind, epsilon, *names):
    given = {"INFERENCE_NUM_THREADS": protocol.THREADS} | ({} if HINT == "default" else {"INFERENCE_PRECISION_HINT": HINT})
    model = CORE.read_model(one_node.model(op, kind, epsilon, names), openvino.Tensor(np.zeros(0, np.uint8)))
    return CORE.compile_model(model, "CPU", given).create_infer_request()


def tensor(array):
    """A copy, in memory that OpenVINO owns."""
    made = openvino.Tensor(openvino.Type.bf16 if array.dtype == np.uint16 else openvino.Type(array.dtype), openvino.Shape(array.shape))
    made.data.view(array.dtype)[:] = array
    return made


def norm(call):
    kind = call.formats.split("/")[0]
    given = one_node.inputs(call)
    ready = request(call.op, kind, call.epsilon, *given)
    for name, array in given.items():
        ready.set_tensor(name, tensor(array))
    ready.infer()
    return ready.get_output_tensor(0).data.view(call.types[2])


hint = HINT if HINT != "default" else "default: " + CORE.get_property("CPU", "INFERENCE_PRECISION_HINT").get_type_name()
protocol.serve("openvino", f"{openvino.__version__.split('-')[0]}, precision hint {hint}", "layer_norm rms_norm",
               "f32" if HINT == "default" else "f32 f16 bf16", norm, epsilon="f32", no_beta="rms_norm")
