#!/bin/bash
# Makes the committed reports: the production kernels' page, and the table of every honest kernel and mutant by family.
# Run from anywhere: reports/publish.sh [MODE], MODE one of --quick (default) and "". Takes some minutes.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
mode=${1---quick}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A broken kernel is exit 1, which is what is to be shown; anything graver stops here.
run() { ./normcheck report "$@" >/dev/null || [ $? = 1 ]; }

# The names of kernels of these kinds.
named() {
  ./normcheck kernels --json | python3 -c '
import json, sys
for kernel in json.load(sys.stdin)["kernels"]:
    if kernel["kind"] in sys.argv[1:]: print(kernel["name"])' "$@"
}

# shellcheck disable=SC2046,SC2086
run $mode $(named production | sed 's/^/--kernel /') --out "$work/production"
for form in report.md index.html; do  # replay lines name the folder that a reader's own report has
  sed "s|$work/production|normcheck-report|g" "$work/production/$form" >"reports/published/production.${form##*.}"
done

kernels=$(named production honest mutant mutant-long)
n=1000
for kernel in $kernels; do
  n=$((n + 1))
  # shellcheck disable=SC2086
  run $mode --kernel "$kernel" --out "$work/one"
  mv "$work/one/report.json" "$work/$n.json"
  rm -rf "$work/one"
done
python3 reports/publish.py "reports/publish.sh $mode" "$work"/[0-9]*.json
