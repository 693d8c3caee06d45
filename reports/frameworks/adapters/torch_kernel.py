"""PyTorch on the CPU: torch.nn.functional.layer_norm and rms_norm, eager; by torch.compile(dynamic=True) with the argument `compile`."""
import sys
import warnings

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before torch, so that MXCSR is read as it was

import functools

import numpy as np
import torch
import torch.nn.functional as F


COMPILED = sys.argv[1:] == ["compile"]


def tensor(array):
    if array is None:
        return None
    given = torch.from_numpy(array.view(np.int16).copy() if array.dtype == np.uint16 else array.copy())
    return given.view(torch.bfloat16) if array.dtype == np.uint16 else given


def layer_norm(x, gamma, beta, epsilon):
    return F.layer_norm(x, [x.shape[-1]], gamma, beta, epsilon)


def rms_norm(x, gamma, epsilon):
    return F.rms_norm(x, [x.shape[-1]], gamma, epsilon)


@functools.cache
def compile_first(op, kind, one_row, one_wide, has_gamma, has_beta, epsilon):
    """Has the call's code compiled on a shape that is always the same, for the code may hang on the shape that asked for it."""
    x = torch.ones(1 if one_row else 2, 1 if one_wide else 512, dtype=kind)
    gamma, beta = (torch.ones(x.shape[1], dtype=kind) if given else None for given in (has_gamma, has_beta))
    return layer_norm(x, gamma, beta, epsilon) if op == "layer_norm" else rms_norm(x, gamma, epsilon)


def norm(call):
    x, gamma, beta = tensor(call.x), tensor(call.gamma), tensor(call.beta)
    if call.op == "rms_norm":
        call.without_beta()
        beta = None
    if COMPILED and call.x.size:
        compile_first(call.op, x.dtype, call.rows == 1, call.width == 1, gamma is not None, beta is not None, call.epsilon)
    try:
        if call.op == "layer_norm":
            y = layer_norm(x, gamma, beta, call.epsilon)
        else:
            y = rms_norm(x, gamma, call.epsilon)
    except RuntimeError as error:
        raise protocol.Unsupported(str(error)) from error
    return y.view(torch.int16).numpy().view(np.uint16) if y.dtype == torch.bfloat16 else y.numpy()


warnings.simplefilter("ignore")  # rms_norm of mixed formats says that it does not take its fused path
torch.set_num_threads(protocol.THREADS)
torch.set_grad_enabled(False)
if COMPILED:  # one compilation for any width, another for each epsilon and format; past the limit torch would run eager
    torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 100_000
    layer_norm, rms_norm = (torch.compile(op, dynamic=True, fullgraph=True) for op in (layer_norm, rms_norm))
    for op in ("layer_norm", "rms_norm"):  # here, so that the forks of preload.py have the compiler loaded
        compile_first(op, torch.float32, False, False, True, op == "layer_norm", 1e-5)
protocol.serve("torch-compile" if COMPILED else "torch", torch.__version__, "layer_norm rms_norm",
               "f32 f16 bf16" if COMPILED else "f32 f16 bf16 f16/f32/f16 bf16/f32/bf16", norm, no_beta="rms_norm")
