#!/usr/bin/env bash
# tools/publish.sh REGISTRY/NAMESPACE [DIST [OPTION...]]: pushes the components of a release that tools/release.sh made
# in DIST, by default dist, to an OCI registry, as NAMESPACE/cpb-component:VERSION and so on. OPTIONs are those of
# `wash oci push`, such as --insecure; OCI_USER and OCI_PASSWORD say who pushes.
#
# `wash` is in build/tools/bin (wasi/test/setup.sh). What a registry shows of a component is in it: wasi/wkg.toml.
set -euo pipefail
cd "$(dirname "$0")/.."
to=$1 dist=${2:-dist}
shift $(($# < 2 ? $# : 2))
version=$(sed -nE 's/^project\(cpb VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
wash=$(PATH=$PWD/build/tools/bin:$PATH command -v wash) || { echo "wash is missing: sh wasi/test/setup.sh installs it" >&2; exit 1; }
(cd "$dist" && sha256sum --check --quiet --ignore-missing SHA256SUMS)
as=()
[ -z "${OCI_USER:-}" ] || as=(--user "$OCI_USER" --password "$OCI_PASSWORD")
for name in cpb-component cpb-complete cpb-http; do
  "$wash" --non-interactive oci push "${as[@]}" "$@" "$to/$name:$version" "$dist/wasm/$name.wasm"
done
