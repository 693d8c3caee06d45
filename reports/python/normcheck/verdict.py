"""judge and assert_*: outputs that are there already, held against the exact value."""
import html
import json
import pathlib
import tempfile

import numpy as np

from normcheck import arrays, protocol, tool

DEFAULT_EPS = {"layer_norm": 1e-5}  # as torch has it; the others must be told
EPS_FORMATS = {"f64": np.float64, "f32": np.float32, "f16": np.float16}
# A kernel that computes in float32 and stores 16 bits rounds to them at most three times (xhat, its product, its sum): 1.5 row ulps.
# At width 24 the divisor H - 1 costs bfloat16 3 to 5 row ulps: 4 would let it pass.
DEFAULT_CONTRACT = {"f32": "row-ulp:4", "f16": "row-ulp:2", "bf16": "row-ulp:2"}
LONGEST_ROW = 1024  # elements of a row that a failed assertion shows as code


class Verdict:
    """What normcheck says of one output.

    Attributes
    ----------
    json : dict
        The verdict as `normcheck judge --json` prints it.
    kept : bool
        Whether the contract is kept; also the truth value.
    worst : dict or None
        The worst element: row, index, x, got, want, ulp, row_ulp, bound_ratio.
    mistakes : list of str
        Ids of the mistakes whose formula explains the outputs, nearest first.
    level : str or None
        The level, where the verdict tells one.
    """

    def __init__(self, verdict, row):
        self.json, self._row = verdict, row
        self.kept, self.worst, self.level = verdict["kept"], verdict["worst"], verdict.get("level")
        self.mistakes = [d["id"] for d in verdict["diagnosis"] if d["id"]]

    def __bool__(self):
        return self.kept

    def __repr__(self):
        return f"<Verdict {str(self).splitlines()[0]}>"

    def _repr_html_(self):
        return f"<pre>{html.escape(str(self))}</pre>"

    def __str__(self):
        lines = ["  ".join(filter(None, ["kept" if self.kept else "BROKEN", self.level, self.json["contract"], f"{self.json['elements']} elements"]))]
        if self.worst:
            lines += [f"  worst  row {self.worst['row']}, element {self.worst['index']}: {self._error()}"]
            lines += [f"  {name:6} {self.worst[name]}" for name in ("x", "got", "want")]
        lines += [f"  likely {d['id']}: {d['text']}" for d in self.json["diagnosis"]]
        return "\n".join(lines)

    def _error(self):
        told = [f"{self.worst[key]:.6g} {unit}" for key, unit in (("ulp", "ulp"), ("row_ulp", "row ulp")) if self.worst.get(key) is not None]
        return ", ".join(told) or "another class than the exact value (NaN, infinity or sign)"

    def row(self):
        """x, weight, bias, eps and formats of the worst row (of the first, where there is no worst)."""
        op, x, weight, bias, eps, formats = self._row
        at = self.worst["row"] if self.worst else 0
        return op, x[at:at + 1], weight, bias, eps, formats

    def row_code(self):
        """The worst row as numpy code."""
        return arrays.row_code(*self.row()[1:])

    def save(self, path):
        """Writes the worst row as a case file, which every verb of normcheck reads."""
        pathlib.Path(path).write_text(arrays.case_text(*self.row()), encoding="utf-8")
        return path


def _parameter(a, name, width):
    words, fmt = arrays.given(a, name)
    if words is not None and words.shape != (width,):
        raise ValueError(f"{name}: shape {words.shape}; a row of x has {width} elements, so it is ({width},)")
    return words, fmt


def _inputs(y, x, weight, bias):
    """The arrays by rows, and the three formats."""
    for name, a in (("y", y), ("x", x)):
        if a is None:
            raise TypeError(f"{name}: an array is needed, not None")
    (y, y_format), (x, x_format) = arrays.given(y, "y"), arrays.given(x, "x")
    if y.shape != x.shape:
        raise ValueError(f"y: shape {y.shape}; x has {x.shape}")
    width = x.shape[-1]
    (weight, weight_format), (bias, bias_format) = _parameter(weight, "weight", width), _parameter(bias, "bias", width)
    if weight_format and bias_format and weight_format != bias_format:
        raise TypeError("weight, bias: their dtypes differ; one is needed")
    if x.size == 0:
        raise ValueError("x: has no elements, so nothing was checked")
    rows = (-1, width)
    return y.reshape(rows), x.reshape(rows), weight, bias, (x_format, weight_format or bias_format or x_format, y_format)


