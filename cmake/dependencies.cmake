# zstd, brotli, zlib, nanopb and yyjson, as the targets cpb_zstd, cpb_brotli, cpb_zlib,
# cpb_nanopb and cpb_yyjson.
#
# CPB_DEPENDENCIES=system (the default) takes the installed libraries; =source
# compiles them, for targets that no distribution has libraries for (-m32,
# WebAssembly). Source trees: sources.cmake. A release tarball brings nanopb and yyjson.
set(CPB_DEPENDENCIES system CACHE STRING "system or source")
set_property(CACHE CPB_DEPENDENCIES PROPERTY STRINGS system source)

include(cmake/sources.cmake)
include(cmake/libraries.cmake)

# A static library of somebody else's C files, without our warnings. CPB_FOREIGN_OPTIONS is for tests, which need no
# fast codecs.
function(cpb_foreign_library target include)
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} SYSTEM PUBLIC ${include})
  target_compile_options(${target} PRIVATE -w ${CPB_FOREIGN_OPTIONS})
  set_target_properties(${target} PROPERTIES C_STANDARD 11)
endfunction()

# cpb_system_library(<name> <package>): cpb_<name> is the installed library.
function(cpb_system_library name package)
  cpb_library(${name})
  if(NOT TARGET cpb::${name})
    message(FATAL_ERROR "${name} was not found (${package} in Debian): install it, or say where it is with "
                        "-DCMAKE_PREFIX_PATH=DIR, or compile it here with -DCPB_DEPENDENCIES=source")
  endif()
  add_library(cpb_${name} ALIAS cpb::${name})
endfunction()

# --- What compresses ------------------------------------------------------------

