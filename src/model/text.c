/* Models in protobuf's text format. */
#include <string.h>

#include "base/limits.h"
#include "base/status.h"
#include "cpb/message.h"
#include "cpb/model.h"
#include "proto/text/lexer.h"

/* A text is recognized by its beginning, which may be cut off anywhere: by the names of its outermost fields, and by
 * whether their values are messages. The schema of the kind must know them all. Nested fields are skipped, not
 * checked. */
/* The number of fields to examine: more add no evidence. */
#define FIELDS_MOST 32

/* Skips a field's value, including a message in braces. False if the text ends first or is malformed. */
static bool skip_value(cpb_text_lexer *lx, cpb_buffer *string) {
  size_t depth = 0;
  bool more = cpb_text_accept(lx, ':');
  do {
    const char c = cpb_text_peek(lx);
    const bool opens = c == '{' || c == '<' || c == '[', closes = c == '}' || c == '>' || c == ']';
    more &= c == '-';
    if (lx->at == lx->end || (closes && depth == 0)) return false;
    if (opens || closes || (c != '\0' && strchr("-:,;/", c))) {
      lx->at++;
      depth += opens;
      depth -= closes;
    } else if (c == '"' || c == '\'') {
      string->size = 0;
      if (!cpb_text_string(lx, string)) return false;
    } else if (cpb_text_name(lx, ".").size == 0) {
      return false;
    }
  } while (depth > 0 || more);
  return true;
}

/* A field of the whole message. */
typedef struct first_field {
  cpb_span name;
  char value; /* first character of its value */
} first_field;

/* Stops where the text ends or is malformed. */
static size_t first_fields(const cpb_allocator *given, cpb_span begin, first_field fields[FIELDS_MOST],
                           cpb_error *error) {
  const char *text = (const char *)begin.data;
  const cpb_allocator a = cpb_allocator_or_default(given);
  cpb_error malformed = {.code = CPB_OK};
  cpb_text_lexer lexer = {text, text, text + begin.size, &malformed};
  cpb_buffer string;
  size_t count = 0;
  cpb_buffer_init(&string, &a);
  do {
    first_field field = {.name = cpb_text_name(&lexer, "")};
    cpb_text_lexer ahead = lexer;
    const bool colon = cpb_text_accept(&ahead, ':');
    field.value = cpb_text_peek(&ahead);
    if (field.name.size == 0 || !field.value || !(colon || field.value == '{' || field.value == '<')) break;
    fields[count++] = field;
  } while (count < FIELDS_MOST && skip_value(&lexer, &string));
  cpb_buffer_free(&string);
  if (malformed.code == CPB_E_MEMORY) *error = malformed;
  return error->code == CPB_OK ? count : 0;
}

/* Whether all are fields of this type, and at least one is a message, because other texts may also begin with numbers
 * and words. */
static bool fits(const cpb_message_type *type, const first_field *fields, size_t count) {
  bool has_message = false;
  for (size_t i = 0; i < count; i++) {
    const cpb_span name = fields[i].name;
    const cpb_field *field = cpb_message_find_name(type, (const char *)name.data, name.size);
    const bool is_message = fields[i].value == '{' || fields[i].value == '<';
    if (!field || (fields[i].value != '[' && is_message != (field->message != NULL))) return false;
    has_message |= is_message;
  }
  return has_message;
}

cpb_model_kind cpb_model_guess_text(const cpb_allocator *a, const void *data, size_t size, cpb_error *given_error) {
  first_field fields[FIELDS_MOST];
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  const size_t count = first_fields(a, (cpb_span){data, size}, fields, error);
  cpb_schema *schema = count > 0 ? cpb_schema_new_builtin(a, error) : NULL;
  cpb_model_kind kind = 0;
  for (cpb_model_kind i = 1; schema && !kind && cpb_model_kind_name(i); i++) {
    const char *name = cpb_model_message_type(i);
    const cpb_message_type *type = name ? cpb_schema_find_message(schema, name) : NULL;
    if (type && fits(type, fields, count)) kind = i;
  }
  cpb_schema_free(schema);
  return kind;
}

uint8_t *cpb_model_from_text(cpb_model_kind kind, const void *text, size_t size, const cpb_text_options *options,
                             size_t *message_size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  const char *name = cpb_model_message_type(kind);
  cpb_text_options how;
  cpb_options_copy(&how, sizeof how, options);
  cpb_schema *schema = name ? cpb_schema_new_builtin(how.allocator, error) : NULL;
  const cpb_message_type *type = schema ? cpb_schema_find_message(schema, name) : NULL;
  how.schema = schema;
  uint8_t *message = type ? cpb_message_from_text(type, text, size, &how, message_size, error) : NULL;
  if (!message && error->code == CPB_OK)
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "model kind %d has no text format", (int)kind);
  cpb_schema_free(schema);
  return message;
}
