#!/usr/bin/env bash
# tests/run.sh [STAGE ...]: installs what is missing and runs all tests, or the
# stages named. Each stage's whole output is in build/log/STAGE.log.
set -uo pipefail
cd "$(dirname "$0")/.."
export TF_CPP_MIN_LOG_LEVEL=2 PYTHONDONTWRITEBYTECODE=1
python=$PWD/build/venv/bin/python
jobs=$(nproc)

# --- Stages -------------------------------------------------------------------

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

# web or wasi: installs what its stages need. Nothing is done twice, at a time or in turn.
setup() { flock "build/_setup-$1" sh "$1/test/setup.sh"; }

ctests() { ctest --test-dir "$1" --output-on-failure --timeout 300 -j "$jobs"; }

pytests() { (cd tests && "$python" -m pytest -n "$jobs" "$@"); }

# No warning is let through, of gcc here and of clang in the stage `sanitize`.
stage_build() { configure build -DCMAKE_COMPILE_WARNING_AS_ERROR=ON; }

stage_unit() { ctests build; }

stage_corpus() { pytests corpus; }

stage_cli() { pytests cli; }

stage_model() { pytests model; }

stage_models() { "$python" tests/support/models.py; }

stage_interop() { pytests interop; }

stage_fault() { pytests fault; }

stage_install() { bash tests/install/run.sh; }

# The same tests with the compiler's checks for memory and undefined behaviour;
# without those that preload a library or measure memory.
stage_sanitize() {
  configure build/asan -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCPB_SANITIZE=address,undefined -DCMAKE_COMPILE_WARNING_AS_ERROR=ON &&
    ctests build/asan &&
    CPB=$PWD/build/asan/cpb pytests corpus cli model fault --ignore fault/test_calls.py --ignore fault/test_memory.py
}

# A size_t of 32 bits.
stage_bits32() {
  configure build/m32 -DCMAKE_C_FLAGS=-m32 -DCPB_DEPENDENCIES=source -DCPB_BUILD_TESTS=OFF \
    -DCPB_BUILD_EXAMPLES=OFF && CPB=$PWD/build/m32/cpb pytests corpus cli model
}

stage_fuzz() { bash tests/fuzz/run.sh ${CPB_FUZZ_SECONDS:-}; }

stage_coverage() {
  configure build/coverage -DCMAKE_BUILD_TYPE=Debug -DCPB_COVERAGE=ON &&
    find build/coverage -name '*.gcda' -delete && ctests build/coverage &&
    CPB=$PWD/build/coverage/cpb CPB_FAULT_MOST=300 pytests corpus cli model fault \
      interop/test_round_trips.py interop/test_json.py --ignore fault/test_memory.py &&
    bash tests/coverage.sh build/coverage
}

# The JavaScript package: its WebAssembly and types; on Node; on the other runtimes.
stage_web-build() {
  local tsc=web/node_modules/.bin/tsc
  together "setup web" "bash web/build.sh" &&
    together "$tsc -p web --noEmit" "$tsc -p web/test" "node web/test/corpus/native.js"
}

stage_web-node() { setup web && node web/test/runtimes/run.js node; }

stage_web-runtimes() {
  setup web && node web/scripts/dist.js --no-types && node web/inspector/build.js &&
    node web/test/runtimes/run.js deno bun workerd chromium firefox webkit
}

# RUNTIME TEST...: pytest with the command in a WASI runtime.
wasi_tests() {
  local runtime=$1
  shift
  CPB=$("$python" wasi/test/runtimes.py "$runtime") CPB_RUNTIME=$runtime pytests -p exceptions "$@"
}

# The command for WASI: what it needs; all tests in one runtime, and those that it
# cannot pass in another; the corpus in all, and some of it in a browser. Then the
# reactor, with the corpus in all, and the component, and their hosts.
stage_wasi() {
  local -x PYTHONPATH=$PWD/wasi/test
  stage_build && setup wasi && bash wasi/build.sh && pytests -rP ../wasi/test/test_artefact.py &&
    wasi_tests wasmtime corpus cli && wasi_tests node cli/test_output.py cli/test_pipes.py &&
    "$python" wasi/test/compare.py --inspect wasmtime &&
    "$python" wasi/test/compare.py wazero wasmi wasm3 node &&
    node wasi/test/browser.js build/wasi/cpb-cli.wasm "$PWD/build/cpb" &&
    "$python" wasi/conformance/run.py && pytests ../wasi/reactor ../wasi/component
}

all_stages=(build unit corpus cli model models interop fault install sanitize bits32 fuzz coverage
  web-build web-node web-runtimes wasi)

# --- Running them ---------------------------------------------------------------

bash tests/setup.sh || { echo "FAILED: setting up"; exit 1; }
mkdir -p build/log
# Each build that compiles others' sources finds them where the first one put them.
for build in asan coverage fuzz m32 wasi web; do
  mkdir -p build/_sources build/$build
  [ -e build/$build/_sources ] || ln -s ../_sources build/$build/_sources
done
if [ $# -gt 0 ]; then stages=("$@"); else
  stages=("${all_stages[@]}")
  # Downloads wait for others, so they go on beside the first stages. Should this fail, its
  # stage tries again, and says so.
  (renice -n 10 $BASHPID >/dev/null; setup web; setup wasi) >build/log/setup.log 2>&1 &
  ahead=$!
  trap 'kill $ahead 2>/dev/null' EXIT
fi
started=$SECONDS passed=0 failed=0 broken=()

# Adds up the closing lines of ctest, pytest and cmocka in a log.
count() {
  local n m
  while read -r n m; do passed=$((passed + m - n)) failed=$((failed + n)); done < <(
    sed -nE 's/.*tests passed, ([0-9]+) tests failed out of ([0-9]+).*/\1 \2/p' "$1")
  for n in $(sed -nE 's/^.*\b([0-9]+) passed.* in .*$/\1/p' "$1"); do passed=$((passed + n)); done
  for n in $(sed -nE 's/^.*\b([0-9]+) failed.* in .*$/\1/p' "$1"); do failed=$((failed + n)); done
}

for stage in "${stages[@]}"; do
  declare -F "stage_$stage" >/dev/null || { echo "no stage $stage; there are: ${all_stages[*]}"; exit 1; }
  begun=$SECONDS log=build/log/$stage.log
  printf '%-12s ' "$stage"
  if "stage_$stage" >"$log" 2>&1; then verdict=ok; else verdict=FAILED broken+=("$stage"); fi
  count "$log"
  summary=$(grep -E 'tests passed, |[0-9]+ passed|^(lines|branches): |^fuzz: ' "$log" | tail -n 4 | tr -s '= ' ' ' | paste -sd ';')
  printf '%-7s %4ds  %s\n' "$verdict" $((SECONDS - begun)) "$summary"
  if [ "$verdict" != ok ]; then
    echo "--- the end of $log"
    tail -n "${CPB_LOG_LINES:-60}" "$log"
    echo "---"
  fi
done

echo
echo "$passed passed, $failed failed"
if [ ${#broken[@]} -gt 0 ]; then
  echo "FAILED in $((SECONDS - started)) s: ${broken[*]}"
  exit 1
fi
echo "ALL PASSED in $((SECONDS - started)) s"
