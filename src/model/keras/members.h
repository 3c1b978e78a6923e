/* The members of JSON objects by their names. Of an object with many, which any number of layers
 * may ask for what it says, they are put in order once. */
#ifndef CPB_MODEL_KERAS_MEMBERS_H
#define CPB_MODEL_KERAS_MEMBERS_H

#include "base/alloc.h"
#include "base/json_read.h"

typedef struct cpb_keras_members {
  cpb_allocator allocator;
  struct cpb_keras_wide *wide; /* objects with many members, by address */
  size_t count, capacity;
  yyjson_val **keys; /* of each of them, by name */
  size_t num_keys, keys_capacity;
} cpb_keras_members;

void cpb_keras_members_init(cpb_keras_members *members, const cpb_allocator *a);
void cpb_keras_members_free(cpb_keras_members *members);

/* Takes in the objects of a document, which must outlive it. False when memory is short. */
bool cpb_keras_members_add(cpb_keras_members *members, yyjson_doc *doc);
/* After the last document. */
void cpb_keras_members_sort(cpb_keras_members *members);

/* As cpb_json_member(), for an object of one of the documents. */
yyjson_val *cpb_keras_member(const cpb_keras_members *members, yyjson_val *object, const char *key);

#endif
