#!/usr/bin/env bash
# web/build.sh [DIR]: builds the WebAssembly modules and layouts.json into DIR,
# build/web by default, with the emcc that is installed; the package in src/ then finds
# them there.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:-build/web}
# Debian's Emscripten finds acorn only so.
[ -d /usr/share/nodejs/acorn ] && export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
mkdir -p "$dir"
emcmake cmake -S . -B "$dir" -G Ninja -DCMAKE_C_COMPILER_LAUNCHER="bash;$PWD/web/wasm/compile.sh"
ninja -C "$dir" web
ln -sf "$(realpath "$dir")"/{json,{reader,full,inspect}{,-simd}}.wasm web/src/wasm/
