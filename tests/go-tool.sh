#!/bin/sh
# tests/go-tool.sh PROGRAM MODULE@VERSION SUM [FOLDER]: builds the program in FOLDER of a Go
# module as build/tools/PROGRAM, if the module has this sum (of `go mod download -json`). The
# module's own go.sum, which the sum covers, has those of all that it needs. With CPB_GO_QUICK the
# program is not optimized, which takes two thirds of the time to compile.
set -eu
tools=$(cd "$(dirname "$0")/.." && pwd)/build/tools
module=$(go mod download -json "$2")
field() { echo "$module" | sed -n "s/^[[:space:]]*\"$1\": \"\(.*\)\",*$/\1/p"; }
[ "$(field Sum)" = "$3" ] || { echo "the Go module $2 has the sum $(field Sum); expected $3" >&2; exit 1; }
cd "$(field Dir)"
go build -mod=readonly ${CPB_GO_QUICK:+"-gcflags=all=-N -l"} -o "$tools/$1" "./${4:-.}"
