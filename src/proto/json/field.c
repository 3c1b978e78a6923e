/* The value of a field as JSON (cpb/field_json.h). A message is outlined. A number, text or bytes becomes the only
 * field of its parent, whose JSON is {"name":VALUE}; so does a list or a map, which consists of fields of the parent.
 * The text around VALUE is removed while the output streams. */
#include "cpb/field_json.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/input.h"
#include "base/limits.h"
#include "base/status.h"
#include "cpb/outline.h"
#include "proto/wire.h"

#define DEFAULT_MAX_VALUE 1024
#define DEFAULT_MAX_SIZE ((uint64_t)64 << 20)
#define READ_MOST ((size_t)1 << 20)

struct cpb_field_json {
  cpb_allocator allocator;
  cpb_field_json_options options;
  cpb_found found;
  cpb_error error;
  bool is_inner; /* the value is in an object with its name */

  cpb_outline *outline; /* of a message or of fields; the next members are for other values */
  cpb_input input;
  cpb_range range;
  bool has_range;
  cpb_omitted omitted;
  cpb_buffer value; /* head and value */
  size_t have;      /* bytes of the value so far */

  cpb_json *json;
  cpb_buffer text;             /* pieces of the output, from the start of VALUE */
  size_t closing;              /* number of bytes at its end that may belong to the text after VALUE */
  bool begun, is_listed, done; /* VALUE; "[" is passed over; all was given */
  cpb_span out;
};

/* --- Creation ---------------------------------------------------------------------- */

static cpb_outline *outline_of(const cpb_field_json *j, const cpb_range *ranges, size_t num_ranges) {
  const cpb_outline_options how = {.struct_size = sizeof how,
                                   .max_value = j->options.max_value,
                                   .max_size = j->options.max_size,
                                   .limits = j->options.limits};
  const cpb_message_type *type = j->is_inner ? j->found.parent : j->found.message;
  return cpb_outline_new(&j->allocator, type, ranges, num_ranges, &how);
}

cpb_field_json *cpb_field_json_new(const cpb_allocator *given, const cpb_found *found, const cpb_range *ranges,
                                   size_t num_ranges, const cpb_field_json_options *options) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_field_json *j = cpb_alloc_zeroed(&a, sizeof *j);
  if (!j) return NULL;
  j->allocator = a;
  j->found = *found;
  j->error.offset = CPB_NO_OFFSET;
  cpb_options_copy(&j->options, sizeof j->options, options);
  if (j->options.max_value == 0) j->options.max_value = DEFAULT_MAX_VALUE;
  if (j->options.max_size == 0) j->options.max_size = DEFAULT_MAX_SIZE;
  cpb_input_init(&j->input);
  cpb_buffer_init(&j->value, &a);
  cpb_buffer_init(&j->text, &a);
  j->is_inner = !found->message || found->fields;
  j->has_range = num_ranges > 0;
  if (j->has_range) j->range = ranges[0];
  if (!found->message && !found->field) {
    cpb_fail(&j->error, CPB_E_USAGE, CPB_NO_OFFSET, "the type of the field is not known; expected one, to show JSON");
  } else if (found->message || found->fields) {
    j->outline = outline_of(j, ranges, num_ranges);
    if (!j->outline) {
      cpb_field_json_free(j);
      return NULL;
    }
  }
  return j;
}

void cpb_field_json_free(cpb_field_json *j) {
  if (!j) return;
  cpb_allocator a = j->allocator;
  cpb_json_free(j->json);
  cpb_outline_free(j->outline);
  cpb_buffer_free(&j->value);
  cpb_buffer_free(&j->text);
  cpb_release(&a, j);
}

cpb_input *cpb_field_json_input(cpb_field_json *j) { return j->outline ? cpb_outline_input(j->outline) : &j->input; }

const char *cpb_field_json_output(const cpb_field_json *j, size_t *length) {
  *length = j->out.size;
  return (const char *)j->out.data;
}

const cpb_error *cpb_field_json_error(const cpb_field_json *j) { return &j->error; }

/* --- The bytes ------------------------------------------------------------------------ */

static cpb_have fail(cpb_field_json *j, const cpb_error *error) {
  if (j->error.code == CPB_OK) j->error = *error;
  return CPB_FAILED;
}

static cpb_have fail_memory(cpb_field_json *j) {
  cpb_fail_memory(&j->error);
  return CPB_FAILED;
}

static cpb_have begin_json(cpb_field_json *j, cpb_span bytes, const cpb_omitted *omitted, size_t count) {
  const cpb_json_options how = {.struct_size = sizeof how,
                                .original_names = 1,
                                .limits = j->options.limits,
                                .omitted = omitted,
                                .num_omitted = count};
  j->json = cpb_json_new(&j->allocator, j->is_inner ? j->found.parent : j->found.message, bytes.data, bytes.size, &how);
  return j->json ? CPB_HAVE : fail_memory(j);
}

static cpb_have take_outline(cpb_field_json *j) {
  cpb_step step = cpb_outline_step(j->outline);
  if (step == CPB_STEP_NEED) return CPB_WAIT;
  if (step != CPB_STEP_DONE) return fail(j, cpb_outline_error(j->outline));
  size_t count;
  cpb_span bytes;
  bytes.data = cpb_outline_message(j->outline, &bytes.size);
  const cpb_omitted *omitted = cpb_outline_omitted(j->outline, &count);
  return begin_json(j, bytes, omitted, count);
}

