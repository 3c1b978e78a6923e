# What is built. Without some of it the library has fewer headers and dependencies:
#   CPB_BUILD_HOST=OFF     no files: no cpb/file.h, cpb/open.h and cpb/url.h, and no threads
#   CPB_BUILD_MODEL=OFF    nothing that looks into models, and neither zlib nor yyjson
#   CPB_BUILD_CLI=OFF      no command, which needs all of the others
#   CPB_BUILD_PYTHON=ON    also the extension of the Python package, which needs Python's headers
#   CPB_WITH_MALLOC=OFF    no malloc: whoever passes NULL as allocator has no memory
#   CPB_QUICK=ON           compiled in half the time, as by `pip install .`: what does not work through bytes is less
#                          optimized, and the compiler warns of nothing
# Codecs are the choice of codecs.cmake.
include(CMakeDependentOption)
option(CPB_BUILD_HOST "Input and output: cpb/file.h and cpb/open.h" ON)
option(CPB_BUILD_MODEL "Looking into models: cpb/model.h and what goes with it" ON)
option(CPB_BUILD_CLI "The command cpb" ON)
option(CPB_WITH_MALLOC "The C library's malloc where a program gives no allocator" ON)

set(CPB_WHOLE TRUE) # there is all that the tests need
set(CPB_HEADERS_LEFT_OUT)
if(NOT CPB_BUILD_HOST)
  set(CPB_WHOLE FALSE)
  list(APPEND CPB_HEADERS_LEFT_OUT file open url)
endif()
if(NOT CPB_BUILD_MODEL)
  set(CPB_WHOLE FALSE)
  list(APPEND CPB_HEADERS_LEFT_OUT archive checkpoint diff model onnx open samediff statistics values)
endif()

if(CPB_BUILD_CLI AND NOT (CPB_BUILD_HOST AND CPB_BUILD_MODEL))
  message(FATAL_ERROR "CPB_BUILD_CLI is ON, but the command cannot do without CPB_BUILD_HOST=ON (it is ${CPB_BUILD_HOST}) "
                      "and CPB_BUILD_MODEL=ON (${CPB_BUILD_MODEL}): leave it out with -DCPB_BUILD_CLI=OFF")
endif()
if(NOT CPB_BUILD_CLI OR NOT CPB_WITH_BROTLI OR NOT CPB_WITH_MALLOC)
  set(CPB_WHOLE FALSE)
endif()

set(CPB_PYTHON_WHEEL OFF)
set(CPB_TOP_LEVEL ${PROJECT_IS_TOP_LEVEL})
if(SKBUILD) # by pip
  set(CPB_PYTHON_WHEEL ON)
  set(CPB_TOP_LEVEL OFF)
endif()
option(CPB_QUICK "Compile in half the time" ${CPB_PYTHON_WHEEL})
cmake_dependent_option(CPB_BUILD_TESTS "Build the tests" ${CPB_TOP_LEVEL} CPB_WHOLE OFF)
cmake_dependent_option(CPB_BUILD_EXAMPLES "Build the examples" ${CPB_TOP_LEVEL} CPB_BUILD_HOST OFF)
cmake_dependent_option(CPB_BUILD_PYTHON "Build the Python package's extension" ${CPB_PYTHON_WHEEL} CPB_WHOLE OFF)
if(PROJECT_IS_TOP_LEVEL AND NOT CPB_WHOLE AND NOT CPB_WASM)
  message(STATUS "Something is left out, so the tests, which need all, are not built")
endif()
