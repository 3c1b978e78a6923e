#!/usr/bin/env bash
# tests/fuzz/run.sh SECONDS [TARGET ...]: runs each fuzz target for so long, under
# the sanitizers, two at a time, from its seed corpus. What it finds that is new
# is kept in build/fuzz/corpus; a crash is written to build/fuzz and fails.
set -uo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
shift || true
cmake -S . -B build/fuzz -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCPB_SANITIZE=address,undefined -DCPB_BUILD_FUZZERS=ON -DCPB_BUILD_EXAMPLES=OFF >/dev/null || exit 1
ninja -C build/fuzz >build/fuzz/build.log || { tail -40 build/fuzz/build.log; exit 1; }
if [ $# -gt 0 ]; then targets=("$@"); else
  targets=($(cd tests/fuzz && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/'))
fi

one() {
  local target=$1 seconds=$2 dir=build/fuzz
  mkdir -p "$dir/corpus/$target"
  "$dir/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=20000 \
    -artifact_prefix="$dir/crash-$target-" -print_final_stats=1 -verbosity=1 \
    "$dir/corpus/$target" "tests/fuzz/corpus/$target" >"$dir/$target.log" 2>&1
  local code=$? runs
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/$target.log")
  echo "fuzz: $target, $seconds s, ${runs:-?} inputs: $([ $code = 0 ] && echo 'no finding' || echo 'FAILED')"
  [ $code = 0 ] || tail -n 30 "$dir/$target.log"
  return $code
}
export -f one
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'one "$1" "$2"' _ {} "$seconds"
