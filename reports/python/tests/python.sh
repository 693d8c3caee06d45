#!/bin/bash
# python.sh NORMCHECK PYTHON: functions of a Python file as kernels, by every verb; PYTHON has numpy.
. "$(dirname "$0")/../../tests/expect.sh"
[ -n "$2" ] || { echo "not checked: there is no python3-numpy"; exit 77; }
mkdir -p "$work/bin"; ln -s "$2" "$work/bin/python3"; export PATH="$work/bin:$PATH"; unset VIRTUAL_ENV
cd "$work" || exit 1
cat >k.py <<'P'
import numpy as np

def norm(x, w, b, eps, less=0):
    d = x.astype(np.float64) - x.astype(np.float64).mean(-1, keepdims=True)
    d -= d.mean(-1, keepdims=True)
    y = d / np.sqrt((d * d).sum(-1, keepdims=True) / (x.shape[-1] - less) + eps)
    y = y if w is None else y * w
    print("what a kernel prints is no part of the protocol")
    return (y if b is None else y + b).astype(x.dtype)

def divides_by_less(x, w, b, eps): return norm(x, w, b, eps, 1)
def wide(x, w, b, eps): return norm(x, w, b, eps).astype(np.float64)
def raises(x, w, b, eps): raise RuntimeError("no luck")
def declines(x, w, b, eps): raise NotImplementedError("rows of this width")
def two(x, eps): return x
def rms(x, w, eps):
    wider = x.astype(np.float64)
    y = wider / np.sqrt((wider * wider).mean(-1, keepdims=True) + eps)
    return (y if w is None else y * w).astype(x.dtype)
def unit(x, w, b, eps):
    y = x.astype(np.float64) / np.sqrt((x.astype(np.float64) ** 2).sum(-1, keepdims=True) + eps)
    y = y if w is None else y * w
    return (y if b is None else y + b).astype(x.dtype)
calls = [0]
def counter(x, w, b, eps):
    calls[0] += 1
    return norm(x, w, b, eps) + x.dtype.type(calls[0] % 10 == 0)
unit.op = "l2_norm"
unit.dtypes = ["float32"]
unit.contract = "row-ulp:1"
P
case_of() { echo "{\"schema\":\"normcheck/case/1\",\"op\":\"$1\",\"x_format\":\"f32\",\"param_format\":\"f32\",\"y_format\":\"f32\",\"rows\":2,\"width\":3,\"epsilon\":\"1e-5\",\"x\":[\"1\",\"2\",\"4\",\"8\",\"3\",\"5\"]}" >"$1.json"; }
for op in layer_norm rms_norm l2_norm; do case_of $op; done

expect 0 judge --kernel k.py:norm layer_norm.json; says out 'kept  k.py:norm  row-ulp:4'
expect 1 judge --kernel k.py:divides_by_less layer_norm.json; says out 'likely divisor-h-minus-1'
says out 'replay ./normcheck judge --kernel k.py:divides_by_less layer_norm.json'
expect 0 judge --kernel k.py:rms rms_norm.json; expect 3 judge --kernel k.py:rms layer_norm.json
expect 0 judge --kernel k.py:unit l2_norm.json; says out row-ulp:1
expect 1 judge --kernel k.py:wide layer_norm.json; says out 'gives float64 (2, 3); layer_norm of float32 (2, 3) gives float32 (2, 3)'
expect 1 judge --kernel k.py:raises layer_norm.json; says out 'RuntimeError: no luck'
expect 3 judge --kernel k.py:declines layer_norm.json
for name in two absent; do expect 2 judge --kernel k.py:$name layer_norm.json; done
expect 2 judge --kernel k.py:absent layer_norm.json; says err 'there is no function absent; it has norm, divides_by_less'
expect 2 judge --kernel k.py:two layer_norm.json; says err 'two: takes 2 arguments'
refused judge --kernel none.py:norm layer_norm.json; says err 'none.py: there is no such file'
echo 'def norm(x' >broken.py; expect 2 judge --kernel broken.py:norm layer_norm.json; says err 'broken.py'
ln -sf /bin/false "$work/bin/python3"; expect 2 judge --kernel k.py:norm layer_norm.json; ln -sf "$2" "$work/bin/python3"

expect 0 report --quick --kernel k.py:norm --out r; says out 'kept'
expect 1 report --quick --no-laws --kernel k.py:divides_by_less --out w
# Every tenth call is wrong: no line of the report shows it by the case alone, and those that repeat it do.
expect 1 report --quick --no-laws --kernel k.py:counter --out c
"$2" - "$normcheck" <<'P' || fail "a line of the report does not show what it says"
import json, shlex, subprocess, sys
cells = [c for c in json.load(open("c/report.json"))["kernels"][0]["cells"] if not c["kept"]]
lines = [shlex.split(c["replay"])[1:] for c in cells]
judged = [line for line in lines if line[0] == "judge"]
sys.exit(not judged or not all("--repeat" in line for line in judged) or
         any(subprocess.run([sys.argv[1], *line], capture_output=True).returncode != 1 for line in judged[::8]))
P
expect 0 properties --kernel k.py:rms --cases 20
expect 1 properties --kernel k.py:divides_by_less --cases 20; says out 'BROKEN'
expect 0 judge --probe --kernel k.py:norm; says out 'all H elements'
if [ -n "${3:-}" ]; then
  export NORMCHECK_FUZZ_DIR=$3
  expect 1 fuzz --kernel k.py:divides_by_less --runs 300 --jobs 1 --dir f; says out 'k.py:divides_by_less'
fi
conclude
