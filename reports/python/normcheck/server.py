"""Turns a Python function into a kernel: what `--kernel FILE.py:FUNCTION` starts."""
import importlib.util
import inspect
import os
import struct
import sys

import numpy as np

from normcheck import protocol
from normcheck.protocol import Unsupported

try:
    from ml_dtypes import bfloat16 as BFLOAT16
except ImportError:
    BFLOAT16 = None

DTYPES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}
OP_OF_COUNT = {4: "layer_norm", 3: "rms_norm"}


def positional(fn):
    """How many arguments `fn` needs by position; those with a default are not counted."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in kinds and p.default is p.empty for p in inspect.signature(fn).parameters.values())


def op_of(fn, op):
    """The operation that is asked for, or the one that the arguments tell: (x, weight, bias, eps) or (x, weight, eps)."""
    op = op or getattr(fn, "op", None) or OP_OF_COUNT.get(positional(fn))
    if op in protocol.OPS:
        return op
    raise ValueError(f"{name_of(fn)}: takes {positional(fn)} arguments; write (x, weight, bias, eps) for layer_norm or "
                     f"(x, weight, eps) for rms_norm, or give op=, or set {name_of(fn)}.op to one of {', '.join(protocol.OPS)}")


def formats_of(fn, dtypes):
    """The words of the protocol for the dtypes that are served; bfloat16 needs ml_dtypes."""
    dtypes = dtypes or getattr(fn, "dtypes", None) or [name for name in DTYPES if name != "bfloat16" or BFLOAT16]
    unknown = [name for name in dtypes if name not in DTYPES]
    if unknown:
        raise ValueError(f"dtypes: {unknown[0]} is none of {', '.join(DTYPES)}")
    if "bfloat16" in dtypes and BFLOAT16 is None:
        raise ValueError("dtypes: bfloat16 needs ml_dtypes; pip install ml_dtypes")
    return " ".join(DTYPES[name] for name in dtypes)


def name_of(fn):
    """The function's name as a word; a lambda or an object without one is "function"."""
    name = getattr(fn, "__name__", "function")
    return name if name.isidentifier() else "function"


def description(fn, op, formats, contract):
    """The first lines of the protocol. A function of three arguments has no beta."""
    lines = ["normcheck 1", f"name {name_of(fn)}", f"ops {op}", f"formats {formats}", "supports absent-gamma-beta"]
    contract = contract or getattr(fn, "contract", None)
    lines += [f"contract {contract}"] if contract else []
    lines += ["traits no-beta"] if positional(fn) == 3 else []
    return "\n".join(lines) + "\n\n"


def call(fn, request, op):
    """y of one request, in x's dtype and shape; anything else is an error of the kernel."""
    arguments = [request.x, request.gamma] + ([] if positional(fn) == 3 else [request.beta]) + [request.epsilon]
    with np.errstate(all="ignore"):
        y = np.asarray(fn(*arguments))
    if y.dtype != request.types[2] or y.shape != request.x.shape:
        raise TypeError(f"gives {y.dtype} {y.shape}; {op} of {request.types[0]} {request.x.shape} gives {request.types[2]} {request.x.shape}")
    return np.ascontiguousarray(y).tobytes()


def answer(fn, request, op):
    """Status and bytes of a reply."""
    try:
        with protocol.stdout_aside():
            return 0, call(fn, request, op)
    except (Unsupported, NotImplementedError) as reason:
        return 1, (str(reason) or "not implemented").encode()[:4096]
    except Exception as error:  # pylint: disable=broad-except
        return 2, f"{type(error).__name__}: {error}".encode()[:4096]


def serve(fn, op=None, dtypes=None, contract=None):
    """Answers normcheck's requests with `fn` until stdin ends; stdout carries the protocol, what `fn` prints goes to stderr.

    Parameters
    ----------
    fn : callable
        ``fn(x, weight, bias, eps)``, or without bias ``fn(x, weight, eps)``. x has shape (rows, width), weight and bias (width,)
        or are None; eps is a float. Returns y of x's shape and dtype. The arrays are read-only.
    op : str, optional
        "layer_norm", "rms_norm" or "l2_norm". Default: ``fn.op``, else by the number of arguments: 4 layer_norm, 3 rms_norm.
    dtypes : sequence of str, optional
        Of "float32", "float16", "bfloat16". Default: ``fn.dtypes``, else all; bfloat16 where ml_dtypes is installed.
    contract : str, optional
        What fn promises: "row-ulp:4", "two-pass,acc=f32", ... Default: ``fn.contract``, else row-ulp:4.

    NotImplementedError and Unsupported count as "not supported"; any other exception, another dtype or shape is a finding.
    """
    op, formats = op_of(fn, op), formats_of(fn, dtypes)
    sys.stdout.buffer.write(description(fn, op, formats, contract).encode())
    sys.stdout.buffer.flush()
    while True:
        header = struct.unpack(protocol.REQUEST, protocol.read(48))
        request = protocol.Call(header, protocol.read(header[-1]), BFLOAT16 or "<u2")
        protocol.reply(request.number, *answer(fn, request, op))


def load(path, name):
    """The function of a file, whose folder is the first place from which it imports."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    fn = getattr(module, name, None)
    if callable(fn):
        return fn
    own = [key for key, value in vars(module).items() if inspect.isfunction(value) and value.__module__ == spec.name]
    raise ValueError(f"{path}: there is no function {name}; it has {', '.join(own) or 'none'}")


def main(path, name):
    """Serves a file's function; what is wrong with it is one line."""
    try:
        with protocol.stdout_aside():
            fn = load(path, name)
        serve(fn)
    except (ValueError, ImportError, SyntaxError, OSError) as error:
        sys.exit(f"normcheck: {path}:{name}: {error}")
