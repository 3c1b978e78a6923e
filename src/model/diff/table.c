#include "model/diff/diff.h"

#include <stdlib.h>

/* Keys and texts lie one behind the other in one buffer, and items have positions in it, because the buffer moves
 * while it grows. Keys need not be unique: items with the same key are numbered in the order of the list, and the
 * n-th of the one model is compared with the n-th of the other. */

void cpb_diff_table_init(cpb_diff_table *t, const cpb_allocator *a) {
  *t = (cpb_diff_table){.allocator = *a};
  cpb_buffer_init(&t->bytes.out, a);
}

void cpb_diff_table_free(cpb_diff_table *t) {
  cpb_allocator a = t->allocator;
  cpb_buffer_free(&t->bytes.out);
  cpb_release(&a, t->items);
  cpb_diff_table_init(t, &a);
}

cpb_span cpb_diff_key(const cpb_diff_table *t, const cpb_diff_item *i) {
  return (cpb_span){t->bytes.out.data + i->key, i->key_size};
}
cpb_span cpb_diff_text(const cpb_diff_table *t, const cpb_diff_item *i) {
  return (cpb_span){t->bytes.out.data + i->text, i->text_size};
}

/* Makes room for an item and writes its key; its text comes next. */
static cpb_diff_item *begin_item(cpb_diff_table *t, cpb_span key) {
  cpb_buffer *out = &t->bytes.out;
  if (!CPB_RESERVE(&t->allocator, &t->items, &t->capacity, t->count + 1)) return NULL;
  cpb_diff_item *i = &t->items[t->count];
  *i = (cpb_diff_item){.key = out->size, .key_size = key.size, .number = t->count};
  if (!cpb_buffer_append(out, key.data, key.size)) return NULL;
  i->text = out->size;
  t->bytes.comma = false;
  return i;
}

static bool end_item(cpb_diff_table *t, cpb_diff_item *i) {
  i->text_size = t->bytes.out.size - i->text;
  t->count++;
  return cpb_json_writer_ok(&t->bytes);
}

bool cpb_diff_table_add(cpb_diff_table *t, cpb_span key, yyjson_val *item, const char *const *ignored, bool deep) {
  cpb_diff_item *i = begin_item(t, key);
  if (i) cpb_diff_plain(&t->bytes, item, ignored, deep);
  return i && end_item(t, i);
}

bool cpb_diff_table_add_whole(cpb_diff_table *t, cpb_span key, yyjson_val *item) {
  cpb_diff_item *i = begin_item(t, key);
  if (i) cpb_diff_copy(&t->bytes, NULL, item);
  return i && end_item(t, i);
}

/* --- Order -------------------------------------------------------------------------- */

/* The place of an item while the table is sorted: qsort passes nothing else along. */
typedef struct sorted {
  cpb_span key;
  cpb_diff_item item;
} sorted;

static int by_key(const void *a, const void *b) {
  const sorted *x = a, *y = b;
  int order = cpb_span_compare(x->key, y->key);
  return order != 0 ? order : (x->item.number > y->item.number) - (x->item.number < y->item.number);
}

bool cpb_diff_table_sort(cpb_diff_table *t) {
  if (t->count == 0) return true;
  sorted *list = cpb_alloc(&t->allocator, t->count * sizeof *list);
  if (!list) return false;
  for (size_t i = 0; i < t->count; i++) list[i] = (sorted){cpb_diff_key(t, &t->items[i]), t->items[i]};
  qsort(list, t->count, sizeof *list, by_key);
  for (size_t i = 0; i < t->count; i++) {
    bool again = i > 0 && cpb_span_equal(list[i].key, list[i - 1].key);
    t->items[i] = list[i].item;
    t->items[i].number = again ? t->items[i - 1].number + 1 : 0;
  }
  cpb_release(&t->allocator, list);
  return true;
}

/* --- Two tables ------------------------------------------------------------------------ */

static const cpb_diff_item *at(const cpb_diff_join *j, int side) {
  return j->at[side] < j->tables[side]->count ? &j->tables[side]->items[j->at[side]] : NULL;
}

static int compare(const cpb_diff_join *j, const cpb_diff_item *a, const cpb_diff_item *b) {
  if (!a || !b) return a ? -1 : 1;
  int order = cpb_span_compare(cpb_diff_key(j->tables[0], a), cpb_diff_key(j->tables[1], b));
  return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

bool cpb_diff_join_next(cpb_diff_join *j) {
  const cpb_diff_item *a = at(j, 0), *b = at(j, 1);
  if (!a && !b) return false;
  int order = compare(j, a, b);
  j->items[0] = order <= 0 ? a : NULL;
  j->items[1] = order >= 0 ? b : NULL;
  j->at[0] += order <= 0;
  j->at[1] += order >= 0;
  return true;
}
