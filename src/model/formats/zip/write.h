/* Writes a zip archive from front to back: everything before and after the contents of entries, and the directory. The
 * caller writes the contents themselves.
 *
 * The output depends only on the input: every entry has the earliest time in zip, the first minute of 1980. Zip64
 * fields appear only where a number needs them. */
#ifndef CPB_MODEL_FORMATS_ZIP_WRITE_H
#define CPB_MODEL_FORMATS_ZIP_WRITE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

#define CPB_ZIP_STORED 0
#define CPB_ZIP_DEFLATED 8
#define CPB_ZIP_ALIGNMENT 64

/* The entry that is being written. */
typedef struct cpb_zip_new_entry {
  uint64_t header;       /* offset of its header */
  uint64_t size, packed; /* of the content; `packed` is counted during writing */
  uint32_t crc;
  uint16_t method, flags, padding;
  bool wide;  /* its header has Zip64 fields */
  bool known; /* its header has the final numbers from the start */
} cpb_zip_new_entry;

typedef struct cpb_zip_writing {
  cpb_allocator allocator;
  bool in_order;        /* nothing is rewritten: checksums and sizes follow the data */
  uint64_t at;          /* position of the next byte */
  uint64_t count;       /* complete entries */
  cpb_buffer directory; /* their directory records */
  cpb_zip_new_entry entry;
  cpb_buffer name; /* of that one */
} cpb_zip_writing;

void cpb_zip_writing_init(cpb_zip_writing *w, const cpb_allocator *a);
void cpb_zip_writing_free(cpb_zip_writing *w);

/* The properties of an entry that are known before its content is written. */
typedef struct cpb_zip_plan {
  cpb_span name;
  uint64_t size;
  uint16_t method;
  bool aligned; /* the content begins at a multiple of CPB_ZIP_ALIGNMENT */
  bool known;   /* `crc` and `packed` are known */
  uint32_t crc;
  uint64_t packed;
} cpb_zip_plan;

/* All functions append bytes to `out`, for the place that `w->at` had before the call, and return false if memory is
 * short. */
bool cpb_zip_write_begin(cpb_zip_writing *w, const cpb_zip_plan *plan, cpb_buffer *out);

/* Counts content: the original bytes and those that were written. */
void cpb_zip_write_content(cpb_zip_writing *w, cpb_span plain, uint64_t packed);

/* Completes the entry. The appended bytes, if any, belong at `*offset`: over the entry's header, or after the
 * content. */
bool cpb_zip_write_end(cpb_zip_writing *w, cpb_buffer *out, uint64_t *offset);

/* Writes the end of the directory, whose records are `size` bytes at `at`. */
bool cpb_zip_write_end_record(uint64_t at, uint64_t size, uint64_t count, cpb_span comment, cpb_buffer *out);

/* Upper bound of the bytes written for an entry with a name of `name_size` bytes. */
uint64_t cpb_zip_write_bound(size_t name_size, uint64_t size, uint16_t method);

#endif
