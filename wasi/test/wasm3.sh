#!/bin/sh
# wasi/test/wasm3.sh: wasm3's sources, which are in PyPI's pywasm3, into build/tools/wasm3. Safe to
# run again, and twice at a time.
set -eu
cd "$(dirname "$0")/../.."
tools=build/tools
mkdir -p "$tools"
exec 9>"$tools/wasm3.lock"
flock 9
[ ! -e "$tools/wasm3/wasm3.h" ] || exit 0
[ -x build/venv/bin/pip ] || python3 -m venv build/venv
# What pip asks it for its name with is installed, and not downloaded for that.
build/venv/bin/pip --quiet --disable-pip-version-check download --no-deps --require-hashes \
  -r wasi/test/requirements-wasm3.txt --no-binary :all: --no-build-isolation --dest "$tools"
mkdir -p "$tools/wasm3"
tar -xf "$tools/pywasm3-0.5.0.tar.gz" -C "$tools/wasm3" --strip-components=2 pywasm3-0.5.0/wasm3
