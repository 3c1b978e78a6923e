#!/usr/bin/env bash
# tests/install/run.sh [BUILD]: what `cmake --install` puts down is all that a
# user needs. Installs BUILD (default: build), moves the result away, and uses it
# from there; then what is released of it (release.sh).
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd) || exit 1
work=$build/install-test
prefix=$work/prefix
data=$root/tests/data
examples=$root/examples
CC=${CC:-cc} CXX=${CXX:-c++} CLANG=$(basename "$(command -v clang-19 || command -v clang)")

passed=0 failed=0 skipped=0

attempt() { (set -e; "$@") >"$work/log" 2>&1; }

# check NAME FUNCTION ARGUMENT...: passes when no command in the function fails.
check() {
  local name=$1
  shift
  local TIMEFORMAT='%U %S' code
  { time attempt "$@"; code=$?; } 2>"$work/time"
  if [ $code -eq 0 ]; then
    passed=$((passed + 1))
    echo "ok      $name, $(awk '{ printf "%.1f", $1 + $2 }' "$work/time") s CPU"
  else
    failed=$((failed + 1))
    echo "FAILED  $name"
    tail -n 40 "$work/log" | sed 's/^/        /'
  fi
}

# The same before a release; otherwise it says that it does not.
long_check() {
  if [ -n "${CPB_TEST_ALL:-}" ]; then check "$@"; return; fi
  skipped=$((skipped + 1))
  echo "    skipped: $1: before a release"
}

# --- The checks -----------------------------------------------------------------

installs() {
  cmake --install "$build" --prefix "$work/elsewhere"
  mv "$work/elsewhere" "$prefix"
  cd "$prefix"
  ls include/cpb/base.h "$lib"/libcpb.a "$lib"/libcpb.so "$lib"/cmake/cpb/cpb-config.cmake \
    "$lib"/pkgconfig/cpb.pc bin/cpb share/man/man1/cpb.1 share/bash-completion/completions/cpb \
    share/zsh/site-functions/_cpb share/fish/vendor_completions.d/cpb.fish share/doc/cpb/LICENSE
  ! grep -rn "$build" "$prefix/$lib/cmake" "$prefix/$lib/pkgconfig"
}

examples_build_alone() { # shared or static, TARGET...: what is built (default: all)
  local dir=$work/examples-$1
  cmake -S "$examples" -B "$dir" -DCMAKE_PREFIX_PATH="$prefix" -DCPB_EXAMPLES_LIBRARY="cpb::$1" \
    -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCPB_TEST_DATA="$data"
  cmake --build "$dir" -j 2 ${2:+--target "${@:2}"}
  ctest --test-dir "$dir" --output-on-failure ${2:+-R '^example\.(records|inspect|cplusplus)$'}
  local linked
  linked=$(ldd "$dir/records")
  case $1 in
    shared) grep "libcpb.so.0 => $prefix/" <<<"$linked" ;;
    static) ! grep libcpb <<<"$linked" ;;
  esac
}

# Whoever links cpb::shared need not have zstd and brotli for development; who
# asks for cpb::static is told.
finds_shared_alone() {
  local dir=$work/alone
  mkdir -p "$dir"
  cat >"$dir/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(alone C)
find_package(cpb QUIET COMPONENTS static)
if(cpb_FOUND)
  message(FATAL_ERROR "cpb::static without zstd and brotli")
endif()
find_package(cpb 0.1 REQUIRED COMPONENTS shared)
add_executable(alone ${EXAMPLES}/records.c)
target_link_libraries(alone cpb::cpb)
END
  cmake -S "$dir" -B "$dir/build" -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLES="$examples" \
    -DCMAKE_IGNORE_PATH=/usr/include
  cmake --build "$dir/build"
  records_lists "$dir/build/alone"
}

# A larger project that has the sources among its own gets the same names, and
# neither our tests nor our examples.
configures_within_another_project() {
  local dir=$work/larger
  mkdir -p "$dir"
  cat >"$dir/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.21)
project(larger C)
add_subdirectory($root cpb)
add_executable(larger $examples/records.c)
target_link_libraries(larger cpb::cpb cpb::static)
if(TARGET example_records OR CPB_BUILD_TESTS)
  message(FATAL_ERROR "tests or examples are built")
endif()
END
  cmake -S "$dir" -B "$dir/build" -G "Unix Makefiles"
}

