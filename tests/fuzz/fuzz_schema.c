/* A FileDescriptorSet: whatever it says, its types can be looked up and used. */
#include "cpb/message.h"
#include "fuzz.h"

static void use(const cpb_schema *schema) {
  for (size_t i = 0; i < cpb_schema_num_messages(schema); i++) {
    const cpb_message_type *type = cpb_schema_get_message(schema, i);
    fuzz_check(type != NULL);
    for (uint32_t number = 0; number < 40; number++) {
      const cpb_field *field = cpb_message_find_number(type, number);
      if (field == NULL) continue;
      fuzz_check(field->number == number && field->name != NULL && field->json_name != NULL);
      fuzz_check(!field->map || (field->message != NULL && cpb_message_find_number(field->message, 1) != NULL));
    }
    cpb_json *json = cpb_json_new(NULL, type, "\x0a\x02\x08\x01\x10\x05", 6, NULL);
    fuzz_check(json != NULL);
    while (cpb_json_step(json) == CPB_STEP_OUTPUT) continue;
    cpb_json_free(json);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cpb_error error = {.code = CPB_OK};
  cpb_schema *schema = cpb_schema_new(NULL, data, size, &fuzz_limits, &error);
  if (schema == NULL) fuzz_check(error.code != CPB_OK && error.message[0] != '\0');
  else use(schema);
  cpb_schema_free(schema);
  return 0;
}
