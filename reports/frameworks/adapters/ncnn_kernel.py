"""ncnn on the CPU: a net of one layer, LayerNorm or RMSNorm, in f32 storage."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before ncnn, so that MXCSR is read as it was

import tempfile

import ncnn
import numpy as np

WEIGHTS = tempfile.NamedTemporaryFile()


def decimal(value):
    """A float that ncnn's reader of parameter text gets back to the bit: nine digits as a whole number, and an exponent."""
    digits, exponent = f"{np.float32(value):.8e}".replace(".", "").split("e")
    return f"{digits}e{int(exponent) - 8}"


def net(name, width, epsilon, weights):
    made = ncnn.Net()
    for option in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
        setattr(made.opt, option, False)
    made.opt.num_threads = protocol.THREADS
    WEIGHTS.seek(0)
    WEIGHTS.write(b"".join(array.tobytes() for array in weights))
    WEIGHTS.flush()
    made.load_param_mem(f"7767517\n2 2\nInput x 0 1 x\n{name} norm 1 1 x y 0={width} 1={decimal(epsilon)} 2={int(bool(weights))}\n")
    made.load_model(WEIGHTS.name)
    return made


def norm(call):
    if call.x.size == 0:
        raise protocol.Unsupported("a Mat is never empty")
    ones, zeros = np.ones(call.width, np.float32), np.zeros(call.width, np.float32)
    if call.op == "rms_norm":
        call.without_beta()
        weights = [] if call.gamma is None else [call.gamma]
    else:  # both or none; times 1 and plus 0 are exact
        given = [ones if call.gamma is None else call.gamma, zeros if call.beta is None else call.beta]
        weights = [] if call.gamma is None and call.beta is None else given
    made = net({"layer_norm": "LayerNorm", "rms_norm": "RMSNorm"}[call.op], call.width, call.epsilon, weights)
    x, run = call.x.copy(), made.create_extractor()
    run.input("x", ncnn.Mat(x).clone())  # memory of its own: the layer works in place
    return np.array(run.extract("y")[1]).reshape(x.shape)


protocol.serve("ncnn", ncnn.__version__, "layer_norm rms_norm", "f32", norm, epsilon="f32", no_beta="rms_norm")
