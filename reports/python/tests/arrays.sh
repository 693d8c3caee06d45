#!/bin/bash
# arrays.sh NORMCHECK PYTHON: asserts and laws on arrays; PYTHON has numpy.
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
[ -n "${2:-}" ] || { echo "not checked: there is no python3-numpy"; exit 77; }
export NORMCHECK_TOOL=$1 PYTHONPATH=$tests/.. PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"; "$2" -W ignore "$tests/arrays.py"
