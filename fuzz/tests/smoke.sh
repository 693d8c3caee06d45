#!/bin/bash
# One fuzz target over a fixed number of runs: smoke.sh EXIT_CODE SEEDS_DIR|none PROGRAM [ARGUMENT...]
# A missing program fails: a skip is no pass.
set -u
expected=$1 seeds=$2 program=$3
shift 3
if [ ! -x "$program" ]; then
  echo "$program: no fuzz target; build it: cmake --preset fuzz && cmake --build --preset fuzz"
  exit 1
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/corpus"
inputs=()
if [ "$seeds" != none ]; then
  # Named one by one and in order: what a folder lists first differs between file systems.
  (LC_ALL=C; printf '%s,' "$seeds"/*) > "$scratch/seeds"
  inputs=("-seed_inputs=$(sed 's/,$//' "$scratch/seeds")")
fi
unset NORMCHECK_FINDINGS NORMCHECK_STATS
# Two things that differ from start to start are off: addresses among the compared values that become mutations (-use_cmp), and
# what a look at the corpus folder finds after a second (-reload).
"$program" "$scratch/corpus" -use_cmp=0 -reload=0 -entropic=0 -print_funcs=0 -artifact_prefix="$scratch/" -seed=1 -len_control=0 -timeout=20 "${inputs[@]}" "$@"
code=$?
echo "exit code $code, expected $expected"
[ "$code" = "$expected" ]
