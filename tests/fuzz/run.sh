#!/usr/bin/env bash
# tests/fuzz/run.sh [SECONDS] [TARGET ...]: runs each fuzz target under the sanitizers, as many at
# a time as there are cores. Without SECONDS each replays its inputs in tests/fuzz/corpus once, in
# the order of their names: the seeds and whatever was found, the same ones on every machine.
# With SECONDS each looks for so long for what is new, from there, and keeps it in
# build/fuzz/corpus. An input that crashes is written to build/fuzz and fails: once mended, it goes
# to tests/fuzz/corpus (README.md).
set -uo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C # the order of names
seconds=
[[ ${1:-} =~ ^[0-9]+$ ]] && { seconds=$1; shift; }
mkdir -p build/fuzz
bash tests/sanitized.sh >build/fuzz/build.log || { tail -40 build/fuzz/build.log; exit 1; }
if [ $# -gt 0 ]; then targets=("$@"); else
  targets=($(cd tests/fuzz && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/'))
fi

run() { # TARGET ARGUMENT...
  local target=$1
  shift
  "build/asan/tests/fuzz/fuzz_$target" -timeout=60 -rss_limit_mb=2048 -artifact_prefix="build/fuzz/crash-$target-" "$@" \
    >"build/fuzz/$target.log" 2>&1
}

replay() { # TARGET: prints how many inputs it took
  local target=$1 inputs=("tests/fuzz/corpus/$1"/*) done_
  run "$target" "${inputs[@]}" && done_=$(grep -c '^Executed ' "build/fuzz/$target.log") && [ "$done_" = "${#inputs[@]}" ] &&
    echo "$target $done_" && return
  echo "$target FAILED"
  { echo "--- the end of build/fuzz/$target.log, of ${#inputs[@]} inputs"; tail -n 30 "build/fuzz/$target.log"; } >&2
  return 1
}

explore() { # TARGET
  local target=$1 found=build/fuzz/corpus/$1 code runs
  mkdir -p "$found"
  run "$target" -max_total_time="$seconds" -max_len=20000 -print_final_stats=1 -verbosity=1 "$found" "tests/fuzz/corpus/$target"
  code=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$target.log")
  echo "fuzz: $target, $seconds s, ${runs:-?} inputs: $([ $code = 0 ] && echo 'no finding' || echo 'FAILED')"
  [ $code = 0 ] || tail -n 30 "build/fuzz/$target.log"
  return $code
}

# FUNCTION: for each target, so many at a time as there are cores.
each() { printf '%s\0' "${targets[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c "$1"' "$@"' _; }
export seconds
export -f run replay explore

if [ -n "$seconds" ]; then each explore; exit; fi
told=$(each replay)
code=$?
told=$(sort <<<"$told")
echo "fuzz: ${#targets[@]} targets, $(awk '{ n += $2 } END { print n + 0 }' <<<"$told") inputs replayed," \
  "$([ $code = 0 ] && echo 'no finding' || echo 'FAILED'): $(paste -sd , <<<"$told" | sed 's/,/, /g')"
exit $code
