#!/bin/bash
# Runs the binary ($1) and checks the exit code, stdout and stderr of every verb, and what bad input leaves behind.
. "$(dirname "$0")/expect.sh"
cd "$work" || exit 1

case_with() {  # op x_format epsilon x...
  local op=$1 format=$2 epsilon=$3; shift 3
  local x; x=$(printf '"%s",' "$@")
  echo "{\"schema\":\"normcheck/case/1\",\"op\":\"$op\",\"x_format\":\"$format\",\"param_format\":\"$format\",\"y_format\":\"$format\",\"rows\":1,\"width\":$#,\"epsilon\":\"$epsilon\",\"x\":[${x%,}]}"
}
case_with layer_norm f32 1e-5 2 4 6 8 >good.json
case_with rms_norm f16 1e-3 0.5 -1 >rms.json
case_with layer_norm f32 0x1p-7 1e-2 -1e-2 3e-2 0 >small.json
case_with layer_norm f32 0 7 7 7 >undefined.json
case_with layer_norm f32 -1 2 4 >bad-epsilon.json
case_with layer_norm f64 1e-5 2 4 >bad-format.json
echo '{"schema":"normcheck/case/1"' >cut.json
sed 's/"x":/"expected":["0","0","0","0"],"x":/' good.json >bad-expected.json

# judge
expect 0 judge good.json rms.json; [ ! -s err ] || fail "judge wrote to stderr"
expect 0 judge undefined.json
expect 0 judge --kernel layer_norm --contract row-ulp:4 good.json
expect 1 judge --kernel mutant:eps-after-root small.json; says out 0x
expect 1 judge --kernel mutant:eps-after-root small.json good.json
expect 3 judge --kernel rms_norm good.json; says out '1 not judged (op 1)'
# E1: kept where something was judged and kept; what was not is one line with the reasons, and named where it is little.
expect 0 judge --kernel rms_norm good.json rms.json good.json; says out '^not judged .*good.json: .*: op$'; says out '^2 not judged (op 2)$'
[ ! -s err ] || fail "unsupported cases are said twice: $(cat err)"
expect 0 judge --kernel rms_norm rms.json good.json good.json good.json good.json
[ "$(wc -l <out)" = 2 ] || fail "many unsupported cases are not one line: $(cat out)"; says out '^4 not judged (op 4)$'
expect 3 judge --kernel rms_norm good.json good.json good.json good.json; says out '^4 not judged (op 4)$'
expect 0 judge --json --kernel rms_norm rms.json good.json good.json good.json good.json; says err '4 not judged (op 4)'
[ "$(python3 -c 'import json; print(len(json.load(open("out"))))')" = 5 ] || fail "judge --json: not a verdict for each case"
# F3: a case that no memory holds accuses no kernel: two rows of two elements, 2^33 elements apart.
sed 's/"rows":1,"width":4/"rows":2,"width":2,"pitch":8589934588,"y_pitch":8589934588/' good.json >far.json
(ulimit -v 4000000; expect 3 judge far.json; says err 'far.json: not checked: '; expect 3 judge --json far.json; says out '"not_checked": true'
 expect 3 judge good.json far.json; says out '^kept '; expect 1 judge --kernel mutant:eps-after-root far.json small.json; [ $failures = 0 ]) || fail "a case too large for memory"
expect 1 judge --kernel mutant:eps-after-root small.json rms.json good.json undefined.json
for file in bad-epsilon.json bad-format.json cut.json absent.json; do
  refused judge $file; says err $file
done
expect 2 judge --kernel mutant:eps-after-root cut.json small.json absent.json
[ "$(wc -l <err)" = 2 ] || fail "judge: not every bad file was said"
says out small.json; says err cut.json; says err absent.json
expect 2 judge --kernel rms_norm good.json cut.json
expect 2 judge bad-expected.json; says err bad-expected.json
refused judge; refused judge --kernel nosuch good.json; refused judge --contract ulp:0.5 good.json
refused judge --outputs good.json; refused judge --nosuch good.json
expect 0 judge --json --outputs good.json rms.json
python3 - <<'P' || fail "judge --json is not the array of verdicts that DESIGN.md promises"
import json
verdicts = json.load(open("out"))
assert [v["case"] for v in verdicts] == ["good.json", "rms.json"]
for v in verdicts:
    assert v["schema"] == "normcheck/verdict/1" and v["kept"] is True
    for field in ["kernel", "contract", "elements", "correctly_rounded", "class_faults", "undefined", "no_promise",
                  "not_supported", "worst", "row", "diagnosis", "levels", "got", "want"]:
        assert field in v, field
P

