#!/usr/bin/env bash
# web/build.sh [DIR]: builds the WebAssembly modules and layouts.json into DIR,
# build/web by default; the package in src/ then finds them there. With the emsdk that EMSDK
# names or the emcc that is installed; where there is none, on Debian, its package is installed.
# It also makes the tables of operators (scripts/operators.js) and, if npm's packages are there, the
# types of answers (scripts/answers.js).
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:-build/web}
if [ -n "${EMSDK:-}" ]; then
  # shellcheck source=/dev/null
  EMSDK_QUIET=1 . "$EMSDK/emsdk_env.sh"
elif ! command -v emcc >/dev/null || ! command -v ninja >/dev/null; then
  command -v apt-get >/dev/null || { echo "no emcc: install Emscripten, or set EMSDK to an emsdk's folder" >&2; exit 1; }
  bash tests/setup.sh build
  sh tests/debian.sh emscripten binaryen dpkg-dev
fi
# Debian's Emscripten finds acorn only so.
[ -d /usr/share/nodejs/acorn ] && export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
mkdir -p "$dir"
emcmake cmake -S . -B "$dir" -G Ninja -DCMAKE_C_COMPILER_LAUNCHER="bash;$PWD/web/wasm/compile.sh"
ninja -C "$dir" web
ln -sf "$(realpath "$dir")"/{json,numbers,dictionary,reader,full,inspect,models}.wasm web/src/wasm/
node web/scripts/operators.js
[ ! -d web/node_modules/json-schema-to-typescript ] || node web/scripts/answers.js
