# What is released: the tarball and the amalgamation, used in a folder outside of the
# repository with nothing but a compiler. Read by run.sh.

outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
tarball=$build/libcpb-$version.tar.gz
source=$outside/libcpb-$version

# The programs of a C compiler and of every system, CMake and Ninja. protoc, nanopb, Python and pkg-config are not
# among them.
tools=$outside/bin
mkdir "$tools"
for tool in "$CC" "$CXX" as ld ar ranlib make ninja cmake ctest sh awk basename cat cmp cp dirname echo env expr grep head ln \
  ls mkdir mktemp mv printf rm sed sort tail tr touch uname; do
  program=$(type -P "$tool") && ln -s "$program" "$tools/${tool##*/}"
done
# The unit tests that take most of the time of all, which the stage `unit` runs. Here the others
# say that the functions are the same.
long='codecs|compressor|decimal_read|diff_engine|field_reader|index_pages|index_search|merge_(file|losses|only|random|threads)'
long+='|outline|pack_threads|record_reader|record_writer|references|requests|transpose_encoder|transpose_reader|zip_walk'
[ -z "${CPB_TEST_ALL:-}" ] || long=none
# ccache is the caller's: the tarball's build has the options and the relative paths of `build` and takes its objects,
# and so do the builds of parts.sh.
if [ -n "${CMAKE_C_COMPILER_LAUNCHER:-}" ]; then
  CMAKE_C_COMPILER_LAUNCHER=$(type -P "$CMAKE_C_COMPILER_LAUNCHER")
  CMAKE_CXX_COMPILER_LAUNCHER=$CMAKE_C_COMPILER_LAUNCHER
fi
only_tools() { env "PATH=$tools" "CCACHE_BASEDIR=$outside" "$@"; }

# none GREP_ARGUMENT...: no line of the input matches.
none() { if grep "$@"; then return 1; fi; }

makes_the_same_bytes_twice() {
  cmake --build "$build" --target package_source
  mv "$tarball" "$tarball.first"
  cmake --build "$build" --target package_source
  cmp "$tarball" "$tarball.first"
  rm "$tarball.first"
  tar -xzf "$tarball" -C "$outside"
}

# CMake looks in the system's folders for programs even when PATH does not name them.
tarball_builds_with_cmake() {
  cd "$source"
  only_tools cmake -B b -G Ninja -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCMAKE_IGNORE_PATH="/usr/bin;/bin;/usr/local/bin"
  none -iE '(protoc|nanopb_plugin|python|pkg_config_executable)[a-z0-9_]*:.*=/' <b/CMakeCache.txt
  only_tools cmake --build b -j 2
  only_tools ctest --test-dir b -j 2 --output-on-failure -E "^($long)$" | tee tests.log
  grep -q '100% tests passed' tests.log
  [ "$(grep -c 'Passed' tests.log)" -gt 60 ]
  only_tools cmake --install b --prefix "$outside/prefix"
  ls "$outside/prefix/$lib"/{libcpb.a,libcpb.so,cmake/cpb/cpb-config.cmake}
}

# Nobody's nanopb but ours, which has names of its own.
tarballs_library_is_all_ours() { nm "$source/b/src/libcpb.a" | grep -E ' [TDBRC] ' | none -v ' cpb_'; }

tarball_builds_with_make() {
  cd "$source"
  only_tools make -j 2 CC="$CC" CFLAGS=-O0
  only_tools make check | grep -E 'selftest: [0-9]+ passed'
  only_tools make install PREFIX="$outside/made"
  cat >"$outside/version.c" <<'END'
#include <cpb/base.h>
#include <stdio.h>
int main(void) { return puts(cpb_version()) < 0; }
END
  # Words of the flags are arguments of their own.
  "$CC" "$outside/version.c" -o "$outside/version" \
    $(PKG_CONFIG_PATH=$outside/made/lib/pkgconfig pkg-config --cflags --libs cpb)
  [ "$("$outside/version")" = "$version" ]
}

# --- The amalgamation -----------------------------------------------------------

# GCC looks for misleading indentation in quadratic time: 13 s for a file of this length.
strict="-std=c11 -Wall -Wextra -Wsign-conversion -pedantic -Werror -Wno-misleading-indentation"
libraries="-lzstd -lbrotlienc -lbrotlidec -lz -pthread"

public_functions() { # OBJECT
  nm "$1" | awk 'NF == 3 && $2 ~ /^[A-Z]$/ && $3 !~ /^cpb_pb_|^cpb_builtin_schema_/ { print $3 }' | sort
}

