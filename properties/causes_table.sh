#!/bin/bash
# Which causes every mutant and every honest kernel gets over the regression cases: reports/published/causes.md.
# A kernel that takes its process along has no row.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
cmake --build build/release --target causes_table >/dev/null
out=reports/published/causes.md
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
table() {
  : >"$rows"
  ./normcheck kernels --json </dev/null |
    python3 -c "import json, sys; print(*(k['name'] for k in json.load(sys.stdin)['kernels'] if k['kind'] == '$1'), sep='\n')" |
    xargs -P "$(nproc)" -I{} sh -c 'build/release/properties/causes_table {} 2>/dev/null || true' >"$rows"
  printf '\n## %s\n\n| kernel | | causes | | without its own mistake |\n|---|---|---|---|---|\n' "$1"
  sort "$rows"
  awk -F' \\| ' '{known[$2]++; unknown[$4]++}
    END {
      printf "\nAll mistakes known:"; for (word in known) printf " %d %s,", known[word], word
      printf " without its own:"; for (word in unknown) printf " %d %s,", unknown[word], word
      print " of " NR "."
    }' "$rows"
}
{
  echo "# Causes"
  echo
  echo "Over the regression cases up to a width of 1024; made by \`properties/causes_table.sh\`. Right: its own mistake and"
  echo "no other; described: no name; wrong: another name, or one line that holds others alone."
  table mutant
  table honest
} >"$out.new"
mv "$out.new" "$out"
