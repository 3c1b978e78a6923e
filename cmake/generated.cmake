# Sources that are generated from proto/*.proto. A release tarball has them in
# generated/; else protoc, nanopb and Python write them into the build directory.
set(CPB_GENERATED ${PROJECT_SOURCE_DIR}/generated)
if(EXISTS ${CPB_GENERATED})
  set(CPB_PREGENERATED TRUE)
else()
  set(CPB_PREGENERATED FALSE)
  set(CPB_GENERATED ${PROJECT_BINARY_DIR}/generated)
endif()
add_custom_target(cpb_generated) # what whoever compiles these sources depends on

# cpb_find_generators(): PROTOC, NANOPB_PLUGIN and CPB_PYTHON, a Python that has the
# package protobuf. The first one in PATH may be another than the distribution's, which
# has the distribution's packages.
function(cpb_find_generators)
  find_program(PROTOC protoc)
  find_program(NANOPB_PLUGIN protoc-gen-nanopb)
  if(NOT PROTOC OR NOT NANOPB_PLUGIN)
    message(FATAL_ERROR "protoc and protoc-gen-nanopb were not found (protobuf-compiler and nanopb in Debian): "
                        "a checkout needs them, a release tarball does not")
  endif()
  find_package(Python3 QUIET COMPONENTS Interpreter)
  foreach(python "${CPB_PYTHON}" "${Python3_EXECUTABLE}" /usr/bin/python3
                 ${PROJECT_SOURCE_DIR}/build/venv/bin/python)
    if(NOT python)
      continue()
    endif()
    execute_process(COMMAND ${python} -c "from google.protobuf import descriptor_pb2"
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(CPB_PYTHON ${python} CACHE FILEPATH "A Python with the package protobuf" FORCE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "No Python with the package protobuf was found (python3-protobuf in Debian): "
                      "install it, or name one with -DCPB_PYTHON=python3")
endfunction()
if(NOT CPB_PREGENERATED)
  cpb_find_generators()
endif()

# cpb_add_generated(<target> <name> <source>...): compiles them with the target. The
# commands that write them belong to this directory, and the target perhaps to another.
function(cpb_add_generated target name)
  list(TRANSFORM ARGN PREPEND ${CPB_GENERATED}/ OUTPUT_VARIABLE files)
  target_sources(${target} PRIVATE ${files})
  target_include_directories(${target} PRIVATE ${CPB_GENERATED})
  add_custom_target(cpb_generated_${name} DEPENDS ${files})
  add_dependencies(cpb_generated cpb_generated_${name})
  add_dependencies(${target} cpb_generated)
endfunction()

# cpb_nanopb_sources(<target> <proto>...): compiles .proto files of proto/ with nanopb
# and adds them to the target. Their headers are included by the .proto's own path, as in
# "tensorflow/tools/proto_splitter/chunk.pb.h".
function(cpb_nanopb_sources target)
  set(protos ${PROJECT_SOURCE_DIR}/proto)
  foreach(proto IN LISTS ARGN)
    string(REGEX REPLACE "\\.proto$" "" name ${proto})
    set(outputs ${name}.pb.c ${name}.pb.h)
    list(APPEND all ${outputs})
    if(CPB_PREGENERATED)
      continue()
    endif()
    file(MAKE_DIRECTORY ${CPB_GENERATED})
    list(TRANSFORM outputs PREPEND ${CPB_GENERATED}/)
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND ${PROTOC} -I${protos} --plugin=protoc-gen-nanopb=${NANOPB_PLUGIN}
              --nanopb_out=-I${protos}:${CPB_GENERATED} ${proto}
      DEPENDS ${protos}/${proto} ${protos}/${name}.options
      WORKING_DIRECTORY ${protos}
      COMMENT "nanopb ${proto}" VERBATIM)
  endforeach()
  cpb_add_generated(${target} nanopb ${all})
endfunction()

# cpb_builtin_types(<target> <name> <header> <proto>...): what .proto files and what
# they import declare, as C arrays `name`_names and `name`_code that `header` declares.
function(cpb_builtin_types target name header)
  set(protos ${PROJECT_SOURCE_DIR}/proto)
  set(set ${CPB_GENERATED}/${name}.fds)
  set(source ${CPB_GENERATED}/${name}.c)
  set(tool ${PROJECT_SOURCE_DIR}/tools/builtin_schema.py)
  if(NOT CPB_PREGENERATED)
    list(TRANSFORM ARGN PREPEND ${protos}/ OUTPUT_VARIABLE files)
    add_custom_command(
      OUTPUT ${source} ${set}
      COMMAND ${PROTOC} -I${protos} --include_imports --descriptor_set_out=${set} ${ARGN}
      COMMAND ${CPB_PYTHON} ${tool} ${set} ${header} ${name} ${source}
      DEPENDS ${files} ${tool}
      WORKING_DIRECTORY ${protos}
      COMMENT "Types ${name}" VERBATIM)
  endif()
  cpb_add_generated(${target} ${name} ${name}.c)
endfunction()
