#!/bin/bash
# Runs the binary ($1) on plug-ins of $2 in a folder whose name has a blank, quotes and bytes of no text, and hands every command
# that it prints to a shell as it stands: each must judge the same kernel again. With $3, the folder of the fuzz targets, campaigns too.
. "$(dirname "$0")/expect.sh"
plug_ins=$(realpath "$2") fuzz_targets=${3:+$(realpath "$3")}
mkdir "$work/it's a \"place\" \$HOME" && cd "$work/it's a \"place\" \$HOME" || exit 1
ln -s "$normcheck" normcheck
odd=$'k \xff\e'
mkdir "$odd" && cp "$plug_ins/eps_after_root.so" "$odd/"
cp "$plug_ins/eps_after_root.so" "it's mine.so"
kernels=("./it's mine.so" "$PWD/it's mine.so" "$odd/eps_after_root.so" "exec:'$plug_ins/faulty_exec' ''")
case='{"schema":"normcheck/case/1","op":"layer_norm","x_format":"f32","param_format":"f32","y_format":"f32","rows":1,"width":5,"epsilon":"1e-3","x":["0.01","0.02","0.03","0.05","0.04"]}'
file="$odd/a case.json"; echo "$case" >"$file"

# runs CODE FILE: the commands of a file, which must be some, each exit with CODE.
runs() {
  local lines; mapfile -t lines < <(sed -n 's/^ *replay \(.*\)/\1/p; s/^ *then: \(.*\)/\1/p; s/^    \(\.\/normcheck .*\)/\1/p' "$2")
  [ ${#lines[@]} -gt 0 ] || fail "$2 prints no command: $(head -5 "$2")"
  for line in "${lines[@]}"; do
    LC_ALL=C grep -q '[^ -~]' <<<"$line" && fail "a printed command holds what no terminal shows: $line"
    sh -c "$line" >replayed 2>&1 </dev/null
    local got=$?; checks=$((checks + 1))
    [ $got = "$1" ] || fail "printed: $line: exit $got, not $1: $(tail -3 replayed)"
  done
}

expect 1 judge --kernel "./it's mine.so" --contract row-ulp:2 "$file"; cp out printed; runs 1 printed
says replayed row-ulp:2
for kernel in "${kernels[@]}"; do
  expect 1 judge --kernel "$kernel" --contract row-ulp:2 "$file"; cp out printed; runs 1 printed
  expect 1 properties --kernel "$kernel" --law judged; cp out printed; runs 1 printed
done
expect 1 properties --kernel "./it's mine.so" --law judged --law padding --contract row-ulp:1 --all; cp out printed; runs 1 printed

expect 1 report --quick --shard 1/20 --kernel "./it's mine.so" --out "my report"
python3 - >lines <<'P'
import json
report = json.load(open("my report/report.json"))
broken = [c for k in report["kernels"] for c in k["cells"] if not c["kept"]]
assert broken
for cell in broken[:3]: print("replay " + cell["replay"])
P
runs 1 lines

expect 0 judge --emit "a folder" --count 60 --kernel "./it's mine.so"
sed -n 's/.*then: \(.*\)/replay \1/p' out >lines; runs 2 lines  # no y is there yet: unusable, and said for each
expect 1 judge --results "a folder" --kernel "./it's mine.so"; [ -s out ] && grep -q replay out && cp out printed && runs 1 printed

if [ -n "$fuzz_targets" ]; then
  export NORMCHECK_FUZZ_DIR=$fuzz_targets
  expect 1 fuzz --kernel "./it's mine.so" --runs 300 --jobs 1; cp out printed
  sed -n '/replay/p' printed | head -2 >lines; runs 1 lines
  note=$(ls normcheck-fuzz/*/findings/*.md | head -1); runs 1 "$note"
fi

[ -z "$(find . -name '.*' ! -name . ! -name ..)" ] || fail "hidden files: $(find . -name '.*')"
conclude
