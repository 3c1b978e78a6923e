#!/bin/sh
# selftest.sh CPB DATA: what the command must be able to do wherever it was built, on
# files of tests/data. Needs a shell and cmp.
set -eu
cpb=$1 data=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

checks=0
# check COMMAND...: ends with an error if the command does.
check() {
  "$@" >"$work/log" 2>&1 || { echo "FAILED: $*"; cat "$work/log"; exit 1; }
  checks=$((checks + 1))
}

for model in real_tf_module real_keras_export; do
  original=$data/cpb/$model/orig.pb
  for file in "$data/cpb/$model"/*.cpb; do # of every codec, by the writers of Riegeli and TensorFlow
    check "$cpb" verify "$file"
  done
  for codec in none zstd:19 brotli:9; do
    check "$cpb" split "$original" -o "$work/split.cpb" --max-chunk-size 4K --codec "$codec" --force
    check "$cpb" merge "$work/split.cpb" -o "$work/merged.pb" --force
    check cmp "$work/merged.pb" "$original"
  done
  check "$cpb" cat "$work/split.cpb" --field 'meta_graphs[0].graph_def.node[0]' --json
  check "$cpb" inspect "$original"
done
check "$cpb" records "$data/records/append_twice.riegeli"
check "$cpb" inspect "$data/samediff_small/linear.fb"

head -c 5000 "$work/split.cpb" >"$work/cut.cpb"
if "$cpb" verify "$work/cut.cpb" >"$work/log" 2>&1; then echo "FAILED: a file that is cut passes"; exit 1; fi
echo "selftest: $checks passed"
