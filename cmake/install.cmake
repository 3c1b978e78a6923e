# `cmake --install`: headers, both libraries, the command, and what
# find_package(cpb) and pkg-config need.
include(CMakePackageConfigHelpers)

file(GLOB headers CONFIGURE_DEPENDS include/cpb/*.h)
foreach(name IN LISTS CPB_HEADERS_LEFT_OUT)
  list(REMOVE_ITEM headers ${PROJECT_SOURCE_DIR}/include/cpb/${name}.h)
endforeach()
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cpb)
if(CPB_BUILD_HOST AND CPB_BUILD_MODEL) # for C++, over all of them
  install(FILES include/cpb/cpb.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cpb)
  install(DIRECTORY include/cpb/cpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cpb)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What was compiled from source has no package to be found again: then only the shared
# library, which is complete in itself, can be found.
set(CPB_NEEDS) # of cpb::static
if(CPB_DEPENDENCIES STREQUAL system)
  foreach(name zstd brotli zlib nanopb yyjson)
    if(TARGET cpb::${name} AND NOT cpb_${name} IN_LIST CPB_WITHIN)
      list(APPEND CPB_NEEDS ${name})
    endif()
  endforeach()
  install(TARGETS cpb_static EXPORT cpb)
endif()
install(TARGETS cpb_shared EXPORT cpb)
install(EXPORT cpb NAMESPACE cpb:: FILE cpb-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cpb)
configure_package_config_file(cmake/cpb-config.cmake.in cpb-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cpb)
write_basic_package_version_file(cpb-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cpb-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/cpb-config-version.cmake cmake/libraries.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cpb)

# As a path from its own folder, cpb.pc is right wherever it was installed to;
# a GNUInstallDirs folder outside the prefix is absolute.
file(RELATIVE_PATH CPB_PREFIX_FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
     ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" CPB_PREFIX_FROM_PKGCONFIG ${CPB_PREFIX_FROM_PKGCONFIG})
foreach(dir LIBDIR INCLUDEDIR)
  cmake_path(APPEND CPB_PKGCONFIG_${dir} "\${prefix}" ${CMAKE_INSTALL_${dir}})
endforeach()
set(CPB_PKGCONFIG_REQUIRES)
set(CPB_PKGCONFIG_LIBS)
if(CPB_BUILD_HOST)
  set(CPB_PKGCONFIG_LIBS -pthread)
endif()
if(CPB_CURL_INCLUDE AND CMAKE_DL_LIBS)
  string(APPEND CPB_PKGCONFIG_LIBS " -l${CMAKE_DL_LIBS}")
endif()
foreach(name IN LISTS CPB_NEEDS)
  if(name STREQUAL nanopb) # has no .pc
    string(PREPEND CPB_PKGCONFIG_LIBS "-lprotobuf-nanopb ")
  elseif(name STREQUAL brotli)
    string(APPEND CPB_PKGCONFIG_REQUIRES " libbrotlidec libbrotlienc")
  elseif(name STREQUAL zstd)
    string(APPEND CPB_PKGCONFIG_REQUIRES " libzstd")
  else()
    string(APPEND CPB_PKGCONFIG_REQUIRES " ${name}")
  endif()
endforeach()
configure_file(cmake/cpb.pc.in cpb.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cpb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
