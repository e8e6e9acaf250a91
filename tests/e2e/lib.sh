# lib.sh - for scripts of tests/e2e: results as lines that tests/run counts.
# Environment: ASHLAR (the program), BUILD (its build folder), ROOT (the tree).
set -u
: "${BUILD:=$ROOT/build}" "${ASHLAR:=$BUILD/bin/ashlar}"
failed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/ashlar-e2e-XXXXXX")
trap 'rm -rf "$work"' EXIT
data=${ASHLAR_DATA:-$ROOT/../shared/data}
digits=$ROOT/examples/digits/digits.tflite

ok() { echo "ok $*"; }
bad() { echo "FAILED $*"; failed=1; }
skip() { echo "skipped $*"; }

# expect NAME WANTED-EXIT-CODE COMMAND...: the code must match; output is kept
# in $work/log.
expect() {
  local name=$1 want=$2
  shift 2
  "$@" >"$work/log" 2>&1
  got=$?
  if [ "$got" = "$want" ]; then ok "$name"; else
    bad "$name: exit code $got, wanted $want"
    tail -n 5 "$work/log" >&2
  fi
}

# said NAME TEXT: the last output contains TEXT.
said() {
  if grep -qF -- "$2" "$work/log"; then ok "$1"; else
    bad "$1: '$2' was not said"
    tail -n 5 "$work/log" >&2
  fi
}

# need_python MODULE...: sets $python to one that has these modules; where there
# is none, the script ends with a skip that says why.
need_python() {
  python=$("$ROOT/tools/oracle-python" "$@" 2>"$work/log") && return
  skip "$(basename "$0"): $(tail -n 1 "$work/log")"
  finish
}

# Where layers_main.c and the kernels that it calls find their headers.
layer_headers=("-I$ROOT/tests/tools" "-I$ROOT/runtime")
for folder in "$ROOT"/runtime/*/; do layer_headers+=("-I$folder"); done

finish() { exit $failed; }
