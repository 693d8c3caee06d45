#!/bin/bash
# Runs the binary ($1) on one adapter: adapter.sh NORMCHECK judged|eps-after-root PYTHON ADAPTER [ARGUMENT]; PYTHON may be @ENVIRONMENT
# of install.sh. `judged`: a row of each op and format keeps row-ulp:4 or is not served, one of f32 (of any, where f32 is not named) keeps
# it, and epsilon stands under the root. 77: python or framework is missing.
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

# row OP FORMATS: 1, 2, 3, 4, 5 with uneven gamma; beta, uneven, for layer_norm alone
row() {
  IFS=/ read -r x gamma y <<<"$2"
  [ "$1" = layer_norm ] && beta='["0.5","-1","0","2","0.25"]' || beta='["0","0","0","0","0"]'
  echo "{\"schema\":\"normcheck/case/1\",\"op\":\"$1\",\"x_format\":\"$x\",\"param_format\":\"${gamma:-$x}\",\"y_format\":\"${y:-$x}\",\"rows\":1,\"width\":5,\"epsilon\":\"1e-3\",\"x\":[\"1\",\"2\",\"3\",\"4\",\"5\"],\"gamma\":[\"1\",\"-2\",\"0.5\",\"3\",\"1\"],\"beta\":$beta}" >"$1-${2//\//-}.json"
}

mkdir facts
export NORMCHECK_FRAMEWORK_FACTS=$work/facts
./kernel >described 2>err </dev/null
ops=$(sed -n 's/^ops //p' described); formats=$(sed -n 's/^formats //p' described)
[ -n "$ops" ] || fail "no description: $(tail -3 err)"
for op in $ops; do for triple in $formats; do row "$op" "$triple"; done; done
"$normcheck" judge --kernel exec:./kernel ./*_norm-*.json >out 2>err; code=$?
count=$(wc -w <<<"$ops")
if [ "$want" = judged ]; then
  [ $code = 0 ] || [ $code = 3 ] || fail "exit $code: $(cat out err)"  # 3: formats that the op does not serve
  case " $formats " in *" f32 "*) served=f32 ;; *) served=.* ;; esac
  for op in $ops; do
    grep -q "^kept .*$op-$served\.json" out || fail "$op in $served is not kept: $(cat out err)"
  done
  "$normcheck" judge --probe --kernel exec:./kernel >out 2>err || fail "probe: $(cat out err)"
  for op in $ops; do
    grep -Eq "^$op +epsilon +under the root" out || fail "$op: $(grep epsilon out)"
  done
  grep -q '"mxcsr_after"' facts/*.json || fail "no facts were written"
else
  [ $code = 1 ] || fail "exit $code: $(cat out err)"
  [ "$(grep -c "likely $want" out)" = "$count" ] || fail "$want is not named for each of $ops: $(cat out)"
fi
