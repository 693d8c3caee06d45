"""Keras on TensorFlow on the CPU: keras.ops.layer_normalization and rms_normalization, which its layers call."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import protocol  # before TensorFlow, so that MXCSR is read as it was

import ml_dtypes

with protocol.stdout_aside():
    import tensorflow
    import keras


def tensor(array):
    return None if array is None else keras.ops.convert_to_tensor(array)


def norm(call):
    x, gamma, beta = tensor(call.x), tensor(call.gamma), tensor(call.beta)
    if call.op == "layer_norm":
        return keras.ops.layer_normalization(x, gamma, beta, axis=-1, epsilon=call.epsilon).numpy()
    call.without_beta()
    return keras.ops.rms_normalization(x, gamma, axis=-1, epsilon=call.epsilon).numpy()


tensorflow.config.threading.set_intra_op_parallelism_threads(protocol.THREADS)
tensorflow.config.threading.set_inter_op_parallelism_threads(1)
protocol.serve("keras", f"{keras.__version__}, tensorflow {tensorflow.__version__}", "layer_norm rms_norm",
               "f32 f16 bf16 f16/f32/f16 bf16/f32/bf16", norm, epsilon="f32", bf16=ml_dtypes.bfloat16, no_beta="rms_norm")
