/* Implementation of the resources of wit/cpb.wit. A host drops them in any order, so
 * shared objects count their users. */
#ifndef CPB_COMPONENT_H
#define CPB_COMPONENT_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/chunked.h"
#include "wit.h"

/* --- What a host lends (lent.c) --------------------------------------------------- */

/* A source, and the most bytes to ask it for at once. */
typedef struct lent {
  size_t users;
  source_own_source_t source;
  uint64_t size;
  size_t read_size;
} lent;

/* Takes ownership of the source. NULL and `error` on failure. */
lent *lent_new(source_own_source_t source, const wit_option_u32_t *read_size, cpb_error *error);
lent *lent_use(lent *from);
void lent_free(lent *from); /* by one of its users; NULL is fine */

/* Reads up to `length` bytes at `offset`, within the source, into `window`, which has
 * room for read_size; `*got` is their number, at least 1. */
bool lent_read(const lent *from, uint8_t *window, uint64_t offset, uint32_t length, uint64_t ahead, size_t *got,
               cpb_error *error);

/* Supplies the bytes that an engine waits for, in `window`. */
void lent_answer(const lent *from, uint8_t *window, cpb_input *input);

/* Error of a call of the host. */
cpb_code lent_failure(source_failure_t *said, cpb_error *error);

/* Between these two calls, results of the host are stored in `window`; NULL: in their
 * own memory. */
void lent_land(uint8_t *window, size_t size);
void lent_landed(void);

/* Frees a text or bytes that were passed to an export, which owns them. */
void argument_free(const void *data, size_t size);
void component_free(void *block);

typedef struct engine engine;

/* --- An open file (opened.c) -------------------------------------------------------- */

/* The resource `file` of the hosts. */
typedef struct exports_chunked_file_t {
  size_t users;
  lent *from;
  cpb_verify verify;
  cpb_index *index;
  engine *chunks; /* of the host's reads; NULL until a chunk is read */
} opened;

/* The file takes ownership of the source. NULL and `error` on failure. */
opened *opened_new(source_own_source_t source, const exports_chunked_options_t *options, cpb_error *error);
opened *opened_use(opened *file);
void opened_free(opened *file); /* by one of its users; NULL is fine */

/* --- What contents come from (engine.c) ---------------------------------------------- */

/* Produces bytes. `advance` continues until CPB_STEP_DATA, with the bytes in `data`, CPB_STEP_DONE
 * or CPB_STEP_ERROR. */
typedef struct engine_kind {
  cpb_step (*advance)(engine *e);
  const cpb_error *(*error)(const engine *e);
  uint64_t (*size)(const engine *e); /* of the read range, once there is data; NULL: not known */
  void (*free)(engine *e);           /* what the struct has besides the engine */
  void (*take_back)(engine *e);      /* the data, which something else may have replaced; or NULL */
} engine_kind;

/* The first member of each kind's struct. */
struct engine {
  const engine_kind *kind;
  size_t users;
  uint64_t reads; /* that have begun */
  cpb_span data;  /* of the last step, not yet taken */
  lent *from;     /* what it reads; NULL: nothing, and no window */
  uint8_t *window;
};

/* A struct of `size` bytes, zero but for its engine, which takes `from` over, even on failure. NULL when memory is
 * short. */
void *engine_new(size_t size, const engine_kind *kind, lent *from);
engine *engine_use(engine *e);
void engine_free(engine *e); /* by one of its users; NULL is fine */

/* Engines for an open file's chunks, and for its message, planned, so that its size is known. */
engine *engine_for_chunks(opened *file, cpb_error *error);
engine *engine_for_merge(opened *file, const exports_chunked_merge_options_t *options, cpb_error *error);
cpb_chunk_reader *engine_chunks(engine *e);
cpb_merge *engine_merge(engine *e);

/* --- Contents (content.c) --------------------------------------------------------------- */

/* The contents of the last started read. False and `err` when memory is short. `offset` and
 * `length` are the requested range; a NULL length: to the end. */
bool content_new(engine *e, uint64_t offset, const uint64_t *length, exports_chunked_own_content_t *content,
                 exports_chunked_error_t *err);

/* The same for an engine without other users. It takes ownership of the engine, even on failure. */
bool content_of(engine *e, exports_chunked_own_content_t *content, exports_chunked_error_t *err);

/* Sets the result of an export that fails. */
bool component_fail(exports_chunked_error_t *out, const cpb_error *error);

/* Sets the error to `memory`. */
bool component_fail_memory(exports_chunked_error_t *out);

/* A copy for the runtime, which frees it. False if it is empty, as when memory is short. */
bool component_give(const char *text, size_t length, wit_string_t *ret);

#endif
