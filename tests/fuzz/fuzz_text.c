/* Messages from text: [type and options 1][text]. What comes of it is a message of that type: as JSON it says
 * something. */
#include <stdbool.h>
#include <stdlib.h>

#include "cpb/message.h"
#include "cpb/model.h"
#include "host.h"

static const char *const types[] = {"tensorflow.GraphDef", "tensorflow.SavedModel", "onnx.ModelProto",
                                    "tensorflow.AttrValue"};

/* Strings of ONNX, in the syntax proto2, may be other text than UTF-8. */
static void check_message(const cpb_message_type *type, bool is_proto3, const uint8_t *message, size_t size) {
  const cpb_json_options options = {.struct_size = sizeof options, .strict_utf8 = is_proto3};
  cpb_json *json = cpb_json_new(NULL, type, message, size, &options);
  cpb_step step;
  while ((step = cpb_json_step(json)) == CPB_STEP_OUTPUT) cpb_json_output(json, &size);
  fuzz_check(step == CPB_STEP_DONE || cpb_json_error(json)->code == CPB_E_LIMIT);
  cpb_json_free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint32_t how = fuzz_number(&in, 1);
  size_t length = 0;
  cpb_error error;
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  const cpb_message_type *type = cpb_schema_find_message(schema, types[how & 3]);
  const cpb_text_options options = {.struct_size = sizeof options, .keep_damaged = how >> 2 & 1};
  uint8_t *message = cpb_message_from_text(type, (const char *)in.data, in.size, &options, &length, &error);
  fuzz_check((error.code == CPB_OK) <= (message != NULL));
  fuzz_check(error.code == CPB_OK || (error.offset <= in.size && error.message[0] != '\0'));
  if (message) check_message(type, (how & 3) != 2, message, length);
  cpb_model_kind kind = cpb_model_guess_text(NULL, in.data, in.size < 4096 ? in.size : 4096, NULL);
  fuzz_check(kind == 0 || cpb_model_message_type(kind) != NULL);
  free(message);
  cpb_schema_free(schema);
  return 0;
}