records_lists() { "$@" "$data/records/append_twice.riegeli" | grep -x '22 records'; }

pkg_config_links() { # [--static]
  export PKG_CONFIG_PATH=$prefix/$lib/pkgconfig
  local flags out=$work/records${1:-}
  flags=$(pkg-config --cflags --libs "$@" cpb)
  echo "$flags"
  # Words of $flags are arguments of their own.
  "$CC" -std=c11 ${1:+-static} "$examples/records.c" -o "$out" $flags
  LD_LIBRARY_PATH=$prefix/$lib records_lists "$out"
}

# README's first program, which works again on the files that it has made.
readme_program_runs() {
  local dir=$work/readme
  export PKG_CONFIG_PATH=$prefix/$lib/pkgconfig LD_LIBRARY_PATH=$prefix/$lib
  mkdir -p "$dir"
  sed -n '/^```c$/,/^```$/{/^```/d;p}' "$root/README.md" >"$dir/main.c"
  cp "$data/cpb/real_keras_export/orig.pb" "$dir/saved_model.pb"
  cd "$dir"
  # Words of the flags are arguments of their own.
  "$CC" -std=c11 -pedantic -Wall -Werror main.c -o main $(pkg-config --cflags --libs cpb)
  ./main
  ./main
  cmp saved_model.pb merged.pb
}

headers_compile() { # COMPILER LANGUAGE STANDARD
  for header in "$prefix"/include/cpb/*.h; do
    echo "#include \"cpb/${header##*/}\"" |
      "$1" -x "$2" -std="$3" -Wall -Wextra -pedantic -Werror -I"$prefix/include" -fsyntax-only -
  done
}

