/* The transposed chunks in Riegeli files. Included after cmocka. */
#ifndef TRANSPOSED_FILES_H
#define TRANSPOSED_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/bytes.h"

typedef struct file {
  uint8_t data[1 << 18];
  size_t size;
} file;

static inline void read_file(file *f, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, CPB_TEST_DATA "/%s", name);
  FILE *in = fopen(path, "rb");
  if (in == NULL) fail_msg("%s is missing", path);
  f->size = fread(f->data, 1, sizeof f->data, in);
  fclose(in);
}

/* Takes block headers out: the Riegeli chunks, one after the other. */
static inline void without_block_headers(file *f) {
  size_t kept = 0;
  for (size_t i = 0; i < f->size; i++)
    if (i % 65536 >= 24) f->data[kept++] = f->data[i];
  f->size = kept;
}

typedef struct riegeli_chunk {
  cpb_span data;
  uint64_t num_records, decoded_size;
} riegeli_chunk;

/* The next transposed chunk from `*position` on. */
static inline bool next_chunk(const file *f, size_t *position, riegeli_chunk *chunk) {
  while (*position + 40 <= f->size) {
    const uint8_t *header = f->data + *position;
    const uint64_t type_and_records = cpb_load64(header + 24);
    chunk->data = (cpb_span){header + 40, (size_t)cpb_load64(header + 8)};
    chunk->num_records = type_and_records >> 8;
    chunk->decoded_size = cpb_load64(header + 32);
    /* a Riegeli chunk is at least as long as it has records */
    *position += 40 + (chunk->data.size + 40 < chunk->num_records ? chunk->num_records - 40 : chunk->data.size);
    if ((type_and_records & 0xff) == 't') return true;
  }
  return false;
}

#endif
