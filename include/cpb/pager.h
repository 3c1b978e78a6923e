/* cpb/pager.h: a .cpb file read in a fixed amount of memory.
 *
 * A pager is for devices: however large the file is and however many chunks it
 * has, it never holds more than `memory` bytes, and streams any chunk out. It does
 * not keep the index (cpb_index in cpb/chunked.h does): it goes through it once, to
 * verify it and to note where some of its entries are, and from there again for
 * each chunk that is opened.
 *
 *     pager = cpb_pager_new(NULL, &options);
 *     step until CPB_STEP_DONE: the file is open
 *     cpb_pager_read(pager, chunk, 0, UINT64_MAX);
 *     step: CPB_STEP_DATA until CPB_STEP_DONE
 *
 * Whether a chunk fits is known before its first byte is given out: a decoder
 * takes its window at once, and when the memory is too little for that the answer
 * is CPB_E_LIMIT, with how much would do. Only Brotli's tables are taken as the
 * stream asks for them, so there it may come later. `cpb split --for-memory` (in
 * cpb/split.h: for_memory) writes files whose chunks all fit. */
#ifndef CPB_PAGER_H
#define CPB_PAGER_H

#include "cpb/base.h"
#include "cpb/chunked.h"
#include "cpb/records.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_pager cpb_pager;

typedef struct cpb_pager_options {
  size_t struct_size; /* sizeof(cpb_pager_options) */
  cpb_verify verify;  /* of chunks; the index is verified when the file is opened.
                         CPB_VERIFY_FIRST: a chunk that does not fit into `memory`
                         is asked for twice. CPB_VERIFY_LATE: once, and a read that
                         goes to its end then ends with its verification */
  size_t memory;      /* the most bytes that it may hold, with itself and what is
                         lent to it at once (read_size); default 64 KiB */
  size_t read_size;   /* the largest need.length; at most, and by default, a
                         sixteenth of the memory */
  const cpb_limits *limits;
} cpb_pager_options;

/* Either may be NULL. Returns NULL when memory is short or an option is out of
 * range. */
CPB_API cpb_pager *cpb_pager_new(const cpb_allocator *allocator, const cpb_pager_options *options);
CPB_API void cpb_pager_free(cpb_pager *pager);

/* Ask for it again after each CPB_STEP_NEED. */
CPB_API cpb_input *cpb_pager_input(cpb_pager *pager);

/* First it opens the file: CPB_STEP_NEED, then CPB_STEP_DONE. Then each
 * cpb_pager_read is answered with CPB_STEP_NEED, CPB_STEP_DATA and CPB_STEP_DONE.
 * CPB_STEP_ERROR: among others CPB_E_FORMAT, CPB_E_UNSUPPORTED as from
 * cpb_index_step. */
CPB_API cpb_step cpb_pager_step(cpb_pager *pager);

/* Once the file is open. */
CPB_API uint64_t cpb_pager_num_chunks(const cpb_pager *pager);

/* Asks for the bytes [offset, offset + length) of `chunk`; what lies past its end
 * is left out (so UINT64_MAX means the rest). May be called again at any time but
 * after an error. To go on in the chunk that was read last costs nothing; any other
 * place begins with the index. A length of 0 opens the chunk. CPB_E_NOT_FOUND when
 * there is no such chunk, CPB_E_USAGE before the file is open. */
CPB_API cpb_code cpb_pager_read(cpb_pager *pager, uint64_t chunk, uint64_t offset, uint64_t length);

/* After CPB_STEP_DATA: the bytes, valid until the next step. */
CPB_API const uint8_t *cpb_pager_data(const cpb_pager *pager, size_t *length);

/* What the index says of the chunk, and where and how it is stored: after the first
 * CPB_STEP_DATA or CPB_STEP_DONE of a read. */
CPB_API const cpb_chunk_info *cpb_pager_info(const cpb_pager *pager);
CPB_API const cpb_chunk_stored *cpb_pager_stored(const cpb_pager *pager);

/* The most that was held at once so far; after the CPB_E_LIMIT that says that the
 * memory was too little, how much would have gone further. */
CPB_API uint64_t cpb_pager_memory(const cpb_pager *pager);

CPB_API const cpb_error *cpb_pager_error(const cpb_pager *pager);

/* How large the linear memory of a cpb-core.wasm must be, all included, to stream
 * records of such a Riegeli chunk out of it, in bytes: whole pages of 64 KiB. `window`
 * is cpb_record_reader_window()'s. For what is not compressed it is the module without
 * decoders, else the one with all. Never too little, but for Brotli, Snappy and
 * transposed chunks often more than it takes. */
CPB_API uint64_t cpb_device_memory(const cpb_riegeli_chunk *chunk, uint64_t window);

#ifdef __cplusplus
}
#endif
#endif
