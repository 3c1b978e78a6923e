#include "chunked/index/metadata.h"

#include "proto/nanopb.h"
#include "tensorflow/tools/proto_splitter/chunk.pb.h"

/* --- Reading --------------------------------------------------------------- */

/* cpb_tag_kind has the map keys in the order of MapKey. */
#define IN_ORDER(KIND, name) \
  (CPB_TAG_KEY_##KIND - CPB_TAG_KEY_STRING == cpb_pb_FieldIndex_MapKey_##name##_tag - cpb_pb_FieldIndex_MapKey_s_tag)
_Static_assert(IN_ORDER(BOOL, boolean) && IN_ORDER(UINT32, ui32) && IN_ORDER(UINT64, ui64) && IN_ORDER(INT32, i32) &&
                   IN_ORDER(INT64, i64),
               "map keys are in order");

static void key_tag(const cpb_pb_FieldIndex_MapKey *key, cpb_tag *tag) {
  tag->kind = (cpb_tag_kind)(key->which_type - cpb_pb_FieldIndex_MapKey_s_tag + CPB_TAG_KEY_STRING);
  switch (tag->kind) {
    case CPB_TAG_KEY_BOOL: tag->value = key->type.boolean; break;
    case CPB_TAG_KEY_UINT32: tag->value = key->type.ui32; break;
    case CPB_TAG_KEY_INT32: tag->value = (uint64_t)(int64_t)key->type.i32; break;
    default: tag->value = key->type.ui64; break; /* also where it is an int64 */
  }
}

const char *cpb_tag_read(cpb_span in, cpb_tag *tag, cpb_span *text, const char **message) {
  cpb_pb_FieldIndex index = {0};
  const cpb_pb_FieldIndex_MapKey *key = &index.kind.map_key;
  *text = (cpb_span){NULL, 0};
  *message = "FieldIndex";
  const char *wrong = cpb_nanopb_decode(in, cpb_pb_FieldIndex_fields, &index);
  if (wrong) return wrong;
  *tag = (cpb_tag){index.kind.index, 0, CPB_TAG_INDEX};
  switch (index.which_kind) {
    case cpb_pb_FieldIndex_field_tag: *tag = (cpb_tag){index.kind.field, 0, CPB_TAG_FIELD}; break;
    case cpb_pb_FieldIndex_index_tag: break;
    case cpb_pb_FieldIndex_map_key_tag:
      *message = "MapKey";
      if (key->which_type == 0) return "no key is set";
      if (key->which_type != cpb_pb_FieldIndex_MapKey_s_tag) {
        key_tag(key, tag);
        break;
      }
      *text = key->type.s;
      *tag = (cpb_tag){0, (uint32_t)text->size, CPB_TAG_KEY_STRING};
      return text->size <= UINT32_MAX ? NULL : "the key is too long";
    default: return "neither field, map_key nor index is set";
  }
  return NULL;
}

/* --- Writing --------------------------------------------------------------- */

static cpb_span string_key(const uint8_t *text, const cpb_tag *tag) {
  /* nanopb.h takes !data for an absent field */
  const uint8_t *data = tag->length > 0 ? text + tag->value : (const uint8_t *)"";
  return (cpb_span){data, tag->length};
}

static cpb_pb_FieldIndex_MapKey map_key(const uint8_t *text, const cpb_tag *tag) {
  cpb_pb_FieldIndex_MapKey key = {.which_type =
                                      (pb_size_t)(tag->kind - CPB_TAG_KEY_STRING + cpb_pb_FieldIndex_MapKey_s_tag)};
  switch (tag->kind) {
    case CPB_TAG_KEY_STRING: key.type.s = string_key(text, tag); break;
    case CPB_TAG_KEY_BOOL: key.type.boolean = tag->value != 0; break;
    case CPB_TAG_KEY_UINT32: key.type.ui32 = (uint32_t)tag->value; break;
    case CPB_TAG_KEY_INT32: key.type.i32 = (int32_t)tag->value; break;
    default: key.type.ui64 = tag->value; break; /* also where it is an int64 */
  }
  return key;
}

static cpb_pb_FieldIndex field_index(const uint8_t *text, const cpb_tag *tag) {
  cpb_pb_FieldIndex index = {0};
  switch (tag->kind) {
    case CPB_TAG_FIELD:
      index.which_kind = cpb_pb_FieldIndex_field_tag;
      index.kind.field = (uint32_t)tag->value;
      break;
    case CPB_TAG_INDEX:
      index.which_kind = cpb_pb_FieldIndex_index_tag;
      index.kind.index = tag->value;
      break;
    default: index.which_kind = cpb_pb_FieldIndex_map_key_tag; index.kind.map_key = map_key(text, tag);
  }
  return index;
}

bool cpb_tag_append(cpb_buffer *out, uint32_t number, const cpb_tag *tag, const uint8_t *text) {
  cpb_pb_FieldIndex index = field_index(text, tag);
  return cpb_nanopb_append(out, number, cpb_pb_FieldIndex_fields, &index);
}

uint64_t cpb_tag_size(uint32_t number, const cpb_tag *tag, const uint8_t *text) {
  cpb_pb_FieldIndex index = field_index(text, tag);
  return cpb_nanopb_field_size(number, cpb_pb_FieldIndex_fields, &index);
}
