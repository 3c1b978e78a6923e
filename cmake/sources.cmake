# Source trees of other projects. Also used by scripts (release.cmake).
set(CPB_THIRD_PARTY ${PROJECT_SOURCE_DIR}/third_party) # of a release tarball
option(CPB_FETCH "Download release archives (CPB_ARCHIVES) where the distribution has no source package" ON)
set(CPB_ARCHIVES ${CMAKE_CURRENT_LIST_DIR}/archives.txt CACHE FILEPATH "Release archives: name, URL and SHA-256, one a line")

# cpb_source_tree(<name> <variable>): the tree that CPB_<NAME>_SOURCE names, or what a
# release tarball brings, or the distribution's source package, or a release archive. In one
# of the last two, .origin says what it is, and with which hash.
function(cpb_source_tree name out)
  string(TOUPPER ${name} upper)
  set(CPB_${upper}_SOURCE "" CACHE PATH "Source tree of ${name}")
  set(tree ${CMAKE_BINARY_DIR}/_sources/${name})
  if(CPB_${upper}_SOURCE)
    set(tree ${CPB_${upper}_SOURCE})
  elseif(EXISTS ${CPB_THIRD_PARTY}/${name})
    set(tree ${CPB_THIRD_PARTY}/${name})
  else()
    file(LOCK ${tree}.lock GUARD FUNCTION) # several builds may share the trees
    if(NOT EXISTS ${tree}/.origin)
      cpb_fetch_package(${name} ${tree})
    endif()
    if(NOT EXISTS ${tree}/.origin)
      cpb_fetch_archive(${name} ${tree})
    endif()
  endif()
  set(${out} ${tree} PARENT_SCOPE)
endfunction()

# cpb_fetch_package(<name> <tree>): makes the tree if it can; ends with an error if the
# package is not what debian-sources.txt says.
function(cpb_fetch_package name tree)
  set(zstd libzstd) # the package, and the suite that has it if the distribution's own may not
  set(brotli brotli)
  set(zlib zlib)
  set(nanopb nanopb)
  set(yyjson yyjson trixie)
  list(POP_FRONT ${name} package)
  find_program(CPB_APT_GET apt-get)
  mark_as_advanced(CPB_APT_GET)
  if(CPB_APT_GET)
    message(STATUS "Fetching the source package ${package}")
    execute_process(COMMAND sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/debian-source.sh ${package} ${tree} ${${name}}
                    RESULT_VARIABLE failed)
    if(failed EQUAL 3)
      message(FATAL_ERROR "The source package ${package} is not the one that is known")
    endif()
  endif()
endfunction()

# cpb_fetch_archive(<name> <tree>): makes the tree, or ends with an error.
function(cpb_fetch_archive name tree)
  string(TOUPPER ${name} upper)
  if(NOT CPB_FETCH OR FETCHCONTENT_FULLY_DISCONNECTED)
    message(FATAL_ERROR "No source of ${name}: name a tree with -DCPB_${upper}_SOURCE=DIR, "
                        "or allow it to be downloaded with -DCPB_FETCH=ON")
  endif()
  file(STRINGS ${CPB_ARCHIVES} line REGEX "^${name} ")
  if(NOT line MATCHES "^${name} +([^ ]+) +([0-9a-f]+)$")
    message(FATAL_ERROR "${CPB_ARCHIVES} has \"${line}\" for ${name}; expected its name, a URL and a SHA-256, on one line")
  endif()
  set(url ${CMAKE_MATCH_1})
  set(hash ${CMAKE_MATCH_2})
  message(STATUS "Fetching ${url}")
  if(POLICY CMP0135) # files are new, whatever the archive says
    cmake_policy(SET CMP0135 NEW)
  endif()
  include(FetchContent)
  FetchContent_Populate(${name} QUIET URL ${url} URL_HASH SHA256=${hash}
    SOURCE_DIR ${tree}.new BINARY_DIR ${tree}.build SUBBUILD_DIR ${tree}.fetch)
  file(WRITE ${tree}.new/.origin "archive ${url} ${hash}\n")
  file(REMOVE_RECURSE ${tree} ${tree}.build ${tree}.fetch)
  file(RENAME ${tree}.new ${tree}) # only when it is whole
endfunction()
