#!/usr/bin/env bash
# tests/fuzz/run.sh [SECONDS] [TARGET ...]: runs each fuzz target under the sanitizers,
# as many at a time as there are cores, from its seed corpus. With SECONDS each looks
# for so long for what is new, which is kept in build/fuzz/corpus; without, each runs a
# fixed number of inputs from a fixed seed, but no longer than a minute: the same ones
# everywhere, though on a slow machine fewer, so that whoever runs it sees what others
# saw. A crash is written to build/fuzz and fails.
set -uo pipefail
cd "$(dirname "$0")/../.."
seconds=
[[ ${1:-} =~ ^[0-9]+$ ]] && { seconds=$1; shift; }
cmake -S . -B build/fuzz -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCPB_SANITIZE=address,undefined -DCPB_BUILD_FUZZERS=ON -DCPB_BUILD_EXAMPLES=OFF >/dev/null || exit 1
ninja -C build/fuzz fuzzers >build/fuzz/build.log || { tail -40 build/fuzz/build.log; exit 1; }
if [ $# -gt 0 ]; then targets=("$@"); else
  targets=($(cd tests/fuzz && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/'))
fi

# What each target runs in about a minute.
declare -A inputs=([decompress]=350000 [checkpoint]=200000 [index]=900000 [json]=28000 [keras]=400000 [merge]=1250000 [model]=12500
  [outline]=450000 [path]=4000000 [records]=800000 [samediff]=550000 [schema]=4000000 [split]=50000 [transpose]=2400000)

# The same inputs in the same order need addresses that do not vary, where the system
# lets one ask for that, and no look at the clock (-reload).
fixed=
setarch -R true 2>/dev/null && fixed='setarch -R'
export fixed

one() {
  local target=$1 seconds=$2 inputs=$3 dir=build/fuzz found run options told code runs
  if [ -n "$seconds" ]; then
    found=$dir/corpus/$target run= options="-max_total_time=$seconds" told="$seconds s, "
  else
    found=$dir/fixed/$target run=$fixed options="-seed=1 -reload=0 -runs=$inputs -max_total_time=60" told=
    rm -rf "$found"
  fi
  mkdir -p "$found"
  # $run and $options are lists.
  $run "$dir/tests/fuzz/fuzz_$target" $options -timeout=20 -rss_limit_mb=2048 -max_len=20000 \
    -artifact_prefix="$dir/crash-$target-" -print_final_stats=1 -verbosity=1 \
    "$found" "tests/fuzz/corpus/$target" >"$dir/$target.log" 2>&1
  code=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/$target.log")
  echo "fuzz: $target, $told${runs:-?} inputs: $([ $code = 0 ] && echo 'no finding' || echo 'FAILED')"
  [ $code = 0 ] || tail -n 30 "$dir/$target.log"
  return $code
}
export -f one
for target in "${targets[@]}"; do printf '%s\n%s\n%s\n' "$target" "$seconds" "${inputs[$target]:-100000}"; done |
  tr '\n' '\0' | xargs -0 -n 3 -P "$(nproc)" bash -c 'one "$@"' _
