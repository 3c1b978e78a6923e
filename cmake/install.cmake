# `cmake --install`: headers, both libraries, the command, and what
# find_package(cpb) and pkg-config need.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/cpb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Targets that were compiled from source have no package to be found again, so
# only a build against the system's libraries, and with all of them, can be exported.
if(CPB_DEPENDENCIES STREQUAL system AND CPB_CODECS STREQUAL builtin AND CPB_WITH_BROTLI)
  install(TARGETS cpb_static cpb_shared EXPORT cpb)
  install(EXPORT cpb NAMESPACE cpb:: FILE cpb-targets.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cpb)
  configure_package_config_file(cmake/cpb-config.cmake.in cpb-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cpb)
  write_basic_package_version_file(cpb-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cpb-config.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/cpb-config-version.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cpb)

  # As a path from its own folder, cpb.pc is right wherever it was installed to;
  # a GNUInstallDirs folder outside the prefix is absolute.
  file(RELATIVE_PATH CPB_PREFIX_FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
       ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" CPB_PREFIX_FROM_PKGCONFIG ${CPB_PREFIX_FROM_PKGCONFIG})
  foreach(dir LIBDIR INCLUDEDIR)
    cmake_path(APPEND CPB_PKGCONFIG_${dir} "\${prefix}" ${CMAKE_INSTALL_${dir}})
  endforeach()
  if(YYJSON_FOUND) # else it is within the library
    set(CPB_PKGCONFIG_YYJSON " yyjson")
  endif()
  configure_file(cmake/cpb.pc.in cpb.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cpb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
