#include "model/keras/keras.h"

#include <stdlib.h>

#include "model/common/spans.h"

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
  void *list = m->wide, *keys = m->keys;
  if (!cpb_reserve(&m->allocator, &list, &m->capacity, m->count + 1, sizeof *m->wide)) return false;
  m->wide = list;
  if (!cpb_reserve(&m->allocator, &keys, &m->keys_capacity, m->num_keys + count, sizeof *m->keys)) return false;
  m->keys = keys;
  m->wide[m->count++] = (wide){object, m->num_keys, count};
  yyjson_obj_foreach(object, i, n, key, value) m->keys[m->num_keys + i] = key;
  qsort(m->keys + m->num_keys, count, sizeof *m->keys, by_name);
  m->num_keys += count;
  return true;
}

bool cpb_keras_members_add(cpb_keras_members *m, yyjson_doc *doc) {
  yyjson_val *all = yyjson_doc_get_root(doc); /* the values of a document are contiguous */
  for (size_t i = 0; i < yyjson_doc_get_val_count(doc); i++) {
    if (yyjson_obj_size(&all[i]) > MANY && !add_object(m, &all[i])) return false;
  }
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
