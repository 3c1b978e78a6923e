/* Parses a message from its text. The text is read once, from front to back; open messages are on a stack. */
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/meter.h"
#include "base/status.h"
#include "base/utf8.h"
#include "cpb/message.h"
#include "proto/outline_state.h"
#include "proto/text/lexer.h"

/* An open message, up to `close`; or a list of messages, the elements of `list`. */
typedef struct level {
  const cpb_message_type *type;
  const cpb_field *list;
  char close;
  uint32_t packed; /* the packed field that is open, or 0 */
} level;

typedef struct reader {
  const cpb_schema *schema;
  const cpb_limits *limits;
  cpb_text_lexer lexer;
  cpb_allocator allocator;
  cpb_draft draft;
  cpb_buffer string;
  level *levels;
  size_t depth, capacity;
} reader;

static bool fail(reader *r, cpb_code code, const char *at, const char *format, cpb_span name, const char *type) {
  char quoted[96];
  cpb_quote(quoted, sizeof quoted, name.data, name.size);
  return CPB_FAILS(r->lexer.error, code, (uint64_t)(at - r->lexer.begin), format, quoted, type);
}

static level *top(reader *r) { return &r->levels[r->depth - 1]; }

static bool push(reader *r, level of) {
  if (r->depth > r->limits->depth)
    return CPB_FAILS(r->lexer.error, CPB_E_LIMIT, (uint64_t)(r->lexer.at - r->lexer.begin),
                     "messages are nested deeper than %u", r->limits->depth);
  if (!CPB_RESERVE(&r->allocator, &r->levels, &r->capacity, r->depth + 1))
    return cpb_fail_memory(r->lexer.error) == CPB_OK;
  r->levels[r->depth++] = of;
  return true;
}

/* --- Packed fields -------------------------------------------------------- */

static bool end_packed(reader *r) {
  bool open = top(r)->packed > 0;
  top(r)->packed = 0;
  return !open || cpb_draft_close(&r->draft);
}

/* Elements of a packed field that follow each other share its tag. */
static bool begin_packed(reader *r, const cpb_field *field) {
  if (top(r)->packed == field->number) return true;
  const cpb_wire_field head = {.number = field->number, .type = CPB_WIRE_LEN};
  if (!end_packed(r) || !cpb_draft_open(&r->draft, &head)) return false;
  top(r)->packed = field->number;
  return true;
}

static bool put_packed(reader *r, const cpb_field *field, const cpb_wire_field *value) {
  uint8_t bytes[CPB_VARINT_MAX], *end = bytes;
  if (!begin_packed(r, field)) return false;
  if (value->type == CPB_WIRE_VARINT) end = cpb_varint_write(bytes, value->number_value);
  else if (value->type == CPB_WIRE_FIXED32) cpb_store32(bytes, (uint32_t)value->number_value), end += 4;
  else cpb_store64(bytes, value->number_value), end += 8;
  return cpb_draft_put(&r->draft, (cpb_span){bytes, (size_t)(end - bytes)});
}

static bool put_number(reader *r, const cpb_field *field, cpb_wire_type type, uint64_t value) {
  const cpb_wire_field number = {.number = field->number, .type = type, .number_value = value};
  if (field->packed) return put_packed(r, field, &number);
  return end_packed(r) && cpb_draft_put_number(&r->draft, &number);
}

/* --- Values --------------------------------------------------------------- */

static bool is_word(cpb_span word, const char *text) {
  return word.size == strlen(text) && memcmp(word.data, text, word.size) == 0;
}

/* The value in 64 bits, within the range of `bits`. */
static bool take_integer(reader *r, bool is_signed, unsigned bits, uint64_t *value) {
  bool negative;
  cpb_text_lexer before = r->lexer;
  if (!cpb_text_integer(&r->lexer, &negative, value)) return false;
  const uint64_t most = UINT64_MAX >> (64 - bits), half = UINT64_C(1) << (bits - 1);
  const bool fits = negative ? (is_signed ? *value <= half : *value == 0) : *value <= (is_signed ? half - 1 : most);
  if (negative) *value = 0 - *value;
  if (fits) return true;
  cpb_text_peek(&before);
  return cpb_text_expected(&before,
                           bits == 32 ? (is_signed ? "an int32" : "a uint32") : (is_signed ? "an int64" : "a uint64"));
}

