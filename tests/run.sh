#!/usr/bin/env bash
# tests/run.sh [--all] [[--only] STAGE ...]: installs what is missing and runs the tests that
# every change must pass; with --all also the long sweeps, as before a release; or the stages
# named, after those that they need (with --only without these, which were run before). Each
# stage's output is in build/log/STAGE.log.
# docs/testing.md says what each one proves.
set -uo pipefail
cd "$(dirname "$0")/.."
export TF_CPP_MIN_LOG_LEVEL=2 PYTHONDONTWRITEBYTECODE=1
python=$PWD/build/venv/bin/python
jobs=$(nproc)

# --- Stages -------------------------------------------------------------------

# Each with those that it needs, in the order in which they begin when several could.
# What is installed for others goes on beside them.
stages=(
  "setup-python"
  "setup-debian"
  "setup-interop: setup-debian setup-python"
  "setup-npm: setup-debian"
  "setup-servers: setup-npm"
  "setup-devices: setup-debian setup-python"
  "setup-wasi: setup-debian setup-python setup-npm"
  "build"
  "models: setup-python"
  "web-build: setup-debian setup-npm"
  "verdicts: build setup-debian setup-python"
  "unit: build setup-python setup-npm"
  "sanitize: setup-debian setup-python"
  "interop: build models setup-interop"
  "web-node: build verdicts web-build models setup-servers"
  "model: build models web-build"
  "urls: build models setup-servers"
  "web-runtimes: web-node"
  "wasi-build: setup-wasi"
  "wasi: build verdicts wasi-build setup-servers"
  "fault: build setup-python"
  "fuzz: sanitize"
  "corpus: build setup-python"
  "complexity: build setup-python"
  "cli: build setup-debian setup-python"
  "python: build setup-python setup-servers"
  "install: build setup-debian"
  "devices: wasi-build setup-devices build"
)
long_stages=(
  "bits32: verdicts setup-debian setup-python"
  "sanitize-all: sanitize setup-servers"
  "fuzz-long: fuzz"
  "wasi-corpus: wasi"
  "coverage: setup-debian setup-python setup-servers"
  "release: setup-npm setup-wasi"
  "wheel: python"
  "recipes: web-runtimes python"
  "site: web-node"
)

configure() { # DIR OPTION...
  local dir=$1
  shift
  cmake -S . -B "$dir" -G Ninja "$@" && ninja -C "$dir"
}

# COMMAND...: all at a time; whether all of them passed.
together() {
  local command pid pids=() failed=0
  for command; do
    $command & # a list
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
  return $failed
}

ctests() { ctest --test-dir "$1" --output-on-failure --timeout 900 -j "$jobs" "${@:2}"; }

pytests() { (cd tests && "$python" -m pytest -rfEsx -n "$jobs" "$@"); }

stage_setup-python() { bash tests/setup.sh python; }
stage_setup-debian() { bash tests/setup.sh debian; }
stage_setup-interop() { "$python" tests/interop/build.py; }
stage_setup-npm() { sh web/test/setup.sh npm; }
stage_setup-servers() { sh web/test/setup.sh servers; }
stage_setup-wasi() { sh wasi/test/setup.sh; }
stage_setup-devices() { bash wasi/devices/setup.sh; }

# No warning is let through, of gcc here and of clang in the stage `sanitize`.
stage_build() { configure build -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCPB_BUILD_PYTHON=ON; }

stage_unit() { ctests build; }

# What TensorFlow makes, for several stages; beside other work, so in one process.
stage_models() { "$python" tests/support/models.py; }

stage_corpus() { pytests corpus; }

# A build whose verdicts are those of all others but for the system's libzstd. Its folder lies beside
# `build` and its options are those of the stage `build`: ccache then takes nine of ten objects from there.
stage_verdicts() {
  configure build-source -DCPB_DEPENDENCIES=source -DCPB_BUILD_TESTS=OFF -DCPB_BUILD_EXAMPLES=OFF \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON &&
    "$python" tests/verdicts.py system
}

stage_complexity() { pytests complexity; }

stage_cli() { pytests cli; }

# DIR TEST...: those of the Python package, on what is built in DIR.
python_tests() { PYTHONPATH=$PWD/$1/python "$python" -X dev -m pytest -rfEsx -n "$jobs" --dist loadfile "${@:2}"; }

# The build finds what makes the types of answers once that is installed.
stage_python() { stage_build && python_tests build python/tests; }

# As it is published.
stage_wheel() { bash tests/install/python.sh; }

stage_model() { pytests model; }

