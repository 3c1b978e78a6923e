# Installed libraries, for this build and for find_package(cpb).

# cpb_library(<name>): the imported target cpb::<name>, if the library is found: by its
# files, where pkg-config says or in the usual places.
function(cpb_library name)
  # the module of pkg-config, a header, the libraries
  set(zstd libzstd zstd.h zstd)
  set(brotli libbrotlienc brotli/encode.h brotlienc brotlidec brotlicommon)
  set(zlib zlib zlib.h z)
  set(nanopb nanopb pb_encode.h protobuf-nanopb)
  set(yyjson yyjson yyjson.h yyjson)
  set(cmocka cmocka cmocka.h cmocka)
  set(snappy snappy snappy-c.h snappy)
  list(POP_FRONT ${name} module header)

  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(cpb_${name}_pc QUIET ${module})
  endif()
  find_path(cpb_${name}_include ${header} HINTS ${cpb_${name}_pc_INCLUDE_DIRS})
  set(variables cpb_${name}_include)
  set(files)
  foreach(library IN LISTS ${name})
    find_library(cpb_${library}_library ${library} HINTS ${cpb_${name}_pc_LIBRARY_DIRS})
    list(APPEND variables cpb_${library}_library)
    list(APPEND files ${cpb_${library}_library})
  endforeach()
  mark_as_advanced(${variables})
  if(TARGET cpb::${name} OR "${cpb_${name}_include};${files}" MATCHES "NOTFOUND")
    return()
  endif()
  add_library(cpb::${name} INTERFACE IMPORTED GLOBAL)
  set_target_properties(cpb::${name} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${cpb_${name}_include} INTERFACE_LINK_LIBRARIES "${files}")
endfunction()
