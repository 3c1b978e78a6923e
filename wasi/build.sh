#!/usr/bin/env bash
# wasi/build.sh [DIR]: builds what is for WASI into DIR, build/wasi by default, with
# the wasi-sdk that WASI_SDK_PREFIX names or the distribution's clang and wasi-libc.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:-build/wasi}
if [ -e "$dir/build.ninja" ]; then # what the component takes may have been installed since
  cmake "$dir" >/dev/null
else
  cmake -S . -B "$dir" -G Ninja --toolchain cmake/wasi.cmake
fi
ninja -C "$dir"