stage_urls() { pytests urls; }

stage_interop() { pytests interop; }

stage_fault() { pytests fault; }

stage_install() { bash tests/install/run.sh; }

# On boards with little memory, in QEMU.
stage_devices() { bash wasi/devices/run.sh; }

# The compiler's checks for memory and undefined behaviour, where they are most likely to
# find something: a part of what the unit tests and the sweeps of faults try (stride.h), hostile
# files, and damaged ones, with recovery, which reads as far as one does without it. The stage
# `fuzz` replays the seeds.
stage_sanitize() {
  local -x ASAN_OPTIONS=quarantine_size_mb=8 # more takes most of the time
  bash tests/sanitized.sh && ctests build/asan &&
    CPB=$PWD/build/asan/cpb pytests fault/test_hostile.py model/test_hostile.py corpus/test_records.py \
      -k 'not test_damaged_file' && sanitized_python
}

# The Python extension, in an interpreter that is not sanitized itself: what that leaks is not ours.
# Nor is TensorFlow, which some tests of models need.
sanitized_python() {
  local -x ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc
  local -x LD_PRELOAD
  LD_PRELOAD=$(clang-19 -print-file-name="libclang_rt.asan-$(uname -m).so")
  python_tests build/asan python/tests/test_{records,messages,models,behaviour}.py \
    -k 'not references and not variables and not constants and not tensorflow'
}

# The same for all other tests but those that preload a library or measure memory.
stage_sanitize-all() {
  CPB=$PWD/build/asan/cpb pytests corpus cli model urls --ignore model/test_hostile.py
}

stage_fuzz() { bash tests/fuzz/run.sh; }

stage_fuzz-long() { bash tests/fuzz/run.sh "${CPB_FUZZ_SECONDS:-180}"; }

# A size_t of 32 bits.
stage_bits32() {
  configure build/m32 -DCMAKE_C_FLAGS=-m32 -DCPB_DEPENDENCIES=source -DCPB_BUILD_TESTS=OFF \
    -DCPB_BUILD_EXAMPLES=OFF && CPB=$PWD/build/m32/cpb pytests corpus cli model &&
    "$python" tests/verdicts.py bits32
}

# Without the tests that the compiler's own runtime, which writes files at the end, does not pass.
stage_coverage() {
  configure build/coverage -DCMAKE_BUILD_TYPE=Debug -DCPB_COVERAGE=ON &&
    find build/coverage -name '*.gcda' -delete && ctests build/coverage &&
    CPB=$PWD/build/coverage/cpb CPB_FAULT_MOST=300 pytests corpus cli model urls fault \
      interop/test_round_trips.py interop/test_json.py --ignore fault/test_memory.py \
      -k 'not limit_of_file_sizes' && bash tests/coverage.sh build/coverage
}

# All files of a release, made twice.
stage_release() { bash tests/release/run.sh; }

# What users build the JavaScript package into, by tools of hundreds of megabytes; what reads data
# sets by the Python package; and JupyterLab.
stage_recipes() {
  sh web/test/setup.sh recipes && node web/test/runtimes/run.js node recipes/recipes &&
    bash tests/setup.sh recipes && python_recipes && node web/test/runtimes/run.js node recipes/notebook
}

python_recipes() {
  PYTHONPATH=$PWD/build/python build/recipes/bin/python -m pytest -rfEsx -p no:cacheprovider python/tests/test_datasets.py -k recipe
}

# The documentation as a site.
stage_site() { node web/test/runtimes/run.js node recipes/site; }

# The JavaScript package: its WebAssembly and types (its format is a test of the stage `unit`); on Node; on the other runtimes.
stage_web-build() {
  local tsc=web/node_modules/.bin/tsc
  bash web/build.sh && together "$tsc -p web --noEmit" "$tsc -p web/test" "$tsc -p web/inspector"
}

stage_web-node() { node web/test/corpus/native.js && node web/test/runtimes/run.js node; }

stage_web-runtimes() {
  node web/inspector/build.js &&
    node web/test/runtimes/run.js deno bun workerd chromium firefox webkit
}

stage_wasi-build() { bash wasi/build.sh; }

# RUNTIME TEST...: pytest with the command in a WASI runtime.
wasi_tests() {
  local runtime=$1
  shift
  CPB=$("$python" wasi/test/runtimes.py "$runtime") CPB_RUNTIME=$runtime pytests -p exceptions "$@"
}

