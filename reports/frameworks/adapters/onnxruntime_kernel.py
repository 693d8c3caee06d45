"""ONNX Runtime on the CPU: a model of one node, LayerNormalization (opset 17) or RMSNormalization (opset 23)."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before onnxruntime, so that MXCSR is read as it was

import functools

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

KINDS = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16}
NODES = {"layer_norm": ("LayerNormalization", 17), "rms_norm": ("RMSNormalization", 23)}


@functools.lru_cache(maxsize=64)
def session(op, kind, epsilon, beta):
    name, opset = NODES[op]
    inputs = ["x", "gamma", "beta"][:2 + beta]
    shapes = {"x": ["rows", "width"], "gamma": ["width"], "beta": ["width"], "y": ["rows", "width"]}
    values = [helper.make_tensor_value_info(value, KINDS[kind], shapes[value]) for value in inputs + ["y"]]
    graph = helper.make_graph([helper.make_node(name, inputs, ["y"], epsilon=epsilon)], "one_node", values[:-1], values[-1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def norm(call):
    if call.op == "rms_norm":
        call.without_beta()
        call.beta = None
    if call.gamma is None:  # the op requires it; times 1 is exact
        call.gamma = np.ones(call.width, call.types[1])
    given = {name: value for name, value in (("x", call.x), ("gamma", call.gamma), ("beta", call.beta)) if value is not None}
    return session(call.op, call.formats.split("/")[0], call.epsilon, call.beta is not None).run(None, given)[0]


onnxruntime.set_default_logger_severity(3)
protocol.serve("onnxruntime", onnxruntime.__version__, "layer_norm rms_norm", "f32 f16", norm, epsilon="f32")
