#!/usr/bin/env bash
# tests/release/run.sh: makes a release twice, in clones of the last commit at paths of different
# lengths, and wants the same bytes. Then looks at what a user gets: checksums, the list of
# contents (valid SPDX, nothing left out), the notices that come with each, the packed archives.
set -euo pipefail
cd "$(dirname "$0")/../.."
top=$PWD
work=$top/build/release-test
rm -rf "$work"
mkdir -p "$work"

# release FOLDER: made in a clone there, into FOLDER/dist.
release() {
  local clone=$work/$1 shared
  git clone --quiet --shared . "$clone"
  for shared in build/_sources build/tools web/node_modules web/inspector/node_modules wasi/node_modules; do
    mkdir -p "$clone/$(dirname $shared)"
    ln -s "$top/$shared" "$clone/$shared"
  done
  bash "$clone/tools/release.sh" "$clone/dist" >"$work/log" 2>&1 || { tail -40 "$work/log"; return 1; }
}

release a
release a/longer/path/than/before
mv "$work/a/longer/path/than/before/dist" "$work/again"
diff -r "$work/a/dist" "$work/again"
echo "the same bytes twice: $(wc -l <"$work/again/SHA256SUMS") files"

cd "$work/again"
sha256sum --quiet --check SHA256SUMS
version=$(basename libcpb-*.spdx.json .spdx.json)
version=${version#libcpb-}
if grep -aqF "$work" ./*.t*gz ./*.html wasm/*; then echo "a file names the folder in which it was made"; exit 1; fi

# Archives: what each must have, and one folder in each.
# grep reads to the end: tar fails if nobody does.
has() { tar -tzf "$1" | grep -x "$2" >/dev/null || { echo "$1 has no $2"; exit 1; }; }
has "libcpb-$version.tar.gz" "libcpb-$version/LICENSE"
has "libcpb-$version.tar.gz" "libcpb-$version/Makefile"
has "libcpb-amalgamation-$version.tar.gz" "libcpb-amalgamation-$version/cpb.c"
has "libcpb-amalgamation-$version.tar.gz" "libcpb-amalgamation-$version/LICENSE"
for name in package.json README.md dist/index.js dist/types/index.d.ts dist/types/node.d.ts dist/wasm/reader.wasm dist/licences/libcpb.txt; do
  has "libcpb-npm-$version.tgz" "package/$name"
done
for name in dictionary full inspect json models numbers reader cpb-cli{,-plain,-core} cpb-core{,-simd,-nobrotli,-plain,-field} cpb-component cpb-complete cpb-http \
  cpb-core-small{,-nobrotli,-plain}; do
  [ -s "wasm/$name.wasm" ] || { echo "no wasm/$name.wasm"; exit 1; }
done
grep -q '<cpb-inspector>' "libcpb-inspector-$version.html" || { echo "the page is none"; exit 1; }

# The list of contents, by a parser that is not ours.
venv=$top/build/venv-spdx
[ -x "$venv/bin/pyspdxtools" ] || {
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$top/tests/release/requirements.txt"
}
"$venv/bin/pyspdxtools" --infile "libcpb-$version.spdx.json" --version SPDX-2.3
python3 "$top/tests/release/contents.py" "libcpb-$version.spdx.json"
echo "1 passed in all"
