#!/bin/bash
# ONNX's LayerNormalization node tests: the production kernel ($1 judges) is exact on all of them, and what ONNX stored is within 4 row
# ulps. 77: python3-onnx or libonnx-testdata is missing, not checked. $2: node_tests.py.
set -u
normcheck=$(realpath "$1")
script=$(realpath "$2")
data=/usr/share/libonnx-testdata/data/node
[ -d "$data" ] && /usr/bin/python3 -c 'import onnx' 2>/dev/null || { echo "not checked: python3-onnx or libonnx-testdata is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
/usr/bin/python3 "$script" "$data" onnx || exit 1
count=$(ls -d "$data"/test_layer_normalization* | grep -vc expanded)
[ "$count" -ge 19 ] || { echo "FAIL: $count folders"; exit 1; }
"$normcheck" judge --results onnx --kernel layer_norm --contract correctly-rounded | tail -1 | tee own
"$normcheck" judge --results onnx --contract row-ulp:4 | tail -1 | tee stored
want="$count cases: $count kept, 0 broken, 0 unusable, 0 not supported"
[ "$(cat own)" = "$want" ] && [ "$(cat stored)" = "$want" ]
