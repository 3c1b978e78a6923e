/* Where a value of an outline lies in its input: [type 1][max_value 1][message]. The outline of that range is
 * the value. */
#include "cpb/outline.h"

#include "base/bytes.h"
#include "host.h"

static const char *const types[] = {"tensorflow.GraphDef", "tensorflow.SavedModel", "tensorflow.FunctionDef",
                                    "tensorflow.StructuredValue"};

static const fuzz_bounds bounds = {.held = {64 << 10, 256}, .walked = {1024, 64}, .entries = {256, 8}};

enum { MOST_VALUES = 200, LEVELS = 4 };

typedef struct outlined {
  cpb_outline *outline;
  fuzz_in message; /* of the outline */
  cpb_step step;
} outlined;

typedef struct setting {
  fuzz_in input;
  uint64_t max_value;
  size_t values; /* looked at so far */
} setting;

static outlined outline_of(const cpb_message_type *type, const setting *s, const cpb_range *range, int locate,
                           const cpb_limits *limits) {
  const cpb_outline_options options = {
      .struct_size = sizeof options, .max_value = s->max_value, .locate = locate, .limits = limits};
  outlined o = {.outline = cpb_outline_new(NULL, type, range, range ? 1 : 0, &options)};
  fuzz_loan loan = {NULL};
  while ((o.step = cpb_outline_step(o.outline)) == CPB_STEP_NEED)
    fuzz_lend(&loan, cpb_outline_input(o.outline), s->input, SIZE_MAX);
  fuzz_return(&loan);
  if (o.step == CPB_STEP_DONE) o.message.data = cpb_outline_message(o.outline, &o.message.size);
  else fuzz_error(cpb_outline_error(o.outline));
  return o;
}

static int is_omitted(const outlined *o, size_t at) {
  size_t count;
  const cpb_omitted *omitted = cpb_outline_omitted(o->outline, &count);
  for (size_t i = 0; i < count; i++)
    if (omitted[i].at == at) return 1;
  return 0;
}

/* A value in the outline; a message if `type` is not NULL. */
static void check_value(const outlined *o, setting *s, const cpb_message_type *type, size_t at, size_t size) {
  cpb_range range = cpb_outline_locate(o->outline, at, size);
  fuzz_check(range.offset <= s->input.size && range.length <= s->input.size - range.offset);
  if (range.length <= s->max_value) {
    fuzz_check(range.length == size && memcmp(o->message.data + at, s->input.data + range.offset, size) == 0);
    return;
  }
  if (type == NULL) return;
  outlined inner = outline_of(type, s, &range, 0, &fuzz_limits);
  fuzz_check(inner.step == CPB_STEP_DONE);
  fuzz_check(fuzz_same(inner.message, (fuzz_in){o->message.data + at, size}));
  cpb_outline_free(inner.outline);
}

/* The fields of the message [at, end) of the outline. */
static void check_fields(const outlined *o, setting *s, const cpb_message_type *type, cpb_range where, int level) {
  if (where.length == 0) return;
  const uint8_t *begin = o->message.data, *p = begin + where.offset, *end = p + where.length;
  while (p < end && s->values++ < MOST_VALUES) {
    uint64_t tag, value;
    p = cpb_varint_read(p, end, &tag);
    fuzz_check(p != NULL);
    if ((tag & 7) == 3 || (tag & 7) == 4) continue; /* a group's fields are like any others, for this */
    if ((tag & 7) == 1 || (tag & 7) == 5) {
      fuzz_check((size_t)(end - p) >= ((tag & 7) == 1 ? 8 : 4));
      p += (tag & 7) == 1 ? 8 : 4;
      continue;
    }
    p = cpb_varint_read(p, end, &value);
    fuzz_check(p != NULL);
    if ((tag & 7) == 0) continue;
    fuzz_check((tag & 7) == 2 && value <= (size_t)(end - p));
    size_t at = (size_t)(p - begin), size = (size_t)value;
    const cpb_field *field = type ? cpb_message_find_number(type, (uint32_t)(tag >> 3)) : NULL;
    const cpb_message_type *inner = field && field->type == CPB_TYPE_MESSAGE ? field->message : NULL;
    p += size;
    if (size == 0 && is_omitted(o, at)) continue;
    check_value(o, s, inner, at, size);
    if (inner && level < LEVELS && cpb_outline_locate(o->outline, at, size).length > s->max_value)
      check_fields(o, s, inner, (cpb_range){at, size}, level + 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  static cpb_schema *schema; /* making it takes longer than all the rest */
  if (schema == NULL) schema = cpb_schema_new_builtin(NULL, NULL);
  cpb_work work = {0};
  const cpb_limits counted = fuzz_counted(&work);
  uint32_t how = fuzz_number(&in, 1);
  const cpb_message_type *type = how & 4 ? NULL : cpb_schema_find_message(schema, types[how & 3]);
  setting s = {.max_value = 1 + fuzz_number(&in, 1)};
  s.input = in;
  outlined o = outline_of(type, &s, NULL, 1, &counted);
  if (o.step == CPB_STEP_DONE) check_fields(&o, &s, type, (cpb_range){0, o.message.size}, 0);
  cpb_outline_free(o.outline);
  fuzz_bounded(&work, &bounds, in.size);
  return 0;
}
