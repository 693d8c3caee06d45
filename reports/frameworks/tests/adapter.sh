#!/bin/bash
# Runs the binary ($1) on one adapter: adapter.sh NORMCHECK judged|eps-after-root PYTHON ADAPTER [ARGUMENT]; PYTHON may be @ENVIRONMENT
# of install.sh. `judged`: rows of small errors keep row-ulp:4 and epsilon stands under the root. 77: python or framework is missing.
set -u
normcheck=$(realpath "$1"); want=$2; python=$3; shift 3
case $python in
  @*) python=${NORMCHECK_FRAMEWORKS:-$HOME/.cache/normcheck-frameworks}/${python#@}/bin/python ;;
esac
[ -x "$(command -v "${python:-none}")" ] || { echo "not checked: no python with this framework"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
printf '#!/bin/sh\nexec "%s" "%s" %s\n' "$python" "$1" "${2-}" >kernel
chmod +x kernel
fail() { echo "FAIL: $*"; exit 1; }

# row OP EPSILON: 1, 2, 3, 4, 5 with uneven gamma and beta 0
row() {
  echo "{\"schema\":\"normcheck/case/1\",\"op\":\"$1\",\"x_format\":\"f32\",\"param_format\":\"f32\",\"y_format\":\"f32\",\"rows\":1,\"width\":5,\"epsilon\":\"$2\",\"x\":[\"1\",\"2\",\"3\",\"4\",\"5\"],\"gamma\":[\"1\",\"-2\",\"0.5\",\"3\",\"1\"],\"beta\":[\"0\",\"0\",\"0\",\"0\",\"0\"]}" >"$1.json"
}
row layer_norm 1e-3; row rms_norm 1e-3

mkdir facts
export NORMCHECK_FRAMEWORK_FACTS=$work/facts
ops=$(./kernel 2>err </dev/null | sed -n 's/^ops //p')
[ -n "$ops" ] || fail "no description: $(tail -3 err)"
count=$(wc -w <<<"$ops")
"$normcheck" judge --kernel exec:./kernel $(printf '%s.json ' $ops) >out 2>err; code=$?
if [ "$want" = judged ]; then
  [ $code = 0 ] || fail "exit $code: $(cat out err)"
  [ "$(grep -c '^kept' out)" = "$count" ] || fail "not kept for each of $ops: $(cat out)"
  "$normcheck" judge --probe --kernel exec:./kernel >out 2>err || fail "probe: $(cat out err)"
  for op in $ops; do
    grep -Eq "^$op +epsilon +under the root" out || fail "$op: $(grep epsilon out)"
  done
  grep -q '"mxcsr_after"' facts/*.json || fail "no facts were written"
else
  [ $code = 1 ] || fail "exit $code: $(cat out err)"
  [ "$(grep -c "$want" out)" = "$count" ] || fail "$want is not named for each of $ops: $(cat out)"
fi
