"""arrays.py: asserts and laws on arrays, with what they refuse. NORMCHECK_TOOL names the command line; bfloat16 where ml_dtypes is."""
import os
import tempfile

import numpy as np

import normcheck as nc
from normcheck import arrays, protocol

DTYPES = [np.float32, np.float16] + ([arrays.BFLOAT16] if arrays.BFLOAT16 else [])
np.seterr(all="ignore")


def reference(op):
    """The operation in binary64 with one rounding; less: what a wrong divisor takes off the width."""

    def fn(x, weight, bias, eps, less=0):
        wide = x.astype(np.float64)
        if op == "layer_norm":
            wide = wide - wide.mean(-1, keepdims=True)
            wide = wide - wide.mean(-1, keepdims=True)
        over = 1 if op == "l2_norm" else x.shape[-1] - less
        y = wide / np.sqrt((wide * wide).sum(-1, keepdims=True) / over + eps)
        y = y if weight is None else y * weight.astype(np.float64)
        return (y if bias is None else y + bias.astype(np.float64)).astype(x.dtype)

    return fn


def raised(kind, call, *words):
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words), f"{words}: {error}"
        return str(error)
    raise SystemExit(f"no {kind.__name__} with {words}")


def drawn(dtype, rows=4, width=24):
    rng = np.random.default_rng(1)
    return [rng.standard_normal(shape).astype(dtype) for shape in ((rows, width), width, width)]


def every_operation_and_dtype():
    for op in protocol.OPS:
        for dtype in DTYPES:
            x, w, b = drawn(dtype)
            for given in ((w, b), (w, None), (None, b), (None, None)):
                good = reference(op)(x, *given, 1e-5)
                assert getattr(nc, f"assert_{op}")(good, x, *given, 1e-5).kept
                if op != "l2_norm":  # its sum is divided by nothing
                    wrong = reference(op)(x, *given, 1e-5, 1)
                    raised(AssertionError, lambda: getattr(nc, f"assert_{op}")(wrong, x, *given, 1e-5), "BROKEN", "array(")
            if op != "l2_norm":
                assert "divisor-h-minus-1" in nc.judge(reference(op)(x, w, b, 1e-5, 1), x, w, b, 1e-5, op=op).mistakes


def views_and_layouts():
    x, w, b = drawn(np.float32, 8, 48)
    for view in (x[::2, ::2], np.asfortranarray(x[:, :24]), x.reshape(2, 4, 48)[..., :24], x[0, :24]):
        view = view[...]
        view.flags.writeable = False
        assert nc.judge(reference("layer_norm")(view, w[:24], b[:24], 1e-5), view, w[:24], b[:24], 1e-5, op="layer_norm").kept


def special_outputs():
    x, _, _ = drawn(np.float32)
    y = reference("layer_norm")(x, None, None, 1e-5)
    for value in (np.nan, np.inf):
        bad = y.copy()
        bad[2, 5] = value
        verdict = nc.judge(bad, x, op="layer_norm")
        assert not verdict.kept and (verdict.worst["row"], verdict.worst["index"]) == (2, 5)
    x[1, 3] = np.nan
    assert nc.judge(reference("layer_norm")(x, None, None, 1e-5), x, op="layer_norm").kept


def refusals():
    x, w, b = drawn(np.float32)
    y = reference("layer_norm")(x, w, b, 1e-5)
    raised(ValueError, lambda: nc.assert_layer_norm(y[:, 1:], x, w, b), "y: shape")
    raised(ValueError, lambda: nc.assert_layer_norm(y, x, w[1:], b), "weight: shape")
    raised(TypeError, lambda: nc.assert_layer_norm(y, x, w, b.astype(np.float16)), "dtypes differ")
    raised(TypeError, lambda: nc.assert_layer_norm(y.astype(np.float64), x, w, b), "float64")
    raised(TypeError, lambda: nc.assert_layer_norm(None, x), "y: an array")
    raised(TypeError, lambda: nc.assert_rms_norm(y, x, w), "eps")
    raised(TypeError, lambda: nc.assert_rms_norm(y, x, w, 1e-5), "bias: is a number")
    raised(ValueError, lambda: nc.judge(y, x, op="batch_norm"), "batch_norm")
    raised(ValueError, lambda: nc.judge(y, x, op="layer_norm", contract="ulp:x"), "no number of ulps")
    raised(ValueError, lambda: nc.judge(y, x, eps=-1.0, op="layer_norm"), "epsilon")
    raised(ValueError, lambda: nc.judge(y[:0], x[:0], op="layer_norm"), "nothing was checked")


def case_files(folder):
    x, w, b = drawn(np.float16)
    wrong = reference("layer_norm")(x, w, b, 1e-5, 1)
    path = os.path.join(folder, "one.case.json")
    text = raised(AssertionError, lambda: nc.assert_layer_norm(wrong, x, w, b, save=path), path)
    names = {}
    exec("\n".join(line for line in text.splitlines() if line.startswith(("import", "x =", "weight", "bias", "eps"))), names)  # pylint: disable=exec-used
    verdict = nc.judge(wrong, x, w, b, op="layer_norm")
    assert np.array_equal(names["x"], x[verdict.worst["row"]:][:1]) and np.array_equal(names["bias"], b)
    from normcheck import tool
    assert tool.run("judge", path)[0] == 0


def laws(folder):
    shapes = []

    def seen(x, weight, bias, eps):
        shapes.append(x.shape)
        return reference("layer_norm")(x, weight, bias, eps)

    assert "judged" in nc.check(seen, cases=30)
    assert len(set(shapes)) >= 20 and max(shape[0] for shape in shapes) > 1000
    path = os.path.join(folder, "two.case.json")

    def less(x, weight, bias, eps):
        return reference("layer_norm")(x, weight, bias, eps, 1)

    raised(AssertionError, lambda: nc.check(less, dtypes=["float16"], save=path), "float16", "array(", "judged", path)
    assert os.path.getsize(path)
    raised(ZeroDivisionError, lambda: nc.check(lambda x, w, b, e: 1 / 0, "layer_norm"))
    raised(KeyboardInterrupt, lambda: nc.check(interrupted, "layer_norm"))
    raised(TypeError, lambda: nc.check(lambda x, w, b, e: x.astype(np.float64), "layer_norm"), "gives float64")
    raised(AssertionError, lambda: nc.check(declined, "layer_norm"), "nothing was checked")
    raised(ValueError, lambda: nc.check(lambda x: x), "takes 1 arguments")
    nc.check(lambda x, w, eps: reference("rms_norm")(x, w, None, eps), dtypes=["float32"], cases=10)


def nothing_stays():
    """A function that raises leaves no open socket behind; the relays end with their sockets."""
    import gc
    import warnings
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", ResourceWarning)
        raised(ZeroDivisionError, lambda: nc.check(lambda x, w, b, e: 1 / 0, "layer_norm"))
        gc.collect()
    assert not [w for w in seen if w.category is ResourceWarning], seen[0].message


def interrupted(x, weight, bias, eps):
    raise KeyboardInterrupt


def declined(x, weight, bias, eps):
    raise NotImplementedError


with tempfile.TemporaryDirectory() as work:
    every_operation_and_dtype()
    views_and_layouts()
    special_outputs()
    refusals()
    case_files(work)
    laws(work)
    nothing_stays()
print("ok")
