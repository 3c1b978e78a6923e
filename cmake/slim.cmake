# cmake -DPROTOC=EXE -DSET=FILE -P slim.cmake: takes out of a descriptor set, in
# place, what src/proto/schema_build.c does not read or would make itself.
set(type google.protobuf.FileDescriptorSet)
set(proto google/protobuf/descriptor.proto)

function(run direction input output)
  execute_process(COMMAND ${PROTOC} --${direction}=${type} ${proto}
    INPUT_FILE ${input} OUTPUT_FILE ${output} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "protoc --${direction} failed")
  endif()
endfunction()

run(decode ${SET} ${SET}.txt)
file(READ ${SET}.txt text)

# Names of files, what they import, options for other languages, JSON names that
# follow from the field's name as these all do, and the label that is the default.
set(line "(name: \"[^\"]*\\.proto\"|(public_dependency|dependency|json_name|label: LABEL_OPTIONAL|deprecated")
string(APPEND line "|java_[a-z_]*|go_package|objc_class_prefix|csharp_namespace|cc_enable_arenas)[^\n]*)")
string(REGEX REPLACE "\n *${line}" "" text "${text}")
string(REGEX REPLACE "\n *(oneof_decl|reserved_range|options) {(\n *(name|start|end): [^\n]*)*\n *}" "" text "${text}")
file(WRITE ${SET}.txt "${text}")
run(encode ${SET}.txt ${SET})
