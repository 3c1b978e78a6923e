#include <stdlib.h>

#include "model/common/spans.h"
#include "model/keras/keras.h"

/* --- config ----------------------------------------------------------------------------------- */

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

/* No recursion: cpb_json_read() has refused documents deeper than CPB_KERAS_DEPTH, so `frames` have room for every
 * path. */

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

/* --- members ---------------------------------------------------------------------------------- */

/* yyjson finds a member by walking the object, so a hostile config with a huge object would take quadratic time.
 * Objects with many members therefore get a sorted list of their keys. An object is known by its address, which
 * stays as long as its document. */

#define MANY 16 /* number of members that are quick to search */

typedef struct cpb_keras_wide {
  yyjson_val *object;
  size_t first, count; /* in `keys` */
} wide;

void cpb_keras_members_init(cpb_keras_members *m, const cpb_allocator *a) { *m = (cpb_keras_members){.allocator = *a}; }

void cpb_keras_members_free(cpb_keras_members *m) {
  cpb_release(&m->allocator, m->wide);
  cpb_release(&m->allocator, m->keys);
}

static cpb_span text_of(yyjson_val *key) {
  return (cpb_span){(const uint8_t *)yyjson_get_str(key), yyjson_get_len(key)};
}

/* If several members have the same name, the first counts. */
static int by_name(const void *a, const void *b) {
  yyjson_val *x = *(yyjson_val *const *)a, *y = *(yyjson_val *const *)b;
  int order = cpb_span_compare(text_of(x), text_of(y));
  return order != 0 ? order : (x > y) - (x < y);
}

static bool add_object(cpb_keras_members *m, yyjson_val *object) {
  size_t i, n, count = yyjson_obj_size(object);
  yyjson_val *key, *value;
  if (!CPB_RESERVE(&m->allocator, &m->wide, &m->capacity, m->count + 1) ||
      !CPB_RESERVE(&m->allocator, &m->keys, &m->keys_capacity, m->num_keys + count))
    return false;
  m->wide[m->count++] = (wide){object, m->num_keys, count};
  yyjson_obj_foreach(object, i, n, key, value) m->keys[m->num_keys + i] = key;
  qsort(m->keys + m->num_keys, count, sizeof *m->keys, by_name);
  m->num_keys += count;
  return true;
}

bool cpb_keras_members_add(cpb_keras_members *m, yyjson_doc *doc) {
  yyjson_val *all = yyjson_doc_get_root(doc); /* the values of a document are contiguous */
  for (size_t i = 0; i < yyjson_doc_get_val_count(doc); i++)
    if (yyjson_obj_size(&all[i]) > MANY && !add_object(m, &all[i])) return false;
  return true;
}

static int by_address(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const wide *)a)->object, y = (uintptr_t)((const wide *)b)->object;
  return (x > y) - (x < y);
}

void cpb_keras_members_sort(cpb_keras_members *m) {
  if (m->count > 1) qsort(m->wide, m->count, sizeof *m->wide, by_address);
}

yyjson_val *cpb_keras_member(const cpb_keras_members *m, yyjson_val *object, const char *key) {
  if (yyjson_obj_size(object) <= MANY) return cpb_json_member(object, key);
  const wide like = {.object = object}, *w = bsearch(&like, m->wide, m->count, sizeof like, by_address);
  if (!w) return cpb_json_member(object, key);
  const cpb_span wanted = cpb_span_of(key);
  size_t low = w->first, high = w->first + w->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (cpb_span_compare(text_of(m->keys[middle]), wanted) < 0) low = middle + 1;
    else high = middle;
  }
  bool found = low < w->first + w->count && cpb_span_equal(text_of(m->keys[low]), wanted);
  return found ? m->keys[low] + 1 : NULL;
}
