"""numpy, LayerNorm and RMSNorm as people write them, in x's own type; argument: f32 or f16, also the type of epsilon."""
import sys
import warnings

import numpy as np

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol


def norm(call):
    x, epsilon = call.x, call.x.dtype.type(call.epsilon)
    if call.op == "layer_norm":
        y = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + epsilon)
    else:
        y = x / np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + epsilon)
    y = y if call.gamma is None else y * call.gamma
    return y if call.beta is None else y + call.beta


np.seterr(all="ignore")
warnings.simplefilter("ignore")  # the mean of a row of width 0
protocol.serve("numpy", np.__version__, "layer_norm rms_norm", sys.argv[1], norm, epsilon=sys.argv[1])
