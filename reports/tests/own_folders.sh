#!/bin/bash
# F2, F4, F5, A9: runs that write replace only what is theirs; names are bytes; inputs and numbers have bounds; signals end a run as usual.
. "$(dirname "$0")/expect.sh"
cd "$work" || exit 1
quick=(report --quick --no-laws --kernel layer_norm)
stands() { [ -e "$1" ] || fail "$1 is gone"; }

# F2: a folder of something else, whatever its files are called
mkdir -p other/src && echo 1 >other/src/a.c && echo '{"coverage":1}' >other/report.json && cp -r other before
refused "${quick[@]}" --shard 1/100 --out other; diff -r other before || fail "a foreign folder was changed"
expect 0 "${quick[@]}" --shard 1/100 --out r; stands r/files.txt
echo note >r/note.txt; echo mine >r/worst/mine.txt; cp r/report.json r/baseline.json
expect 0 "${quick[@]}" --shard 2/100 --out r
for file in note.txt worst/mine.txt baseline.json report.json index.html; do stands r/$file; done
[ "$(find r/worst -name '*.case.json' | wc -l)" = "$(grep -c '^worst/' r/files.txt)" ] || fail "worst rows of the earlier report are left"
ln -s r link && expect 0 "${quick[@]}" --shard 3/100 --out link; [ -L link ] || fail "a link became a folder"
refused "${quick[@]}" --gate r/report.json --out r; refused "${quick[@]}" --baseline r/report.csv --out r
refused report --merge r/report.json --out r
mkdir .d.partial && echo x >.d.partial/x && refused "${quick[@]}" --shard 1/100 --out d && stands .d.partial/x
printf 'normcheck: files of a report\n../outside\n/etc/hostname\n' >list && mkdir evil && mv list evil/files.txt && echo x >outside
expect 0 "${quick[@]}" --shard 1/100 --out evil; stands outside; stands /etc/hostname
expect 0 judge --emit cases --count 2; echo note >cases/note; expect 0 judge --emit cases --count 1; stands cases/note
expect 0 report --diff r/report.json r/report.json --out diff; echo note >diff/note
expect 0 report --diff r/report.json r/report.json --out diff; stands diff/note
echo old >file && ln -s file junit && expect 0 properties --kernel layer_norm --cases 2 --law empty --junit junit
[ -L junit ] && grep -q testsuite file || fail "--junit took the place of a link"

# F4: bytes that are no UTF-8, and escapes
echo '{"schema":"normcheck/case/1","op":"layer_norm","x_format":"f32","param_format":"f32","y_format":"f32","rows":1,"width":2,"epsilon":"1e-5","x":["1e-3","-1e-3"]}' >$'r\xff\e[31m.case.json'
expect 0 judge --json $'r\xff\e[31m.case.json'; python3 -c "import json; assert r'r\xff\x1b[31m' in json.load(open('out'))[0]['case']" || fail "--json of an odd name"
expect 1 judge --kernel mutant:eps-after-root $'r\xff\e[31m.case.json'; grep -q $'\e' out err && fail "an escape reached the terminal"
expect 2 judge $'absent\e[31m'; grep -q $'\e' err && fail "an escape in a message"
expect 0 "${quick[@]}" --shard 1/100 --out $'o\xff'; python3 -c "import json,glob; json.load(open(glob.glob(b'o\xff')[0] + b'/report.json'))" || fail "report.json of an odd folder"
expect 2 judge "$(printf 'a%.0s' $(seq 5000))"; [ "$(wc -c <err)" -lt 1200 ] || fail "a long word is echoed whole"

# F5: inputs that never end, numbers out of range
mkfifo pipe
# F5: the readers behind --kill-page and --merge, whose files have fixed names.
mkdir matrix && ln -s ../pipe matrix/kill-matrix.json && refused properties --kill-page matrix && says err 'kill-matrix.json: cannot be read: '
ln -sf /dev/zero matrix/kill-matrix.json && refused properties --kill-page matrix && says err 'kill-matrix.json: cannot be read: '
for input in pipe /dev/zero .; do
  prefix="" refused judge "$input"; refused report --quick --gate "$input"; refused report --x "$input" --epsilon 1e-5
done
for words in "properties --seed 18446744073709551616" "properties --seed -1" "properties --seed 1x" "properties --cases 0" "report --shard=" \
    "report --epsilons 1e-5,,0" "report --epsilons 1e999" "judge --advise --kernel layer_norm --width 0" "fuzz --runs 99999999999999999999" \
    "bench --filter ("; do
  # shellcheck disable=SC2086
  refused $words
  [ "$(wc -c <err)" -lt 200 ] || fail "$words: $(cat err)"
done
expect 2 judge --json good >&-; "$normcheck" kernels >&- 2>&-; [ $? = 2 ] || fail "closed streams"
expect 0 properties --kernel layer_norm --cases 2 --law empty --seed random; cp out first
expect 0 properties --kernel layer_norm --cases 2 --law empty --seed random; cmp -s out first && fail "--seed random drew one seed twice"
seed=$(sed -n 's/.*seed //p' first); expect 0 properties --kernel layer_norm --cases 2 --law empty --seed "$seed"

# F5: TERM and HUP end like INT, with the JUnit file
for signal in INT TERM HUP; do
  rm -f laws.xml
  python3 - "$normcheck" $signal <<'P' || fail "$signal: properties"
import signal, subprocess, sys, time
run = subprocess.Popen([sys.argv[1], "properties", "--kernel", "layer_norm", "--cases", "1000000", "--law", "judged", "--junit", "laws.xml"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in (2, 1, 15)])
time.sleep(1)
run.send_signal(getattr(signal, "SIG" + sys.argv[2]))
err = run.communicate()[1]
sys.exit(run.returncode != 3 or b"interrupted" not in err)
P
  grep -q '<testsuites' laws.xml || fail "$signal: no JUnit file"
done
conclude
