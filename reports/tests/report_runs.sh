#!/bin/bash
# Runs `normcheck report` ($1; the source tree is $2) the way CI and clusters do: gates, shards, merges, comparisons, own rows,
# interrupted and killed runs, bad input. What it writes is validated.
. "$(dirname "$0")/expect.sh"
source=$(realpath "$2")
python=/usr/bin/python3   # Debian's, which has python3-jsonschema
prefix=report
cd "$work" || exit 1

# refused TEXT ARGUMENTS...: exit 2 with one line that says TEXT, before anything was judged or written.
refused() {
  local text=$1 before; shift
  before=$(ls -A)
  expect 2 "$@" --out none
  { [ "$(wc -l <err)" = 1 ] && [ ! -s out ]; } || fail "report $*: $(head -3 err)"
  grep -qF -- "$text" err || fail "report $*: does not say '$text': $(head -1 err)"
  [ "$(ls -A)" = "$before" ] || fail "report $*: left something behind"
}

valid() { "$python" "$source/reports/tests/validate.py" "$@" || fail "schema $1"; }
# edit FROM TO PROGRAM: a report changed by Python; `cells` are all cells, `r` is the report.
edit() { "$python" -c "import json;r=json.load(open('$1'));cells=[c for k in r['kernels'] for c in k['cells']];$3;json.dump(r,open('$2','w'))"; }

