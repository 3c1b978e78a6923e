#include "proto/descriptors.h"

#include "proto/wire.h"

/* Field numbers of descriptor.proto. */
enum {
  SET_FILE = 1,
  FILE_PACKAGE = 2,
  FILE_MESSAGE = 4,
  MESSAGE_NAME = 1,
  MESSAGE_FIELD = 2,
  MESSAGE_NESTED = 3,
  MESSAGE_OPTIONS = 7,
  OPTIONS_MAP_ENTRY = 7,
  FIELD_NAME = 1,
  FIELD_NUMBER = 3,
  FIELD_LABEL = 4,
  FIELD_TYPE = 5,
  FIELD_TYPE_NAME = 6,
  FIELD_JSON_NAME = 10,
  REPEATED = 3
};

static bool same(cpb_span a, cpb_span b) {
  return a.size == b.size && (a.size == 0 || !memcmp(a.data, b.data, a.size));
}

/* The last LEN field with this number, or empty. */
static cpb_span bytes_of(cpb_span message, uint32_t number) {
  cpb_span found = {NULL, 0};
  cpb_small_field f;
  while (cpb_small_next(&message, &f))
    if (f.number == number && f.type == CPB_WIRE_LEN) found = f.bytes;
  return found;
}

/* Takes `part`, and a dot after it, off the front of the name. */
static bool take_part(cpb_span *name, cpb_span part) {
  if (part.size >= name->size || name->data[part.size] != '.' || memcmp(name->data, part.data, part.size) != 0)
    return false;
  *name = (cpb_span){name->data + part.size + 1, name->size - part.size - 1};
  return true;
}

/* The message that the name, relative to a file or message, refers to. */
static bool find_in(cpb_span scope, uint32_t number, cpb_span name, cpb_span *found) {
  cpb_small_field f;
  while (cpb_small_next(&scope, &f)) {
    if (f.number != number || f.type != CPB_WIRE_LEN) continue;
    cpb_span own = bytes_of(f.bytes, MESSAGE_NAME);
    *found = f.bytes;
    if (same(own, name)) return true;
    if (own.size == 0 || !take_part(&name, own)) continue;
    scope = f.bytes; /* names are unique: the one wanted is in here, or does not exist */
    number = MESSAGE_NESTED;
  }
  return false;
}

bool cpb_descriptors_find(cpb_span set, cpb_span name, cpb_span *message) {
  cpb_small_field file;
  if (name.size > 0 && name.data[0] == '.') name = (cpb_span){name.data + 1, name.size - 1};
  while (cpb_small_next(&set, &file)) {
    if (file.number != SET_FILE || file.type != CPB_WIRE_LEN) continue;
    cpb_span package = bytes_of(file.bytes, FILE_PACKAGE), rest = name;
    if (package.size > 0 && !take_part(&rest, package)) continue;
    if (find_in(file.bytes, FILE_MESSAGE, rest, message)) return true;
  }
  return false;
}

static bool is_map_entry(cpb_span message) {
  cpb_span options = bytes_of(message, MESSAGE_OPTIONS);
  cpb_small_field f;
  bool map = false;
  while (cpb_small_next(&options, &f))
    if (f.number == OPTIONS_MAP_ENTRY) map = f.value != 0;
  return map;
}

static cpb_described_field read_field(cpb_span bytes) {
  cpb_described_field out = {0};
  cpb_small_field f;
  while (cpb_small_next(&bytes, &f)) {
    if (f.number == FIELD_NUMBER) out.number = (uint32_t)f.value;
    if (f.number == FIELD_TYPE) out.type = (uint32_t)f.value;
    if (f.number == FIELD_LABEL) out.repeated = f.value == REPEATED;
  }
  return out;
}

bool cpb_descriptors_field(cpb_span set, cpb_span message, cpb_span name, uint64_t number, cpb_described_field *out) {
  cpb_small_field f;
  while (cpb_small_next(&message, &f)) {
    if (f.number != MESSAGE_FIELD || f.type != CPB_WIRE_LEN) continue;
    *out = read_field(f.bytes);
    bool named = same(bytes_of(f.bytes, FIELD_NAME), name) || same(bytes_of(f.bytes, FIELD_JSON_NAME), name);
    if (name.size > 0 ? !named : out->number != number) continue;
    cpb_span type_name = bytes_of(f.bytes, FIELD_TYPE_NAME);
    bool is_message = out->type == CPB_TYPE_MESSAGE || out->type == CPB_TYPE_GROUP;
    if (is_message && cpb_descriptors_find(set, type_name, &out->message)) out->map = is_map_entry(out->message);
    return true;
  }
  return false;
}