def _judge_in(folder, op, y, x, weight, bias, eps, formats, contract):
    """The command line's verdict on a folder of files."""
    entry = {"id": "y", "op": op, "x_format": formats[0], "param_format": formats[1], "y_format": formats[2], "rows": x.shape[0],
             "width": x.shape[1], "epsilon": eps.hex(), "y": "y.npy"}
    for name, a, fmt in (("x", x, formats[0]), ("gamma", weight, formats[1]), ("beta", bias, formats[1]), ("y", y, formats[2])):
        if a is not None:
            np.save(f"{folder}/{name}.npy", a.astype(arrays.STORED[fmt], copy=False))
            entry[name] = f"{name}.npy"
    manifest = {"schema": "normcheck/emitted/1", "cases": [entry]}
    pathlib.Path(folder, "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    code, out, err = tool.run("judge", "--json", "--results", folder, "--contract", contract or DEFAULT_CONTRACT[formats[2]])
    return json.loads(out)[0] if code in (0, 1) else tool.refuse(code, err)


def _epsilon(eps, op, eps_format):
    eps = DEFAULT_EPS.get(op) if eps is None else eps
    if eps is None:
        raise TypeError(f"eps: {op} has no default; write the one that the kernel was called with")
    if eps_format not in EPS_FORMATS:
        raise ValueError(f"eps_format: {eps_format!r} is none of {', '.join(EPS_FORMATS)}")
    return float(EPS_FORMATS[eps_format](eps))


def judge(y, x, weight=None, bias=None, eps=None, *, op, contract=None, eps_format="f64"):
    """Judges y = op(x, weight, bias, eps) against the exact value.

    Parameters
    ----------
    y, x : array, shape (..., width)
        float32, float16 or bfloat16 of numpy (ml_dtypes), torch, jax; y may have another dtype than x. Not changed.
    weight, bias : array, shape (width,), optional
        Absent: 1 and 0. Both of one dtype.
    eps : float
        1e-5 for layer_norm where it is left out; needed for every other operation.
    op : str
        One of normcheck.OPS.
    contract : str, optional
        What y must keep; default "row-ulp:4", for a y of 16 bits "row-ulp:2". "correctly-rounded", "ulp:K", "row-ulp:K", or a profile such as "two-pass".
    eps_format : {"f64", "f32", "f16"}
        The format to which the kernel rounds eps before use.

    Raises
    ------
    TypeError, ValueError
        For dtypes, shapes or options that cannot be judged, and for arrays without elements.
    """
    if op not in protocol.OPS:
        raise ValueError(f"op: {op!r} is none of {', '.join(protocol.OPS)}")
    if isinstance(bias, (int, float)):
        raise TypeError("bias: is a number; write eps=... for epsilon")
    eps = _epsilon(eps, op, eps_format)
    y, x, weight, bias, formats = _inputs(y, x, weight, bias)
    with tempfile.TemporaryDirectory(prefix="normcheck-") as folder:
        verdict = _judge_in(folder, op, y, x, weight, bias, eps, formats, contract)
    if verdict["not_supported"]:
        raise RuntimeError(f"{op} of {'/'.join(formats)}: not supported, so nothing was checked")
    return Verdict(verdict, (op, x, weight, bias, eps, formats))


def assertion_of(op):
    """assert_OP, for each operation of the list."""

    def assertion(y, x, weight=None, bias=None, eps=None, *, contract=None, eps_format="f64", save=None):
        __tracebackhide__ = True  # pylint: disable=unused-variable
        verdict = judge(y, x, weight, bias, eps, op=op, contract=contract, eps_format=eps_format)
        if verdict:
            return verdict
        text = f"{op}: {verdict}"
        if verdict.row()[1].size <= LONGEST_ROW:
            text += "\n" + verdict.row_code()
        if save:
            text += f"\ncase   {verdict.save(save)}"
        raise AssertionError(text)

    assertion.__name__ = assertion.__qualname__ = f"assert_{op}"
    assertion.__doc__ = (f"Raises AssertionError unless y is {op}(x, weight, bias, eps) within the contract.\n\n"
                         "Parameters are those of normcheck.judge; save: a path that receives the worst row as a case file.")
    return assertion
