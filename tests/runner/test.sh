#!/usr/bin/env bash
# What tests/run.sh makes of stages that pass, fail and skip: of two folders of stages of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CPB_TEST_STAGES=$work CPB_TEST_LOG=$work/log
unset CPB_TEST_ALL

# run ARGUMENT...: its output is in $work/out; fails if that does.
run() { bash tests/run.sh "$@" >"$work/out" 2>&1; }
has() { grep -qE -- "$1" "$work/out" || { echo "FAILED: no line has: $1"; cat "$work/out"; exit 1; }; }
lacks() { ! grep -E -- "$1" "$work/out" || { echo "FAILED: it has that"; exit 1; }; }

{
  sed '/^setup-python:/,$d' tests/runner/stages.mk
  printf '%s\n' 'setup-it:' $'\techo 7 passed in 1 s' 'good: $(call needs,setup-it)' \
    $'\techo "$${CPB_TEST_ALL:-few}"; echo "3 passed, 2 skipped in 1 s"; echo "SKIPPED [2] good.py:1: no reason"'
} >"$work/stages.mk"
printf '%s\n' 'bad: $(call needs,good)' $'\techo FAILED test_bad.py::test_name' $'\techo 1 failed, 4 passed in 1 s' \
  $'\tfalse' $'\techo not reached' 'after: $(call needs,bad)' $'\ttrue' >"$work/long.mk"

run || { cat "$work/out"; exit 1; }
has '^good +ok .* s CPU +3 passed, 2 skipped'
has '^  good: 2 x good.py:1: no reason'
has '^3 passed, 0 failed, 2 skipped' # what setting up says is not counted
has '^ALL PASSED in .* s CPU$'
grep -qxE '[0-9.]+ [0-9.]+' "$work/log/good.cpu"
lacks bad

if run --all; then echo "FAILED: a stage that fails does not fail the run"; exit 1; fi
has '^bad +FAILED'
has '^  bad: test_bad.py::test_name'
has '^7 passed, 1 failed, 2 skipped'
has '^FAILED in .* s CPU: bad after$'
lacks 'not reached|^after'
grep -qx 1 "$work/log/good.log"

run --only good after || { cat "$work/out"; exit 1; } # without `bad`, whose result is not kept
lacks 'bad|setup-it'
has '^after +ok'

if run other; then echo "FAILED: there is no such stage"; exit 1; fi
has '^no stage other; there are: setup-it good bad after$'
echo "runner: passed"
