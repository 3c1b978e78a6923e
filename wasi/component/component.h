/* The implementation of the resources of wit/cpb.wit. A host drops them in any order, so shared objects count their
 * users. */
#ifndef CPB_COMPONENT_H
#define CPB_COMPONENT_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/chunked.h"
#include "wit.h"

/* --- What a host lends (lent.c) --------------------------------------------------- */

/* A source, and the largest number of bytes to request at once. */
typedef struct lent {
  size_t users;
  source_own_source_t source;
  uint64_t size;
  size_t read_size;
} lent;

/* Takes over the source. NULL and `error` on failure. */
lent *lent_new(source_own_source_t source, const wit_option_u32_t *read_size, cpb_error *error);
lent *lent_use(lent *from);
void lent_free(lent *from); /* called by each of its users; accepts NULL */

/* Reads bytes from `offset` on, of `length` that exist there, into `window`, which has room for read_size; `*got` is
 * their number, at least 1. */
bool lent_read(const lent *from, uint8_t *window, uint64_t offset, uint32_t length, uint64_t ahead, size_t *got,
               cpb_error *error);

/* Satisfies the need of an engine, with bytes in `window`. */
void lent_answer(const lent *from, uint8_t *window, cpb_input *input);

/* Turns a failure of a host's call into an error. */
cpb_code lent_failure(source_failure_t *said, cpb_error *error);

/* Between these two calls the host's bytes are put into `window`; NULL: into a block of their own. */
void lent_land(uint8_t *window, size_t size);
void lent_landed(void);

/* Frees a text or bytes that were passed to an export, which owns them. */
void argument_free(const void *data, size_t size);
void component_free(void *block);

/* --- An open file (opened.c) -------------------------------------------------------- */

typedef struct opened {
  size_t users;
  lent *from;
  cpb_verify verify;
  cpb_index *index;
} opened;

/* Takes over the source. NULL and `error` on failure. */
opened *opened_new(source_own_source_t source, const exports_chunked_options_t *options, cpb_error *error);
opened *opened_use(opened *file);
void opened_free(opened *file); /* called by each of its users; accepts NULL */

/* --- What contents come from (engine.c) ---------------------------------------------- */

typedef struct engine engine;

/* Produces bytes. `advance` continues to CPB_STEP_DATA, with bytes in `data`, CPB_STEP_DONE or CPB_STEP_ERROR. */
typedef struct engine_kind {
  cpb_step (*advance)(engine *e);
  const cpb_error *(*error)(const engine *e);
  uint64_t (*size)(const engine *e); /* total size of the content, once there is data; NULL: unknown */
  void (*free)(engine *e);           /* with `e` itself */
  void (*take_back)(engine *e);      /* takes back the data, which may have been overwritten; or NULL */
} engine_kind;

/* The first member of each kind of engine. */
struct engine {
  const engine_kind *kind;
  size_t users;
  uint64_t reads; /* number of reads begun */
  cpb_span data;  /* from the last step, not yet taken */
};

engine *engine_use(engine *e);
void engine_free(engine *e); /* called by each of its users; accepts NULL */

/* For an open file: an engine for its chunks, and one for its message, with a plan and known size. */
engine *engine_for_chunks(opened *file, cpb_error *error);
engine *engine_for_merge(opened *file, const exports_chunked_merge_options_t *options, cpb_error *error);
cpb_chunk_reader *engine_chunks(engine *e);
cpb_merge *engine_merge(engine *e);

/* --- Contents (content.c) --------------------------------------------------------------- */

/* Makes the content of the last read begun. False and `error` if memory is short. `offset` and `length` are the
 * requested range; a NULL length: everything. */
bool content_new(engine *e, uint64_t offset, const uint64_t *length, exports_chunked_own_content_t *content,
                 cpb_error *error);

/* The same for an engine without other users, which the content takes over, also on failure. */
bool content_of(engine *e, exports_chunked_own_content_t *content, cpb_error *error);

/* Returns an error from an export. */
bool component_fail(exports_chunked_error_t *out, const cpb_error *error);

/* Sets the error to lack of memory, and returns it. */
bool component_fail_memory(exports_chunked_error_t *out);

#endif
