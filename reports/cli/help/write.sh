#!/bin/bash
# Writes the help texts that the entry script shows before anything is built: write.sh BINARY [DIR]. CommandLine.Help compares.
set -euo pipefail
binary=$1 dir=${2:-$(dirname "$0")}
"$binary" --help >"$dir/normcheck.txt"
"$binary" --help | awk '/^Subcommands:/ {on = 1; next} on && NF {print $1}' | while read -r verb; do
  "$binary" "$verb" --help >"$dir/$verb.txt"
done
