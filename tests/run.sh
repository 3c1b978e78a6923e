#!/usr/bin/env bash
# tests/run.sh [--all] [[--only] STAGE ...]: installs what is missing and runs the tests that every change must pass;
# with --all also the long sweeps, as before a release; or the stages named, after those that they need (with --only
# without these, which were run before). Each stage's output is in build/log/STAGE.log. docs/testing.md says what each
# one proves; make runs them (tests/runner).
set -uo pipefail
cd "$(dirname "$0")/.."
export TF_CPP_MIN_LOG_LEVEL=2 PYTHONDONTWRITEBYTECODE=1
export CPB_TEST_LOG=${CPB_TEST_LOG:-$PWD/build/log}
runner=${CPB_TEST_STAGES:-tests/runner} log=$CPB_TEST_LOG

{ # read as a whole: the file may be changed meanwhile

# --- What to run ----------------------------------------------------------------

stages_of() { sed -nE 's/^([a-z][a-z0-9-]*):( .*|$)/\1/p' "$@"; }

mapfile -t all < <(stages_of "$runner"/{stages,long}.mk)
mapfile -t wanted < <(stages_of "$runner/stages.mk")
only=
if [ "${1:-}" = --all ]; then
  export CPB_TEST_ALL=1
  wanted=("${all[@]}")
  shift
fi
[ "${1:-}" != --only ] || { only=1; shift; }
[ $# = 0 ] || wanted=("$@")
[ -z "$only" ] || [ ${#wanted[@]} -gt 1 ] || export CPB_TEST_LANES=1 # which has all processors
for stage in "${wanted[@]}"; do
  [[ " ${all[*]} " = *" $stage "* ]] || { echo "no stage $stage; there are: ${all[*]}"; exit 1; }
done

# --- Running it -----------------------------------------------------------------

mkdir -p "$log" build/_sources
bash tests/setup.sh build && python3 tests/archives.py || { echo "FAILED: setting up"; exit 1; }
# Each build that compiles others' sources finds them where the first one put them.
for build in build-source build/{asan,coverage,m32,wasi,web}; do
  mkdir -p $build
  [ -e $build/_sources ] || ln -sr build/_sources $build/_sources
done
# What was compiled in this clone or another is not compiled again.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi

rm -f "$log"/{results,*.running}
tell_progress() {
  local file line
  while sleep 60; do
    line=
    for file in "$log"/*.running; do
      [ ! -e "$file" ] || line+=", $(basename "$file" .log.running) $(($(date +%s) - $(date +%s -r "$file"))) s"
    done
    echo "... ${line#, }"
  done
}

# Each in a group of processes of its own, which end with this one. What is installed for others needs no lane.
set -m
make -k -O -j $((${CPB_TEST_LANES:-2} + 1)) --no-print-directory -f "$runner/stages.mk" -f "$runner/long.mk" \
  ALL="${all[*]}" ONLY="${only:+${wanted[*]}}" "${wanted[@]}" 2>"$log/make" &
make=$!
tell_progress & ticker=$!
set +m
trap 'kill -- -$make -$ticker 2>/dev/null' EXIT
trap 'exit 130' INT TERM HUP
wait $make
code=$?

# --- What came of it ------------------------------------------------------------

touch "$log/results"
mapfile -t ran < <(cut -d ' ' -f 1 "$log/results")
logs=("${ran[@]/#/$log/}")

# What was skipped, and why, as pytest, the runner of the JavaScript tests and ctest say it.
for stage in "${ran[@]}"; do
  sed -nE -e 's/^SKIPPED \[([0-9]+)\] (.*)$/\1 \2/p' -e 's/^XFAIL (.*)$/1 expected to fail: \1/p' \
    -e 's/^ +skipped: (.*)$/1 \1/p' -e 's/^(again:|PASSED) (.*)$/1 failed, and passed when run again: \2/p' \
    -e 's/^[[:space:]]*[0-9]+ - (.*) \(Skipped\)$/1 \1, by ctest/p' "$log/$stage.log" | sort | uniq -c |
    awk -v stage="$stage" '{ n = $1 * $2; $1 = $2 = ""; sub(/^ +/, ""); printf "  %s: %d x %s\n", stage, n, $0 }'
done >"$log/skipped"
[ ! -s "$log/skipped" ] || { echo; echo "skipped:"; cat "$log/skipped"; }

# The names of the tests that failed, so that the last lines say them.
for stage in $(sed -n 's/ FAILED$//p' "$log/results"); do
  awk -v stage="$stage" -f tests/failed.awk "$log/$stage.log"
done >"$log/failed"
[ ! -s "$log/failed" ] || { echo; echo "failed ($log/failed):"; head -n 40 "$log/failed"; }

echo
awk -f tests/runner/totals.awk /dev/null $(printf '%s\n' "${logs[@]/%/.log}" | grep -v '/setup-')
took="in $SECONDS s, $(cat /dev/null "${logs[@]/%/.cpu}" | awk '{ s += $1 + $2 } END { printf "%d", s }') s CPU"
[ $code != 0 ] || { echo "ALL PASSED $took"; exit; }
# Those that failed, and those that need what failed.
broken=$(sed -nE -e 's/ FAILED$//p' -e "s/.*Target '(.*)' not remade.*/\1/p" "$log/results" "$log/make" | awk '!seen[$0]++' | paste -sd ' ')
[ -n "$broken" ] || cat "$log/make"
echo "FAILED $took: $broken"
exit 1
}
