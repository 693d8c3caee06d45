"""Wrong on purpose: numpy's LayerNorm and RMSNorm with epsilon added after the root. The test wants that named."""
import sys

import numpy as np

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol


def norm(call):
    x = call.x.astype(np.float64)
    centred = x - x.mean(axis=-1, keepdims=True) if call.op == "layer_norm" else x
    y = centred / (np.sqrt(np.mean(np.square(centred), axis=-1, keepdims=True)) + call.epsilon)
    y = y if call.gamma is None else y * call.gamma
    return (y if call.beta is None else y + call.beta).astype(np.float32)


np.seterr(all="ignore")
protocol.serve("eps_after_root", "1", "layer_norm rms_norm", "f32", norm)
