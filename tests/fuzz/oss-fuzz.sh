#!/usr/bin/env bash
# tests/fuzz/oss-fuzz.sh: builds the fuzz targets as OSS-Fuzz's build.sh would
# (https://google.github.io/oss-fuzz/getting-started/new-project-guide): with the compilers,
# flags and engine of its environment, and into $OUT each target with its seeds. Outside
# of OSS-Fuzz everything has a default, so that this works:
#
#     OUT=/tmp/out tests/fuzz/oss-fuzz.sh && /tmp/out/fuzz_merge -max_total_time=60
#
# The libraries are compiled from source, with the same flags, so that what the sanitizers
# and the engine see does not end at libzstd.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${CC:=clang}" "${CXX:=clang++}" "${OUT:=$PWD/build/oss-fuzz/out}" "${WORK:=$PWD/build/oss-fuzz}"
: "${CFLAGS=-O1 -g -fsanitize=address,fuzzer-no-link}" "${CXXFLAGS=$CFLAGS}"
: "${LIB_FUZZING_ENGINE=-fsanitize=fuzzer}"
export CC CXX CFLAGS CXXFLAGS
mkdir -p "$OUT" "$WORK"

cmake -S . -B "$WORK/cpb" -G Ninja -DCMAKE_BUILD_TYPE=None -DCPB_BUILD_FUZZERS=ON -DCPB_BUILD_EXAMPLES=OFF \
  -DCPB_DEPENDENCIES="${CPB_DEPENDENCIES:-source}" -DCPB_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
ninja -C "$WORK/cpb" fuzzers

python3 tests/archives.py
for source in tests/fuzz/fuzz_*.c; do
  name=$(basename "$source" .c)
  cp "$WORK/cpb/tests/fuzz/$name" "$OUT/"
  python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" "tests/fuzz/corpus/${name#fuzz_}"/*
  printf '[libfuzzer]\nmax_len = 20000\ntimeout = 20\n' >"$OUT/$name.options"
done