# cpb.hpp and its parts, with conversions checked, too.
cplusplus_headers_compile() { # COMPILER OPTION...
  for header in "$prefix"/include/cpb/cpb.hpp "$prefix"/include/cpb/cpp/*.hpp; do
    echo "#include \"${header#"$prefix/include/"}\"" |
      "$@" -x c++ -std=c++17 -Wall -Wextra -Wshadow -Wconversion -pedantic -Werror -I"$prefix/include" -fsyntax-only -
  done
}

cplusplus_headers_compile_alone() { # COMPILER
  echo '#include "cpb/cpb.hpp"' |
    "$1" -x c++ -std=c++17 -Wall -Wextra -pedantic -Werror -DCPB_NO_PROTOBUF -I"$prefix/include" -fsyntax-only -
}

# What they promise, against libprotobuf.
cplusplus_works() {
  local dir=$work/cplusplus
  cmake -S "$root/tests/install/cplusplus" -B "$dir" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$CXX"
  cmake --build "$dir"
  mkdir -p "$dir/out"
  "$dir/cplusplus_test" "$dir/out"
}

# What headers declare, and a library exports, one function a line.
declared_in() {
  cat "$@" | tr '\n' ' ' | grep -oE 'CPB_API [^;(]*\bcpb_[a-z0-9_]+\(' | grep -oE 'cpb_[a-z0-9_]+\($' | tr -d '(' | sort
}
exported_by() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort; }

exports_the_headers_functions() {
  declared_in "$prefix"/include/cpb/*.h >"$work/declared"
  exported_by "$prefix/$lib/libcpb.so" >"$work/exported"
  [ "$(wc -l <"$work/declared")" -gt 100 ]
  diff "$work/declared" "$work/exported"
}

# .data.rel.ro are constants that hold addresses: read-only once loaded.
has_no_writable_data() {
  size -A "$prefix/$lib/libcpb.a" |
    awk '$1 ~ /^\.(data|bss|tdata|tbss|tm_clone_table)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 { print; bad = 1 }
         $1 == ".text" { objects++ }
         END { print objects " objects"; exit bad || objects < 50 }'
  ! nm "$prefix/$lib/libcpb.a" 2>&1 | grep -E ' [BbCGgSs] '
}

command_runs() {
  cd "$work"
  local model=$data/cpb/real_keras_export/orig.pb
  "$prefix/bin/cpb" split "$model" -o model.cpb --force
  "$prefix/bin/cpb" merge model.cpb -o model.pb --force
  cmp model.pb "$model"
}

manual_is_there() {
  grep -q '^\.TH' "$prefix/share/man/man1/cpb.1"
  # groff's warnings, if there are any, are errors.
  MANPATH=$prefix/share/man man --warnings -Tutf8 cpb >"$work/manual" 2>"$work/warnings" </dev/null
  cat "$work/warnings"
  sed 's/.\x08//g' "$work/manual" | grep 'cpb split' # without the overstrikes of bold
  [ ! -s "$work/warnings" ]
}

# --- Running them ----------------------------------------------------------------

rm -rf "$work" && mkdir -p "$work"
lib=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:PATH=//p' "$build/CMakeCache.txt")
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
. "$root/tests/install/release.sh"
. "$root/tests/install/parts.sh"
. "$root/tests/install/hardening.sh"
. "$root/tests/install/sources.sh"

check "it installs, and can be moved" installs
check "find_package: the examples build alone against cpb::shared, and run" examples_build_alone shared
check "find_package: three of them against cpb::static" examples_build_alone static \
  example_records example_inspect example_cplusplus
check "find_package: cpb::shared is complete in itself" finds_shared_alone
check "add_subdirectory: the same names, no tests, no examples" configures_within_another_project
check "pkg-config: an example links, and runs" pkg_config_links
check "pkg-config --static: one runs that is static in all" pkg_config_links --static
check "README's C program compiles, and runs twice" readme_program_runs
check "each header compiles by itself as C11, pedantic" headers_compile "$CC" c c11
check "each header compiles by itself as C++17, pedantic" headers_compile "$CXX" c++ c++17
check "cpb.hpp compiles, and each part by itself" cplusplus_headers_compile "$CXX"
check "cpb.hpp compiles without protobuf" cplusplus_headers_compile_alone "$CXX"
check "cpb.hpp: splitters, mergers, records and files do what they promise" cplusplus_works
check "libcpb.so exports what the headers declare, and no more" exports_the_headers_functions
check "the library's objects have no writable data" has_no_writable_data
check "hardening: the command" is_hardened "$prefix/bin/cpb"
check "hardening: libcpb.so" is_hardened "$prefix/$lib/libcpb.so"
check "hardening: control flow" checks_control_flow
check "hardening: not of others, and not with CPB_HARDENING=OFF" leaves_others_alone
check "the command runs from where it is" command_runs
check "the manual is there, and formats without warnings" manual_is_there

check "tarball: the same bytes twice" makes_the_same_bytes_twice
check "tarball: CMake builds it with a compiler alone, ctest passes, it installs" tarball_builds_with_cmake
check "tarball: the static library defines names of ours only" tarballs_library_is_all_ours
long_check "tarball: make, make check, make install" tarball_builds_with_make
check "parts: no command without what it needs" command_needs_its_parts
check "parts: without files" builds_without host "file open url" -DCPB_BUILD_HOST=OFF
check "parts: without models and Brotli" builds_without "model brotli" "checkpoint diff model onnx open samediff statistics values" \
  -DCPB_BUILD_MODEL=OFF -DCPB_WITH_BROTLI=OFF
check "sources: a release archive is taken if its hash is the one in the list" fetches_archives
if command -v dpkg-source >/dev/null; then
  check "sources: which version of a source package is taken, and when none is" source_packages_are_chosen
fi

check "amalgamation: no warning of $CC${CLANG:+ and $CLANG}; it defines what libcpb.so exports" \
  amalgamation_compiles "$CC" ${CLANG:+"$CLANG"}
long_check "amalgamation: a macro leaves out what it says, and nothing needs that" \
  amalgamation_leaves_out CPB_NO_{MODELS,WRITING,BROTLI,FILES,THREADS}
check "amalgamation: a program merges with it" amalgamation_merges
long_check "amalgamation: the unit tests pass on it" unit_tests_pass_on_it
if command -v emcc >/dev/null; then
  check "amalgamation: no warning of emcc" amalgamation_compiles_for_wasm emcc
fi
if [ -n "$CLANG" ] && [ -d /usr/include/wasm32-wasi ]; then
  check "amalgamation: no warning of clang for WASI" \
    amalgamation_compiles_for_wasm "$CLANG" --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi
fi

echo "install: $passed passed, $failed failed, $skipped skipped in $SECONDS s"
[ "$failed" = 0 ]
