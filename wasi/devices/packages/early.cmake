# cmake -P early.cmake: ESP-IDF reads a component's file once in a script, before there is a project,
# to learn what it requires, and ends it where it registers itself.
cmake_minimum_required(VERSION 3.21)
set(CMAKE_BUILD_EARLY_EXPANSION 1)
macro(idf_component_register)
  message(STATUS "registered")
  return()
endmacro()
include(${CMAKE_CURRENT_LIST_DIR}/../../../packaging/esp-idf/cpb/CMakeLists.txt)
