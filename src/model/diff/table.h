/* The items of a list by key, each as plain text. */
#ifndef CPB_MODEL_DIFF_TABLE_H
#define CPB_MODEL_DIFF_TABLE_H

#include "model/common/spans.h"
#include "model/diff/plain.h"

typedef struct cpb_diff_item {
  size_t key, key_size; /* in the table's bytes */
  size_t text, text_size;
  size_t number; /* among items with the same key, from 0 */
} cpb_diff_item;

typedef struct cpb_diff_table {
  cpb_allocator allocator;
  cpb_json_writer bytes; /* keys and texts, one after the other */
  cpb_diff_item *items;
  size_t count, capacity;
} cpb_diff_table;

void cpb_diff_table_init(cpb_diff_table *table, const cpb_allocator *a);
void cpb_diff_table_free(cpb_diff_table *table); /* empties it */

/* Adds an item; `key` must not be inside the table. False if memory is short. */
bool cpb_diff_table_add(cpb_diff_table *table, cpb_span key, yyjson_val *item, const char *const *ignored, bool deep);
/* The same, with the unchanged item. */
bool cpb_diff_table_add_whole(cpb_diff_table *table, cpb_span key, yyjson_val *item);
/* Call it after the last was added. False if memory is short. */
bool cpb_diff_table_sort(cpb_diff_table *table);

cpb_span cpb_diff_key(const cpb_diff_table *table, const cpb_diff_item *item);
cpb_span cpb_diff_text(const cpb_diff_table *table, const cpb_diff_item *item);

/* Both tables in the order of their keys. False at the end; an item that only one has is
 * NULL for the other. */
typedef struct cpb_diff_join {
  const cpb_diff_table *tables[2];
  size_t at[2];
  const cpb_diff_item *items[2];
} cpb_diff_join;

bool cpb_diff_join_next(cpb_diff_join *join);

#endif
