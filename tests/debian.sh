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
$as_root env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
