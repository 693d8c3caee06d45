#!/bin/bash
# Makes the kill matrix, the null-kernel audit and the replay tables again, into reports/published/.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
out=reports/published
mkdir -p "$out"
./normcheck properties --kill-matrix "$out" --cases "${1:-2000}" || [ $? = 1 ]
./normcheck properties --audit "$out" || [ $? = 1 ]
{
  echo "# Public bugs replayed"
  for kernel in layer_norm rms_norm mutant:one-pass-variance; do
    printf '\n```\n'
    ./normcheck properties --replay --kernel "$kernel" || [ $? = 1 ]
    printf '```\n'
  done
} >"$out/public-bugs.md"
