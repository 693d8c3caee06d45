#!/bin/bash
# Fuzzes the example library ($3) with the target $1, as it is and built with coverage by the clang $2: coverage must show in the features.
set -eu
target=$(realpath "$1") clang=$2 source=$(realpath "$3") headers=$(realpath "$4")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

features() {  # options of clang...: features that 3000 inputs found
  "$clang" -O2 -shared -fPIC "$@" -I "$headers" "$source" -o mine.so -lm
  NORMCHECK_KERNEL=./mine.so "$target" -runs=3000 -seed=1 -max_len=400 2>log || { cat log; exit 1; }
  sed -n 's/.*DONE .* ft: \([0-9]*\) .*/\1/p' log
}
plain=$(features)
covered=$(features -fsanitize=fuzzer-no-link)
echo "features: $plain without coverage, $covered with it"
[ "$covered" -gt "$plain" ]
