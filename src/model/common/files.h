/* The files beside a model that have some of its values. */
#ifndef CPB_MODEL_COMMON_FILES_H
#define CPB_MODEL_COMMON_FILES_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_writer.h"

typedef struct cpb_files {
  cpb_allocator allocator;
  struct cpb_files_item *items;
  size_t count, capacity;
} cpb_files;

void cpb_files_init(cpb_files *files, const cpb_allocator *a);
void cpb_files_free(cpb_files *files);
/* A tensor lies there. False when memory is short. */
bool cpb_files_add(cpb_files *files, cpb_span location, uint64_t bytes);
/* After the last was added. A member of an object: "external_data", a list of up to 1000 {"location", "tensors",
 * "bytes"}. */
void cpb_files_write(cpb_files *files, cpb_json_writer *answer);

#endif
