#!/bin/sh
# debian-source.sh PACKAGE DIR [SUITE]: unpacks the source of Debian's PACKAGE, of the
# release that runs here or of SUITE, into DIR, with Debian's patches applied. DIR/.origin
# then says what it is:
#
#     deb PACKAGE VERSION SHA256
#
# The hash is that of the .dsc, which has those of all files; apt has it from the archive's
# signed index. A version in debian-sources.txt must have the hash that it has there (else the
# exit code is 3), and one that is not there must be newer than those that are.
#
# Some mirrors have only a part of the sources. So where the newest version cannot be
# downloaded an older one is taken, and where none can, the original source without patches
# ("orig" instead of "deb", and its own hash); each is said.
#
# debian-source.sh --pins SUITE PACKAGE...: lines for debian-sources.txt.
set -eu
pins=${CPB_DEBIAN_PINS:-$(dirname "$0")/debian-sources.txt}
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

work=
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

say() { echo "$@" >&2; }

# prepare SUITE: makes in $work what apt needs to look for sources: the distribution's own
# "deb" entries as "deb-src", in either of apt's two formats; those of other vendors have
# nothing for us. The system's lists are left alone.
prepare() {
  mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial" "$work/source"
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    grep -E '/(debian|debian-security|ubuntu)/? ' |
    sed -n "/^deb /{ s/^deb/deb-src/; s/ $release\b/ $1/; p }" >"$work/sources.list" || true
  cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
    awk 'BEGIN { RS = ""; ORS = "\n\n" } /URIs:[^\n]*\/(debian|debian-security|ubuntu)\/?(\n|$)/' |
    sed "s/^Types:.*/Types: deb-src/; /^Suites:/s/\b$release/$1/g" >"$work/parts/distribution.sources"
  apt apt-get update >"$work/log" 2>&1 || { grep -E '^(E|W):' "$work/log" >&2 || true; } # what there is may do
}

# apt PROGRAM ARGUMENT...: one of apt's programs with these lists.
apt() {
  program=$1
  shift
  "$program" -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts="$work/parts" \
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}

# versions PACKAGE: "VERSION SHA256" of each that the index has, the newest first.
versions() {
  apt apt-cache showsrc --only-source "$1" |
    awk '/^Version:/ { version = $2 } /^[A-Z]/ { sha256 = /^Checksums-Sha256:/ }
         sha256 && /\.dsc$/ { print version, $1 }' | sort -ruV
}

# is_known SUITE PACKAGE VERSION HASH: whether the list lets it be taken.
is_known() {
  known=$(awk -v suite="$1" -v package="$2" '$1 == suite && $2 == package { print $3, $4 }' "$pins" | sort -ruV)
  [ -n "$known" ] || { say "$2 of $1 is not in $pins: taken as the archive's signature vouches for it"; return; }
  pinned=$(echo "$known" | awk -v version="$3" '$1 == version { print $2 }')
  if [ -n "$pinned" ]; then
    [ "$pinned" = "$4" ] && return
    say "$2 $3 has the SHA-256 $4; expected $pinned, as in $pins"
    exit 3
  fi
  newest=${known%% *}
  dpkg --compare-versions "$3" gt "$newest" || { say "$2 $3 is older than $newest in $pins"; return 1; }
  say "$2 $3 is newer than $newest in $pins: tools/pins.sh debian renews the list"
}

# download WHAT VERSION: the files of a version, or of "orig" only the original source.
download() {
  rm -f "$work"/source/*
  only=
  [ "$1" = deb ] || only=--tar-only
  (cd "$work/source" && apt apt-get source --download-only --only-source $only "$package=$2") >"$work/log" 2>&1 ||
    { say "$package $2 cannot be downloaded: $(grep '^E:' "$work/log" | head -n 1)"; return 1; }
}

# unpack WHAT: makes $work/tree, and sets hash if it is that of another file.
unpack() {
  if [ "$1" = deb ]; then
    echo "$hash $(echo "$work"/source/*.dsc)" | sha256sum --check --quiet >&2 &&
      dpkg-source --no-copy -x "$work"/source/*.dsc "$work/tree" >"$work/log" 2>&1
  else
    say "$package $version is compiled without Debian's patches"
    tar=$(find "$work/source" -name '*.orig.tar.*' ! -name '*.asc')
    hash=$(sha256sum <"$tar" | cut -c 1-64)
    mkdir "$work/tree"
    tar -xf "$tar" -C "$work/tree" --strip-components=1 >"$work/log" 2>&1
  fi || { cat "$work/log" >&2; exit 1; }
}

if [ "$1" = --pins ]; then
  suite=$2
  shift 2
  work=$(mktemp -d)
  prepare "$suite"
  for package; do versions "$package" | sed "s/^/$suite $package /"; done
  exit
fi

package=$1
suite=${3:-$release}
command -v dpkg-source >/dev/null || { say "dpkg-source, which applies patches, was not found (dpkg-dev)"; exit 1; }
mkdir -p "$(dirname "$2")"
dir=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
work=$dir.apt
rm -rf "$work"
prepare "$suite"
versions "$package" >"$work/versions"
for what in deb orig; do
  while read -r version hash; do
    is_known "$suite" "$package" "$version" "$hash" && download $what "$version" || continue
    unpack $what
    echo "$what $package $version $hash" >"$work/tree/.origin"
    rm -rf "$dir"
    mv "$work/tree" "$dir" # only when it is whole
    exit
  done <"$work/versions"
done
say "no source of $package was found"
exit 1
