"""The columns of the accuracy table: which kernels, how each is asked, and what is known not to be there."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Kernel:
    """`environment`: of install.sh, or "" for a kernel of normcheck's own, which `adapter` then names. `shard`: this part of the
    report's cells alone. `cases`: a law. `runs`: of the campaign, an op. `lacks`: (op, formats, why) that the adapter does not serve. `preload`:
    preload.py starts its processes."""
    name: str
    environment: str
    adapter: str
    shard: str = "1/1"
    cases: int = 50
    runs: int = 3000
    lacks: tuple = ()
    preload: bool = False


# Where each epsilon needs another session or another compilation of the model, which the campaign draws anew all the time.
MODELS = {"cases": 6, "runs": 100}
# A framework that compiles anew for each shape takes some 0.1 s of processor time for it (tinygrad 0.2, torch.compile 1 for each epsilon).
COMPILES = {"cases": 6, "runs": 300, "preload": True}
NO_BF16 = (("both", "bf16", "numpy has no bfloat16"),)
NO_RMS = (("rms_norm", "all", "oneDNN 3.2 has no such op"),)

KERNELS = [
    Kernel("layer_norm", "", "layer_norm"),
    Kernel("rms_norm", "", "rms_norm"),
    Kernel("layer_norm_fast", "", "layer_norm_fast"),
    Kernel("rms_norm_fast", "", "rms_norm_fast"),
    Kernel("numpy-f32", "numpy", "numpy_kernel.py f32", lacks=NO_BF16),
    Kernel("numpy-f16", "numpy", "numpy_kernel.py f16"),
    Kernel("torch", "torch", "torch_kernel.py", preload=True),
    Kernel("torch-compile", "torch", "torch_kernel.py compile", cases=3, runs=100, preload=True),
    Kernel("onnxruntime", "onnxruntime", "onnxruntime_kernel.py", runs=1000),
    Kernel("openvino", "openvino", "openvino_kernel.py f32", **MODELS),
    Kernel("openvino-default-hint", "openvino", "openvino_kernel.py default", **MODELS),
    Kernel("keras-tensorflow", "tensorflow", "tensorflow_kernel.py", cases=20, runs=1000, preload=True),
    Kernel("flax-two-pass", "jax", "jax_kernel.py slow", **COMPILES),
    Kernel("flax-fast-variance", "jax", "jax_kernel.py fast", **COMPILES,
           lacks=(("rms_norm", "all", "use_fast_variance has no part in it: see flax-two-pass"),)),
    Kernel("paddlepaddle", "paddlepaddle", "paddlepaddle_kernel.py", preload=True),
    Kernel("mlx", "mlx", "mlx_kernel.py", runs=1000, lacks=(
        ("both", "no elements", "where calls of no elements and others alternate, some do not return (3 of 5 processes of 2 s; of either alone, none)"),)),
    Kernel("tinygrad", "tinygrad", "tinygrad_kernel.py", **COMPILES),
    Kernel("ncnn", "ncnn", "ncnn_kernel.py",
           lacks=(("both", "f16, bf16", "a net on x86-64 takes and gives f32; its 16-bit storage is inside"),)),
    Kernel("onednn", "onednn", "onednn_kernel.py f32", lacks=NO_RMS),
    Kernel("onednn-16-bit", "onednn", "onednn_kernel.py mixed"),
]
NOT_CHECKED = {"onednn 3.13": "the wheel onednn 2026.1.0 takes 1.9 GB with the SYCL runtime that it requires; the bound here is 1.5 GB"}
