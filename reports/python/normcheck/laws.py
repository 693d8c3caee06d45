"""check: every law of normcheck on a function of this process, with the shrunk case where one breaks."""
import json
import pathlib
import re
import tempfile

from normcheck import arrays, protocol, server, tool, verdict
from normcheck.in_process import Served


def _arrays_of(case):
    """x, weight, bias, eps and formats of a case file."""
    formats = (case["x_format"], case["param_format"], case["y_format"])
    x = arrays.of_numbers(case["x"], formats[0]).reshape(case["rows"], case["width"])
    weight, bias = (arrays.of_numbers(case[name], formats[1]) if name in case else None for name in ("gamma", "beta"))
    return x, weight, bias, float.fromhex(case["epsilon"]), formats


def _as_words(a):
    return a if a is None else arrays.given(a, "x")[0]


def _told(out):
    """What the command line saw, without the lines that name files and commands of this run alone."""
    lines = out.splitlines()
    start = next((i for i, line in enumerate(lines) if "BROKEN" in line), 0)
    return "\n".join(line for line in lines[start:] if not re.match(r"\s+(case|replay) ", line))


def _named(fn, values, op, contract):
    """The verdict on the shrunk case, where it is broken alone."""
    x, weight, bias, eps, _ = values
    given = [x, weight] + ([] if server.positional(fn) == 3 else [bias]) + [eps]
    found = verdict.judge(fn(*given), x, weight, bias, eps, op=op, contract=contract or "row-ulp:4") if x.size else None
    return "" if found is None or found.kept else f"\non this case: {found}"


def _failure(fn, op, contract, out, found, save):
    case = json.loads(found.read_text(encoding="utf-8"))
    x, weight, bias, eps, formats = values = _arrays_of(case)
    dtypes = ", ".join(f"{name} {arrays.DTYPES[fmt]}" for name, fmt in zip(("x", "weight and bias", "y"), formats))
    code = arrays.row_code(_as_words(x), _as_words(weight), _as_words(bias), eps, formats)
    text = f"{op} ({dtypes}), {case['rows']} x {case['width']}:\n{_told(out)}{_named(fn, values, op, contract)}\n{code}"
    if save:
        pathlib.Path(save).write_bytes(found.read_bytes())
        text += f"\ncase   {save}"
    return text


def check(fn, op=None, dtypes=None, *, contract=None, cases=50, seed=1, save=None):
    """Holds fn to every law of normcheck; raises AssertionError with the shrunk case of the first that breaks.

    Parameters
    ----------
    fn : callable
        ``fn(x, weight, bias, eps)``, or ``fn(x, weight, eps)``, as in normcheck.serve. It is called in this process.
    op : str, optional
        One of normcheck.OPS; default: by the number of arguments.
    dtypes : sequence of str, optional
        Of "float32", "float16", "bfloat16"; default: all that numpy has here.
    contract : str, optional
        What fn promises; default row-ulp:4.
    cases : int
        Random cases for each law.
    seed : int
        Of the cases: the same seed draws the same.
    save : path, optional
        Receives the shrunk case as a file that every verb of normcheck reads.

    Returns
    -------
    str
        The laws, and on how many cases each was kept.

    Raises
    ------
    AssertionError
        A law is broken, or nothing was checked.
    Exception
        What fn raises goes through, NotImplementedError apart: that case counts as not supported.
    """
    __tracebackhide__ = True  # pylint: disable=unused-variable
    op = server.op_of(fn, op)
    served = Served(fn, op, dtypes, contract)
    with tempfile.TemporaryDirectory(prefix="normcheck-") as folder:
        code, out, err = served.run(["properties", "--cases", str(cases), "--seed", str(seed)], folder)
        found = sorted(pathlib.Path(folder).glob("normcheck-properties/*.case.json"))
        if code == 1 and found:
            raise AssertionError(_failure(fn, op, contract, out, found[0], save))
    if code == 1:
        raise AssertionError(f"{op}: {_told(out)}")
    if served.elements == 0:
        raise AssertionError(f"{op}: nothing was checked: fn gave no output\n{err.strip()}")
    return out if code == 0 else tool.refuse(code, err)
