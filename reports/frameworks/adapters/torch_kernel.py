"""PyTorch on the CPU: torch.nn.functional.layer_norm and rms_norm, eager."""
import sys
import warnings

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before torch, so that MXCSR is read as it was

import numpy as np
import torch
import torch.nn.functional as F


def tensor(array):
    if array is None:
        return None
    given = torch.from_numpy(array.view(np.int16).copy() if array.dtype == np.uint16 else array.copy())
    return given.view(torch.bfloat16) if array.dtype == np.uint16 else given


def norm(call):
    x, gamma, beta = tensor(call.x), tensor(call.gamma), tensor(call.beta)
    try:
        if call.op == "layer_norm":
            y = F.layer_norm(x, [call.width], gamma, beta, call.epsilon)
        else:
            call.without_beta()
            y = F.rms_norm(x, [call.width], gamma, call.epsilon)
    except RuntimeError as error:
        raise protocol.Unsupported(str(error)) from error
    return y.view(torch.int16).numpy().view(np.uint16) if y.dtype == torch.bfloat16 else y.numpy()


warnings.simplefilter("ignore")  # rms_norm of mixed formats says that it does not take its fused path
torch.set_num_threads(1)
torch.set_grad_enabled(False)
protocol.serve("torch", torch.__version__, "layer_norm rms_norm", "f32 f16 bf16 f16/f32/f16 bf16/f32/bf16", norm)
