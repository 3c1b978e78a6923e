#!/usr/bin/env bash
# wasi/devices/run.sh [--write]: builds libcpb's reader for small boards, runs it in QEMU on a file of a
# gigabyte, and prints what each took; with --write also into docs/devices.md. Installs what that
# needs and this machine lacks. README.md says what is measured, and how.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash wasi/devices/setup.sh
build=build/devices
mkdir -p $build/cortex-m build/_sources
[ -e $build/cortex-m/_sources ] || ln -s ../../_sources $build/cortex-m/_sources
[ -e $build/cortex-m/build.ninja ] ||
  cmake -S examples/cortex-m -B $build/cortex-m -G Ninja --toolchain arm-none-eabi.cmake >/dev/null
ninja -C $build/cortex-m --quiet
exec python3 wasi/devices/run.py "$@"
