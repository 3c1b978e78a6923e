#!/usr/bin/env bash
# compile.sh EMCC ARGUMENT...: compiles a file as EMCC does, but seldom starts it: that takes
# longer than clang does for most files. Once for each set of options it is asked which flags
# it gives to clang with them. Where there is ccache, that compiles, and it knows clang.
# web/build.sh has CMake call this. What does not compile is left to EMCC.
set -euo pipefail
emcc=$1
shift
all=("$@") options=() others=() compiles=
while [ $# -gt 0 ]; do
  case $1 in
    -c) compiles=1 others+=("$1") ;;
    -o | -M[FTQ] | -isystem | -include | -[DI]) others+=("$1" "$2"); shift ;;
    -[DIMW]* | [!-]*) others+=("$1") ;;
    *) options+=("$1") ;;
  esac
  shift
done
[ -n "$compiles" ] || exec "$emcc" "${all[@]}"

# What compiles with these options. The line that clang runs itself with begins with its path.
ask() {
  local clang
  clang=$("$emcc" -### "${all[@]}" 2>&1 | sed -n 's/^ "\([^"]*\)" "-cc1".*/\1/p') || true
  if [ -n "$clang" ]; then echo "$clang $("$emcc" --cflags "${options[@]}")"; else echo "$emcc ${options[*]}"; fi
}

read -r key _ < <(echo "$emcc ${options[*]}" | cksum)
command=emcc-flags/$key
if [ ! -s "$command" ]; then
  mkdir -p emcc-flags
  ask >"$command.$$"
  mv "$command.$$" "$command"
fi
ccache=$(command -v ccache) || ccache=
exec $ccache $(<"$command") "${others[@]}" # the first two are lists
