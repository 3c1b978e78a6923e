#!/bin/sh
# Installs what the tests of the JavaScript package use beside Node: the other
# runtimes (setup.sh npm), real servers and a fault proxy (setup.sh servers), or both; and for
# the long tests the tools of large recipes (setup.sh recipes).
# Safe to run again: does nothing then.
# Programs go to build/tools, npm packages beside the tests that use them.
set -eu
cd "$(dirname "$0")/../.."
tools=$PWD/build/tools
mkdir -p "$tools"

have() { [ -x "$tools/$1" ] || command -v "$1" >/dev/null 2>&1; }

# go_tool PROGRAM ARGUMENT...: as tests/go-tool.sh builds it, if it is not there.
go_tool() { have "$1" || CPB_GO_QUICK=1 sh tests/go-tool.sh "$@"; }

npm_in() {
  cmp -s "$1/package-lock.json" "$1/node_modules/.installed" && return
  (cd "$1" && npm ci --loglevel=error --no-progress >/dev/null && cp package-lock.json node_modules/.installed)
}

if [ "${1:-npm}" = npm ]; then
  sh tests/debian.sh chromium firefox-esr webkit2gtk-driver xvfb xauth nginx-light
  for folder in web web/test web/test/package web/inspector; do npm_in $folder; done
fi
if [ "${1:-servers}" = servers ]; then
  go_tool toxiproxy-server github.com/Shopify/toxiproxy/v2@v2.12.0 \
    h1:d1x++lYZg/zijXPPcv7PH0MvHMzEI5aX/YuUi/Sw+yg= cmd/server
  go_tool versitygw github.com/versity/versitygw@v1.8.0 h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc= cmd/versitygw
  npm_in web/test/servers
fi
if [ "${1:-}" = recipes ]; then npm_in web/test/recipes; fi
