#!/bin/bash
# Makes fuzz/findings/ grow: a short campaign on every mutant, whose new findings are copied there. Findings that are there stay.
#   fuzz/keep_findings.sh [RUNS]
# Left out are deaths and laws: a case file alone does not replay them in a test.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
./normcheck kernels --json | python3 -c '
import json, sys
for kernel in json.load(sys.stdin)["kernels"]:
    if kernel["kind"] == "mutant": print(kernel["name"])' >"$scratch/mutants"
while read -r mutant; do
  ./normcheck fuzz --kernel "$mutant" --runs "${1:-1500}" --jobs 1 --dir "$scratch/${mutant#*:}" --export "$scratch/out" >/dev/null </dev/null || [ $? = 1 ]
done <"$scratch/mutants"
for file in "$scratch"/out/*.case.json; do
  name=$(basename "$file")
  case $name in *-law-* | *-crash.* | *-exit.* | *-hang.* | *-out-of-memory.* | *-leak.* | *-only-after-* | *-not-repeatable.*) continue ;; esac
  [ "$(stat -c %s "$file")" -le 20000 ] || continue
  [ -e "fuzz/findings/$name" ] || cp "$file" fuzz/findings/
done
du -sb fuzz/findings
