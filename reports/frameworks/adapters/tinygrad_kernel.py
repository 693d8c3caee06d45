"""tinygrad on the CPU: tinygrad.nn.LayerNorm and RMSNorm."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before tinygrad, so that MXCSR is read as it was

import importlib.metadata
import os
import shutil

os.environ.setdefault("CC", "clang-19" if shutil.which("clang-19") else "clang")  # clang 14 has no bfloat16 on x86-64

import numpy as np
from tinygrad import Tensor, dtypes, nn


def tensor(array):
    if array is None:
        return None
    given = Tensor(array.copy())
    return given.bitcast(dtypes.bfloat16) if array.dtype == np.uint16 else given


def norm(call):
    layer = {"layer_norm": nn.LayerNorm, "rms_norm": nn.RMSNorm}[call.op](call.width, call.epsilon, elementwise_affine=False)
    if call.op == "rms_norm":
        call.without_beta()
    elif (call.gamma is None) != (call.beta is None):
        raise protocol.Unsupported("the layer has both of gamma and beta, or neither")
    else:
        layer.bias = tensor(call.beta)
    layer.weight = tensor(call.gamma)
    y = layer(tensor(call.x))
    return (y.bitcast(dtypes.uint16) if y.dtype == dtypes.bfloat16 else y).numpy()


protocol.serve("tinygrad", f"{importlib.metadata.version('tinygrad')}, {os.environ['CC']}", "layer_norm rms_norm", "f32 f16 bf16", norm, epsilon="f32", no_beta="rms_norm")
