"""PaddlePaddle on the CPU: paddle.nn.functional.layer_norm, and paddle.incubate.nn.functional.fused_rms_norm."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before paddle, so that MXCSR is read as it was

with protocol.stdout_aside():
    import paddle


def tensor(array):
    return None if array is None else paddle.to_tensor(array.copy())


def norm(call):
    if not 0 <= call.epsilon <= 0.001 and call.op == "layer_norm":
        raise protocol.Unsupported("layer_norm takes epsilon from 0 to 0.001")
    try:
        return normalised(call)
    except RuntimeError as error:
        if "is not registered" not in str(error):
            raise
        raise protocol.Unsupported(next(line for line in str(error).splitlines() if "is not registered" in line)) from error


def normalised(call):
    x, gamma, beta = tensor(call.x), tensor(call.gamma), tensor(call.beta)
    if call.op == "layer_norm":
        return paddle.nn.functional.layer_norm(x, [call.width], gamma, beta, call.epsilon).numpy()
    call.without_beta()
    return paddle.incubate.nn.functional.fused_rms_norm(x, tensor(call.gamma_or_ones()), None, call.epsilon, 1)[0].numpy()


paddle.set_device("cpu")
paddle.set_grad_enabled(False)
protocol.serve("paddlepaddle", paddle.__version__, "layer_norm rms_norm", "f32 f16 bf16", norm, epsilon="f32", no_beta="rms_norm")