# Of decoders that differ in which damaged frames they refuse, on every target the strict one.
function(cpb_compile_zstd)
  cpb_source_tree(zstd zstd)
  file(GLOB files ${zstd}/lib/common/*.c ${zstd}/lib/compress/*.c ${zstd}/lib/decompress/*.c)
  list(REMOVE_ITEM files ${zstd}/lib/decompress/huf_decompress.c)
  cpb_foreign_library(cpb_zstd ${zstd}/lib ${files} ${PROJECT_SOURCE_DIR}/src/zstd/huffman.c)
  target_compile_definitions(cpb_zstd PRIVATE ZSTD_DISABLE_ASM XXH_NAMESPACE=ZSTD_
    HUF_FORCE_DECOMPRESS_X1 ZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT)
endfunction()

function(cpb_compile_brotli)
  cpb_source_tree(brotli brotli)
  file(GLOB files ${brotli}/c/common/*.c ${brotli}/c/dec/*.c ${brotli}/c/enc/*.c)
  cpb_foreign_library(cpb_brotli ${brotli}/c/include ${files})
  target_link_libraries(cpb_brotli PUBLIC m)
endfunction()

# Brotli's tables of words, which a module is loaded with, are made when they are needed (src/brotli).
function(cpb_small_brotli)
  get_target_property(files cpb_brotli SOURCES)
  set(tables ${files})
  list(FILTER tables INCLUDE REGEX "/enc/encoder_dict\\.c$")
  get_filename_component(folder ${tables} DIRECTORY)
  file(STRINGS ${folder}/static_dict_lut.h found REGEX "kStaticDictionaryWords\\[31705\\]")
  if(found) # a later version may have others
    list(REMOVE_ITEM files ${tables})
    set_target_properties(cpb_brotli PROPERTIES SOURCES "${files};${PROJECT_SOURCE_DIR}/src/brotli/encoder_dict.c")
    target_include_directories(cpb_brotli PRIVATE ${folder}/..)
  endif()
endfunction()

function(cpb_compile_zlib) # of which only DEFLATE and the checksum are for us
  cpb_source_tree(zlib zlib)
  cpb_foreign_library(cpb_zlib ${zlib} ${zlib}/inflate.c ${zlib}/inftrees.c ${zlib}/inffast.c
    ${zlib}/deflate.c ${zlib}/trees.c ${zlib}/zutil.c ${zlib}/adler32.c ${zlib}/crc32.c)
  target_compile_definitions(cpb_zlib PUBLIC Z_SOLO)
endfunction()

# cpb_dependency(<name> <package>): one more of what the library is linked with.
function(cpb_dependency name package)
  if(CPB_DEPENDENCIES STREQUAL source)
    cmake_language(CALL cpb_compile_${name})
  else()
    cpb_system_library(${name} ${package})
  endif()
  set(CPB_LIBRARIES ${CPB_LIBRARIES} cpb_${name} PARENT_SCOPE)
endfunction()
set(CPB_LIBRARIES)
cpb_dependency(zstd libzstd-dev)
if(CPB_WITH_BROTLI)
  cpb_dependency(brotli libbrotli-dev)
endif()
if(CPB_BUILD_MODEL)
  cpb_dependency(zlib zlib1g-dev)
endif()

# --- libcurl: its header alone, as it is loaded when a URL is opened -------------------

set(CPB_WITH_CURL AUTO CACHE STRING "Whether URLs can be opened: ON, OFF, or AUTO, if libcurl's header is found")
set_property(CACHE CPB_WITH_CURL PROPERTY STRINGS AUTO ON OFF)
set(CPB_CURL_INCLUDE)
if(CPB_BUILD_HOST AND NOT CPB_WASM AND NOT CPB_WITH_CURL STREQUAL OFF)
  find_path(cpb_curl_include curl/curl.h)
  mark_as_advanced(cpb_curl_include)
  if(cpb_curl_include)
    set(CPB_CURL_INCLUDE ${cpb_curl_include})
  elseif(NOT CPB_WITH_CURL STREQUAL AUTO)
    message(FATAL_ERROR "CPB_WITH_CURL is ${CPB_WITH_CURL}, but curl/curl.h was not found "
                        "(libcurl4-openssl-dev in Debian): install it, or leave URLs out with -DCPB_WITH_CURL=OFF")
  else()
    message(STATUS "curl/curl.h was not found (libcurl4-openssl-dev in Debian), so no URLs can be opened")
  endif()
endif()

# --- nanopb and yyjson: within the library, if they are not installed ----------------

set(CPB_SMALL_LIBRARIES cpb_nanopb)
set(CPB_WITHIN) # those of them that are

if(CPB_DEPENDENCIES STREQUAL source OR CPB_NANOPB_SOURCE OR EXISTS ${CPB_THIRD_PARTY}/nanopb)
  cpb_source_tree(nanopb nanopb)
  cpb_foreign_library(cpb_nanopb ${nanopb} ${nanopb}/pb_common.c ${nanopb}/pb_encode.c)
  target_compile_definitions(cpb_nanopb PUBLIC PB_SYSTEM_HEADER="proto/nanopb_names.h")
  target_include_directories(cpb_nanopb PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(APPEND CPB_WITHIN cpb_nanopb)
  set(CPB_NANOPB_OBJECTS $<TARGET_OBJECTS:cpb_nanopb>)
else()
  cpb_system_library(nanopb libnanopb-dev)
  set(CPB_NANOPB_OBJECTS)
endif()

if(NOT CPB_BUILD_MODEL) # which alone reads JSON
  return()
endif()
list(APPEND CPB_SMALL_LIBRARIES cpb_yyjson)

# yyjson is not in every distribution that is still in use: Debian has it from 13
# (trixie) on. Without a package its reader is compiled into src/base/json_read.c, with no
# names of its own: a library that holds it needs nothing more.
if(CPB_DEPENDENCIES STREQUAL system AND NOT CPB_YYJSON_SOURCE AND NOT EXISTS ${CPB_THIRD_PARTY}/yyjson)
  cpb_library(yyjson)
endif()
if(TARGET cpb::yyjson)
  file(STRINGS ${cpb_yyjson_include}/yyjson.h older REGEX "define YYJSON_VERSION_HEX +0x000[0-8]") # than 0.9
endif()
if(TARGET cpb::yyjson AND NOT older)
  add_library(cpb_yyjson ALIAS cpb::yyjson)
else()
  cpb_source_tree(yyjson yyjson)
  add_library(cpb_yyjson INTERFACE)
  target_include_directories(cpb_yyjson SYSTEM INTERFACE ${yyjson}/src)
  target_compile_definitions(cpb_yyjson INTERFACE CPB_YYJSON_WITHIN)
  list(APPEND CPB_WITHIN cpb_yyjson)
endif()
