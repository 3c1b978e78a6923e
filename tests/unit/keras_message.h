/* A SavedMetadata message, object by object, and answers about it. */
#ifndef KERAS_MESSAGE_H
#define KERAS_MESSAGE_H

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_read.h"
#include "cpb/model.h"
#include "proto/wire.h"

typedef struct keras_message {
  uint8_t bytes[65536];
  size_t size;
} keras_message;

static inline uint8_t *keras_put_text(uint8_t *out, uint32_t number, const char *text) {
  out = cpb_wire_put_len(out, number, strlen(text));
  memcpy(out, text, strlen(text));
  return out + strlen(text);
}

static inline void keras_add_as(keras_message *m, int32_t node, const char *path, const char *identifier,
                                const char *metadata) {
  static uint8_t object[65536];
  uint8_t *at = cpb_wire_put_tag(object, 2, CPB_WIRE_VARINT);
  at = cpb_varint_write(at, (uint64_t)(int64_t)node);
  at = keras_put_text(at, 3, path);
  at = keras_put_text(at, 4, identifier);
  at = keras_put_text(at, 5, metadata);
  size_t size = (size_t)(at - object);
  at = cpb_wire_put_len(m->bytes + m->size, 1, size);
  memcpy(at, object, size);
  m->size = (size_t)(at - m->bytes) + size;
}

static inline void keras_add(keras_message *m, int32_t node, const char *path, const char *metadata) {
  keras_add_as(m, node, path, "_tf_keras_layer", metadata);
}

/* Answers with what `piece` bytes at a time give. */
static inline cpb_step keras_ask(cpb_model *model, const keras_message *m, cpb_question_kind kind, const char *name,
                                 size_t piece) {
  cpb_question question = {
      .struct_size = sizeof question, .kind = kind, .name = name, .name_size = name ? strlen(name) : 0, .count = 1000};
  cpb_step step;
  cpb_model_ask(model, &question);
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED) {
    cpb_need need;
    cpb_input_need(cpb_model_input(model), &need);
    if (need.offset >= m->size) {
      cpb_input_end(cpb_model_input(model), m->size);
      continue;
    }
    size_t left = m->size - (size_t)need.offset;
    cpb_input_supply(cpb_model_input(model), need.offset, m->bytes + need.offset, left < piece ? left : piece);
  }
  return step;
}

#endif
