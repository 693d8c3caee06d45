"""An ONNX model of one node, LayerNormalization (opset 17) or RMSNormalization (opset 23), rows and width open; as bytes."""
from onnx import TensorProto, helper

KINDS = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16}
NODES = {"layer_norm": ("LayerNormalization", 17), "rms_norm": ("RMSNormalization", 23)}
SHAPES = {"x": ["rows", "width"], "gamma": ["width"], "beta": ["width"], "y": ["rows", "width"]}


def model(op, kind, epsilon, inputs):
    """inputs: names among x, gamma, beta, in this order; all of one kind."""
    name, opset = NODES[op]
    values = [helper.make_tensor_value_info(value, KINDS[kind], SHAPES[value]) for value in [*inputs, "y"]]
    graph = helper.make_graph([helper.make_node(name, inputs, ["y"], epsilon=epsilon)], "one_node", values[:-1], values[-1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10).SerializeToString()


def inputs(call):
    """{name: array} of a call. The nodes require gamma; RMSNorm has no beta."""
    if call.op == "rms_norm":
        call.without_beta()
        call.beta = None
    return {"x": call.x, "gamma": call.gamma_or_ones()} | ({} if call.beta is None else {"beta": call.beta})
