#!/usr/bin/env bash
# stage.sh STAGE COMMANDS: the shell with which make runs a stage of stages.mk. Output goes to STAGE.log, processor
# time to STAGE.cpu, the result to `results`; of stages other than setup-... CPB_TEST_LANES run at a time.
set -uo pipefail
stage=$1 log=$CPB_TEST_LOG/$1.log python=$PWD/build/venv/bin/python lanes=${CPB_TEST_LANES:-2}
# Each lane has its share of the processors: each process of pytest imports TensorFlow anew.
jobs=$((($(nproc) + lanes - 1) / lanes))
workers=$((jobs > 1 ? jobs : 0)) # none beside pytest's own process
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL # of programs that run make themselves

configure() { # DIR OPTION...
  cmake -S . -B "$1" -G Ninja "${@:2}"
  ninja -C "$1"
}

ctests() { ctest --test-dir "$1" --output-on-failure --timeout 900 -j "$jobs" "${@:2}"; }

# A test that fails is run once more, and named if it passes then.
pytests() { (cd tests && "$python" -m pytest -rfEsxR --reruns 1 -n "$workers" "$@"); }

# DIR TEST...: those of the Python package, on what is built in DIR.
python_tests() { PYTHONPATH=$PWD/$1/python "$python" -X dev -m pytest -rfEsxR --reruns 1 -n "$workers" --dist loadfile "${@:2}"; }

# RUNTIME TEST...: pytest with the command in a WASI runtime.
wasi_tests() {
  CPB=$("$python" wasi/test/runtimes.py "$1") CPB_RUNTIME=$1 pytests -p exceptions "${@:2}"
}

# Waits until a lane is free, which this process then has until it ends.
take_lane() {
  local lane
  while :; do
    for ((lane = 1; lane <= lanes; lane++)); do
      exec 9>"$CPB_TEST_LOG/lane$lane"
      ! flock -n 9 || return 0
    done
    sleep 1
  done
}

run() (
  set -e
  eval "$1"
)

{ # read as a whole: the file may be changed meanwhile
  [[ $stage = setup-* ]] || take_lane
  begun=$SECONDS
  touch "$log.running"
  TIMEFORMAT='%U %S'
  { time run "$2" </dev/null >"$log" 2>&1 9>&-; } 2>"$CPB_TEST_LOG/$stage.cpu"
  code=$?
  rm "$log.running"
  verdict=$([ $code = 0 ] && echo ok || echo FAILED)
  echo "$stage $verdict" >>"$CPB_TEST_LOG/results"
  summary=$(grep -E 'tests passed, |[0-9]+ passed|^(lines|branches): |^fuzz: ' "$log" | tail -n 4 | tr -s '= ' ' ' | paste -sd ';')
  printf '%-13s %-6s %4d s, %4.0f s CPU  %s\n' "$stage" $verdict $((SECONDS - begun)) \
    "$(awk '{ print $1 + $2 }' "$CPB_TEST_LOG/$stage.cpu")" "$summary"
  [ $code = 0 ] || printf -- '--- the end of %s\n%s\n---\n' "$log" "$(tail -n "${CPB_LOG_LINES:-60}" "$log")"
  exit $code
}
