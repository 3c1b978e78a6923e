#include "model/common/files.h"

#include <stdlib.h>

#include "base/checked.h"
#include "model/common/spans.h"

#define FILES_MOST 1000 /* that are listed */

typedef struct cpb_files_item {
  cpb_span location;
  uint64_t tensors, bytes;
} file;

void cpb_files_init(cpb_files *f, const cpb_allocator *a) { *f = (cpb_files){.allocator = *a}; }

void cpb_files_free(cpb_files *f) { cpb_release(&f->allocator, f->items); }

bool cpb_files_add(cpb_files *f, cpb_span location, uint64_t bytes) {
  void *items = f->items;
  if (!cpb_reserve(&f->allocator, &items, &f->capacity, f->count + 1, sizeof *f->items)) return false;
  f->items = items;
  f->items[f->count++] = (file){location, 1, bytes};
  return true;
}

static int by_location(const void *a, const void *b) {
  return cpb_span_compare(((const file *)a)->location, ((const file *)b)->location);
}

static void join(cpb_files *f) {
  size_t kept = 0;
  if (f->count > 1) qsort(f->items, f->count, sizeof *f->items, by_location);
  for (size_t i = 0; i < f->count; i++) {
    file *last = kept > 0 ? &f->items[kept - 1] : NULL;
    if (last && cpb_span_equal(last->location, f->items[i].location)) {
      last->tensors += f->items[i].tensors;
      if (!cpb_add_u64(last->bytes, f->items[i].bytes, &last->bytes)) last->bytes = UINT64_MAX;
    } else {
      f->items[kept++] = f->items[i];
    }
  }
  f->count = kept;
}

void cpb_files_write(cpb_files *f, cpb_json_writer *a) {
  join(f);
  cpb_json_writer_open(a, "external_data", '[');
  for (size_t i = 0; i < f->count && i < FILES_MOST; i++) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "location", f->items[i].location);
    cpb_json_writer_unsigned(a, "tensors", f->items[i].tensors);
    cpb_json_writer_exact_unsigned(a, "bytes", f->items[i].bytes);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}
