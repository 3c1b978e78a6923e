# Builds that leave something out, from the tarball, and sources from release archives. Read
# by run.sh after release.sh, whose folder `outside` it uses.

command_needs_its_parts() {
  if cmake -S "$source" -B "$outside/no-host" -DCPB_BUILD_HOST=OFF >"$outside/no-host.log" 2>&1; then return 1; fi
  tr -s ' \n' ' ' <"$outside/no-host.log" | grep -F 'leave it out with -DCPB_BUILD_CLI=OFF'
}

# A C program that is linked with every function of the headers in a folder.
program_of_all() { # INCLUDE_DIR
  printf '#include <cpb/%s>\n' $(cd "$1/cpb" && ls)
  echo 'static void (*const all[])(void) = {'
  declared_in "$1"/cpb/*.h | sed 's/.*/    (void (*)(void))&,/'
  echo '};'
  echo 'int main(void) { return all[0] == 0 || sizeof all / sizeof *all < 100; }'
}

# What is left is installed without the headers, links, runs and is found.
builds_without() { # COMPONENTS HEADERS OPTION...
  local dir=$source/b-without-${1%% *} component header # beside `b`, as seen from where the sources are named alike
  local made=$dir/prefix
  cmake -S "$source" -B "$dir" -G Ninja -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCPB_BUILD_CLI=OFF \
    -DCPB_BUILD_EXAMPLES=OFF "${@:3}"
  CCACHE_BASEDIR=$outside cmake --build "$dir" -j 2
  cmake --install "$dir" --prefix "$made"
  [ ! -e "$made/bin" ]
  for header in $2; do [ ! -e "$made/include/cpb/$header.h" ]; done
  diff <(declared_in "$made"/include/cpb/*.h) <(exported_by "$made/$lib/libcpb.so")

  program_of_all "$made/include" >"$dir/all.c"
  # Words of the flags are arguments of their own.
  "$CC" -std=c11 "$dir/all.c" -o "$dir/all" \
    $(PKG_CONFIG_PATH=$made/$lib/pkgconfig pkg-config --static --cflags --libs cpb | sed "s,-lcpb,-l:libcpb.a,")
  "$dir/all"

  cat >"$dir/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(everything C)
find_package(cpb REQUIRED COMPONENTS static)
add_executable(everything all.c)
target_link_libraries(everything cpb::static)
foreach(component host model brotli)
  if(cpb_${component}_FOUND)
    list(APPEND there ${component})
  endif()
endforeach()
message("components:${there}:")
END
  cmake -S "$dir" -B "$dir/find" -DCMAKE_PREFIX_PATH="$made" 2>"$dir/found"
  cmake --build "$dir/find"
  "$dir/find/everything"
  for component in $1; do none -E "[:;]$component[:;]" <"$dir/found"; done
  grep -E 'components:.+:' "$dir/found"
}

# fetch HASH [OPTION]...: nanopb from an archive with that hash.
fetch() {
  rm -rf "$outside/fetch"
  mkdir "$outside/fetch"
  cd "$outside/fetch"
  echo "nanopb file://$outside/nanopb.tar.gz $1" >list
  cat >fetch.cmake <<END
include($root/cmake/sources.cmake)
cpb_source_tree(nanopb nanopb)
END
  cmake -DPROJECT_SOURCE_DIR="$outside" -DCPB_APT_GET= -DCPB_ARCHIVES="$outside/fetch/list" "${@:2}" -P fetch.cmake >log 2>&1
}

fetches_archives() {
  local hash
  tar -C "$source/third_party" -czf "$outside/nanopb.tar.gz" nanopb
  hash=$(sha256sum <"$outside/nanopb.tar.gz" | cut -c 1-64)
  fetch "$hash"
  cmp "$outside/fetch/_sources/nanopb/pb.h" "$source/third_party/nanopb/pb.h"

  if fetch "${hash//[0-7]/0}"; then return 1; fi
  grep "actual: '$hash'" "$outside/fetch/log"
  [ ! -e "$outside/fetch/_sources/nanopb" ]

  if fetch "$hash" -DCPB_FETCH=OFF; then return 1; fi
  grep 'CPB_NANOPB_SOURCE=DIR' "$outside/fetch/log"
  # The list that is used otherwise has each of them, with a hash that is whole.
  [ "$(grep -cE '^(zstd|brotli|zlib|nanopb|yyjson) https://[^ ]+ [0-9a-f]{64}$' "$root/cmake/archives.txt")" = 5 ]
}