# The command for WASI: what it needs; its tests in one runtime (but those of locks, modes and
# descriptors, which WASI does not have, and by default those of texts, which are printed alike), and
# those that it cannot pass in another; the corpus in all, and some of it in a browser. Then the
# reactor, with the corpus in all, and the components, and their hosts.
stage_wasi() {
  local -x PYTHONPATH=$PWD/wasi/test
  local texts=(--ignore=cli/test_{completion,errors,help,questions,schema,summary,tutorial}.py)
  [ -z "${CPB_TEST_ALL:-}" ] || texts=()
  pytests -rfEP ../wasi/test/test_artefact.py ../wasi/test/test_core.py ../wasi/test/test_brotli.py ../wasi/test/test_access.py ../wasi/test/test_publish.py &&
    wasi_tests wasmtime cli --ignore cli/test_files.py "${texts[@]}" && wasi_tests node cli/test_output.py cli/test_pipes.py &&
    "$python" tests/verdicts.py &&
    node wasi/test/browser.js build/wasi/cpb-cli.wasm "$PWD/build/cpb" &&
    "$python" wasi/conformance/run.py && pytests ../wasi/reactor ../wasi/component ../wasi/http
}

# All of the corpus in every runtime, and in Wasmtime once more as pytest reads it.
stage_wasi-corpus() {
  local -x PYTHONPATH=$PWD/wasi/test
  wasi_tests wasmtime corpus && "$python" tests/verdicts.py --all
}

# --- What to run ----------------------------------------------------------------

declare -A needs=()
order=()
for line in "${stages[@]}" "${long_stages[@]}"; do
  order+=("${line%%:*}")
  needs[${line%%:*}]=$([[ $line = *:* ]] && echo "${line#*:}")
done

declare -A wanted=()
want() { # STAGE: and what it needs
  [ -n "${needs[$1]+is there}" ] || { echo "no stage $1; there are: ${order[*]}"; exit 1; }
  [ -z "${wanted[$1]:-}" ] || return 0
  wanted[$1]=1
  [ -z "$only" ] || return 0
  local other
  for other in ${needs[$1]}; do want "$other"; done
}

first=("${stages[@]%%:*}")
only=
case ${1:-} in
  --all)
    export CPB_TEST_ALL=1
    shift
    [ $# -gt 0 ] || set -- "${order[@]}"
    ;;
  '') set -- "${first[@]}" ;;
esac
[ "${1:-}" != --only ] || { only=1; shift; }
for stage; do want "$stage"; done

# --- Running them ---------------------------------------------------------------

started=$SECONDS total=0 passed=0 failed=0 skipped=0 broken=()
mkdir -p build/log build/_sources
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

declare -A state=() pid_of=() begun=()  # state: running, ok, FAILED
lanes=${CPB_TEST_LANES:-2}

is_setup() { [[ $1 = setup-* ]]; }

# STAGE in the background, in a group of processes of its own.
begin() {
  local log=build/log/$1.log
  state[$1]=running begun[$1]=$SECONDS
  set -m
  (
    TIMEFORMAT='%U %S'
    { time "stage_$1" </dev/null >"$log" 2>&1; } 2>"build/log/$1.cpu"
  ) &
  set +m
  pid_of[$!]=$1
}

# Whether all that a stage needs is done; 2 if that will never be.
is_ready() {
  local other
  for other in ${needs[$1]}; do
    [ -n "${wanted[$other]:-}" ] || continue
    case ${state[$other]:-} in
      ok) ;;
      FAILED) return 2 ;;
      *) return 1 ;;
    esac
  done
}

# Adds up the closing lines of ctest, pytest and others in a log.
count() {
  local n m
  while read -r n m; do passed=$((passed + m - n)) failed=$((failed + n)); done < <(
    sed -nE 's/.*tests passed, ([0-9]+) tests failed out of ([0-9]+).*/\1 \2/p' "$1")
  for n in $(sed -nE 's/^.*\b([0-9]+) passed.* in .*$/\1/p' "$1"); do passed=$((passed + n)); done
  for n in $(sed -nE 's/^.*\b([0-9]+) failed.* in .*$/\1/p' "$1"); do failed=$((failed + n)); done
  for n in $(sed -nE 's/^.*\b([0-9]+) errors? in .*$/\1/p' "$1"); do failed=$((failed + n)); done
  for n in $(sed -nE 's/^.*\b([0-9]+) skipped.* in .*$/\1/p' "$1"); do skipped=$((skipped + n)); done
}

