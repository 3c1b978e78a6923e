#!/bin/sh
# tests/debian.sh PACKAGE...: installs those of Debian's packages that are missing, by one
# process at a time. None of them may start its service.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
exec 9>build/_debian.lock
flock 9
missing=
for package; do
  case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
    *'ok installed') ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0
echo "installing:$missing"
as_root=; [ "$(id -u)" = 0 ] || as_root=sudo
# What is available is asked for once, not by each script that calls this.
[ -n "$(find build/_debian.updated -mmin -60 2>/dev/null)" ] || $as_root apt-get update -qq
touch build/_debian.updated
# What is downloaded lies in a folder of its own: in images for containers, each run of dpkg and
# each `apt-get update` empties apt's.
archives=$PWD/build/_debian.archives
mkdir -p "$archives/partial"
install() {
  $as_root env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    -o Dir::Cache::archives="$archives" -o APT::Sandbox::User=root "$@" -y -qq >build/_debian.log 2>&1
}
# A download that ended early leaves packages half installed: they are completed by a second try.
install install --no-install-recommends $missing || {
  grep -E '^(E|W|dpkg):' build/_debian.log | tail -n 5
  echo "installing failed; trying once more"
  install -f install && install install --no-install-recommends $missing ||
    { tail -n 40 build/_debian.log; exit 1; }
}
$as_root rm -rf "$archives"
