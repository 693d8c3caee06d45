#!/bin/bash
# The committed help texts are those of the binary ($1); the entry script of the checkout ($2) shows them before any set-up, and
# while another process holds the set-up's lock.
. "$(dirname "$0")/expect.sh"
root=$(realpath "$2")
cd "$work" || exit 1
mkdir texts && "$root/reports/cli/help/write.sh" "$normcheck" texts
for text in texts/*.txt; do
  checks=$((checks + 1))
  diff -u "$root/reports/cli/help/$(basename "$text")" "$text" || fail "$(basename "$text") is stale: run reports/cli/help/write.sh BINARY"
done

# A copy that has nothing but the script and its texts: whatever set-up began would fail or leave build/.
mkdir -p copy/reports/cli && cp "$root/normcheck" "$root/CMakeLists.txt" copy/ && cp -r "$root/reports/cli/help" copy/reports/cli/
normcheck=$PWD/copy/normcheck
expect 0 --help; diff -q out texts/normcheck.txt || fail "--help"
expect 0 --version; says out '^normcheck [0-9]'
expect 2; diff -q err texts/normcheck.txt || fail "a bare call"
for verb in report bench test fuzz; do expect 0 $verb --help; [ -s out ] || fail "$verb --help is empty"; done
expect 0 report --kernel layer_norm --help; diff -q out texts/report.txt || fail "report ... --help"
[ ! -e copy/build ] || fail "help began a set-up"
mkdir copy/build && exec 8>copy/build/.lock && flock 8
expect 0 fuzz --help
echo "report (process 1)" >copy/build/.owner; echo "[ 40%] Building x" >copy/build/release.log
timeout 4 "$normcheck" kernels >out 2>err
says err 'waiting for the set-up of ./normcheck report (process 1): \[ 40%\] Building x'
conclude
