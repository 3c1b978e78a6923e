# How cmake/debian-source.sh chooses, from an archive that is made here: apt's programs are
# replaced by ones that read it. Read by run.sh.
archive=$work/archive

# The source package toy in versions 1.0-1 and 1.0-2, the second of which patches its one file.
makes_an_archive() {
  mkdir -p "$archive/toy-1.0/debian/source" "$archive/bin"
  cd "$archive"
  echo original >toy-1.0/toy.c
  tar -czf toy_1.0.orig.tar.gz toy-1.0/toy.c
  echo '3.0 (quilt)' >toy-1.0/debian/source/format
  printf 'Source: toy\nMaintainer: A <a@example.org>\n\nPackage: toy\nArchitecture: all\n' >toy-1.0/debian/control
  toy_version 1.0-1
  mkdir toy-1.0/debian/patches
  echo fix.patch >toy-1.0/debian/patches/series
  printf '%s\n' '--- a/toy.c' '+++ b/toy.c' '@@ -1 +1 @@' -original +patched >toy-1.0/debian/patches/fix.patch
  toy_version 1.0-2
  cat >bin/apt-cache <<END
#!/bin/sh
cat "$archive/index"
END
  cat >bin/apt-get <<END
#!/bin/sh
for last; do :; done
case "\$*" in
  *" update") ;;
  *--tar-only*) cp "$archive"/toy_1.0.orig.tar.gz . ;;
  *) cp "$archive/toy_\${last#*=}.dsc" "$archive/toy_\${last#*=}.debian.tar.xz" "$archive"/toy_1.0.orig.tar.gz . ;;
esac
END
  chmod +x bin/*
}

toy_version() { # VERSION: the package, and its entry in the index
  printf 'toy (%s) unstable; urgency=low\n\n  * A.\n\n -- A <a@example.org>  Thu, 01 Jan 1970 00:00:00 +0000\n' "$1" >toy-1.0/debian/changelog
  dpkg-source -b toy-1.0
  printf 'Package: toy\nVersion: %s\nChecksums-Sha256:\n %s 1 toy_%s.dsc\n\n' "$1" "$(toy_hash "$1")" "$1" >>index
}

toy_hash() { sha256sum <"$archive/toy_$1.dsc" | cut -c 1-64; }

# unpacks WORD...: the toy, known in the versions and with the hashes that the words say.
unpacks() {
  rm -rf "$archive/tree"
  printf 'suite toy %s %s\n' "$@" >"$archive/pins"
  PATH=$archive/bin:$PATH CPB_DEBIAN_PINS=$archive/pins sh "$root/cmake/debian-source.sh" toy "$archive/tree" suite
}

source_packages_are_chosen() {
  local one two
  makes_an_archive
  one=$(toy_hash 1.0-1) two=$(toy_hash 1.0-2)
  unpacks 1.0-1 "$one" 1.0-2 "$two"
  grep -x patched "$archive/tree/toy.c"
  grep -x "deb toy 1.0-2 $two" "$archive/tree/.origin"
  unpacks 1.0-1 "$one" 2>"$archive/said" # a newer one has fixes
  grep -x "deb toy 1.0-2 $two" "$archive/tree/.origin"
  grep 'toy 1.0-2 is newer than 1.0-1' "$archive/said"

  if unpacks 1.0-1 "$one" 1.0-2 "${two//[0-7]/0}"; then return 1; else [ $? = 3 ]; fi
  if unpacks 1.0-3 "$two"; then return 1; else [ $? = 1 ]; fi # an older one that is not known
  [ ! -e "$archive/tree" ]

  echo >>"$archive/toy_1.0-2.dsc" # is not what the index says
  if unpacks 1.0-1 "$one" 1.0-2 "$two"; then return 1; fi
  rm "$archive/toy_1.0-2.dsc"
  unpacks 1.0-1 "$one" 1.0-2 "$two"
  grep -x "deb toy 1.0-1 $one" "$archive/tree/.origin"
  rm "$archive/toy_1.0-1.dsc"
  unpacks 1.0-1 "$one" 1.0-2 "$two" 2>"$archive/said"
  grep -x "orig toy 1.0-2 $(sha256sum <"$archive/toy_1.0.orig.tar.gz" | cut -c 1-64)" "$archive/tree/.origin"
  grep "without Debian's patches" "$archive/said"
}
