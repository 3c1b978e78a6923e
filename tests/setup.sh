#!/usr/bin/env bash
# Installs what building and testing need and this machine lacks. Debian's
# packages by name, Python's into build/venv. Safe to run again: does nothing then.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(gcc g++ make cmake ninja-build pkg-config python3 python3-venv python3-protobuf git curl
  libzstd-dev libbrotli-dev zlib1g-dev libnanopb-dev nanopb protobuf-compiler libprotobuf-dev libsnappy-dev libcmocka-dev)
if [ "${1:-}" != --build-only ]; then
  packages+=(clang-19 libclang-rt-19-dev gcc-multilib dpkg-dev gcovr man-db time
    emscripten binaryen brotli)
  command -v cargo >/dev/null || packages+=(cargo)
  command -v javac >/dev/null || packages+=(default-jdk-headless)
  command -v mvn >/dev/null || packages+=(maven)
fi

# Another vendor's Python is as good as Debian's if it can make environments.
has_python() { python3 -c 'import ensurepip, venv' 2>/dev/null; }

install_debian() {
  local package missing=() as_root
  for package in "${packages[@]}"; do
    [ "$package" = python3-venv ] && has_python && continue
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing: ${missing[*]}"
  as_root=$([ "$(id -u)" = 0 ] || echo sudo)
  $as_root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
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

if has_python; then # both at a time: most of it is waiting for the network
  install_debian &
  install_python
  wait $!
else
  install_debian
  install_python
fi
