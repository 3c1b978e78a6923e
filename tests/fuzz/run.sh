#!/usr/bin/env bash
# tests/fuzz/run.sh [SECONDS] [TARGET ...]: runs each fuzz target under the sanitizers,
# as many at a time as there are cores, from its seed corpus. With SECONDS each looks
# for so long for what is new, which is kept in build/fuzz/corpus; without, each runs a
# fixed number of inputs, of a few seconds, from a fixed seed: the same ones everywhere,
# so that whoever runs it sees what others saw. A crash is written to build/fuzz and fails.
set -uo pipefail
cd "$(dirname "$0")/../.."
seconds=
[[ ${1:-} =~ ^[0-9]+$ ]] && { seconds=$1; shift; }
mkdir -p build/fuzz
bash tests/sanitized.sh >build/fuzz/build.log || { tail -40 build/fuzz/build.log; exit 1; }
if [ $# -gt 0 ]; then targets=("$@"); else
  targets=($(cd tests/fuzz && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/'))
fi

# What each target runs in three seconds or so, beside its seeds.
declare -A inputs=([chunk_reader]=800 [decimal]=700 [diff]=60 [find]=1800 [fork]=1500 [inspect]=800 [locate]=4000
  [pager]=700 [record_writer]=400 [repack]=250 [samediff_writer]=1500 [seek]=700 [coreml]=700
  [decompress]=17000 [checkpoint]=10000 [index]=45000 [json]=1400 [keras]=20000 [merge]=60000 [model]=600 [onnx]=700
  [outline]=22000 [path]=200000 [records]=40000 [samediff]=27000 [schema]=200000 [split]=2500 [transpose]=120000
  [transpose_encode]=1000)

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
    found=$dir/fixed/$target run=$fixed options="-seed=1 -reload=0 -runs=$inputs" told=
    rm -rf "$found"
  fi
  mkdir -p "$found"
  # $run and $options are lists.
  $run "build/asan/tests/fuzz/fuzz_$target" $options -timeout=20 -rss_limit_mb=2048 -max_len=20000 \
    -artifact_prefix="$dir/crash-$target-" -print_final_stats=1 -verbosity=1 \
    "$found" "tests/fuzz/corpus/$target" >"$dir/$target.log" 2>&1
  code=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/$target.log")
  echo "fuzz: $target, $told${runs:-?} inputs: $([ $code = 0 ] && echo 'no finding' || echo 'FAILED')"
  [ $code = 0 ] || tail -n 30 "$dir/$target.log"
  return $code
}
export -f one
for target in "${targets[@]}"; do printf '%s\n%s\n%s\n' "$target" "$seconds" "${inputs[$target]:-10000}"; done |
  tr '\n' '\0' | xargs -0 -n 3 -P "$(nproc)" bash -c 'one "$@"' _
