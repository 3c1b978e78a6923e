/* Finds members of JSON objects by name. An object with many members, which any number of layers may search, is sorted
 * once. */
#ifndef CPB_MODEL_KERAS_MEMBERS_H
#define CPB_MODEL_KERAS_MEMBERS_H

#include "base/alloc.h"
#include "base/json_read.h"

typedef struct cpb_keras_members {
  cpb_allocator allocator;
  struct cpb_keras_wide *wide; /* objects with many members, by address */
  size_t count, capacity;
  yyjson_val **keys; /* the members of each, sorted by name */
  size_t num_keys, keys_capacity;
} cpb_keras_members;

void cpb_keras_members_init(cpb_keras_members *members, const cpb_allocator *a);
void cpb_keras_members_free(cpb_keras_members *members);

/* Adds the objects of a document, which must outlive it. False if memory is short. */
bool cpb_keras_members_add(cpb_keras_members *members, yyjson_doc *doc);
/* Call it after the last document. */
void cpb_keras_members_sort(cpb_keras_members *members);

/* Like cpb_json_member(), for an object of one of the documents. */
yyjson_val *cpb_keras_member(const cpb_keras_members *members, yyjson_val *object, const char *key);

#endif
