#!/usr/bin/env bash
# tools/pins.sh [debian|python]...: renews what is pinned by version and hash; without an
# argument all of it. `git diff` shows what is new; tests/pins.py holds the lists to their form.
#
#   debian    cmake/debian-sources.txt: Debian's source packages, as its signed index has them
#   python    each requirements*.txt, from the requirements*.in beside it, with all that those need
#
# Those of npm, Cargo and Go are renewed by their own tools: `npm install --package-lock-only`,
# `cargo update`, `go get -u && go mod tidy`. Programs of Go and Rust are pinned where they are
# installed (web/test/setup.sh, wasi/test/setup.sh), WAMR by the lock in wasi/devices/wamr/source,
# release archives in cmake/archives.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
python_from=3.11 # the oldest Python that is meant, Debian 12's

# One that is no longer in the archive stays, for mirrors that have it.
pin_debian() {
  local list=cmake/debian-sources.txt new
  new=$(mktemp)
  grep '^#' $list >"$new"
  {
    grep -v '^#' $list || true
    sh cmake/debian-source.sh --pins bookworm libzstd brotli zlib nanopb
    sh cmake/debian-source.sh --pins trixie libzstd brotli zlib nanopb yyjson
  } | sort -uV >>"$new"
  cat "$new" >$list
  rm "$new"
}

# For any platform. tf_keras asks for the package tensorflow, where tensorflow_cpu does as well.
pin_python() {
  local venv=build/venv-pins list
  [ -x $venv/bin/uv ] || { python3 -m venv $venv && $venv/bin/pip install --quiet uv; }
  git ls-files '*requirements*.in' | while read -r list; do
    $venv/bin/uv pip compile --quiet --upgrade --universal --python-version $python_from --generate-hashes \
      --no-header --no-annotate --no-emit-package tensorflow \
      --override <(echo 'tensorflow; sys_platform == "none"') "$list" -o "${list%.in}.txt"
    sed -i "1i# Made by tools/pins.sh from ${list##*/}: change that." "${list%.in}.txt"
  done
}

for part in "${@:-debian}"; do "pin_$part"; done
[ $# -gt 0 ] || pin_python
