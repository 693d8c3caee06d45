# Sourced by the tests of the command line with the binary as $1: a scratch folder, and what a command must exit with and say.
set -u
normcheck=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

# expect CODE ARGUMENTS...: runs normcheck, with $prefix first where a test has set it, and compares the exit code; stdout and
# stderr stay in the files out and err.
expect() {
  local want=$1; shift
  "$normcheck" ${prefix:+"$prefix"} "$@" >out 2>err </dev/null
  local got=$?
  checks=$((checks + 1))
  [ $got = "$want" ] || { fail "normcheck ${prefix:-} $*: exit $got, not $want"; sed 's/^/  /' err; }
}

# refused ARGUMENTS...: exit 2, one line on stderr, nothing on stdout.
refused() {
  expect 2 "$@"
  [ "$(wc -l <err)" = 1 ] || fail "normcheck $*: $(wc -l <err) lines on stderr"
  [ ! -s out ] || fail "normcheck $*: wrote to stdout"
}

says() { grep -q -- "$2" "$1" || fail "$1 does not say '$2': $(head -3 "$1")"; }

# The last line of a test: what was checked, exit 1 where something failed.
conclude() { echo "$checks calls, $failures failures"; [ $failures = 0 ]; }
