"""MLX on the CPU: mlx.core.fast.layer_norm and rms_norm."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before mlx, so that MXCSR is read as it was

import mlx.core as mx
import numpy as np


def array(given):
    if given is None:
        return None
    return mx.array(given).view(mx.bfloat16) if given.dtype == np.uint16 else mx.array(given)


def norm(call):
    if call.x.size == 0:  # 0.32.4: where such calls and others alternate, some do not return
        raise protocol.Unsupported("an array of no elements: beside others, some calls do not return")
    x, gamma, beta = array(call.x), array(call.gamma), array(call.beta)
    if call.op == "layer_norm":
        y = mx.fast.layer_norm(x, gamma, beta, call.epsilon)
    else:
        call.without_beta()
        y = mx.fast.rms_norm(x, gamma, call.epsilon)
    return np.array(y.view(mx.uint16) if y.dtype == mx.bfloat16 else y)


mx.set_default_device(mx.cpu)
protocol.serve("mlx", mx.__version__, "layer_norm rms_norm", "f32 f16 bf16 f32/f16/f32 f32/bf16/f32", norm, epsilon="f32", no_beta="rms_norm")
