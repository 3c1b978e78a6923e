#!/usr/bin/env bash
# Installs what the devices' programs are built and run with. Safe to run again: does nothing then.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash tests/setup.sh build
packages=(qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi)
command -v cargo >/dev/null || packages+=(cargo)
sh tests/debian.sh "${packages[@]}"

# The interpreters' sources: wasm3's, and WAMR's, which a crate of Rust carries. Cargo compares it
# with the hash in the lock.
sh wasi/test/wasm3.sh
tools=build/tools
if [ ! -e $tools/wamr/config.h ]; then
  crate=wasi/devices/wamr/source
  cargo fetch --quiet --locked --manifest-path $crate/Cargo.toml --target x86_64-unknown-linux-gnu
  rm -rf $tools/wamr.new
  cp -r "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/wamr-sys-0.1.1/wasm-micro-runtime/core $tools/wamr.new
  mv $tools/wamr.new $tools/wamr
fi
