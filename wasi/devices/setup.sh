#!/usr/bin/env bash
# Installs what the devices' programs are built and run with. Safe to run again: does nothing then.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash tests/setup.sh build
sh tests/debian.sh qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi
