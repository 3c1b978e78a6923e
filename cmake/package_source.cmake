# The target package_source: libcpb-VERSION.tar.gz in the build directory. Also run by it
# as a script, as the sources of nanopb and yyjson may have to be fetched first.
if(CMAKE_SCRIPT_MODE_FILE)
  include(${PROJECT_SOURCE_DIR}/cmake/sources.cmake)
  cpb_source_tree(nanopb nanopb)
  cpb_source_tree(yyjson yyjson)
  execute_process(COMMAND ${PYTHON} ${PROJECT_SOURCE_DIR}/tools/source_tarball.py ${VERSION} libcpb-${VERSION}.tar.gz
    --generated generated --nanopb ${nanopb} --yyjson ${yyjson} --library cpb_objects.sources --command cpb.sources
    COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

# The C sources of the library and of the command, for the tools that need a list.
foreach(target cpb_objects cpb)
  get_target_property(sources ${target} SOURCES)
  get_target_property(dir ${target} SOURCE_DIR)
  set(lines)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${dir} NORMALIZE)
    string(APPEND lines "${source}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${target}.sources CONTENT "${lines}" @ONLY)
endforeach()
add_custom_target(package_source
  COMMAND ${CMAKE_COMMAND} -DPROJECT_SOURCE_DIR=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
          -DPYTHON=${CPB_PYTHON} -DCPB_NANOPB_SOURCE=${CPB_NANOPB_SOURCE} -DCPB_YYJSON_SOURCE=${CPB_YYJSON_SOURCE}
          -P ${CMAKE_CURRENT_LIST_FILE}
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR} VERBATIM)
add_dependencies(package_source cpb_generated)
