#!/bin/bash
# Runs the binary ($1) with judge --emit and judge --results: whole folders, and every way in which results can be unusable.
# $2: a python3 with numpy, or nothing; $3: the example of the kernel's side.
. "$(dirname "$0")/expect.sh"
example=$(realpath "$3")
cd "$work" || exit 1

# zeros DIR: a y file of zeros for each case of DIR, of the right type and shape, written without numpy.
zeros() {
  python3 - "$1" <<'P'
import json, struct, sys
folder = sys.argv[1] + "/"
for case in json.load(open(folder + "manifest.json"))["cases"]:
    descr, size = {"f32": ("<f4", 4), "f16": ("<f2", 2), "bf16": ("<u2", 2)}[case["y_format"]]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({case['rows']}, {case['width']}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(folder + case["y"], "wb") as out:
        out.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + bytes(size * case["rows"] * case["width"]))
P
}

# emit: whole or not at all, the same for a seed, and never over what is not its own
expect 0 judge --emit a --count 30 --seed 7; says out '30 cases of seed 7'
[ -f a/manifest.json ] || fail "no manifest"
[ "$(find . -name '*.partial*' | wc -l)" = 0 ] || fail "a draft is left"
expect 0 judge --emit b --count 40 --seed 7
for file in a/*.npy; do cmp -s "$file" "b/${file#a/}" || fail "$file differs with the count"; done
expect 0 judge --emit c --count 30 --seed 8; cmp -s a/case-00001.x.npy c/case-00001.x.npy && fail "the seed changes nothing"
expect 0 judge --emit a --count 5 --seed 7; [ "$(ls a/*.x.npy | wc -l)" = 5 ] || fail "an emitted folder was not replaced"
mkdir other empty; echo keep >other/file
# A6: the manifest says what the kernel does not have, and is held to it.
expect 0 judge --emit nb --count 20 --no-beta; grep -q '"no-beta"' nb/manifest.json || fail "no trait in the manifest"
ls nb/*.beta.npy 2>/dev/null && fail "a beta for a kernel that has none"
grep -q traits a/manifest.json && fail "a trait that nobody stated"
sed 's/"traits": *\[[^]]*\]/"traits": ["no-gamma"]/' <(tr -d '\n' <nb/manifest.json) >m && cp m nb/manifest.json && refused judge --results nb && says err traits
sed '1s/{/{ "traits": ["no-beta"],/' a/manifest.json >m && mkdir ab && cp a/*.npy ab && cp m ab/manifest.json && refused judge --results ab && says err 'beta: the traits say no-beta'
refused judge --emit other; says err other; [ "$(ls other)" = file ] || fail "emit touched a foreign folder"
expect 0 judge --emit empty --count 2
refused judge --emit other/file; refused judge --emit other/file/x
refused judge --emit d --count 0; refused judge --emit d --op batch_norm; refused judge --emit d --format f64; refused judge --emit d --seed -1
refused judge --count 3; refused judge --emit d --results a; refused judge --emit d --kernel nosuch
[ ! -e d ] || fail "a refused emit left a folder"
expect 0 judge --emit f --op rms_norm --format bf16 --count 20
python3 - <<'P' || fail "--op, --format, or the manifest is not what the header promises"
import json
for case in json.load(open("f/manifest.json"))["cases"]:
    assert case["op"] == "rms_norm" and {case[k + "_format"] for k in ("x", "param", "y")} == {"bf16"}
    assert float.fromhex(case["epsilon"]) == float(case["epsilon_decimal"])
    assert "mean" not in case
P
expect 0 judge --results f --kernel rms_norm
python3 - <<'P' || fail "epsilon's file does not hold the manifest's epsilon"
import json, struct
for case in json.load(open("f/manifest.json"))["cases"]:
    data = open("f/" + case["epsilon_file"], "rb").read()
    assert b"'<f4'" in data and struct.unpack("<f", data[-4:])[0] == float.fromhex(case["epsilon"])
open("f/" + case["epsilon_file"], "wb").write(data[:-4] + struct.pack("<f", 7))
P
expect 2 judge --results f --kernel rms_norm; says err "is not the manifest's epsilon"
expect 0 judge --emit f --op rms_norm --format bf16 --count 20
expect 0 judge --emit g --kernel-independent --count 200
python3 - <<'P' || fail "--kernel-independent does not draw all triples"
import json
cases = json.load(open("g/manifest.json"))["cases"]
assert len({(c["x_format"], c["param_format"], c["y_format"]) for c in cases}) == 27
P

# results: a kernel's on the folder's cases, then files of every kind
expect 0 judge --results f --kernel rms_norm; says out '20 cases: 20 kept, 0 broken, 0 unusable'
expect 3 judge --results f --kernel layer_norm; says out '20 not supported'
expect 2 judge --results f; [ "$(grep -c 'y.npy: missing' err)" = 20 ] || fail "not every missing y was named"
refused judge --results other; says err manifest.json; refused judge --results f --outputs; refused judge --results f --contract ulp:0.5

expect 0 judge --emit r --op layer_norm --format f32 --count 30 --seed 2
zeros r; expect 1 judge --results r; says out BROKEN; says out 'replay ./normcheck judge --results r'
refused judge --emit r; says err 'holds results'
python3 - <<'P'
# Unusable in six ways, one case each; all NaN in a seventh.
import json, os, struct
cases = json.load(open("r/manifest.json"))["cases"]
path = lambda i: "r/" + cases[i]["y"]
data = lambda i: open(path(i), "rb").read()
def put(i, data): open(path(i), "wb").write(data)
os.remove(path(0))
put(1, data(1).replace(b"<f4", b"<f8"))
put(2, data(2).replace(b"'shape': (", b"'shape': (1, ").replace(b"   \n", b"\n", 1))
put(3, data(3)[:-1])
put(4, b"hello")
put(5, data(5).replace(b"<f4", b"<f2") [:128] + data(5)[128:128 + len(data(5)[128:]) // 2])
finite = next(i for i in range(6, 30) if all(v == v and abs(v) < 1e30 for (v,) in struct.iter_unpack("<f", open("r/" + cases[i]["x"], "rb").read()[128:])) and cases[i]["width"] > 8 and float(cases[i]["epsilon_decimal"]) > 0)
put(finite, data(finite)[:128] + struct.pack("<I", 0x7fc00000) * ((len(data(finite)) - 128) // 4))
os.rename(path(29), "r/case-00099.y.npy")
open("named", "w").write(cases[finite]["y"])
P
expect 2 judge --results r
says err 'case-00001.y.npy: missing'; says err "case-00002.y.npy: dtype '<f8'"; says err 'case-00003.y.npy'; says err 'case-00004.y.npy.*truncated'
says err 'case-00005.y.npy: is no .npy file'; says err 'case-00006.y.npy: wrong dtype <f2'; says err "$(cat named): NaN throughout"
says err 'case-00030.y.npy: missing'; says err 'case-00099.y.npy: extra'
[ "$(wc -l <err)" = 9 ] || fail "$(wc -l <err) lines on stderr, not 9: $(cat err)"
says out '7 unusable'; says out BROKEN
expect 2 judge --results r --json
python3 -c "import json; v = json.load(open('out')); assert len(v) == 23 and all(e['schema'] == 'normcheck/verdict/1' for e in v)" || fail "--json"
sed -i 's/"rows": /"lines": /' c/manifest.json; refused judge --results c; says err lines
sed -i 's|"y": "case-00001.y.npy"|"y": "../x.npy"|' f/manifest.json; refused judge --results f; says err '../x.npy'

# the example of the kernel's side
if [ -n "${2:-}" ]; then
  expect 0 judge --emit e --count 60 --seed 3
  "$2" -W error "$example" e || fail "$example"
  expect 0 judge --results e; says out '60 cases: 60 kept'
else
  echo "not checked: there is no python3-numpy"
fi

conclude