amalgamation_compiles() { # COMPILER...
  cmake --build "$build" --target amalgamation
  cp "$build"/amalgamation/cpb.[ch] "$outside"
  cd "$outside"
  "$1" $strict -O0 -c cpb.c
  "${@: -1}" $strict -DCPB_WITH_CURL -fsyntax-only cpb.c
  public_functions cpb.o >defined
  diff "$work/exported" defined
}

# Another system's compilers have no headers of zstd, brotli and zlib.
amalgamation_compiles_for_wasm() { # COMPILER...
  cd "$outside"
  mkdir -p headers
  cp -r /usr/include/{zstd.h,zstd_errors.h,zlib.h,brotli} headers
  cp "$(echo '#include <zlib.h>' | "$CC" -M -x c - | tr -s ' \\' '\n' | grep zconf.h)" headers
  "$@" $strict -Wshorten-64-to-32 -isystem headers -fsyntax-only cpb.c
}

# What the top of cpb.c says that a macro leaves out.
said_of() { # MACRO
  cd "$prefix/include/cpb"
  case $1 in
    CPB_NO_MODELS) declared_in {archive,checkpoint,diff,model,onnx,open,samediff,statistics,values}.h ;;
    CPB_NO_WRITING)
      declared_in {split,repack,samediff}.h
      declared_in {records,file}.h | grep -E '^cpb_(record_writer_|(file|transfer)_(split|repack)$|file_read_base$)'
      ;;
    CPB_NO_FILES) declared_in {file,open,url}.h ;;
  esac
}

amalgamation_leaves_out() { # MACRO...
  cd "$outside"
  local macro
  for macro; do
    "${CLANG:-$CC}" $strict "-D$macro" -O0 -c cpb.c -o less.o
    public_functions less.o >left
    diff <(said_of "$macro" | sort) <(comm -23 defined left)
    [ -z "$(comm -13 defined left)" ]
    nm -u less.o >needed
    none ' cpb_' <needed # that would be something left out
    case $macro in
      CPB_NO_MODELS) none -i inflate <needed ;;
      CPB_NO_BROTLI) none -i brotli <needed ;;
      CPB_NO_WRITING) none -E 'ZSTD_compress|BrotliEncoder' <needed ;;
      CPB_NO_FILES) none -xE ' +U (open|read|write)' <needed ;;
      CPB_NO_THREADS) none pthread <needed ;;
    esac
  done
}

amalgamation_merges() {
  cd "$outside"
  cat >merge.c <<'END'
#include <stdio.h>

#include "cpb.h"

int main(int argc, char **argv) {
  cpb_error error;
  if (argc == 3 && cpb_file_merge(argv[1], argv[2], NULL, &error) == CPB_OK) return 0;
  fprintf(stderr, "%s\n", error.message);
  return 1;
}
END
  "$CC" $strict merge.c cpb.o $libraries -o merge
  ./merge "$data/cpb/graph_mixed-large/max1000_zstd.cpb" merged.pb
  "$prefix/bin/cpb" merge "$data/cpb/graph_mixed-large/max1000_zstd.cpb" -o by_command.pb
  cmp merged.pb by_command.pb
}

# The unit tests as the build has compiled them, linked with the amalgamation; without those
# that bring another codec, or other memory, and those that take long. The tarball's build has run all
# of them, so each third says here that the amalgamation is the same library; before a release, each.
unit_tests_pass_on_it() {
  cd "$outside"
  "$CC" -O0 -DCPB_AMALGAMATION_TEST -c cpb.c -o with_names.o
  local object test count=0 met=0
  for object in "$build"/tests/unit/CMakeFiles/test_*.dir/test_*.c.o; do
    test=$(basename "$object" .c.o)
    # The last one has the functions in it, to see both ways of them.
    case $test in test_codecs_* | test_without_malloc | test_sha256) continue ;; esac
    [[ ! $test =~ ^test_($long)$ ]] || continue
    met=$((met + 1))
    [ -n "${CPB_TEST_ALL:-}" ] || [ $((met % 3)) = 0 ] || continue
    "$CC" "$object" with_names.o -lcmocka -lsnappy $libraries -o "$test"
    "./$test" 2>"$test.log" || { cat "$test.log"; false; }
    count=$((count + 1))
  done
  echo "$count programs"
  [ "$met" -gt 50 ] && [ "$count" -ge $((met / 3)) ]
}
