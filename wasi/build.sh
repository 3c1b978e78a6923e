#!/usr/bin/env bash
# wasi/build.sh [DIR]: builds what is for WASI into DIR, build/wasi by default, with
# the wasi-sdk that WASI_SDK_PATH names or the distribution's clang and wasi-libc, which on
# Debian are installed.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:-build/wasi}
if command -v apt-get >/dev/null && ! { [ -n "${WASI_SDK_PATH:-}" ] && command -v wasm-opt && command -v ninja; } >/dev/null; then
  bash tests/setup.sh build
  sh tests/debian.sh binaryen dpkg-dev
  [ -n "${WASI_SDK_PATH:-}" ] || sh tests/debian.sh clang-19 llvm-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32
fi
if [ -e "$dir/build.ninja" ]; then # what the component takes may have been installed since
  cmake "$dir" >/dev/null
else
  cmake -S . -B "$dir" -G Ninja --toolchain cmake/wasi.cmake
fi
ninja -C "$dir"
