#include "model/keras/keras.h"

#define WRAPPED 8 /* members of an object that wraps a list: two of them count */

/* A place in an object or list. */
typedef struct frame {
  yyjson_val *at; /* the next element, or key */
  size_t left;
  bool object;
} frame;

static frame frame_of(yyjson_val *container) {
  bool object = yyjson_is_obj(container);
  return (frame){unsafe_yyjson_get_first(container), yyjson_get_len(container), object};
}

/* The next element; `*key` is NULL within a list. */
static yyjson_val *next(frame *f, yyjson_val **key) {
  *key = f->object ? f->at : NULL;
  yyjson_val *value = f->object ? f->at + 1 : f->at;
  f->at = unsafe_yyjson_get_next(value);
  f->left--;
  return value;
}

/* --- Handing on ------------------------------------------------------------- */

static bool is_text(yyjson_val *value, const char *text) {
  cpb_span span;
  return cpb_json_text(value, &span) && cpb_span_is(span, text);
}

yyjson_val *cpb_keras_unwrap(yyjson_val *value) {
  if (yyjson_obj_size(value) > WRAPPED) return value;
  yyjson_val *name = cpb_json_member(value, "class_name");
  bool wraps = is_text(name, "__tuple__") || is_text(name, "TensorShape");
  yyjson_val *items = wraps ? cpb_json_member(value, "items") : NULL;
  return items ? items : value;
}

/* NaN and Infinity are not JSON, and are written as text. */
static void put_number(cpb_json_writer *a, cpb_span text) {
  uint8_t last = text.data[text.size - 1];
  if (last >= '0' && last <= '9') cpb_json_writer_raw(a, NULL, text);
  else cpb_json_writer_span(a, NULL, text);
}

static void put_scalar(cpb_json_writer *a, yyjson_val *value) {
  cpb_span text;
  if (cpb_json_text(value, &text)) cpb_json_writer_span(a, NULL, text);
  else if (cpb_json_number(value, &text)) put_number(a, text);
  else if (yyjson_is_bool(value)) cpb_json_writer_bool(a, NULL, yyjson_get_bool(value));
  else cpb_json_writer_null(a, NULL);
}

void cpb_keras_put(cpb_json_writer *a, const char *name, yyjson_val *value, const char *except) {
  frame frames[CPB_KERAS_DEPTH];
  size_t depth = 0;
  if (name) cpb_json_writer_key(a, cpb_span_of(name));
  for (;;) {
    value = cpb_keras_unwrap(value);
    if (yyjson_is_ctn(value)) {
      frames[depth++] = frame_of(value);
      cpb_json_writer_open(a, NULL, yyjson_is_obj(value) ? '{' : '[');
    } else {
      put_scalar(a, value);
    }
    yyjson_val *key = NULL;
    do {
      while (depth > 0 && frames[depth - 1].left == 0) cpb_json_writer_close(a, frames[--depth].object ? '}' : ']');
      if (depth == 0) return;
      value = next(&frames[depth - 1], &key);
    } while (except && depth == 1 && is_text(key, except));
    cpb_span text;
    if (cpb_json_text(key, &text)) cpb_json_writer_key(a, text);
  }
}

/* --- References --------------------------------------------------------------- */

/* ["name", node_index, tensor_index, ...], which Keras writes for an output of a layer, in "inbound_nodes" or, as
 * "keras_history", in arguments. */
static bool put_reference(cpb_json_writer *a, yyjson_val *value) {
  cpb_span layer;
  int64_t node, tensor;
  value = cpb_keras_unwrap(value);
  if (!cpb_json_text(yyjson_arr_get(value, 0), &layer) || !cpb_json_signed(yyjson_arr_get(value, 1), &node) ||
      !cpb_json_signed(yyjson_arr_get(value, 2), &tensor) || node < 0)
    return false;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "layer", layer);
  cpb_json_writer_signed(a, "node_index", node);
  cpb_json_writer_signed(a, "tensor_index", tensor);
  cpb_json_writer_close(a, '}');
  return true;
}

void cpb_keras_put_references(cpb_json_writer *a, const char *key, yyjson_val *value) {
  frame frames[CPB_KERAS_DEPTH];
  size_t depth = 0;
  cpb_json_writer_open(a, key, '[');
  for (yyjson_val *ignored; value;) {
    put_reference(a, value); /* and continues inside: arguments may contain more of them */
    if (yyjson_is_ctn(value)) frames[depth++] = frame_of(value);
    while (depth > 0 && frames[depth - 1].left == 0) depth--;
    value = depth > 0 ? next(&frames[depth - 1], &ignored) : NULL;
  }
  cpb_json_writer_close(a, ']');
}

/* In a Sequential, a layer takes the output of the one before it. */
static void put_sequence(const cpb_keras *k, const cpb_keras_layer *layer, cpb_json_writer *a) {
  cpb_json_writer_open(a, NULL, '[');
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "layer", cpb_keras_name(&k->layers[layer->before]));
  cpb_json_writer_unsigned(a, "node_index", 0);
  cpb_json_writer_unsigned(a, "tensor_index", 0);
  cpb_json_writer_close(a, '}');
  cpb_json_writer_close(a, ']');
}

void cpb_keras_put_calls(const cpb_keras *k, const cpb_keras_layer *layer, cpb_json_writer *a) {
  yyjson_val *calls = cpb_keras_member(layer->members, layer->entry, "inbound_nodes");
  cpb_json_writer_open(a, "inputs", '[');
  if (layer->before != CPB_KERAS_NONE) {
    put_sequence(k, layer, a);
  } else if (yyjson_is_arr(calls)) {
    for (frame f = frame_of(calls); f.left > 0;) {
      yyjson_val *ignored;
      cpb_keras_put_references(a, NULL, next(&f, &ignored));
    }
  }
  cpb_json_writer_close(a, ']');
}
