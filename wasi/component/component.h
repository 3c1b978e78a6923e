/* What the resources of wit/cpb.wit are made of. A host drops them in any order, so
 * what is shared counts its users. */
#ifndef CPB_COMPONENT_H
#define CPB_COMPONENT_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/chunked.h"
#include "reader.h"

/* An open file: its source, and its index. */
typedef struct opened {
  size_t users;
  source_own_source_t source;
  uint64_t size;
  size_t read_size;
  cpb_verify verify;
  cpb_index *index;
} opened;

/* The source becomes the file's. NULL and `error` on failure. */
opened *opened_new(source_own_source_t source, const exports_chunked_options_t *options, cpb_error *error);
opened *opened_use(opened *file);
void opened_free(opened *file); /* by one of its users; NULL is fine */

/* Answers what an engine waits for, with bytes in `window`, of file->read_size. */
void opened_answer(const opened *file, uint8_t *window, cpb_input *input);

/* An engine on an open file: one of the two. */
typedef struct engine {
  size_t users;
  opened *file;
  uint8_t *window;
  cpb_chunk_reader *chunks;
  cpb_merge *merge;
  uint64_t reads; /* that were begun */
  cpb_span data;  /* that the last step gave and nobody has taken */
} engine;

engine *engine_for_chunks(opened *file, cpb_error *error);
/* Planned. */
engine *engine_for_merge(opened *file, const exports_chunked_merge_options_t *options, cpb_error *error);
engine *engine_use(engine *e);
void engine_free(engine *e); /* by one of its users; NULL is fine */

const cpb_error *engine_error(const engine *e);
/* Bytes of what is being read: known once there is data. */
uint64_t engine_size(const engine *e);
/* To CPB_STEP_DATA, CPB_STEP_DONE or CPB_STEP_ERROR. */
cpb_step engine_advance(engine *e);

/* A content of the read that was begun last. False and `error` when memory is short. */
bool content_new(engine *e, uint64_t offset, const uint64_t *length, exports_chunked_own_content_t *content,
                 cpb_error *error);

/* What an export returns when it fails. */
bool component_fail(exports_chunked_error_t *out, const cpb_error *error);

#endif
