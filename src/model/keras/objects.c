#include "model/keras/objects.h"

#include "base/alloc.h"
#include "model/common/cursor.h"
#include "model/keras/fields.h"

static cpb_keras_object decode_object(cpb_span message, uint64_t offset) {
  cpb_span version = cpb_get_bytes(message, OBJECT_VERSION);
  return (cpb_keras_object){
      .offset = offset,
      .node = (int32_t)(uint32_t)cpb_get_number(message, OBJECT_NODE_ID),
      .path = cpb_get_bytes(message, OBJECT_NODE_PATH),
      .identifier = cpb_get_bytes(message, OBJECT_IDENTIFIER),
      .metadata = cpb_get_bytes(message, OBJECT_METADATA),
      .producer = (int32_t)(uint32_t)cpb_get_number(version, VERSION_PRODUCER),
      .min_consumer = (int32_t)(uint32_t)cpb_get_number(version, VERSION_MIN_CONSUMER),
  };
}

static bool is_damaged(cpb_span message) {
  cpb_cursor cursor = cpb_cursor_of(message);
  while (cpb_cursor_next(&cursor)) continue;
  return cursor.damaged;
}

bool cpb_keras_decode(const cpb_allocator *a, cpb_span message, cpb_keras_list *list, cpb_problems *problems) {
  cpb_cursor cursor = cpb_cursor_of(message);
  uint64_t offset = 0; /* after the last object */
  while (cpb_cursor_find(&cursor, METADATA_NODES, CPB_WIRE_LEN)) {
    void *objects = list->objects;
    if (!cpb_reserve(a, &objects, &list->capacity, list->count + 1, sizeof *list->objects)) return false;
    list->objects = objects;
    offset = (uint64_t)(cursor.at - message.data) - cursor.bytes.size;
    list->objects[list->count++] = decode_object(cursor.bytes, offset);
    if (is_damaged(cursor.bytes)) cpb_problems_add(problems, offset, "a SavedObject cannot be parsed");
    offset += cursor.bytes.size;
  }
  if (cursor.damaged) cpb_problems_add_damage(problems, offset, "SavedMetadata cannot be parsed from here on");
  return true;
}

void cpb_keras_list_free(const cpb_allocator *a, cpb_keras_list *list) {
  cpb_release(a, list->objects);
  *list = (cpb_keras_list){0};
}

bool cpb_keras_is_identifier(cpb_span identifier) { return cpb_span_begins(identifier, cpb_span_of("_tf_keras_")); }

bool cpb_keras_is_metric(const cpb_keras_object *object) { return cpb_span_is(object->identifier, "_tf_keras_metric"); }
