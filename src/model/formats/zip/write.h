/* A zip archive written from front to back: what stands before an entry's content and
 * after it, and the directory. The content itself is the caller's to write.
 *
 * What comes out depends on what goes in alone: every entry is of the first minute of
 * 1980, which is as early as zip can tell. Zip64 fields are there where a number needs
 * them, and nowhere else. */
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
  uint64_t header;       /* where its header lies */
  uint64_t size, packed; /* of the content; packed is counted while it is written */
  uint32_t crc;
  uint16_t method, flags, padding;
  bool wide;  /* its header has Zip64 fields */
  bool known; /* and tells the truth from the beginning */
} cpb_zip_new_entry;

typedef struct cpb_zip_writing {
  cpb_allocator allocator;
  bool in_order;        /* what is written stays: checksums and sizes come after the data */
  uint64_t at;          /* where the next byte goes */
  uint64_t count;       /* of entries that are whole */
  cpb_buffer directory; /* their records */
  cpb_zip_new_entry entry;
  cpb_buffer name; /* of that one */
} cpb_zip_writing;

void cpb_zip_writing_init(cpb_zip_writing *w, const cpb_allocator *a);
void cpb_zip_writing_free(cpb_zip_writing *w);

/* What is known of an entry before its content is written. */
typedef struct cpb_zip_plan {
  cpb_span name;
  uint64_t size;
  uint16_t method;
  bool aligned; /* the content begins at a multiple of CPB_ZIP_ALIGNMENT */
  bool known;   /* so is what follows */
  uint32_t crc;
  uint64_t packed;
} cpb_zip_plan;

/* All functions append bytes to `out`, which go to `w->at` as it was before, and return
 * false when memory is short. */
bool cpb_zip_write_begin(cpb_zip_writing *w, const cpb_zip_plan *plan, cpb_buffer *out);

/* Counts content, as it is and as it was written. */
void cpb_zip_write_content(cpb_zip_writing *w, cpb_span plain, uint64_t packed);

/* The entry is whole. What is appended goes to `*offset`: to the place of the entry's
 * header, once more, or behind the content, or it is nothing. */
bool cpb_zip_write_end(cpb_zip_writing *w, cpb_buffer *out, uint64_t *offset);

/* The directory's end: `size` bytes of records that lie at `at`. */
bool cpb_zip_write_end_record(uint64_t at, uint64_t size, uint64_t count, cpb_span comment, cpb_buffer *out);

/* No more bytes than this are written for an entry, of a name of `name_size` bytes. */
uint64_t cpb_zip_write_bound(size_t name_size, uint64_t size, uint16_t method);

#endif
