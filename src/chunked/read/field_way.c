#include "chunked/read/field.h"

#include <string.h>

#include "base/checked.h"

static const cpb_path_tag *tag_at(const cpb_field_reader *r, uint32_t i) { return cpb_path_get_tag(r->path, i); }

static bool is_subscript(const cpb_path_tag *tag) {
  return tag && tag->kind != CPB_PATH_NAME && tag->kind != CPB_PATH_NUMBER;
}

static cpb_field_known of_schema(const cpb_field *field) {
  return (cpb_field_known){.number = field->number,
                           .type = (uint32_t)field->type,
                           .repeated = field->repeated != 0,
                           .map = field->map != 0,
                           .message.type = field->message,
                           .field = field};
}

bool cpb_field_in(const cpb_field_reader *r, cpb_field_scope scope, cpb_span name, uint64_t number,
                  cpb_field_known *out) {
  const cpb_span set = {r->options.descriptors, r->options.descriptors_size};
  cpb_described_field found = {0};
  if (scope.type) {
    const cpb_field *field = name.size > 0 ? cpb_message_find_name(scope.type, (const char *)name.data, name.size)
                                           : cpb_message_find_number(scope.type, (uint32_t)number);
    if (field) *out = of_schema(field);
    return field != NULL;
  }
  if (!cpb_descriptors_field(set, scope.described, name, number, &found)) return false;
  *out = (cpb_field_known){found.number, found.type, found.repeated, found.map, {found.message, NULL}, NULL};
  return true;
}

static bool is_known(cpb_field_scope scope) { return scope.type || scope.described.data; }

static bool name_step(cpb_field_reader *r, uint32_t i, const cpb_path_tag *tag, cpb_field_known *field) {
  const cpb_span name = {(const uint8_t *)tag->text, tag->kind == CPB_PATH_NAME ? tag->length : 0};
  bool known = is_known(r->type) && cpb_field_in(r, r->type, name, tag->value, field);
  if (!known) *field = (cpb_field_known){.number = (uint32_t)tag->value};
  if (known || tag->kind == CPB_PATH_NUMBER) return true;
  if (is_known(r->type)) return cpb_field_refuse(r, CPB_E_NOT_FOUND, i, "the type has no such field");
  return cpb_field_refuse(r, CPB_E_USAGE, i, "the type of the message is not known; expected a field number");
}

/* As in cpb_find: whether the index or key fits the field. */
static bool check_subscript(cpb_field_reader *r, uint32_t i, const cpb_field_known *field, bool more) {
  cpb_field_step *step = &r->steps[i];
  const cpb_path_tag *sub = step->subscript;
  if (!sub)
    return !step->repeated || !more ||
           cpb_field_refuse(r, CPB_E_USAGE, i, "a repeated field; expected an index, as in name[0]");
  if (field->type != 0 && !field->repeated)
    return cpb_field_refuse(r, CPB_E_USAGE, i, "not a repeated field; expected no index or key");
  step->map = field->type != 0 ? field->map : sub->kind != CPB_PATH_INDEX;
  if (step->key_type != 0 && (step->key_type == CPB_TYPE_STRING) != (sub->kind == CPB_PATH_KEY))
    return cpb_field_refuse(r, CPB_E_USAGE, i,
                            step->key_type == CPB_TYPE_STRING ? "the keys are strings; expected one in quotes"
                                                              : "the keys are not strings; expected no quotes");
  if (!step->map && (sub->kind != CPB_PATH_INDEX || sub->negative))
    return cpb_field_refuse(r, CPB_E_USAGE, i, "expected an index from 0");
  return true;
}

/* Describes the field to a caller that gave types, like cpb_found. */
static void note_found(cpb_field_reader *r, cpb_field_scope parent, const cpb_field_known *field) {
  r->what.parent = parent.type;
  r->what.field = field->field;
  r->what.message = field->message.type;
  r->type = field->message;
}

static bool add_step(cpb_field_reader *r, uint32_t i, uint32_t *at, uint32_t num_tags) {
  const cpb_span no_name = {NULL, 0};
  cpb_field_step *step = &r->steps[i];
  const cpb_path_tag *tag = tag_at(r, (*at)++);
  cpb_field_known field = {0}, part;
  step->tags = *at;
  if (is_subscript(tag)) return cpb_field_refuse(r, CPB_E_USAGE, i, "expected a field before it");
  if (!name_step(r, i, tag, &field)) return false;
  if (is_subscript(tag_at(r, *at))) step->subscript = tag_at(r, (*at)++);
  step->tags = *at;
  step->number = field.number;
  step->type = field.type;
  step->repeated = field.repeated;
  if (field.map && cpb_field_in(r, field.message, no_name, 1, &part)) step->key_type = part.type;
  if (!check_subscript(r, i, &field, *at < num_tags)) return false;
  note_found(r, r->type, &field);
  if (step->subscript && field.map && cpb_field_in(r, field.message, no_name, 2, &part)) {
    step->type = part.type;
    note_found(r, field.message, &part);
  }
  bool is_message = step->type == 0 || step->type == CPB_TYPE_MESSAGE || step->type == CPB_TYPE_GROUP;
  return is_message || *at == num_tags || cpb_field_refuse(r, CPB_E_USAGE, i, "not a message, so it has no fields");
}

static void root_type(cpb_field_reader *r) {
  const char *name = r->options.message;
  r->type = (cpb_field_scope){{NULL, 0}, r->options.type};
  r->what = (cpb_found){.message = r->options.type};
  if (r->options.type || !r->options.descriptors || !name) return;
  cpb_descriptors_find((cpb_span){r->options.descriptors, r->options.descriptors_size},
                       (cpb_span){(const uint8_t *)name, strlen(name)}, &r->type.described);
}

bool cpb_field_way(cpb_field_reader *r) {
  uint32_t num_tags = (uint32_t)cpb_path_num_tags(r->path), at = 0, count = 0;
  for (uint32_t i = 0; i < num_tags; i++)
    count += !is_subscript(tag_at(r, i)) || is_subscript(tag_at(r, i - 1)) || i == 0;
  root_type(r);
  cpb_release(&r->allocator, r->steps);
  r->num_steps = 0;
  r->steps = cpb_alloc_zeroed(&r->allocator, count * sizeof *r->steps);
  if (!r->steps) return cpb_field_no_memory(r);
  while (at < num_tags) {
    if (!add_step(r, r->num_steps, &at, num_tags)) return false;
    r->num_steps++;
  }
  return true;
}

bool cpb_field_is_key(const cpb_field_step *step, const cpb_wire_field *field) {
  const cpb_path_tag *wanted = step->subscript;
  uint64_t value = field->number_value;
  if (step->key_type == CPB_TYPE_SINT32 || step->key_type == CPB_TYPE_SINT64) value = value >> 1 ^ (0 - (value & 1));
  if (field->type == CPB_WIRE_FIXED32 && step->key_type == CPB_TYPE_SFIXED32)
    value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
  return value == (wanted->negative ? 0 - wanted->value : wanted->value);
}
