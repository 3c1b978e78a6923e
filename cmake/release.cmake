# Targets that make what is released, in the build directory: package_source the tarball,
# amalgamation the library as cpb.c and cpb.h. Run as a script by them, too, as the sources
# of nanopb and yyjson may have to be fetched first.
if(CMAKE_SCRIPT_MODE_FILE)
  include(${PROJECT_SOURCE_DIR}/cmake/sources.cmake)
  cpb_source_tree(nanopb nanopb)
  cpb_source_tree(yyjson yyjson)
  execute_process(COMMAND ${PYTHON} ${PROJECT_SOURCE_DIR}/tools/${TOOL}.py ${VERSION} ${OUT} --library cpb_objects.sources
    --command cpb.sources --generated generated --nanopb ${nanopb} --yyjson ${yyjson} COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

# The C sources of the library and of the command.
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

function(cpb_release_target target tool out)
  add_custom_target(${target}
    COMMAND ${CMAKE_COMMAND} -DPROJECT_SOURCE_DIR=${PROJECT_SOURCE_DIR} -DTOOL=${tool} -DVERSION=${PROJECT_VERSION}
            -DOUT=${out} -DPYTHON=${CPB_PYTHON} -DCPB_NANOPB_SOURCE=${CPB_NANOPB_SOURCE}
            -DCPB_YYJSON_SOURCE=${CPB_YYJSON_SOURCE} -DCPB_FETCH=${CPB_FETCH} -DCPB_ARCHIVES=${CPB_ARCHIVES}
            -P ${PROJECT_SOURCE_DIR}/cmake/release.cmake
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR} COMMENT "${out}" VERBATIM)
  add_dependencies(${target} cpb_generated)
endfunction()
cpb_release_target(package_source source_tarball libcpb-${PROJECT_VERSION}.tar.gz)
cpb_release_target(amalgamation amalgamate amalgamation)
