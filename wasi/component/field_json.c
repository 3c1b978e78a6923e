#include "field_json.h"

#include "base/checked.h"
#include "base/status.h"
#include "cpb/field_json.h"

#define BYTES_MOST ((uint64_t)16 << 20)
#define TEXT_MOST ((size_t)32 << 20)

static cpb_field_json *json_of(const cpb_allocator *a, const cpb_find *find, uint64_t omit, cpb_error *error) {
  size_t count = cpb_find_num_ranges(find);
  const cpb_json_options names = {.struct_size = sizeof names, .original_names = 1};
  const cpb_field_json_options how = {
      .struct_size = sizeof how, .max_value = cpb_max_u64(omit, 1), .max_size = BYTES_MOST, .json = &names};
  cpb_range *ranges = cpb_alloc(a, (count + 1) * sizeof *ranges);
  for (size_t i = 0; ranges && i < count; i++) ranges[i] = cpb_find_get_range(find, i);
  cpb_field_json *json = ranges ? cpb_field_json_new(a, cpb_find_found(find), ranges, count, &how) : NULL;
  cpb_release(a, ranges);
  if (!json) cpb_fail_memory(error);
  return json;
}

static bool take(cpb_field_json *json, cpb_buffer *text, cpb_error *error) {
  size_t length;
  const char *part = cpb_field_json_output(json, &length);
  if (length > TEXT_MOST - text->size)
    return CPB_FAILS(error, CPB_E_LIMIT, CPB_NO_OFFSET, "the field has more than %zu bytes of JSON", TEXT_MOST);
  return cpb_buffer_append(text, part, length) || cpb_fail_memory(error) == CPB_OK;
}

bool cpb_field_json_text(cpb_message_file *message, const cpb_find *find, uint64_t omit, cpb_buffer *text,
                         cpb_error *error) {
  const cpb_found *found = cpb_find_found(find);
  if (!found->message && !found->field) return true;
  cpb_field_json *json = json_of(&text->allocator, find, omit, error);
  cpb_step step = CPB_STEP_ERROR;
  bool good = json != NULL;
  while (good && (step = cpb_field_json_step(json)) > CPB_STEP_DONE)
    good = step == CPB_STEP_NEED ? cpb_message_file_supply(message, cpb_field_json_input(json), error) == CPB_OK
                                 : take(json, text, error);
  if (good && step == CPB_STEP_ERROR) *error = *cpb_field_json_error(json);
  cpb_field_json_free(json);
  return good && step == CPB_STEP_DONE;
}

const char *cpb_field_type_name(const cpb_found *found) {
  static const char *const names[] = {"",        "double",   "float",    "int64",  "uint64",  "int32", "fixed64",
                                      "fixed32", "bool",     "string",   "group",  "message", "bytes", "uint32",
                                      "enum",    "sfixed32", "sfixed64", "sint32", "sint64"};
  if (found->message) return found->message->name;
  if (!found->field) return NULL;
  return found->field->enumeration ? found->field->enumeration->name : names[found->field->type];
}
