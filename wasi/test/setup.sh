#!/bin/sh
# Installs what building for WASI and the tests of it use: Debian's packages by name,
# the runtimes from where each is published. Safe to run again: does nothing then.
# Programs go to build/tools.
set -eu
cd "$(dirname "$0")/../.."
tools=$PWD/build/tools
mkdir -p "$tools"

sh tests/debian.sh clang-19 llvm-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32 binaryen chromium

# made NAME SOURCE...: the program is there, and newer than its sources.
made() {
  program=$tools/$1
  shift
  for source; do [ "$program" -nt "$source" ] || return 1; done
}

pip() { build/venv/bin/pip --quiet --disable-pip-version-check "$@"; }

[ -x "$tools/wazero" ] || GOBIN=$tools go install github.com/tetratelabs/wazero/cmd/wazero@v1.12.0
made wazero-each wasi/test/wazero/main.go || (cd wasi/test/wazero && go build -o "$tools/wazero-each" .)

# Of wasmi only what translates and runs a module is optimized, which takes a fraction of the
# time. It needs tail calls, and gets them where it is compiled in one piece.
optimized() { printf ' --config profile.release.package.%s.opt-level=3' "$@"; }
[ -x "$tools/bin/wasmi" ] ||
  CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    cargo install --quiet --locked --root "$tools" --no-default-features --features run,wasi,auto-dispatch,validate \
    $(optimized wasmi wasmi_core wasmi_ir wasmi_collections wasmparser) \
    --config profile.release.package.wasmi.codegen-units=1 wasmi_cli@2.0.0

# What makes the component: bindings, and the npm packages of wasi/package.json. Without
# optimization wit-bindgen is built in a third of the time, and runs as long as before.
[ -x "$tools/bin/wit-bindgen" ] ||
  CARGO_PROFILE_DEV_DEBUG=0 cargo install --quiet --locked --debug --root "$tools" \
    --no-default-features --features c wit-bindgen-cli@0.63.0
cmp -s wasi/package-lock.json wasi/node_modules/.installed ||
  (cd wasi && npm ci --ignore-scripts --loglevel=error --no-progress >/dev/null && cp package-lock.json node_modules/.installed)

# Wasmtime's library, and the program around it.
library=$tools/wasmtime/wasmtime/linux-$(uname -m)
[ -e "$library/_libwasmtime.so" ] || pip install --no-deps --target "$tools/wasmtime" wasmtime==50.0.1
made wasi-wasmtime wasi/test/wasmtime.c wasi/test/each.h ||
  gcc -O1 -o "$tools/wasi-wasmtime" wasi/test/wasmtime.c "$library/_libwasmtime.so" -Wl,-rpath,"$library"

# wasm3's sources.
if [ ! -e "$tools/wasm3/wasm3.h" ]; then
  pip download --no-deps --no-binary :all: --dest "$tools" pywasm3==0.5.0
  mkdir -p "$tools/wasm3"
  tar -xf "$tools/pywasm3-0.5.0.tar.gz" -C "$tools/wasm3" --strip-components=2 pywasm3-0.5.0/wasm3
fi
made wasi-wasm3 wasi/test/wasm3.c wasi/test/each.h ||
  gcc -O2 -w -I"$tools/wasm3" -o "$tools/wasi-wasm3" wasi/test/wasm3.c "$tools"/wasm3/*.c -lm
