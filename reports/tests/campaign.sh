#!/bin/bash
# Runs short campaigns with the real targets ($1: normcheck; $2: source tree): their summaries meet the schema, the Markdown and the
# page show what is in them, and --minimize leaves a campaign that goes on.
. "$(dirname "$0")/expect.sh"
source=$(realpath "$2")
python=/usr/bin/python3   # Debian's, which has python3-jsonschema
prefix=fuzz
cd "$work" || exit 1

valid() { "$python" "$source/reports/tests/validate.py" "$source/reports/schema/campaign.schema.json" "$@"; }

expect 1 --kernel mutant:eps-after-root --runs 400 --jobs 1 --dir mutant
expect 0 --kernel layer_norm --runs 400 --jobs 1 --dir kept
valid mutant/summary.json kept/summary.json || fail "a summary does not meet its schema"
"$python" - <<'P' || fail "the schema takes a summary without coverage by family, or with a finding that has no replay line"
import json
mutant = json.load(open("mutant/summary.json"))
assert {"op", "x_format", "param_format", "y_format"} <= mutant["findings"][0].keys()
for name, break_it in {"a": lambda s: s["coverage"].pop("families"), "b": lambda s: s["findings"][0].pop("replay")}.items():
    broken = json.loads(json.dumps(mutant))
    break_it(broken)
    json.dump(broken, open(name + ".json", "w"))
P
for broken in a b; do valid $broken.json >/dev/null && fail "$broken.json meets the schema"; done
for text in mutant/summary.md mutant/index.html; do
  for word in 'Coverage by family and class of rows' gaussian crossover near-overflow; do says $text "$word"; done
done
expect 0 --kernel layer_norm --minimize --jobs 1 --dir kept
expect 0 --kernel layer_norm --runs 400 --jobs 1 --dir kept
valid kept/summary.json || fail "the summary of a resumed campaign does not meet its schema"
says kept/summary.md 'Sessions 2'
conclude
