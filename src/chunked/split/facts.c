#include "chunked/split/facts.h"

static cpb_tag_kind key_kind(const cpb_field *key) {
  switch (key ? (int)key->type : 0) {
    case CPB_TYPE_STRING: return CPB_TAG_KEY_STRING;
    case CPB_TYPE_BOOL: return CPB_TAG_KEY_BOOL;
    case CPB_TYPE_UINT32: return CPB_TAG_KEY_UINT32;
    case CPB_TYPE_UINT64: return CPB_TAG_KEY_UINT64;
    case CPB_TYPE_INT32: return CPB_TAG_KEY_INT32;
    case CPB_TYPE_INT64: return CPB_TAG_KEY_INT64;
    default: return 0;
  }
}

static bool holds_message(const cpb_field *field) { return field->type == CPB_TYPE_MESSAGE && field->message; }

static void map_facts(const cpb_field *field, cpb_split_facts *facts) {
  const cpb_field *value = cpb_message_find_number(field->message, 2);
  if (!value || !holds_message(value)) return;
  facts->kind = CPB_FACT_MAP;
  facts->type = value->message;
  facts->key = key_kind(cpb_message_find_number(field->message, 1));
}

cpb_split_facts cpb_split_facts_of(const cpb_message_type *type, uint32_t number) {
  cpb_split_facts facts = {.oneof = -1};
  const cpb_field *field = cpb_message_find_number(type, number);
  if (!field) return facts;
  facts.name = field->name;
  facts.repeated = field->repeated;
  facts.oneof = field->oneof;
  if (holds_message(field) && field->map) {
    map_facts(field, &facts);
  } else if (holds_message(field)) {
    facts.kind = CPB_FACT_MESSAGE;
    facts.type = field->message;
  } else if ((field->type == CPB_TYPE_STRING || field->type == CPB_TYPE_BYTES) && !field->repeated) {
    facts.kind = CPB_FACT_BYTES;
  }
  return facts;
}

bool cpb_split_requires(const cpb_message_type *type) {
  for (size_t i = 0; i < type->num_fields; i++) {
    if (type->fields[i].required) return true;
  }
  return false;
}
