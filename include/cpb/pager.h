/* cpb/pager.h: chunks of a .cpb file, read in a fixed amount of memory.
 *
 * A pager is for small devices. For a file of any size, with any number of chunks,
 * it never holds more than `memory` bytes, and streams any chunk out. It does not
 * keep the index: it reads it once, to verify it and to note the places of some
 * entries, and then again from the nearest of these for each chunk. If the index
 * fits into memory, cpb_index and cpb_chunk_reader (cpb/chunked.h) read less.
 *
 *     cpb_pager_options how = {.struct_size = sizeof how, .memory = 65536};
 *     cpb_pager *pager = cpb_pager_new(&allocator, &how);
 *     while ((step = cpb_pager_step(pager)) == CPB_STEP_NEED)
 *       cpb_file_supply(file, cpb_pager_input(pager));
 *     cpb_pager_read(pager, 7, 0, UINT64_MAX);
 *     while ((step = cpb_pager_step(pager)) != CPB_STEP_DONE)
 *       if (step == CPB_STEP_NEED) cpb_file_supply(file, cpb_pager_input(pager));
 *       else if (step == CPB_STEP_DATA) ...cpb_pager_data(pager, &length)...
 *       else return cpb_pager_error(pager);
 *
 * Decoders allocate their windows at once. So if a chunk does not fit, the step is
 * CPB_E_LIMIT before the chunk's first byte is given out, and cpb_pager_memory()
 * says how much memory is enough. Only Brotli allocates its tables on demand, so
 * its error may come later. `cpb split --for-memory` (`for_memory` in cpb/split.h)
 * writes files whose chunks all fit. */
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
  /* sizeof(cpb_pager_options) */
  size_t struct_size;

  /* For chunks; the index is verified when the file is opened. CPB_VERIFY_FIRST:
   * the bytes of a chunk that does not fit into `memory` are needed twice.
   * CPB_VERIFY_LATE: they are needed once, and a read to the end of the chunk ends
   * with the check. */
  cpb_verify verify;

  /* The most bytes that the pager may hold, including itself and the bytes lent to
   * it at once (read_size). Default 64 KiB. */
  size_t memory;

  /* The largest need.length. At most a sixteenth of the memory, which is the
   * default. */
  size_t read_size;

  const cpb_limits *limits;
} cpb_pager_options;

/* Returns NULL when memory is short or `verify` is out of range. NULL as the allocator means
 * malloc. Builds for devices (cmake/device.cmake) lack it: the program must pass an allocator
 * there. */
CPB_API cpb_pager *cpb_pager_new(const cpb_allocator *allocator, const cpb_pager_options *options);
CPB_API void cpb_pager_free(cpb_pager *pager);

CPB_API cpb_input *cpb_pager_input(cpb_pager *pager);

/* First opens the file: CPB_STEP_NEED, then CPB_STEP_DONE. Then, after each
 * cpb_pager_read(): CPB_STEP_NEED; CPB_STEP_DATA until all bytes were given;
 * CPB_STEP_DONE. Or CPB_STEP_ERROR, with CPB_E_FORMAT and CPB_E_UNSUPPORTED as from
 * cpb_index_step(). */
CPB_API cpb_step cpb_pager_step(cpb_pager *pager);

/* Once the file is open. */
CPB_API uint64_t cpb_pager_num_chunks(const cpb_pager *pager);

/* Asks for the bytes [offset, offset + length) of `chunk`, without those past its
 * end (so UINT64_MAX means the rest). A length of 0 opens the chunk. May be called
 * at any time except after an error. Reading on in the last chunk costs nothing
 * extra; any other place takes a part of the index first. CPB_E_NOT_FOUND if the
 * chunk does not exist, CPB_E_USAGE before the file is open. */
CPB_API cpb_code cpb_pager_read(cpb_pager *pager, uint64_t chunk, uint64_t offset, uint64_t length);

/* After CPB_STEP_DATA: the next bytes, valid until the next step. */
CPB_API const uint8_t *cpb_pager_data(const cpb_pager *pager, size_t *length);

/* From the first CPB_STEP_DATA or CPB_STEP_DONE of a read on: the index's entry
 * for the chunk, and where and how it is stored. */
CPB_API const cpb_chunk_info *cpb_pager_info(const cpb_pager *pager);
CPB_API const cpb_chunk_stored *cpb_pager_stored(const cpb_pager *pager);

/* The most bytes that were held at once so far; after CPB_E_LIMIT because of
 * `memory`, the number that would have been enough to go further. */
CPB_API uint64_t cpb_pager_memory(const cpb_pager *pager);

CPB_API const cpb_error *cpb_pager_error(const cpb_pager *pager);

/* The linear memory, in bytes, that a cpb-core.wasm needs in all to stream the records of this
 * Riegeli chunk: whole pages of 64 KiB. `window` is that of cpb_record_reader_window(). Without
 * compression it is that of the module without decoders, otherwise that of the module with all of
 * them. Never too little; for Brotli, Snappy and transposed chunks often more than is used. */
CPB_API uint64_t cpb_device_memory(const cpb_riegeli_chunk *chunk, uint64_t window);

/* The same for a program with this library in C, compiled for little memory as in
 * cmake/device.cmake and with constants in flash: the RAM in all. The pager gets this minus 6 KiB
 * for stack and data. A multiple of 1 KiB. */
CPB_API uint64_t cpb_core_memory(const cpb_riegeli_chunk *chunk, uint64_t window);

#ifdef __cplusplus
}
#endif
#endif
