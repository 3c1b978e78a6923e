#!/usr/bin/env bash
# tests/setup.sh [build|python|debian|recipes]: installs what building and testing need and this
# machine lacks: what compiles the library, Python's packages into build/venv, the rest of
# Debian's; without an argument all of these. `recipes`: what the long stage of that name needs,
# into build/recipes. Safe to run again: does nothing then.
set -euo pipefail
cd "$(dirname "$0")/.."

# Another vendor's Python is as good as Debian's if it can make environments.
has_python() { python3 -c 'import ensurepip, venv' 2>/dev/null; }

has_python_headers() {
  python3 -c 'import os, sysconfig; exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' 2>/dev/null
}

install_build() {
  local packages=(gcc g++ make cmake ninja-build pkg-config ccache python3 python3-protobuf git curl
    libzstd-dev libbrotli-dev zlib1g-dev libnanopb-dev nanopb protobuf-compiler libprotobuf-dev libsnappy-dev libcmocka-dev
    libcurl4-openssl-dev libabsl-dev
    dpkg-dev) # applies patches to sources
  has_python || packages+=(python3-venv)
  has_python_headers || packages+=(python3-dev)
  sh tests/debian.sh "${packages[@]}"
}

install_debian() {
  local packages=(clang-19 lld-19 libclang-rt-19-dev gcc-multilib gcovr man-db time emscripten binaryen brotli zsh fish)
  command -v cargo >/dev/null || packages+=(cargo)
  command -v javac >/dev/null || packages+=(default-jdk-headless)
  command -v mvn >/dev/null || packages+=(maven)
  sh tests/debian.sh "${packages[@]}"
}

# ENVIRONMENT LIST COMMAND...: nothing but what the list names, with the hashes that are there
# (tools/pins.sh), in an environment that the command makes. Python compiles a module when it is
# first imported.
install_pinned() {
  local to=$1 list=$2 stamp=$1/.installed
  ! cmp -s "$list" "$stamp" || return 0
  echo "installing Python packages into $to"
  mkdir -p build
  "${@:3}" "$to"
  "$to/bin/pip" install --quiet --no-compile --disable-pip-version-check --no-deps --require-hashes -r "$list"
  cp "$list" "$stamp"
}

# Of the 12,600 modules in these packages only those are compiled that the tests import, which takes
# a third of the time.
install_python() {
  ! cmp -s tests/requirements.txt build/venv/.installed || return 0
  install_pinned build/venv tests/requirements.txt python3 -m venv
  env -u PYTHONDONTWRITEBYTECODE build/venv/bin/python -c \
    'import coremltools, distributed, keras, onnx, onnxruntime, pytest, tensorflow, tf_keras' 2>/dev/null || :
}

# The index of Python has PyTorch only with 3 GB of CUDA; Debian's is for its own Python.
install_recipes() {
  sh tests/debian.sh python3-venv python3-torch default-jre-headless # Java for Spark
  install_pinned build/recipes tests/recipes/requirements.txt /usr/bin/python3 -m venv --system-site-packages
}

for part in "${@:-build}"; do "install_$part"; done
[ $# -gt 0 ] || { install_python & install_debian; wait $!; } # much of it is waiting for the network
