#!/bin/bash
# Runs a campaign on both production kernels at once and writes its summary, cut small, into reports/published/campaigns/.
#   fuzz/publish.sh NAME [--time 45m] [--sanitize]
# NAME-KERNEL.json and .md are written for each kernel. --sanitize uses targets with ASan and UBSan (preset asan-fuzz).
# The kernels share the cores evenly: at least one worker each. Exit 1 where there was a finding.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
name=${1:?usage: fuzz/publish.sh NAME [--time 45m] [--sanitize]}
shift
time=45m targets=fuzz
while [ $# -gt 0 ]; do
  case $1 in
    --time) time=${2:?--time needs a duration}; shift 2 ;;
    --sanitize) targets=asan-fuzz; shift ;;
    *) echo "$1: unknown; one of --time, --sanitize" >&2; exit 2 ;;
  esac
done

./normcheck fuzz --help >/dev/null  # builds the command and the plain targets
if [ $targets = asan-fuzz ]; then
  cmake --preset asan-fuzz >/dev/null && cmake --build --preset asan-fuzz >/dev/null
fi
export NORMCHECK_FUZZ_DIR=$PWD/build/$targets/fuzz
jobs=$(($(nproc) / 2)); [ "$jobs" -gt 0 ] || jobs=1
out=reports/published/campaigns code=0
mkdir -p "$out"

pids=()
for kernel in layer_norm rms_norm; do
  dir=normcheck-fuzz/published-$name-$kernel
  rm -rf "$dir"
  ./normcheck fuzz --kernel $kernel --time "$time" --jobs $jobs --dir "$dir" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || code=$?; done

for kernel in layer_norm rms_norm; do
  dir=normcheck-fuzz/published-$name-$kernel
  COMMAND="./normcheck fuzz --kernel $kernel --time $time --jobs $jobs  (with the other production kernel beside it)" \
    TARGETS=$targets python3 - "$dir" "$out/$name-$kernel" <<'PYTHON'
import json, os, sys
source, target = sys.argv[1:]
summary = json.load(open(source + "/summary.json"))
command = os.environ["COMMAND"]
sanitizers = {"fuzz": "none", "asan-fuzz": "address, undefined"}[os.environ["TARGETS"]]
summary["command"] = command
summary["sanitizers"] = sanitizers
summary["worst_rows"] = summary["worst_rows"][:20]
with open(target + ".json", "w") as file:
    file.write(json.dumps(summary, indent=1) + "\n")
with open(target + ".md", "w") as file:
    file.write(open(source + "/summary.md").read() + f"- sanitizers: {sanitizers}\n- command: `{command}`\n")
PYTHON
  echo "$out/$name-$kernel.md"
done
exit "$code"