static bool put_integer(reader *r, const cpb_field *field, bool is_signed, unsigned bits, cpb_wire_type type) {
  uint64_t value;
  return take_integer(r, is_signed, bits, &value) && put_number(r, field, type, value);
}

static bool put_zigzag(reader *r, const cpb_field *field, unsigned bits) {
  uint64_t value;
  if (!take_integer(r, true, bits, &value)) return false;
  return put_number(r, field, CPB_WIRE_VARINT, value << 1 ^ (0 - (value >> 63)));
}

static bool put_float(reader *r, const cpb_field *field) {
  double value;
  uint32_t bits;
  if (!cpb_text_double(&r->lexer, &value)) return false;
  const float rounded = (float)value;
  memcpy(&bits, &rounded, sizeof bits);
  return put_number(r, field, CPB_WIRE_FIXED32, bits);
}

static bool put_double(reader *r, const cpb_field *field) {
  double value;
  uint64_t bits;
  if (!cpb_text_double(&r->lexer, &value)) return false;
  memcpy(&bits, &value, sizeof bits);
  return put_number(r, field, CPB_WIRE_FIXED64, bits);
}

static bool put_bool(reader *r, const cpb_field *field) {
  static const char *const words[] = {"false", "False", "f", "true", "True", "t"};
  const char c = cpb_text_peek(&r->lexer);
  cpb_text_lexer before = r->lexer;
  if (c >= '0' && c <= '9') {
    bool negative;
    uint64_t value;
    if (!cpb_text_integer(&r->lexer, &negative, &value)) return false;
    if (value < 2) return put_number(r, field, CPB_WIRE_VARINT, value);
  } else {
    const cpb_span word = cpb_text_name(&r->lexer, "");
    for (size_t i = 0; i < 6; i++)
      if (is_word(word, words[i])) return put_number(r, field, CPB_WIRE_VARINT, i >= 3);
  }
  return cpb_text_expected(&before, "true or false");
}

static bool put_enum(reader *r, const cpb_field *field) {
  const char c = cpb_text_peek(&r->lexer);
  if (c == '-' || (c >= '0' && c <= '9')) return put_integer(r, field, true, 32, CPB_WIRE_VARINT);
  const char *at = r->lexer.at;
  cpb_span word = cpb_text_name(&r->lexer, "");
  const cpb_enum_type *type = field->enumeration;
  for (size_t i = 0; i < type->num_values; i++)
    if (is_word(word, type->values[i].name))
      return put_number(r, field, CPB_WIRE_VARINT, (uint64_t)(int64_t)type->values[i].number);
  if (word.size == 0) return cpb_text_expected(&r->lexer, "the name of a value");
  return fail(r, CPB_E_UNSUPPORTED, at, "\"%s\" is not a value of %s", word, type->name);
}

static bool put_string(reader *r, const cpb_field *field) {
  const char *at = r->lexer.at;
  r->string.size = 0;
  if (!cpb_text_string(&r->lexer, &r->string) || !end_packed(r)) return false;
  const cpb_span value = {r->string.data, r->string.size};
  if (field->type == CPB_TYPE_STRING && field->utf8 && !cpb_utf8_valid(value))
    return fail(r, CPB_E_DAMAGED, at, "the string \"%s\" of the field %s is not UTF-8", value, field->name);
  const cpb_wire_field head = {.number = field->number, .type = CPB_WIRE_LEN, .size = value.size};
  return cpb_draft_begin_value(&r->draft, &head) && cpb_draft_put(&r->draft, value);
}