# kernels
expect 0 kernels; [ "$(wc -L <out)" -le 80 ] || fail "kernels is $(wc -L <out) columns wide"
expect 0 kernels --json
python3 - <<'P' || fail "kernels --json is not what DESIGN.md promises"
import json
listed = json.load(open("out"))
assert listed["schema"] == "normcheck/kernels/1"
names = [k["name"] for k in listed["kernels"]]
assert names[:2] == ["layer_norm", "rms_norm"] and "mutant:eps-after-root" in names
for k in listed["kernels"]:
    assert k["kind"] and k["contract"] and k["ops"] and k["formats"] and k["about"]
P
refused kernels surplus

# properties
expect 0 properties --kernel layer_norm --cases 5 --junit laws.xml; says out kept
python3 -c "import xml.dom.minidom as x; assert x.parse('laws.xml').getElementsByTagName('testcase')" || fail "junit file"
[ ! -e normcheck-properties ] || fail "properties left a folder behind although every law was kept"
expect 1 properties --kernel mutant:eps-after-root
found=$(grep -ohE '[^ "]+\.case\.json' out | tail -1)
[ -f "$found" ] && expect 1 judge --kernel mutant:eps-after-root "$found" && expect 0 judge "$found"
# E2: no file that is written begins with a dot, whatever the kernel is called.
hidden=$(find . -name '.*' -type f); [ -z "$hidden" ] || fail "hidden files: $hidden"
expect 1 properties --kernel mutant:eps-after-root --no-shrink; drawn=$(grep -ohE '[^ "]+\.case\.json' out | tail -1)
grep -q 'drawn by law' "$drawn" || fail "--no-shrink: $(grep source "$drawn")"
# A kernel that crashes in this process is a broken promise with its signal, not the end of normcheck.
echo '{"schema":"normcheck/case/1","op":"layer_norm","x_format":"f32","param_format":"f32","y_format":"f32","rows":2,"width":0,"epsilon":"1","x":[]}' >empty.json
expect 1 judge --kernel mutant:divides-by-width empty.json; says out 'Floating point exception'
expect 0 judge empty.json
for mutant in second-call sticky-nan pitch-in-32-bits; do  # the replay line of a fault that no judge of one case can see
  expect 1 properties --kernel mutant:$mutant
  line=$(sed -n 's/^ *replay .\/normcheck //p' out); says out "replay ./normcheck"
  cp out first; expect 1 $line
  [ "$(grep -A3 BROKEN first | sed 's/ [0-9.]* s$//')" = "$(grep -A3 BROKEN out | sed 's/ [0-9.]* s$//')" ] || grep -q '^BROKEN' out || fail "$line replays another failure"
done
expect 1 properties --kernel mutant:eps-after-root --all --cases 5 --law repeatable --law judged; says out '^  repeatable'; says out '^  judged'
[ "$(grep -c cases out)" = 3 ] || fail "--law: other laws ran: $(cat out)"
expect 0 properties --kernel layer_norm --law repeatable --case good.json; says out '^kept'
expect 0 properties --kernel mutant:eps-after-root --law repeatable --case good.json  # not the law that it breaks
expect 3 properties --kernel honest:two-pass-f64 --law every-target --case good.json
expect 2 properties --kernel layer_norm --contract nosuch --case good.json
refused properties --law nosuch; refused properties --kernel nosuch; refused properties --cases 0; refused properties --cases x; refused properties --seed -1
RC_PARAMS="max_succes=9" refused properties --kernel layer_norm; says err RC_PARAMS
refused properties --contract row-ulp:nan; refused properties --kernel layer_norm --kernel layer_norm
expect 2 properties --kernel rms_norm --cases 2 --junit absent/laws.xml

# fuzz: arguments only, campaigns have their own tests
refused fuzz --time banana; says err time; refused fuzz --time 0s; refused fuzz --runs 0; refused fuzz --op batch_norm
refused fuzz --kernel nosuch; refused fuzz --jobs -1; refused fuzz --dir d --time 1s
# No bounds for this contract: nothing is judged, which is neither kept nor broken.
expect 3 report --quick --kernel layer_norm --contract two-pass+ftz --out unbounded; says out 'not checked'; says err 'could be judged'
NORMCHECK_FUZZ_DIR=$work/nowhere expect 3 fuzz --kernel layer_norm --time 1s

# report: arguments only, the sweep has its own tests
mkdir other; echo keep >other/file
refused report --quick --full; refused report --kernel nosuch; refused report --quick --out other; says err other
refused report --quick --out good.json; refused report --seed 1.5; refused report --contract two-pass,order=sideways
[ "$(ls other)" = file ] || fail "report touched a foreign folder"
NORMCHECK_REGRESSIONS=$work/other expect 2 report --quick --out good.json/x

# the rest
refused; refused frobnicate; refused --frobnicate; says err frobnicate
for verb in "" report properties fuzz judge kernels bench; do
  expect 0 $verb --version; says out '^normcheck [0-9]'
  expect 0 $verb --help
done
refused bench --json /absent/folder/bench.json
expect 3 bench --filter nosuch
"$normcheck" kernels >/dev/full 2>err; [ $? = 2 ] || fail "a full disk is not exit 2"

conclude
