# Source trees of other projects. Also used by scripts (release.cmake).
set(CPB_THIRD_PARTY ${PROJECT_SOURCE_DIR}/third_party) # of a release tarball

# cpb_source_tree(<name> <variable>): the tree that CPB_<NAME>_SOURCE names, or what a
# release tarball brings, or the distribution's source package.
function(cpb_source_tree name out)
  set(zstd libzstd) # the package, and the suite that has it if the distribution's own may not
  set(brotli brotli)
  set(zlib zlib)
  set(nanopb nanopb)
  set(yyjson yyjson trixie)

  string(TOUPPER ${name} upper)
  set(CPB_${upper}_SOURCE "" CACHE PATH "Source tree of ${name}")
  set(tree ${CMAKE_BINARY_DIR}/_sources/${name})
  if(CPB_${upper}_SOURCE)
    set(tree ${CPB_${upper}_SOURCE})
  elseif(EXISTS ${CPB_THIRD_PARTY}/${name})
    set(tree ${CPB_THIRD_PARTY}/${name})
  elseif(NOT EXISTS ${tree})
    list(GET ${name} 0 package)
    list(REMOVE_AT ${name} 0)
    message(STATUS "Fetching the source package ${package}")
    execute_process(COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/debian-source.sh ${package} ${tree} ${${name}}
                    RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "No source of ${name}: name one with -DCPB_${upper}_SOURCE=DIR")
    endif()
  endif()
  set(${out} ${tree} PARENT_SCOPE)
endfunction()
