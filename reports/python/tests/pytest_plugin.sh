#!/bin/bash
# pytest_plugin.sh NORMCHECK PYTHON: the fixture, its options and the case files; PYTHON has numpy and pytest.
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
[ -n "${2:-}" ] || { echo "not checked: there is no python3-numpy"; exit 77; }
export NORMCHECK_TOOL=$1 PYTHONPATH=$tests/.. PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"$2" -c 'import pytest' 2>/dev/null || { echo "not checked: there is no python3-pytest"; exit 77; }
cd "$work"
cat >test_k.py <<'P2'
import numpy as np
def fn(x, w, b, eps, less=0):
    d = x.astype(np.float64) - x.astype(np.float64).mean(-1, keepdims=True)
    y = d / np.sqrt((d * d).sum(-1, keepdims=True) / (x.shape[-1] - less) + eps)
    y = y if w is None else y * w
    return (y if b is None else y + b).astype(x.dtype)
x = np.arange(48, dtype=np.float32).reshape(2, 24)
def test_sound(normcheck): normcheck.check(fn, dtypes=["float32"], cases=10)
def test_assert(normcheck): normcheck.assert_layer_norm(fn(x, None, None, 1e-5), x)
def test_wrong(normcheck): normcheck.check(lambda x, w, b, e: fn(x, w, b, e, 1), dtypes=["float32"], cases=10)
def test_wrong_assert(normcheck): normcheck.assert_layer_norm(fn(x, None, None, 1e-5, 1), x)
P2
code=0
"$2" -m pytest -q -p no:cacheprovider -p normcheck.pytest_plugin --normcheck-seed 2 --normcheck-cases cases test_k.py >out 2>&1 || code=$?
[ "$code" = 1 ] && grep -q '2 failed, 2 passed' out || { cat out; exit 1; }
[ "$(find cases -name '*.case.json' | wc -l)" = 2 ] || { echo "not every failure left its case"; exit 1; }
"$1" judge cases/*.case.json || { echo "a written case is not read"; exit 1; }
