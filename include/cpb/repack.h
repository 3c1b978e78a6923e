/* cpb/repack.h: a .cpb file laid out anew, without merging it.
 *
 * Every chunk is copied as it is; the index that comes last says where each now
 * is. What TensorFlow wrote becomes a file whose chunks are fetched one range
 * each (CPB_LAYOUT_REMOTE), or the other way round. */
#ifndef CPB_REPACK_H
#define CPB_REPACK_H

#include "cpb/base.h"
#include "cpb/records.h"
#include "cpb/split.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_repack cpb_repack;

typedef struct cpb_repack_options {
  size_t struct_size; /* sizeof(cpb_repack_options) */
  cpb_layout layout;
  cpb_codec_options codec; /* CPB_CODEC_DEFAULT: the layout's choice */
  int seekable;            /* as in cpb_record_writer_options */
  size_t buffer;           /* as in cpb_record_writer_options */
  size_t read_size;        /* the largest need.length; default 256 KiB */
  const cpb_limits *limits;
  uint64_t for_memory; /* as in cpb_split_options */
} cpb_repack_options;

/* Either may be NULL. Returns NULL when memory is short; an option that is out of
 * range is the first step's error. */
CPB_API cpb_repack *cpb_repack_new(const cpb_allocator *allocator, const cpb_repack_options *options);
CPB_API void cpb_repack_free(cpb_repack *repack);

/* The .cpb file to read. Ask for it again after each CPB_STEP_NEED. */
CPB_API cpb_input *cpb_repack_input(cpb_repack *repack);

/* CPB_STEP_NEED, CPB_STEP_OUTPUT, CPB_STEP_DONE after the last byte;
 * CPB_STEP_ERROR. */
CPB_API cpb_step cpb_repack_step(cpb_repack *repack);

/* After CPB_STEP_OUTPUT: bytes to write at `offset`, valid until the next step.
 * Offsets follow each other as those of cpb_record_writer_output(). */
CPB_API const uint8_t *cpb_repack_output(const cpb_repack *repack, uint64_t *offset, size_t *length);

/* Bytes of chunks that were copied, and in all (once the index is read). */
CPB_API void cpb_repack_progress(const cpb_repack *repack, uint64_t *done, uint64_t *total);

CPB_API const cpb_error *cpb_repack_error(const cpb_repack *repack);

#ifdef __cplusplus
}
#endif
#endif
