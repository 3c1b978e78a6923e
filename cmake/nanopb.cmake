# cpb_nanopb_sources(<target> <proto>...): compiles .proto files of
# ${PROJECT_SOURCE_DIR}/proto with nanopb and adds them to the target. Their
# headers are included by the .proto's own path, as in
# "tensorflow/tools/proto_splitter/chunk.pb.h".
function(cpb_nanopb_sources target)
  set(protos ${PROJECT_SOURCE_DIR}/proto)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated})
  foreach(proto IN LISTS ARGN)
    string(REGEX REPLACE "\\.proto$" "" name ${proto})
    set(outputs ${generated}/${name}.pb.c ${generated}/${name}.pb.h)
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND ${PROTOC} -I${protos} --plugin=protoc-gen-nanopb=${NANOPB_PLUGIN}
              --nanopb_out=-I${protos}:${generated} ${proto}
      DEPENDS ${protos}/${proto} ${protos}/${name}.options
      WORKING_DIRECTORY ${protos}
      COMMENT "nanopb ${proto}" VERBATIM)
    list(APPEND all ${outputs})
  endforeach()
  target_sources(${target} PRIVATE ${all})
  target_include_directories(${target} PRIVATE ${generated})
  # The commands belong to this directory and the target perhaps to another.
  add_custom_target(${target}_nanopb DEPENDS ${all})
  add_dependencies(${target} ${target}_nanopb)
endfunction()

# cpb_find_python(<variable>): a Python that has the package protobuf. The first one in
# PATH may be another than the distribution's, which has the distribution's packages.
function(cpb_find_python out)
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
      set(${out} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "No Python with the package protobuf (python3-protobuf in Debian) was found: "
                      "install it, or name one with -DCPB_PYTHON=python3")
endfunction()

# cpb_builtin_types(<target> <name> <header> <proto>...): what .proto files and what
# they import declare, as C arrays `name`_names and `name`_code that `header` declares.
function(cpb_builtin_types target name header)
  set(protos ${PROJECT_SOURCE_DIR}/proto)
  set(set ${PROJECT_BINARY_DIR}/generated/${name}.fds)
  set(source ${PROJECT_BINARY_DIR}/generated/${name}.c)
  set(tool ${PROJECT_SOURCE_DIR}/tools/builtin_schema.py)
  cpb_find_python(python)
  list(TRANSFORM ARGN PREPEND ${protos}/ OUTPUT_VARIABLE files)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${PROTOC} -I${protos} --include_imports --descriptor_set_out=${set} ${ARGN}
    COMMAND ${python} ${tool} ${set} ${header} ${name} ${source}
    DEPENDS ${files} ${tool}
    WORKING_DIRECTORY ${protos}
    COMMENT "Types ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${source})
  add_custom_target(${target}_${name} DEPENDS ${source})
  add_dependencies(${target} ${target}_${name})
endfunction()
