#!/bin/sh
# debian-source.sh PACKAGE DIR [SUITE]: unpacks the source of Debian's PACKAGE, of
# the release that runs here or of SUITE, into DIR. The deb-src entry that this needs
# is put in a private list; the system's is left alone.
set -eu
package=$1
suite=${3:-}
mkdir -p "$(dirname "$2")"
dir=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
work=$dir.apt
rm -rf "$work" && mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/source"

# The distribution's own "deb" entries as "deb-src", in either of apt's two
# formats; those of other vendors have nothing for us.
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
  grep -E '/(debian|ubuntu)/? ' |
  sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}/deb-src \1/p' >"$work/sources.list" || true
mkdir "$work/parts"
cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
  awk 'BEGIN { RS = ""; ORS = "\n\n" } /URIs:[^\n]*\/(debian|ubuntu)\/?(\n|$)/' |
  sed 's/^Types:.*/Types: deb-src/' >"$work/parts/distribution.sources"
if [ -n "$suite" ]; then # of the first entry, which is the main archive
  sed -i -E "1!d; s,(/(debian|ubuntu)/? )[^ ]+,\1$suite," "$work/sources.list"
  sed -i -e "s/^Suites:.*/Suites: $suite/" -e '/^$/,$d' "$work/parts/distribution.sources"
fi

set -- -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts="$work/parts" \
  -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root
apt-get "$@" update >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
(cd "$work/source" && apt-get "$@" source --download-only --tar-only "$package") >>"$work/log" 2>&1 ||
  { cat "$work/log" >&2; exit 1; }
rm -rf "$dir" && mkdir -p "$dir"
tar -xf "$(ls "$work"/source/*.orig.tar.* | grep -v "\.asc$")" -C "$dir" --strip-components=1
rm -rf "$work"
