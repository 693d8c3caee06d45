"""Arrays of numpy, torch, jax and others as numpy arrays with a storage format, and as text."""
import json

import numpy as np

try:
    from ml_dtypes import bfloat16 as BFLOAT16
except ImportError:
    BFLOAT16 = None

FORMATS = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}
DTYPES = {word: name for name, word in FORMATS.items()}
WORDS = {"f32": np.dtype("<u4"), "f16": np.dtype("<u2"), "bf16": np.dtype("<u2")}
STORED = {"f32": np.dtype("<f4"), "f16": np.dtype("<f2"), "bf16": np.dtype("<u2")}


def _on_the_host(a):
    """A torch tensor's values as numpy; bfloat16 as its 16-bit words, which numpy cannot be given otherwise."""
    a = a.detach().cpu().contiguous()
    if str(a.dtype) == "torch.bfloat16":
        import torch
        return a.view(torch.int16).numpy().view(np.uint16)
    return a.numpy()


def given(a, name):
    """A dense numpy array of what was given (bfloat16 as uint16 words) and its format; None stays None."""
    if a is None:
        return None, None
    if not hasattr(a, "dtype") or not hasattr(a, "shape") or np.ndim(a) == 0:
        raise TypeError(f"{name}: an array is needed, not {a!r:.40}")
    dtype = str(a.dtype).removeprefix("torch.")
    if dtype not in FORMATS:
        raise TypeError(f"{name}: dtype {a.dtype} is none of {', '.join(FORMATS)}")
    a = np.ascontiguousarray(_on_the_host(a) if hasattr(a, "detach") else np.asarray(a))
    return (a.view(np.uint16) if dtype == "bfloat16" else a), FORMATS[dtype]


def values(a, fmt):
    """The values in binary64, exactly."""
    with np.errstate(all="ignore"):
        wide = (a.astype(np.uint32) << 16).view(np.float32) if fmt == "bf16" else a
        return wide.astype(np.float64)


def numbers(a, fmt):
    """The strings of a case file, with every bit."""
    bits = a.view(WORDS[fmt]).ravel().tolist()
    return [f"nan:{bit:#x}" if value != value else "-inf" if value == -np.inf else value.hex()
            for value, bit in zip(values(a, fmt).ravel().tolist(), bits)]


def of_numbers(texts, fmt):
    """Their inverse, for the hex that normcheck writes; bfloat16 in ml_dtypes' type."""
    exact = np.array([0.0 if t.startswith("nan") else float.fromhex(t) for t in texts], np.float32)
    a = (exact.view(np.uint32) >> 16).astype(np.uint16) if fmt == "bf16" else exact.astype(STORED[fmt])
    quiet = {"f32": 0x7FC00000, "f16": 0x7E00, "bf16": 0x7FC0}[fmt]
    words = a.view(WORDS[fmt])
    for i, text in enumerate(texts):
        if text.startswith("nan"):
            words[i] = int(text[4:], 16) if ":" in text else quiet
    return a.view(BFLOAT16) if fmt == "bf16" and BFLOAT16 else a


def code(name, a, fmt):
    """A line of Python that makes the array again; a NaN's payload is lost in it."""
    dtype = "ml_dtypes.bfloat16" if fmt == "bf16" else f"np.{DTYPES[fmt]}"
    return f"{name} = None" if a is None else f"{name} = np.array({values(a, fmt).tolist()}, {dtype})"


def row_code(x, weight, bias, eps, formats):
    """The row, its parameters and eps as code to paste."""
    lines = ["import numpy as np; from numpy import nan, inf"] + (["import ml_dtypes"] if "bf16" in formats else [])
    lines += [code(name, a, fmt) for name, a, fmt in zip(("x", "weight", "bias"), (x, weight, bias), (formats[0], *[formats[1]] * 2))]
    return "\n".join(lines + [f"eps = {eps!r}"])


def case_text(op, x, weight, bias, eps, formats):
    """A case file (schema normcheck/case/1)."""
    case = {"schema": "normcheck/case/1", "op": op, "x_format": formats[0], "param_format": formats[1], "y_format": formats[2],
            "rows": x.shape[0], "width": x.shape[1], "epsilon": eps.hex(), "x": numbers(x, formats[0])}
    case |= {name: numbers(a, formats[1]) for name, a in (("gamma", weight), ("beta", bias)) if a is not None}
    return json.dumps(case) + "\n"
