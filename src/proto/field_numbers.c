/* Names of fields as numbers, for readers that know no schema. */
#include <stdbool.h>
#include <string.h>

#include "base/status.h"
#include "cpb/message.h"

typedef struct numbers {
  const cpb_message_type *type;
  const char *names;
  size_t at; /* where in the names: */
  char *out;
  size_t size, room;
  cpb_error *error;
} numbers;

static bool wrong(const numbers *n, const char *what) {
  return CPB_FAILS(n->error, CPB_E_USAGE, n->at, "fields at character %zu: %s", n->at + 1, what);
}

static bool no_field(const numbers *n, const cpb_path_tag *tag, const cpb_message_type *type) {
  char name[96], of[96], what[256];
  cpb_quote(name, sizeof name, tag->text, tag->length);
  if (type)
    cpb_format(what, sizeof what, "%s has no field \"%s\"", cpb_quote(of, sizeof of, type->name, strlen(type->name)),
               name);
  else cpb_format(what, sizeof what, "\"%s\" is a name; expected a number, as the message type is not known", name);
  return wrong(n, what);
}

static bool put(numbers *n, char before, uint64_t number) {
  char text[24];
  const size_t length = cpb_format(text, sizeof text, "%c%llu", before, (unsigned long long)number);
  const char *from = before ? text : text + 1;
  const size_t size = before ? length : strlen(from);
  if (size >= n->room - n->size)
    return CPB_FAILS(n->error, CPB_E_LIMIT, n->at, "fields: more than %zu characters", n->room - 1);
  memcpy(n->out + n->size, from, size + 1);
  n->size += size;
  return true;
}

static bool put_path(numbers *n, const cpb_path *path) {
  const cpb_message_type *type = n->type;
  for (size_t i = 0; i < cpb_path_num_tags(path); i++) {
    const cpb_path_tag *tag = cpb_path_get_tag(path, i);
    const cpb_field *field = NULL;
    uint64_t number = tag->value;
    if (tag->kind == CPB_PATH_NAME) {
      field = type ? cpb_message_find_name(type, tag->text, tag->length) : NULL;
      if (!field) return no_field(n, tag, type);
      number = field->number;
    } else if (tag->kind != CPB_PATH_NUMBER) {
      return wrong(n, "expected a field, not an element of one");
    } else if (type && number <= UINT32_MAX) {
      field = cpb_message_find_number(type, (uint32_t)number);
    }
    if (!put(n, i > 0 ? '.' : n->size > 0 ? ',' : '\0', number)) return false;
    type = field ? field->message : NULL;
  }
  return cpb_path_num_tags(path) > 0 || wrong(n, "expected a field");
}

cpb_code cpb_message_field_numbers(const cpb_allocator *allocator, const cpb_message_type *type, const char *names,
                                   char *out, size_t size, cpb_error *given_error) {
  cpb_error own, *error = given_error ? given_error : &own;
  numbers n = {.type = type, .names = names, .out = out, .room = size, .error = error};
  *error = (cpb_error){.offset = CPB_NO_OFFSET};
  if (size == 0) return cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "fields: no room for them");
  *out = '\0';
  for (const char *at = names; *names; at++) {
    const size_t length = strcspn(at, ",");
    n.at = (size_t)(at - names);
    cpb_path *path = cpb_path_parse(allocator, at, length, error);
    if (!path && error->offset != CPB_NO_OFFSET) error->offset += n.at;
    const bool done = path && put_path(&n, path);
    cpb_path_free(path);
    if (!done) return error->code;
    at += length;
    if (!*at) break;
  }
  return CPB_OK;
}