# A report: its forms agree with each other, and its JSON with the schema.
expect 0 --quick --no-laws --kernel layer_norm --out one/report --baseline base.json
valid "$source/reports/schema/report.schema.json" one/report/report.json base.json
valid "$source/reports/schema/case.schema.json" one/report/worst/*-4-16-*.case.json
"$normcheck" judge --json one/report/worst/*-4-16-*.case.json >verdicts.json || fail "worst rows of a kept kernel are kept"
valid "$source/reports/schema/verdict.schema.json" verdicts.json
"$python" - <<'P' || fail "report.csv is not report.json"
import csv, json
cells = [c for k in json.load(open("one/report/report.json"))["kernels"] for c in k["cells"]]
rows = list(csv.DictReader(open("one/report/report.csv", newline="")))
assert len(rows) == len(cells) > 300
for row, cell in zip(rows, cells):
    assert row["kernel"] == "layer_norm"
    for name in ["op", "family", "width_band", "epsilon"]: assert row[name] == cell[name]
    for name in ["judged", "correctly_rounded", "max_ulp", "bias_ulp"]:
        assert row[name] == ("" if cell[name] is None else json.dumps(cell[name])) or float(row[name]) == cell[name]
P

# The gate.
gate_files() {
  valid "$source/reports/tests/sarif.schema.json" "$1/gate.sarif"
  "$python" -c "
import sys, xml.dom.minidom as x
tests = x.parse('$1/gate.junit.xml').getElementsByTagName('testcase')
sys.exit(not (len(tests) > 20 and sum(bool(t.getElementsByTagName('failure')) for t in tests) == $2))" || fail "$1: JUnit does not have $2 failures"
}
expect 0 --quick --no-laws --kernel layer_norm --out g --gate base.json; says out 'gate passed'; gate_files g 0
expect 0 --quick --no-laws --kernel layer_norm --out g --gate one/report/report.json
edit base.json stricter.json 'c=[c for c in cells if c["family"]=="outlier"][0];c["correctly_rounded"]+=1;c["max_ulp"]-=2**-20'
expect 1 --quick --no-laws --kernel layer_norm --out g --gate stricter.json
says out 'gate FAILED'; says out 'worse layer_norm: layer_norm f32/f32/f32 outlier'; says out 'correctly_rounded '; gate_files g 1
[ "$(wc -L <out)" -le 80 ] || fail "the gate's text is $(wc -L <out) columns wide"
edit base.json weaker.json 'c=[c for c in cells if c["family"]=="sparse"][0];c["max_row_ulp"]=9.5;cells[-1]["not_checked"]=3;del r["kernels"][0]["cells"][0]'
expect 0 --quick --no-laws --kernel layer_norm --out g --gate weaker.json
says out '0 worse, 2 better, 1 new'; says out 'max_row_ulp .*better'; gate_files g 0
edit base.json gone.json 'c=dict(cells[0]);c["family"]="forgotten";r["kernels"][0]["cells"].append(c)'
expect 1 --quick --no-laws --kernel layer_norm --out g --gate gone.json; says out 'not checked any more'
expect 1 --quick --no-laws --kernel mutant:eps-after-root --out m/report --baseline broken.json
expect 0 --quick --no-laws --kernel mutant:eps-after-root --out g --gate broken.json; says out 'allowed: '
edit broken.json once-kept.json 'c=[c for c in cells if not c["kept"]][0];c["kept"]=True;c["broken"]=0'
expect 1 --quick --no-laws --kernel mutant:eps-after-root --out g --gate once-kept.json; says out 'broken  *0 ->'
rm -rf g

# Baselines that do not fit are refused before the sweep, by file and field.
head -c 1000 base.json >cut.json; edit base.json v2.json 'r["schema"]="normcheck/report/2"'
edit base.json nul.json 'cells[2]["judged"]=None'; edit base.json twice.json 'r["kernels"][0]["cells"].append(cells[0])'
edit base.json part.json 'r["shard"]={"index":1,"count":2};r["kernels"][0]["planned"]=9'; edit base.json unfinished.json 'r["interrupted"]=True'
echo '[]' >list.json; edit base.json huge.json 'pass'; sed -i 's/"seed": 1,/"seed": 1e999,/' huge.json
quick="--quick --no-laws --kernel layer_norm --gate"
refused 'cut.json: byte 1001: the file ends early' $quick cut.json
refused 'v2.json: schema: ' $quick v2.json
refused 'nul.json: kernels[0].cells[2].judged: ' $quick nul.json
refused 'twice.json: kernels[0].cells[' $quick twice.json
refused 'part.json: shard: ' $quick part.json
refused 'unfinished.json: interrupted: ' $quick unfinished.json
refused 'list.json: no JSON object' $quick list.json; refused 'huge.json: ' $quick huge.json; refused 'absent.json: cannot be read' $quick absent.json
refused 'base.json: seed: ' --seed 2 $quick base.json
refused 'base.json: mode: ' --kernel layer_norm --gate base.json
refused 'rms_norm is not in the baseline' --quick --gate base.json
refused 'contract of layer_norm' --contract row-ulp:4 $quick base.json
refused 'cannot write' --quick --baseline /nonexistent/base.json
expect 2 --quick --out /proc/none; says err '/proc'

# Shards: three of them, merged in any order, are one run, byte for byte.
for i in 1 2 3; do expect 0 --quick --no-laws --kernel layer_norm --shard $i/3 --out s$i; done
valid "$source/reports/schema/report.schema.json" s1/report.json
mkdir merged
(cd merged && "$normcheck" report --merge ../s3/report.json ../s1/report.json ../s2/report.json --out report --gate ../base.json >../out 2>../err) || fail "merge: $(cat err)"
rm -f merged/report/gate.*
(cd one && "$normcheck" report --quick --no-laws --kernel layer_norm --out report >/dev/null 2>&1)
for dir in one merged; do edit $dir/report/report.json $dir.figures 'del r["environment"]'; done
cmp one.figures merged.figures || fail "merged figures are not those of one run"
cmp one/report/report.csv merged/report/report.csv || fail "merged CSV is not that of one run"
diff -r one/report/worst merged/report/worst >/dev/null || fail "merged worst rows are not those of one run"
edit s2/report.json other-seed.json 'r["seed"]=2'; edit s2/report.json other-count.json 'r["shard"]["count"]=4'
edit s2/report.json other-kernel.json 'r["kernels"][0]["name"]="x"'; edit s2/report.json stopped.json 'r["interrupted"]=True'
edit s2/report.json fewer.json 'del r["kernels"][0]["cells"][-1]'; edit s2/report.json overlap.json 'r["kernels"][0]["cells"][0]=json.load(open("s1/report.json"))["kernels"][0]["cells"][0]'
# F5: a case file that never ends.
cp -r s2 endless; for file in endless/report/worst/*.json endless/worst/*.json; do [ -e "$file" ] && ln -sf /dev/zero "$file"; done
refused 'worst.file: cannot read ' --merge s1/report.json endless/report.json s3/report.json
refused 'shard.count: shard 2 of 3 is missing' --merge s1/report.json s3/report.json
refused 'shard.index: 1 is also that of s1/report.json' --merge s1/report.json s1/report.json
refused 'other-seed.json: seed: ' --merge s1/report.json other-seed.json s3/report.json
refused 'other-count.json: shard.count: ' --merge s1/report.json other-count.json s3/report.json
refused 'other-kernel.json: kernels: ' --merge s1/report.json other-kernel.json s3/report.json
refused 'stopped.json: interrupted: ' --merge s1/report.json stopped.json s3/report.json
refused 'the shards have' --merge s1/report.json fewer.json s3/report.json
refused 'is in another shard too' --merge s1/report.json overlap.json s3/report.json
refused 'report.json: shard: missing' --merge one/report/report.json
refused '--shard 4/3' --quick --shard 4/3; refused '--shard 0/3' --quick --shard 0/3; refused '--shard' --quick --shard x
refused '--shard' --quick --shard 1/2 --gate base.json

# Laws (A5): a kernel with a state is broken by them, each with a line that asks again; shard 1 asks, a merge and the gate count them.
for i in 1 2; do expect 1 --quick --kernel mutant:second-call --shard $i/2 --out l$i; done
says out 'no law asked'; valid "$source/reports/schema/report.schema.json" l1/report.json l2/report.json
expect 1 --merge l2/report.json l1/report.json --out laws --baseline laws.json
says out 'mutant:second-call: BROKEN; '; says out 'broken: '; says laws/report.md 'breaks repeatable: '; says laws/index.html 'whole case'
valid "$source/reports/schema/report.schema.json" laws/report.json laws.json
normcheck=$normcheck "$python" - <<'P' || fail "a broken law's line does not ask it again"
import json, os, shlex, subprocess
kernel = json.load(open("laws/report.json"))["kernels"][0]
broken = [law for law in kernel["laws"] if law["state"] == "broken"]
assert "repeatable" in [law["law"] for law in broken] and not kernel["kept"]
for law in broken:
    assert not law["alone"] or os.path.getsize("laws/" + law["file"]) > 0, law
    done = subprocess.run([os.environ["normcheck"], *shlex.split(law["replay"])[1:]], capture_output=True, text=True)
    assert done.returncode == 1 and "BROKEN" in done.stdout and law["law"] in done.stdout, (law, done)
P
expect 0 --merge l1/report.json l2/report.json --out g --gate laws.json; says out 'broken cells or laws'; gate_files g 0
edit laws.json lawful.json '[l.update(state="kept") for l in r["kernels"][0]["laws"]]'
expect 1 --merge l1/report.json l2/report.json --out g --gate lawful.json; says out 'broken'; says g/gate.junit.xml 'name="law repeatable"><failure'
edit laws.json before.json 'del r["kernels"][0]["laws"]'
expect 0 --merge l1/report.json l2/report.json --out g --gate before.json; says out 'laws not compared, the baseline has none'
edit l1/report.json odd.json 'r["kernels"][0]["laws"][0]["state"]="odd"'; refused 'odd.json: kernels[0].laws[0].state: ' --merge odd.json l2/report.json
rm -rf g laws

# Epsilons of one's choice: all of them, and in the made families no other.
expect 0 --quick --no-laws --kernel layer_norm --epsilons 1e-6,0 --shard 1/4 --out chosen
"$python" -c "
import json
cells = [c for c in json.load(open('chosen/report.json'))['kernels'][0]['cells'] if c['family'] not in ('public-bugs', 'activations')]
assert {float.fromhex(c['epsilon']) for c in cells} == {1e-6, 0.0} and len(cells) > 50" || fail "--epsilons: other epsilons"
refused '--epsilons: 0.00001 is there twice' --quick --epsilons 1e-5,0.00001; refused '--epsilons' --quick --epsilons 1,-1
refused '--epsilons' --quick --epsilons 1 --gate base.json; refused '--epsilons' --quick --epsilons 1 --baseline other.json

# Two runs compared.
expect 0 --diff one/report/report.json one/report/report.json --out same; says out ' 0 worse, 0 better'
expect 0 --diff one/report/report.json m/report/report.json --out pair; says out 'layer_norm and mutant:eps-after-root: '
says pair/diff.md '| outlier |'; says pair/diff.html '</html>'; ! grep -q '{{' pair/diff.html || fail "diff.html has open tags"
edit one/report/report.json seed2.json 'r["seed"]=2'; refused 'seed2.json: seed: ' --diff one/report/report.json seed2.json
refused 'cut.json: byte' --diff one/report/report.json cut.json

# Rows of one's own.
"$python" - <<'P'
import struct
def save(path, descr, shape, data):
    header = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n" % (descr, shape)).encode()
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)
rows = [((i * 7919) % 1000) / 999.0 - 0.25 for i in range(2 * 3 * 40)]
save("x.npy", "<f4", "(2, 3, 40)", struct.pack("<240f", *rows))
save("half.npy", "<f2", "(6, 40)", struct.pack("<240e", *rows))
save("gamma.npy", "<f4", "(40,)", struct.pack("<40f", *rows[:40]))
save("short.npy", "<f4", "(41,)", struct.pack("<40f", *rows[:40]))
save("long.npy", "<f4", "(41,)", struct.pack("<41f", *rows[:41]))
save("double.npy", "<f8", "(6, 40)", struct.pack("<240d", *rows))
P
expect 0 --quick --no-laws --kernel layer_norm --x x.npy --gamma gamma.npy --epsilon 1e-5 --out yours
"$python" -c "
import json
cells = [c for k in json.load(open('yours/report.json'))['kernels'] for c in k['cells'] if c['family'] == 'yours']
assert len(cells) == 1 and cells[0]['judged'] == 240 and cells[0]['width_band'] == '17-256' and cells[0]['worst']['width'] == 40" || fail "family yours"
rm -rf yours
refused 'double.npy: dtype' --quick --x double.npy --epsilon 1e-5
refused '--gamma short.npy: 160 bytes' --quick --x x.npy --gamma short.npy --epsilon 1e-5
refused '--beta long.npy: shape (41)' --quick --x x.npy --beta long.npy --epsilon 1e-5
refused '--epsilon: missing' --quick --x x.npy; refused '--epsilon' --quick --x x.npy --epsilon -1
refused '--x: missing' --quick --gamma gamma.npy; refused 'base.json: is no .npy file' --quick --x base.json --epsilon 1

# A run that is stopped or killed is taken up again, and gives the same figures; nothing half-written bears the final name.
export NORMCHECK_REGRESSIONS=$source/properties/regressions
await_cells() { for _ in $(seq 5000); do [ "$(cat "$1/.cells.jsonl" 2>/dev/null | wc -l)" -gt 20 ] && return; sleep 0.005; done; fail "no cells in $1"; }
finished() {  # the report in $1 is whole and like one/report
  "$python" -c "
import json
a, b = (json.load(open(f + '/report.json')) for f in ('one/report', '$1'))
cells = [[{n: v for n, v in c.items() if n != 'replay'} for c in r['kernels'][0]['cells']] for r in (a, b)]
assert cells[0] == cells[1] and 'interrupted' not in b" || fail "$1 is not the report of one run"
  diff -r one/report/worst "$1/worst" >/dev/null || fail "$1 has other worst rows than one run"
  [ ! -e "$1/.cells.jsonl" ] || fail "$1 keeps its list of cells"
}
"$normcheck" report --quick --no-laws --kernel layer_norm --out killed/report >/dev/null 2>&1 & pid=$!
await_cells killed/.report.partial
kill -KILL $pid; wait $pid 2>/dev/null
[ ! -e killed/report ] || fail "a killed run left something under the final name"
printf '{"key":"half' >>killed/.report.partial/.cells.jsonl
expect 0 --quick --no-laws --kernel layer_norm --out killed/report; says err 'goes on with'; finished killed/report
[ "$(ls -A killed)" = report ] || fail "killed: $(ls -A killed)"

"$normcheck" report --quick --no-laws --kernel layer_norm --out stopped/report >/dev/null 2>err & pid=$!
await_cells stopped/.report.partial
kill -INT $pid; wait $pid; code=$?
[ $code = 3 ] || fail "an interrupted run exits $code"
says stopped/report/report.json '"interrupted": true'; valid "$source/reports/schema/report.schema.json" stopped/report/report.json
says stopped/report/report.json '"curves": \[\]'  # which would keep a slow kernel's user waiting
expect 0 --quick --no-laws --kernel layer_norm --out stopped/report; says err 'goes on with'; finished stopped/report

# A report without gnuplot: no charts, said, and the rest is there.
mkdir bin
PATH=$work/bin expect 3 --quick --no-laws --kernel layer_norm --out plain/report; says err 'apt-get install gnuplot-nox'
for file in report.json report.md report.csv index.html; do [ -s plain/report/$file ] || fail "no $file without gnuplot"; done

conclude
