/* cpb/repack.h: a .cpb file in another layout, without merging it.
 *
 * Every chunk is copied unchanged, into new Riegeli chunks; the new index has
 * their positions. So a file that TensorFlow wrote becomes a file in which one
 * request fetches any chunk (CPB_LAYOUT_REMOTE in cpb/split.h), or the other way
 * round. cpb_file_repack() (cpb/file.h) does this in one call.
 *
 *     cpb_repack_options how = {.struct_size = sizeof how, .layout = CPB_LAYOUT_REMOTE};
 *     cpb_repack *repack = cpb_repack_new(NULL, &how);
 *     for (;;) {
 *       switch (cpb_repack_step(repack)) {
 *         case CPB_STEP_NEED: cpb_file_supply(file, cpb_repack_input(repack)); break;
 *         case CPB_STEP_OUTPUT:
 *           data = cpb_repack_output(repack, &offset, &length);
 *           ...write it...
 *           break;
 *         default: return cpb_repack_error(repack)->code;
 *       }
 *     } */
#ifndef CPB_REPACK_H
#define CPB_REPACK_H

#include "cpb/base.h"
#include "cpb/records.h"
#include "cpb/split.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_repack cpb_repack;

/* All members except `struct_size` and `riegeli` are as in cpb_split_options. */
typedef struct cpb_repack_options {
  /* sizeof(cpb_repack_options) */
  size_t struct_size;

  cpb_layout layout;
  cpb_codec_options codec;
  int seekable;
  size_t buffer;
  size_t read_size;
  const cpb_limits *limits;
  uint64_t for_memory;
  cpb_transpose transpose;

  /* Not NULL: these options determine the Riegeli chunks, in place of `layout`, `codec` and
   * `transpose`. Their `seekable`, `buffer` and `limits` are ignored, and append_at must be 0. Must
   * outlive cpb_repack_new(). */
  const cpb_record_writer_options *riegeli;

  uint64_t index_pages; /* as for a split; a repack without it writes an index without pages */
} cpb_repack_options;

/* Returns NULL when memory is short; an option that is out of range is the error of
 * the first step. */
CPB_API cpb_repack *cpb_repack_new(const cpb_allocator *allocator, const cpb_repack_options *options);
CPB_API void cpb_repack_free(cpb_repack *repack);

/* The .cpb file. */
CPB_API cpb_input *cpb_repack_input(cpb_repack *repack);

/* CPB_STEP_NEED; CPB_STEP_OUTPUT; CPB_STEP_DONE after the last byte;
 * CPB_STEP_ERROR. After cpb_repack_cut() also CPB_STEP_PART. */
CPB_API cpb_step cpb_repack_step(cpb_repack *repack);

/* After CPB_STEP_OUTPUT: bytes to write at `offset`, valid until the next step;
 * offsets as from cpb_record_writer_output(). */
CPB_API const uint8_t *cpb_repack_output(const cpb_repack *repack, uint64_t *offset, size_t *length);

/* --- In several threads: as for a split (cpb/split.h) -------------------------- */

/* Reads the index, which otherwise a step does: CPB_STEP_NEED; CPB_STEP_DONE; CPB_STEP_ERROR. */
CPB_API cpb_step cpb_repack_open(cpb_repack *repack);

/* After that, like cpb_split_cut() and the functions after it. The sizes in the index determine the
 * parts. A fork that finds another size reports CPB_E_DAMAGED; `repack` must then encode this part
 * and all later ones. */
CPB_API cpb_code cpb_repack_cut(cpb_repack *repack, uint64_t least, size_t *count);
CPB_API cpb_repack *cpb_repack_fork(const cpb_repack *repack, const cpb_allocator *allocator);
CPB_API cpb_code cpb_repack_part(cpb_repack *fork, size_t part);
CPB_API cpb_code cpb_repack_give(cpb_repack *repack, const void *data, size_t size);
CPB_API cpb_code cpb_repack_restart(cpb_repack *repack);

/* Bytes of chunks that were copied, and of all chunks (0 until the index was
 * read). */
CPB_API void cpb_repack_progress(const cpb_repack *repack, uint64_t *done, uint64_t *total);

CPB_API const cpb_error *cpb_repack_error(const cpb_repack *repack);

#ifdef __cplusplus
}
#endif
#endif
