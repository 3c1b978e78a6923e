#!/usr/bin/env bash
# tools/release.sh [DIR]: makes the files of a release from the last commit, into DIR, by
# default dist. It uses what `bash tests/run.sh setup-npm setup-wasi` installs. With the same
# tools the same commit gives the same bytes, whatever the folder, the time or earlier builds.
#
#   libcpb-VERSION.tar.gz          the sources, with what is generated
#   libcpb-amalgamation-VERSION.tar.gz    cpb.c and cpb.h
#   libcpb-npm-VERSION.tgz         the JavaScript package
#   libcpb-inspector-VERSION.html  the page that looks inside models, in one file
#   wasm/                          the modules, for JavaScript and for WASI, and the licences
#   libcpb-VERSION.spdx.json       what each of these contains (tools/sbom.py)
#   SHA256SUMS                     of all files
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-dist}"
dist=$(realpath "${1:-dist}")
[ -z "$(ls -A "$dist")" ] || [ -e "$dist/SHA256SUMS" ] || { echo "$dist has other files in it" >&2; exit 1; }
top=$PWD
source=$top/build/release

[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "without the changes that are not committed" >&2
step() { printf '== %s\n' "$*"; }

for needed in build/tools/bin/wit-bindgen build/tools/wit web/node_modules/.bin/tsc web/inspector/node_modules wasi/node_modules; do
  [ -e $needed ] || { echo "$needed is missing: bash tests/run.sh setup-npm setup-wasi installs it" >&2; exit 1; }
done

step "The sources of the last commit"
rm -rf "$source" "${dist:?}"/*
mkdir -p build/_sources
git clone --quiet --shared . "$source"
for shared in build/_sources build/tools web/node_modules web/inspector/node_modules wasi/node_modules; do
  mkdir -p "$source/$(dirname $shared)"
  ln -s "$top/$shared" "$source/$shared"
done
cd "$source"
for build in native web wasi; do
  mkdir -p build/$build
  ln -s ../_sources build/$build/_sources
done
version=$(sed -nE 's/^project\(cpb VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C CFLAGS="-ffile-prefix-map=$source=."
umask 022

step "Source archives"
cmake -S . -B build/native -G Ninja -DCPB_BUILD_TESTS=OFF -DCPB_BUILD_EXAMPLES=OFF
ninja -C build/native package_source amalgamation
cp "build/native/libcpb-$version.tar.gz" "$dist"
cp LICENSE build/native/amalgamation
tar -C build/native --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
  --transform "s,^amalgamation,libcpb-amalgamation-$version," -c amalgamation |
  gzip -9n >"$dist/libcpb-amalgamation-$version.tar.gz"

step "WebAssembly"
bash web/build.sh
bash wasi/build.sh
mkdir "$dist/wasm"
cp build/wasi/cpb-*.wasm wasi/component/wit/cpb.wit LICENSE "$dist/wasm"

step "The JavaScript package"
node web/scripts/dist.js
cp web/dist/wasm/*.wasm "$dist/wasm"
(cd web && npm pack --silent --ignore-scripts --pack-destination "$dist" >/dev/null)
mv "$dist/libcpb-$version.tgz" "$dist/libcpb-npm-$version.tgz"

step "The inspector"
node web/inspector/build.js
cp build/inspector/inspector.html "$dist/libcpb-inspector-$version.html"

step "What they contain"
python3 tools/sbom.py "$version" "$dist" --web build/web --wasi build/wasi \
  >"$top/build/sbom.json"
mv "$top/build/sbom.json" "$dist/libcpb-$version.spdx.json"
(cd "$dist" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >"$top/build/sums" &&
  mv "$top/build/sums" SHA256SUMS)
cat "$dist/SHA256SUMS"
