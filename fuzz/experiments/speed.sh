#!/bin/bash
# Executions per second of both targets on the production kernels, with guidance, laws, worst rows and corpus, from an empty corpus:
#   fuzz/experiments/speed.sh [RUNS] [DIR]
# Rows of up to 64 elements (-max_len=281). DIR (default /dev/shm): where corpus and worst rows go; how long a file system takes
# for a new file is no property of the targets. Beside the wall clock, processor seconds: those of a busy machine still compare.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
runs=${1:-1000000} scratch=$(mktemp -d -p "${2:-/dev/shm}")
trap 'rm -rf "$scratch"' EXIT
fuzz_dir=$(realpath "${NORMCHECK_FUZZ_DIR:-build/fuzz/fuzz}")
TIMEFORMAT='%R %U %S'
for op in layer_norm rms_norm; do
  mkdir -p "$scratch/$op"/{corpus,findings,worst}
  cd "$scratch/$op"
  spent=$({ time NORMCHECK_KERNEL=$op NORMCHECK_FINDINGS=findings NORMCHECK_STATS=stats.json NORMCHECK_WORST=worst NORMCHECK_FLIGHT=flight \
    "$fuzz_dir/fuzz_$op" corpus -runs="$runs" -seed=1 -max_len=281 -timeout=0 -reload=1 -handle_xfsz=0 -entropic=0 -print_funcs=0 \
    -verbosity=0 >log 2>&1; } 2>&1) || { tail -5 log; exit 1; }
  awk -v op=$op -v runs="$runs" '{printf "%s: %.0f executions a second of wall clock, %.0f of processor time\n", op, runs / $1, runs / ($2 + $3)}' <<<"$spent"
done
