#!/bin/bash
# Runs the binary ($1) on the test plug-ins in $2: every verb on a library and on a program, and what each exits with.
. "$(dirname "$0")/expect.sh"
plug_ins=$(realpath "$2")
cd "$work" || exit 1
cp "$plug_ins"/*.so "$plug_ins"/exec_kernel "$plug_ins"/faulty_exec .

# row WIDTH FILE: 1, 2, 3, ...
row() {
  local x; x=$(printf '"%s",' $(seq "$1"))
  echo "{\"schema\":\"normcheck/case/1\",\"op\":\"layer_norm\",\"x_format\":\"f32\",\"param_format\":\"f32\",\"y_format\":\"f32\",\"rows\":1,\"width\":$1,\"epsilon\":\"1e-3\",\"x\":[${x%,}]}" >"$2"
}
row 5 five.json; row 13 thirteen.json

# judge
expect 0 judge --kernel ./my_layer_norm.so five.json thirteen.json; says out 'row-ulp:1'
expect 0 judge --kernel exec:./exec_kernel five.json thirteen.json
expect 1 judge --kernel ./eps_after_root.so five.json; says out 'likely eps-after-root'
expect 1 judge --kernel ./crash.so five.json thirteen.json five.json; says out 'the kernel crashed (SIGSEGV)'
[ "$(grep -c '^kept' out)" = 2 ] || fail "judge did not go on after a crash: $(cat out)"
expect 1 judge --kernel 'exec:./faulty_exec garbage' five.json thirteen.json; says out garbage
expect 2 judge --kernel 'exec:./nosuch' five.json
expect 3 judge --kernel ./unsupported.so thirteen.json
expect 0 judge --kernel ./thread.so five.json; says err 'left 1 thread'
for library in version no_description contract no_ops absent; do
  expect 2 judge --kernel ./$library.so five.json
  [ "$(wc -l <err)" = 1 ] || fail "$library: $(wc -l <err) lines on stderr"
  [ ! -s out ] || fail "$library: wrote to stdout"
done
# A6: a beta that a kernel does not have is no question to it, in judge and properties alike, and is not dropped in silence.
sed 's/"x":/"beta":["1","1","1","1","1"],"x":/' five.json >beta.json
expect 3 judge --kernel ./traits.so beta.json; says out beta
expect 3 properties --kernel ./traits.so --law repeatable --case beta.json; says err 'beta.json: not asked: it has a beta, and ./traits.so has none'
expect 0 properties --kernel ./traits.so --law repeatable --case five.json; expect 0 properties --kernel ./my_layer_norm.so --law repeatable --case beta.json
NORMCHECK_TIME_LIMIT=0.2 expect 1 judge --kernel ./hang.so thirteen.json five.json
NORMCHECK_TIME_LIMIT=never expect 2 judge --kernel ./hang.so five.json

# probe, advise
expect 0 judge --probe --kernel ./eps_after_root.so; says out 'eps-after-root'
expect 0 judge --advise --kernel ./my_layer_norm.so; says out 'strictest kept'

expect 0 judge --probe --kernel ./always_crash.so; says out 'accumulation *cannot be told: the kernel crashed'
expect 0 judge --advise --kernel ./always_crash.so; says out 'no contract is kept: the kernel crashed'

# report
expect 1 report --quick --kernel ./crash.so --kernel ./my_layer_norm.so --out report
python3 - <<'P' || fail "report: no cell with the crash, its case and the line that replays it"
import json, os
crashing, right = json.load(open("report/report.json"))["kernels"]
assert right["kept"] and not crashing["kept"]
broken = [cell for cell in crashing["cells"] if not cell["kept"]]
assert broken and all("the kernel crashed (SIGSEGV)" in cell["fault"] for cell in broken)
assert all(os.path.exists("report/" + cell["worst"]["file"]) and "./crash.so" in cell["replay"] for cell in broken)
P

# properties
expect 0 properties --kernel ./my_layer_norm.so --cases 10
expect 0 properties --kernel exec:./exec_kernel --cases 4
expect 0 properties --kernel ./plainest.so --cases 20  # neither pitch nor absent gamma and beta: no law gives up
expect 1 properties --kernel ./crash.so --cases 200; says out 'crashed'
found=$(grep -ohE '[^ "]+\.case\.json' out | tail -1)
[ -f "$found" ] && expect 1 judge --kernel ./crash.so "$found" && says out 'crashed'

# E2: files named after ./crash.so do not begin with a dot.
[ "$found" = ./normcheck-properties/crash.so-judged.case.json ] || fail "the shrunk case is $found"
hidden=$(find . -name '.*' ! -name . ! -name ..); [ -z "$hidden" ] || fail "hidden files: $hidden"

conclude
