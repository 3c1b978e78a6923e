#!/usr/bin/env bash
# wasi/devices/run.sh [--write]: builds libcpb's reader for small boards, runs it in QEMU on a file of a
# gigabyte, and prints what each took; with --write also into docs/devices.md. Installs what that
# needs and this machine lacks. README.md says what is measured, and how.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash wasi/devices/setup.sh
if [ -z "${CPB:-}" ] && [ ! -e build/cpb ]; then # what writes the files
  cmake -S . -B build -G Ninja >/dev/null
  ninja -C build cpb --quiet
fi
build=build/devices
mkdir -p $build/cortex-m build/_sources
[ -e $build/cortex-m/_sources ] || ln -s ../../_sources $build/cortex-m/_sources
[ -e $build/cortex-m/build.ninja ] ||
  cmake -S examples/cortex-m -B $build/cortex-m -G Ninja --toolchain arm-none-eabi.cmake >/dev/null
ninja -C $build/cortex-m --quiet

# The modules for interpreters, and these with them.
modules="cpb-core-small_wasm cpb-core-small-nobrotli_wasm cpb-core-small-plain_wasm"
if [ -e build/wasi/build.ninja ]; then
  ninja -C build/wasi --quiet $modules
else
  bash wasi/build.sh
fi
[ -e $build/reactor/build.ninja ] ||
  cmake -S wasi/devices -B $build/reactor -G Ninja --toolchain "$PWD/examples/cortex-m/arm-none-eabi.cmake" \
    -DMODULES="$PWD/build/wasi" -DWASM3="$PWD/build/tools/wasm3" -DWAMR="$PWD/build/tools/wamr" >/dev/null
ninja -C $build/reactor --quiet

# The packages for other systems, as far as that goes without these.
cmake -P wasi/devices/packages/early.cmake >/dev/null
for package in esp-idf-ALL zephyr-ZSTD; do
  dir=$build/packages/$package
  mkdir -p "$dir"
  [ -e "$dir/_sources" ] || ln -s ../../../_sources "$dir/_sources"
  [ -e "$dir/build.ninja" ] ||
    cmake -S wasi/devices/packages -B "$dir" -G Ninja --toolchain "$PWD/examples/cortex-m/arm-none-eabi.cmake" \
      -DPACKAGE="${package%-*}" -DCODECS="${package##*-}" >/dev/null
  ninja -C "$dir" --quiet
done
exec python3 wasi/devices/run.py "$@"
