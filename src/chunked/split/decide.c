#include <stdbool.h>
#include <string.h>

#include "base/checked.h"
#include "chunked/split/plan.h"

/* --- facts ------------------------------------------------------------------------------------ */

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
  for (size_t i = 0; i < type->num_fields; i++)
    if (type->fields[i].required) return true;
  return false;
}

/* --- decide ----------------------------------------------------------------------------------- */

static bool wants_more(const cpb_split_field *field, const cpb_split_decision *d) {
  uint64_t there = cpb_min_u64(field->size, CPB_SPLIT_PEEK_MAX);
  return d->peek > field->data_size && there > field->data_size;
}

/* True if one of them decides, or requests more bytes to decide. */
static bool ask(const cpb_splitter *splitters, size_t count, const cpb_split_field *field, cpb_split_decision *d) {
  for (size_t i = 0; i < count; i++) {
    const cpb_splitter *s = &splitters[i];
    if (s->type_name && strcmp(s->type_name, field->message_type) != 0) continue;
    memset(d, 0, sizeof *d);
    s->decide(s->user, field, d);
    if (wants_more(field, d)) {
      d->peek = (size_t)cpb_min_u64(d->peek, cpb_min_u64(field->size, CPB_SPLIT_PEEK_MAX));
      return true;
    }
    d->peek = 0;
    if (d->action != CPB_SPLIT_DEFAULT) return true;
  }
  return false;
}

/* A field that fits into a chunk stays; a larger one is opened, or becomes a chunk if it has no fields. */
static void decide_by_size(const cpb_split_field *field, cpb_split_decision *d) {
  memset(d, 0, sizeof *d);
  if (field->size <= field->max_chunk_size) d->action = CPB_SPLIT_KEEP;
  else d->action = field->kind == CPB_SPLIT_MESSAGE ? CPB_SPLIT_ENTER : CPB_SPLIT_MOVE;
}

void cpb_split_decide(const cpb_split_rules *rules, const cpb_split_field *field, cpb_split_decision *d) {
  size_t num_builtin;
  const cpb_splitter *builtin = cpb_builtin_splitters(&num_builtin);
  if (!ask(rules->splitters, rules->num_splitters, field, d) && !ask(builtin, num_builtin, field, d))
    decide_by_size(field, d);
  if (d->keep == 0) d->keep = rules->max_chunk_size;
  if (d->slice == 0) d->slice = rules->max_chunk_size;
}
