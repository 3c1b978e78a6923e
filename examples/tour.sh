#!/usr/bin/env bash
# Installs what is missing, builds cpb and shows it at work on a real model: a
# Keras application model, exported as SavedModel, is split, looked into, merged
# and compared. Prints each command before it runs it.
set -euo pipefail
cd "$(dirname "$0")/.."
export TF_CPP_MIN_LOG_LEVEL=2
started=$SECONDS

step() { printf '\n== %s\n' "$*"; }
run() {
  printf '\n$ %s\n' "$*"
  "$@"
}
trap 'echo; echo "FAILED after $((SECONDS - started)) s"' ERR

step "Installing what is missing"
bash tests/setup.sh
step "Building"
cmake -S . -B build -G Ninja >build/tour.log 2>&1 || { cat build/tour.log; false; }
ninja -C build cpb >>build/tour.log 2>&1 || { tail -40 build/tour.log; false; }
step "Making the model (MobileNetV2 with random weights, no download)"
build/venv/bin/python tests/support/models.py keras >>build/tour.log 2>&1 || { tail build/tour.log; false; }
model=build/models/keras/saved_model.pb
out=build/tour
rm -rf "$out" && mkdir -p "$out"
PATH=$PWD/build:$PATH

step "Splitting it into chunks of at most 64 KiB"
run cpb split "$model" -o $out/saved_model.cpb --max-chunk-size 64K
run cpb info $out/saved_model.cpb | sed -n 1,24p
step "One field, by its path: only the chunks that it touches are read"
run cpb cat $out/saved_model.cpb --field 'meta_graphs[0].meta_info_def.tensorflow_version'
echo
step "Checking every hash, every index entry and the merge"
run cpb verify $out/saved_model.cpb
step "Merging it, for a loader that wants a .pb, and comparing"
run cpb merge $out/saved_model.cpb -o $out/merged.pb
run cmp "$model" $out/merged.pb
step "A damaged copy: what is read, and what is not"
cp $out/saved_model.cpb $out/damaged.cpb
printf '\xff\xff\xff\xff' | dd of=$out/damaged.cpb bs=1 seek=20000 conv=notrunc status=none
run cpb verify $out/damaged.cpb && false || echo "(exit code $?: the damage was noticed)"

echo
echo "PASSED in $((SECONDS - started)) s: the merged model is the original, byte for byte."
