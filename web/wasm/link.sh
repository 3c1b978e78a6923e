#!/usr/bin/env bash
# link.sh MAP EMCC ARGUMENT...: links as EMCC does. What that prints, the linker's map, goes to MAP.
set -euo pipefail
map=$1
shift
exec "$@" >"$map"
