"""JAX with Flax on the CPU: flax.linen.LayerNorm (argument `fast` or `slow`: use_fast_variance) and RMSNorm,
in which that has no part, under jax.jit."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before jax, so that MXCSR is read as it was

import functools

import flax
import flax.linen as nn
import jax
import ml_dtypes
import numpy as np

FAST = sys.argv[1] == "fast"


@functools.partial(jax.jit, static_argnums=(0, 5))
def apply(op, x, gamma, beta, epsilon, kind):
    given = {name: value for name, value in (("scale", gamma), ("bias", beta)) if value is not None}
    arguments = {"epsilon": epsilon, "dtype": kind, "use_fast_variance": FAST, "use_scale": gamma is not None}
    if op == "layer_norm":
        return nn.LayerNorm(use_bias=beta is not None, **arguments).apply({"params": given}, x)
    return nn.RMSNorm(**arguments).apply({"params": given}, x)


def norm(call):
    if call.op == "rms_norm":
        call.without_beta()
        call.beta = None
    return np.asarray(apply(call.op, call.x, call.gamma, call.beta, np.float32(call.epsilon), call.types[2]))


protocol.serve("flax-" + ("fast-variance" if FAST else "two-pass"), f"{flax.__version__}, jax {jax.__version__}",
               "layer_norm" if FAST else "layer_norm rms_norm",
               "f32 f16 bf16 f16/f32/f16 bf16/f32/bf16", norm, epsilon="f32", bf16=ml_dtypes.bfloat16, no_beta="rms_norm")
