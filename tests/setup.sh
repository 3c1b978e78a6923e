#!/usr/bin/env bash
# tests/setup.sh [build|python|debian]: installs what building and testing need and this
# machine lacks: what compiles the library, Python's packages into build/venv, the rest of
# Debian's; without an argument all of it. Safe to run again: does nothing then.
set -euo pipefail
cd "$(dirname "$0")/.."

# Another vendor's Python is as good as Debian's if it can make environments.
has_python() { python3 -c 'import ensurepip, venv' 2>/dev/null; }

install_build() {
  local packages=(gcc g++ make cmake ninja-build pkg-config ccache python3 python3-protobuf git curl
    libzstd-dev libbrotli-dev zlib1g-dev libnanopb-dev nanopb protobuf-compiler libprotobuf-dev libsnappy-dev libcmocka-dev)
  has_python || packages+=(python3-venv)
  sh tests/debian.sh "${packages[@]}"
}

install_debian() {
  local packages=(clang-19 libclang-rt-19-dev gcc-multilib dpkg-dev gcovr man-db time emscripten binaryen brotli)
  command -v cargo >/dev/null || packages+=(cargo)
  command -v javac >/dev/null || packages+=(default-jdk-headless)
  command -v mvn >/dev/null || packages+=(maven)
  sh tests/debian.sh "${packages[@]}"
}

# tf_keras asks for the package tensorflow, where tensorflow_cpu does as well.
install_python() {
  local requirements stamp=build/venv/.installed
  requirements=$(cat tests/requirements.txt tests/requirements-alone.txt)
  [ "$requirements" != "$(cat "$stamp" 2>/dev/null)" ] || return 0
  echo "installing Python packages into build/venv (TensorFlow is large)"
  mkdir -p build
  python3 -m venv build/venv
  build/venv/bin/pip install --quiet --disable-pip-version-check -r tests/requirements.txt
  build/venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r tests/requirements-alone.txt
  echo "$requirements" >"$stamp"
}

for part in "${@:-build}"; do "install_$part"; done
[ $# -gt 0 ] || { install_python & install_debian; wait $!; } # much of it is waiting for the network