static bool put_scalar(reader *r, const cpb_field *field) {
  switch (field->type) {
    case CPB_TYPE_DOUBLE: return put_double(r, field);
    case CPB_TYPE_FLOAT: return put_float(r, field);
    case CPB_TYPE_INT64: return put_integer(r, field, true, 64, CPB_WIRE_VARINT);
    case CPB_TYPE_UINT64: return put_integer(r, field, false, 64, CPB_WIRE_VARINT);
    case CPB_TYPE_INT32: return put_integer(r, field, true, 32, CPB_WIRE_VARINT);
    case CPB_TYPE_UINT32: return put_integer(r, field, false, 32, CPB_WIRE_VARINT);
    case CPB_TYPE_FIXED64: return put_integer(r, field, false, 64, CPB_WIRE_FIXED64);
    case CPB_TYPE_SFIXED64: return put_integer(r, field, true, 64, CPB_WIRE_FIXED64);
    case CPB_TYPE_FIXED32: return put_integer(r, field, false, 32, CPB_WIRE_FIXED32);
    case CPB_TYPE_SFIXED32: return put_integer(r, field, true, 32, CPB_WIRE_FIXED32);
    case CPB_TYPE_SINT32: return put_zigzag(r, field, 32);
    case CPB_TYPE_SINT64: return put_zigzag(r, field, 64);
    case CPB_TYPE_BOOL: return put_bool(r, field);
    case CPB_TYPE_ENUM: return put_enum(r, field);
    default: return put_string(r, field);
  }
}

/* --- Messages ------------------------------------------------------------- */

/* Begins a message, the field's value, at its brace. */
static bool open_message(reader *r, const cpb_field *field) {
  const bool is_group = field->type == CPB_TYPE_GROUP;
  const cpb_wire_field head = {.number = field->number, .type = is_group ? CPB_WIRE_START_GROUP : CPB_WIRE_LEN};
  const char close = cpb_text_accept(&r->lexer, '{') ? '}' : cpb_text_accept(&r->lexer, '<') ? '>' : '\0';
  if (!close) return cpb_text_expected(&r->lexer, "{");
  return end_packed(r) && cpb_draft_open(&r->draft, &head) && push(r, (level){.type = field->message, .close = close});
}

/* After a field's name: takes [ value, value ] or a value. */
static bool take_scalars(reader *r, const cpb_field *field) {
  if (!cpb_text_accept(&r->lexer, ':')) return cpb_text_expected(&r->lexer, ":");
  if (!field->repeated || !cpb_text_accept(&r->lexer, '[')) return put_scalar(r, field);
  if (cpb_text_accept(&r->lexer, ']')) return true;
  do {
    if (!put_scalar(r, field)) return false;
  } while (cpb_text_accept(&r->lexer, ','));
  return cpb_text_accept(&r->lexer, ']') || cpb_text_expected(&r->lexer, ", or ]");
}

static bool take_messages(reader *r, const cpb_field *field) {
  cpb_text_accept(&r->lexer, ':');
  if (!field->repeated || !cpb_text_accept(&r->lexer, '[')) return open_message(r, field);
  if (cpb_text_accept(&r->lexer, ']')) return true;
  return end_packed(r) && push(r, (level){.list = field, .close = ']'}) && open_message(r, field);
}

/* In a google.protobuf.Any: takes [host/full.name.of.Type] { ... }, with `url` as the name. */
static bool take_any(reader *r, cpb_span url, const char *at) {
  char name[256];
  const uint8_t *slash = url.data + url.size;
  while (slash > url.data && slash[-1] != '/') slash--;
  const size_t length = (size_t)(url.data + url.size - slash);
  const cpb_field *type_url = cpb_message_find_number(top(r)->type, 1),
                  *value = cpb_message_find_number(top(r)->type, 2);
  const cpb_message_type *type = NULL;
  if (length < sizeof name) {
    memcpy(name, slash, length);
    name[length] = '\0';
    type = r->schema ? cpb_schema_find_message(r->schema, name) : NULL;
  }
  if (!type || !type_url || !value || strcmp(top(r)->type->name, "google.protobuf.Any") != 0)
    return fail(r, CPB_E_UNSUPPORTED, at, "the type \"%s\" of an Any in %s is not known", url, top(r)->type->name);
  const cpb_wire_field head = {.number = type_url->number, .type = CPB_WIRE_LEN, .size = url.size};
  const cpb_field as_message = {
      .name = value->name, .number = value->number, .type = CPB_TYPE_MESSAGE, .message = type};
  cpb_text_accept(&r->lexer, ':');
  return cpb_draft_begin_value(&r->draft, &head) && cpb_draft_put(&r->draft, url) && open_message(r, &as_message);
}