# What was skipped, and why, as pytest, the runner of the JavaScript tests and ctest say it.
reasons() {
  sed -nE -e 's/^SKIPPED \[([0-9]+)\] (.*)$/\1 \2/p' -e 's/^XFAIL (.*)$/1 expected to fail: \1/p' \
    -e 's/^ +skipped: (.*)$/1 \1/p' -e 's/^again: (.*)$/1 failed, and passed when run again, alone: \1/p' \
    -e 's/^[[:space:]]*[0-9]+ - (.*) \(Skipped\)$/1 \1, by ctest/p' "$1" | sort | uniq -c |
    awk -v stage="$2" '{ n = $1 * $2; $1 = $2 = ""; sub(/^ +/, ""); printf "  %s: %d x %s\n", stage, n, $0 }'
}

# The names of the tests that failed, so that the last lines say them.
failures() {
  local stage lines
  for stage in "${broken[@]}"; do
    [ -z "${begun[$stage]:-}" ] || awk -v stage="$stage" -f tests/failed.awk "build/log/$stage.log"
  done >build/log/failed
  lines=$(wc -l <build/log/failed)
  [ "$lines" -gt 0 ] || return 0
  echo "failed:"
  head -n 40 build/log/failed
  [ "$lines" -le 40 ] || echo "  and $((lines - 40)) more: build/log/failed"
  echo
}

finish() { # STAGE CODE
  local stage=$1 code=$2 log=build/log/$1.log cpu summary
  state[$stage]=$([ "$code" = 0 ] && echo ok || echo FAILED)
  cpu=$(awk '{ printf "%d", $1 + $2 }' "build/log/$stage.cpu") total=$((total + cpu))
  is_setup "$stage" || count "$log"
  summary=$(grep -E 'tests passed, |[0-9]+ passed|^(lines|branches): |^fuzz: ' "$log" | tail -n 4 | tr -s '= ' ' ' | paste -sd ';')
  printf '%-13s %-6s %4d s, %4s s CPU  %s\n' "$stage" "${state[$stage]}" $((SECONDS - begun[$stage])) "$cpu" "$summary"
  [ "$code" = 0 ] && return
  broken+=("$stage")
  echo "--- the end of $log"
  tail -n "${CPB_LOG_LINES:-60}" "$log"
  echo "---"
}

# Begins what can begin; whether anything is left or running.
schedule() {
  local stage busy=0 left=1
  for stage in "${pid_of[@]}"; do is_setup "$stage" || busy=$((busy + 1)); left=0; done
  for stage in "${order[@]}"; do
    [ -n "${wanted[$stage]:-}" ] && [ -z "${state[$stage]:-}" ] || continue
    is_ready "$stage"
    case $? in
      0)
        is_setup "$stage" || { [ $busy -lt "$lanes" ] || continue; busy=$((busy + 1)); }
        begin "$stage"
        left=0
        ;;
      1) left=0 ;;
      2)
        state[$stage]=FAILED broken+=("$stage")
        printf '%-13s FAILED  not run: it needs what failed\n' "$stage"
        ;;
    esac
  done
  return $left
}

tell_progress() {
  local stage line=
  for stage in "${pid_of[@]}"; do line+=", $stage $((SECONDS - begun[$stage])) s"; done
  echo "... ${line#, }"
}

stop() {
  local pid
  for pid in "${!pid_of[@]}"; do kill -- -"$pid" 2>/dev/null; done
  [ -z "${ticker:-}" ] || kill "$ticker" 2>/dev/null
}
trap stop EXIT
trap 'exit 130' INT TERM HUP

main() {
  local ended code stage
  sleep 60 & ticker=$!
  while schedule; do
    wait -n -p ended
    code=$?
    if [ "${ended:-}" = "$ticker" ]; then
      tell_progress
      sleep 60 & ticker=$!
    elif [ -n "${ended:-}" ] && [ -n "${pid_of[$ended]:-}" ]; then
      stage=${pid_of[$ended]}
      unset "pid_of[$ended]"
      finish "$stage" $code
    fi
  done

  echo
  for stage in "${order[@]}"; do
    [ -z "${state[$stage]:-}" ] || [ ! -e "build/log/$stage.log" ] || reasons "build/log/$stage.log" "$stage"
  done >build/log/skipped
  [ ! -s build/log/skipped ] || { echo "skipped:"; cat build/log/skipped; echo; }
  failures
  echo "$passed passed, $failed failed, $skipped skipped"
  if [ ${#broken[@]} -gt 0 ]; then
    echo "FAILED in $((SECONDS - started)) s, $total s CPU: ${broken[*]}"
    exit 1
  fi
  echo "ALL PASSED in $((SECONDS - started)) s, $total s CPU"
}

main
exit # what follows if the file is changed meanwhile is not read
