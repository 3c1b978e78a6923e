/* The value of a field as JSON (cpb/field_json.h). A message is outlined. Any other value is put into a message whose
 * type has this field alone, and VALUE is cut out of its JSON, {"name":VALUE}, as it goes by. */
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
  cpb_json_options how;
  cpb_found found;
  cpb_error error;
  bool is_inner; /* the value is in an object with its name, of the type `alone` */
  cpb_message_type alone;
  cpb_field field;
  cpb_enum_type enumeration;

  cpb_outline *outline; /* of a message or of fields; the next members are for other values */
  cpb_input input;
  cpb_range range;
  bool has_range;
  cpb_omitted omitted;
  cpb_buffer value; /* head and value */
  size_t have;      /* bytes of the value so far */

  cpb_json *json;
  enum { BEFORE, WITHIN, BEHIND } at; /* VALUE */
  size_t depth;                       /* in it */
  bool quoted, escaped;
  size_t margin;    /* blanks at the beginning of a line that are the object's */
  cpb_span text;    /* of the object, still to be looked at */
  bool given, done; /* some of VALUE; all of it */
  cpb_span out;
};

/* --- Creation ---------------------------------------------------------------------- */

/* The type has the field as a list or map if all of it was found; else as one value, which is shown even if it is the
 * default, and by number if the enum does not have it. */
static void make_type(cpb_field_json *j) {
  j->field = *j->found.field;
  j->alone = (cpb_message_type){.name = j->found.parent->name, .fields = &j->field, .num_fields = 1};
  if (j->found.fields) return;
  j->field.repeated = j->field.map = j->field.packed = 0;
  j->field.presence = 1;
  j->field.oneof = -1;
  if (!j->field.enumeration) return;
  j->enumeration = *j->field.enumeration;
  j->enumeration.closed = 0;
  j->field.enumeration = &j->enumeration;
}

static const cpb_message_type *type_of(const cpb_field_json *j) { return j->is_inner ? &j->alone : j->found.message; }

static cpb_outline *outline_of(const cpb_field_json *j, const cpb_range *ranges, size_t num_ranges) {
  const cpb_outline_options how = {.struct_size = sizeof how,
                                   .max_value = j->options.max_value,
                                   .max_size = j->options.max_size,
                                   .limits = j->options.limits};
  return cpb_outline_new(&j->allocator, type_of(j), ranges, num_ranges, &how);
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
  cpb_options_copy(&j->how, sizeof j->how, j->options.json);
  j->how.struct_size = sizeof j->how;
  j->how.limits = j->options.limits;
  if (j->options.max_value == 0) j->options.max_value = DEFAULT_MAX_VALUE;
  if (j->options.max_size == 0) j->options.max_size = DEFAULT_MAX_SIZE;
  cpb_input_init(&j->input);
  cpb_buffer_init(&j->value, &a);
  j->is_inner = !found->message || found->fields;
  j->has_range = num_ranges > 0;
  if (j->has_range) j->range = ranges[0];
  if (!found->message && !found->field) {
    cpb_fail(&j->error, CPB_E_USAGE, CPB_NO_OFFSET, "the type of the field is not known; expected one, to show JSON");
    return j;
  }
  if (j->is_inner) make_type(j);
  if (found->message || found->fields) {
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

static cpb_have fail_memory(cpb_field_json *j) { return cpb_fail_memory(&j->error), CPB_FAILED; }

static cpb_have begin_json(cpb_field_json *j, cpb_span bytes, const cpb_omitted *omitted, size_t count) {
  j->how.omitted = omitted;
  j->how.num_omitted = count;
  j->json = cpb_json_new(&j->allocator, type_of(j), bytes.data, bytes.size, &j->how);
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

/* Outside of strings. VALUE has no blanks there but in an object or list, whose lines the object around it indents. */
static bool is_value_unquoted(cpb_field_json *j, uint8_t byte) {
  const bool in_margin = byte == ' ' && j->margin > 0;
  j->margin = in_margin ? j->margin - 1 : byte == '\n' ? j->how.indent : 0;
  j->quoted = byte == '"';
  if (j->depth == 0 && (byte == ',' || byte == '}')) j->at = BEHIND;
  if (byte == '{' || byte == '[') j->depth++;
  else if (j->depth > 0 && (byte == '}' || byte == ']')) j->depth--;
  else if (j->depth == 0 && (byte == ' ' || byte == '\n')) return false;
  return j->at == WITHIN && !in_margin;
}

/* Goes past a byte: whether it belongs to VALUE. Unknown fields come last, so they begin the object if VALUE is not
 * there. */
static bool is_value(cpb_field_json *j, uint8_t byte) {
  if (j->at == BEFORE) j->at = byte == ':' ? WITHIN : byte == '@' ? BEHIND : BEFORE;
  else if (j->at == WITHIN && j->quoted) {
    j->quoted = byte != '"' || j->escaped;
    j->escaped = byte == '\\' && !j->escaped;
    return true;
  } else if (j->at == WITHIN) {
    return is_value_unquoted(j, byte);
  }
  return false;
}

/* The next part of VALUE in the text. Goes past it. */
static cpb_span take_part(cpb_field_json *j) {
  const uint8_t *begin = j->text.data, *end = begin + j->text.size;
  while (begin < end && !is_value(j, *begin)) begin++;
  const uint8_t *at = begin < end ? begin + 1 : begin;
  while (at < end && is_value(j, *at)) at++;
  const uint8_t *next = at < end ? at + 1 : at;
  j->text = (cpb_span){next, (size_t)(end - next)};
  return (cpb_span){begin, (size_t)(at - begin)};
}

static cpb_step finish(cpb_field_json *j) {
  bool lacks = j->is_inner && !j->given && !j->done;
  j->done = true;
  if (!lacks) return CPB_STEP_DONE;
  if (!j->found.fields) {
    cpb_fail(&j->error, CPB_E_DAMAGED, j->range.offset,
             "the value has wire type %u, which does not fit the field's type", j->found.wire_type);
    return CPB_STEP_ERROR;
  }
  j->out = (cpb_span){(const uint8_t *)(j->field.map ? "{}" : "[]"), 2};
  return CPB_STEP_OUTPUT;
}

static cpb_step give(cpb_field_json *j) {
  while (!j->done) {
    cpb_step step = j->text.size > 0 ? CPB_STEP_OUTPUT : cpb_json_step(j->json);
    if (step == CPB_STEP_DONE) break;
    if (step == CPB_STEP_ERROR) fail(j, cpb_json_error(j->json));
    if (step != CPB_STEP_OUTPUT) return step;
    if (j->text.size == 0) j->text.data = (const uint8_t *)cpb_json_output(j->json, &j->text.size);
    j->out = j->is_inner ? take_part(j) : j->text;
    if (!j->is_inner) j->text.size = 0;
    j->given |= j->out.size > 0;
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
