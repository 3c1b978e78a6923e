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
