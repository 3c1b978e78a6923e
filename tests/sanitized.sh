#!/usr/bin/env bash
# tests/sanitized.sh: build/asan, with the compiler's checks for memory and undefined
# behaviour, which ctest, Python's tests (CPB=build/asan/cpb) and the fuzzers all use.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake -S . -B build/asan -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCPB_SANITIZE=address,undefined -DCPB_BUILD_FUZZERS=ON -DCPB_BUILD_EXAMPLES=OFF -DCPB_BUILD_PYTHON=ON \
  -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -DNDEBUG" -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld # which links in less than half of the time
ninja -C build/asan