static cpb_have begin_value(cpb_field_json *j, bool omits) {
  uint8_t head[CPB_WIRE_HEADER_MAX], *end;
  uint64_t length = omits ? 0 : j->range.length;
  if (length > j->options.max_size) {
    cpb_fail(&j->error, CPB_E_LIMIT, j->range.offset, "a field of %llu bytes; at most %llu are shown as JSON",
             (unsigned long long)length, (unsigned long long)j->options.max_size);
    return CPB_FAILED;
  }
  end = cpb_varint_write(head, (uint64_t)j->found.number << 3 | j->found.wire_type);
  if (j->found.wire_type == CPB_WIRE_LEN) end = cpb_varint_write(end, length);
  return cpb_buffer_append(&j->value, head, (size_t)(end - head)) ? CPB_HAVE : fail_memory(j);
}

/* Reads more of the value; CPB_AT_END after the last byte. */
static cpb_have gather(cpb_field_json *j) {
  cpb_span part;
  if (j->have == j->range.length) return CPB_AT_END;
  size_t some = (size_t)cpb_min_u64(j->range.length - j->have, READ_MOST);
  cpb_have have = cpb_input_span(&j->input, j->range.offset + j->have, some, some, &part);
  if (have == CPB_FAILED) return fail(j, &j->input.failure);
  if (have == CPB_AT_END) {
    cpb_fail(&j->error, CPB_E_TRUNCATED, j->range.offset + j->have, "the message ends in the field");
    return CPB_FAILED;
  }
  if (have != CPB_HAVE) return have;
  j->have += part.size;
  return cpb_buffer_append(&j->value, part.data, part.size) ? CPB_HAVE : fail_memory(j);
}

static cpb_have take_value(cpb_field_json *j) {
  cpb_have have = j->has_range ? CPB_HAVE : cpb_input_size(&j->input, 0, &j->range.length);
  if (have == CPB_FAILED) return fail(j, &j->input.failure);
  if (have != CPB_HAVE) return have;
  j->has_range = true;
  bool omits = j->found.wire_type == CPB_WIRE_LEN && j->range.length > j->options.max_value;
  if (j->value.size == 0) have = begin_value(j, omits);
  while (have == CPB_HAVE && !omits) have = gather(j);
  if (have == CPB_WAIT || have == CPB_FAILED) return have;
  cpb_input_let_go(&j->input);
  j->omitted = (cpb_omitted){j->range.offset, j->range.length, j->value.size, j->found.number};
  return begin_json(j, (cpb_span){j->value.data, j->value.size}, &j->omitted, omits);
}

/* --- The text --------------------------------------------------------------------------- */

/* The JSON of a field that is present with its type's default, which JSON leaves out. */
static const char *default_of(const cpb_found *found) {
  if (found->fields) return found->field->map ? "{}" : "[]";
  switch (found->field->type) {
    case CPB_TYPE_STRING:
    case CPB_TYPE_BYTES: return "\"\"";
    case CPB_TYPE_BOOL: return "false";
    case CPB_TYPE_INT64:
    case CPB_TYPE_UINT64:
    case CPB_TYPE_FIXED64:
    case CPB_TYPE_SFIXED64:
    case CPB_TYPE_SINT64: return "\"0\"";
    default: return "0";
  }
}

/* Whether a byte of the object belongs to VALUE, which begins after the colon; for a list's element, which is the only
 * one, after the bracket. */
static bool take_start(cpb_field_json *j, char byte) {
  if (!j->begun) {
    j->begun = byte == ':';
    j->is_listed = j->found.field->repeated && !j->found.fields;
    return false;
  }
  if (j->closing > 0) return true;
  j->closing = j->is_listed && byte == '[' ? 2 : 1;
  return j->closing == 1;
}

/* The next bytes of VALUE; none yet if all of them may come after it. */
static bool take_text(cpb_field_json *j, cpb_span text) {
  size_t given = j->out.size;
  if (given > 0) memmove(j->text.data, j->text.data + given, j->text.size - given);
  j->text.size -= given;
  j->out.size = 0;
  while (text.size > 0 && !take_start(j, (char)*text.data)) text = (cpb_span){text.data + 1, text.size - 1};
  if (!cpb_buffer_append(&j->text, text.data, text.size)) return false;
  if (j->text.size > j->closing) j->out = (cpb_span){j->text.data, j->text.size - j->closing};
  return true;
}

static cpb_step finish(cpb_field_json *j) {
  bool lacks = j->is_inner && !j->begun && !j->done;
  const char *none = lacks ? default_of(&j->found) : "";
  j->done = true;
  j->out = (cpb_span){(const uint8_t *)none, strlen(none)};
  return lacks ? CPB_STEP_OUTPUT : CPB_STEP_DONE;
}

static cpb_step give(cpb_field_json *j) {
  while (!j->done) {
    cpb_step step = cpb_json_step(j->json);
    cpb_span text;
    if (step == CPB_STEP_DONE) break;
    if (step == CPB_STEP_ERROR) fail(j, cpb_json_error(j->json));
    if (step != CPB_STEP_OUTPUT) return step;
    text.data = (const uint8_t *)cpb_json_output(j->json, &text.size);
    if (!j->is_inner) j->out = text;
    else if (!take_text(j, text)) fail_memory(j);
    if (j->error.code != CPB_OK) return CPB_STEP_ERROR;
    if (j->out.size > 0) return CPB_STEP_OUTPUT;
  }
  return finish(j);
}

cpb_step cpb_field_json_step(cpb_field_json *j) {
  if (j->error.code != CPB_OK) return CPB_STEP_ERROR;
  if (!j->json) {
    cpb_have have = j->outline ? take_outline(j) : take_value(j);
    if (have == CPB_WAIT) return CPB_STEP_NEED;
    if (have != CPB_HAVE) return CPB_STEP_ERROR;
  }
  return give(j);
}
