#!/bin/bash
# Runs the target $1 on the inputs in $5 with the example library ($3), as it is and built with coverage by the clang $2: the
# same inputs must have more features with it. (Mutated inputs would part after the first difference, and their features tell nothing.)
set -eu
target=$(realpath "$1") clang=$2 source=$(realpath "$3") headers=$(realpath "$4") inputs=$(realpath "$5")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

features() {  # options of clang...: features of the inputs
  "$clang" -O2 -shared -fPIC "$@" -I "$headers" "$source" -o mine.so -lm
  NORMCHECK_KERNEL=./mine.so "$target" -runs=0 -seed=1 -max_len=400 "$inputs" 2>log || { cat log; exit 1; }
  sed -n 's/.*DONE .* ft: \([0-9]*\) .*/\1/p' log
}
plain=$(features)
covered=$(features -fsanitize=fuzzer-no-link)
echo "features: $plain without coverage, $covered with it"
[ "$covered" -gt "$plain" ]
