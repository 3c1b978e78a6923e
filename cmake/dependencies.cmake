# zstd, brotli, zlib, nanopb and yyjson, as the targets cpb_zstd, cpb_brotli,
# cpb_zlib, cpb_nanopb and cpb_yyjson.
#
# CPB_DEPENDENCIES=system (the default) takes the installed libraries; =source
# compiles them, for targets that no distribution has libraries for (-m32,
# WebAssembly). A source tree is the one that CPB_<NAME>_SOURCE names, or else
# the distribution's source package.
set(CPB_DEPENDENCIES system CACHE STRING "system or source")
set_property(CACHE CPB_DEPENDENCIES PROPERTY STRINGS system source)

find_program(PROTOC protoc REQUIRED)
find_program(NANOPB_PLUGIN protoc-gen-nanopb REQUIRED)

# cpb_source_tree(<name> <package> <variable> [<suite that has it>])
function(cpb_source_tree name package out)
  string(TOUPPER ${name} upper)
  set(CPB_${upper}_SOURCE "" CACHE PATH "Source tree of ${name}")
  set(tree ${CPB_${upper}_SOURCE})
  if(NOT tree)
    set(tree ${CMAKE_BINARY_DIR}/_sources/${name})
    if(NOT EXISTS ${tree})
      message(STATUS "Fetching the source package ${package}")
      execute_process(COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/debian-source.sh ${package} ${tree} ${ARGN}
                      RESULT_VARIABLE failed)
      if(failed)
        message(FATAL_ERROR "No source of ${name}: name one with -DCPB_${upper}_SOURCE=DIR")
      endif()
    endif()
  endif()
  set(${out} ${tree} PARENT_SCOPE)
endfunction()

# A static library of somebody else's C files, without our warnings.
function(cpb_foreign_library target include)
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} SYSTEM PUBLIC ${include})
  target_compile_options(${target} PRIVATE -w)
  set_target_properties(${target} PROPERTIES C_STANDARD 11)
endfunction()

if(CPB_DEPENDENCIES STREQUAL source)
  cpb_source_tree(zstd libzstd zstd)
  file(GLOB files ${zstd}/lib/common/*.c ${zstd}/lib/compress/*.c ${zstd}/lib/decompress/*.c)
  cpb_foreign_library(cpb_zstd ${zstd}/lib ${files})
  target_compile_definitions(cpb_zstd PRIVATE ZSTD_DISABLE_ASM XXH_NAMESPACE=ZSTD_)

  cpb_source_tree(brotli brotli brotli)
  file(GLOB files ${brotli}/c/common/*.c ${brotli}/c/dec/*.c ${brotli}/c/enc/*.c)
  cpb_foreign_library(cpb_brotli ${brotli}/c/include ${files})
  target_link_libraries(cpb_brotli PUBLIC m)

  cpb_source_tree(zlib zlib zlib) # of which only DEFLATE and the checksum are for us
  cpb_foreign_library(cpb_zlib ${zlib} ${zlib}/inflate.c ${zlib}/inftrees.c ${zlib}/inffast.c
    ${zlib}/deflate.c ${zlib}/trees.c ${zlib}/zutil.c ${zlib}/adler32.c ${zlib}/crc32.c)
  target_compile_definitions(cpb_zlib PUBLIC Z_SOLO)

  cpb_source_tree(nanopb nanopb nanopb)
  cpb_foreign_library(cpb_nanopb ${nanopb} ${nanopb}/pb_common.c ${nanopb}/pb_decode.c ${nanopb}/pb_encode.c)
else()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
  pkg_check_modules(BROTLI REQUIRED IMPORTED_TARGET libbrotlidec libbrotlienc libbrotlicommon)
  add_library(cpb_zstd ALIAS PkgConfig::ZSTD)
  pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
  add_library(cpb_brotli ALIAS PkgConfig::BROTLI)
  add_library(cpb_zlib ALIAS PkgConfig::ZLIB)

  find_path(NANOPB_INCLUDE_DIR pb_decode.h REQUIRED)
  find_library(NANOPB_LIBRARY NAMES protobuf-nanopb REQUIRED)
  add_library(cpb_nanopb INTERFACE)
  target_include_directories(cpb_nanopb SYSTEM INTERFACE ${NANOPB_INCLUDE_DIR})
  target_link_libraries(cpb_nanopb INTERFACE ${NANOPB_LIBRARY})
endif()

# yyjson is not in every distribution that is still in use: Debian has it from 13
# (trixie) on. Without a package its reader is compiled into src/base/json_read.c, with no
# names of its own: a library that holds it needs nothing more.
find_package(PkgConfig QUIET)
if(CPB_DEPENDENCIES STREQUAL system AND PKG_CONFIG_FOUND AND NOT CPB_YYJSON_SOURCE)
  pkg_check_modules(YYJSON QUIET IMPORTED_TARGET yyjson>=0.9)
endif()
if(YYJSON_FOUND)
  add_library(cpb_yyjson ALIAS PkgConfig::YYJSON)
else()
  cpb_source_tree(yyjson yyjson yyjson trixie)
  add_library(cpb_yyjson INTERFACE)
  target_include_directories(cpb_yyjson SYSTEM INTERFACE ${yyjson}/src)
  target_compile_definitions(cpb_yyjson INTERFACE CPB_YYJSON_WITHIN)
endif()