static bool take_field(reader *r) {
  const cpb_message_type *type = top(r)->type;
  const bool bracket = cpb_text_accept(&r->lexer, '[');
  cpb_text_peek(&r->lexer);
  const char *at = r->lexer.at;
  cpb_span name = cpb_text_name(&r->lexer, bracket ? "./-" : "");
  if (name.size == 0) return cpb_text_expected(&r->lexer, r->depth > 1 ? "a field, or the message's end" : "a field");
  if (bracket && !cpb_text_accept(&r->lexer, ']')) return cpb_text_expected(&r->lexer, "]");
  if (bracket && memchr(name.data, '/', name.size)) return take_any(r, name, at);
  const cpb_field *field = cpb_message_find_name(type, (const char *)name.data, name.size);
  if (!field || field->extension != bracket)
    return fail(r, CPB_E_UNSUPPORTED, at, "\"%s\" is not a field of %s", name, type->name);
  return field->message ? take_messages(r, field) : take_scalars(r, field);
}

static bool close_level(reader *r) {
  const bool is_list = top(r)->list != NULL;
  if (!is_list && (!end_packed(r) || (r->depth > 1 && !cpb_draft_close(&r->draft)))) return false;
  r->depth--;
  return true;
}

/* Takes the next field or element of the innermost level. */
static bool take_next(reader *r) {
  const cpb_field *list = top(r)->list;
  if (cpb_text_accept(&r->lexer, ',')) return !list || open_message(r, list);
  if (!list && cpb_text_accept(&r->lexer, ';')) return true;
  if (top(r)->close && cpb_text_accept(&r->lexer, top(r)->close)) return close_level(r);
  return list ? cpb_text_expected(&r->lexer, ", or ]") : take_field(r);
}

static bool read_text(reader *r, const cpb_message_type *type, cpb_meter *meter) {
  const uint64_t size = (uint64_t)(r->lexer.end - r->lexer.at);
  if (!cpb_meter_charge(meter, CPB_WORK_WALKED, size, 0, r->lexer.error)) return false;
  if (!push(r, (level){.type = type})) return false;
  while (cpb_text_peek(&r->lexer), r->lexer.at < r->lexer.end)
    if (!take_next(r)) return false;
  const char close[] = {'"', top(r)->close, '"', '\0'};
  if (r->depth > 1) return cpb_text_expected(&r->lexer, close);
  return close_level(r);
}

/* The resulting bytes, which now belong to the caller. */
static uint8_t *take_message(reader *r, size_t *size) {
  cpb_buffer *bytes = &r->draft.bytes;
  if (!cpb_draft_finish(&r->draft)) return NULL;
  if (!cpb_buffer_reserve(bytes, 1)) return cpb_fail_memory(r->lexer.error), NULL;
  uint8_t *message = bytes->data;
  *size = bytes->size;
  cpb_buffer_init(bytes, &r->allocator);
  return message;
}

uint8_t *cpb_message_from_text(const cpb_message_type *type, const char *text, size_t size,
                               const cpb_text_options *options, size_t *message_size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_text_options how;
  cpb_options_copy(&how, sizeof how, options);
  cpb_meter meter;
  reader r = {.schema = how.schema, .limits = &meter.limits, .lexer = {text, text, text + size, error}};
  r.allocator = cpb_allocator_or_default(how.allocator);
  cpb_meter_init(&meter, &r.allocator, how.limits, NULL);
  cpb_meter_grow(&meter, size);
  cpb_draft_init(&r.draft, &r.allocator, meter.most[CPB_WORK_HELD], error);
  cpb_buffer_init(&r.string, &r.allocator);
  bool read =
      read_text(&r, type, &meter) || (how.keep_damaged && error->code == CPB_E_DAMAGED && cpb_draft_cut(&r.draft));
  uint8_t *message = read ? take_message(&r, message_size) : NULL;
  cpb_release(&r.allocator, r.levels);
  cpb_buffer_free(&r.string);
  cpb_draft_free(&r.draft);
  cpb_meter_free(&meter);
  return message;
}
