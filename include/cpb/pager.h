/* cpb/pager.h: chunks of a .cpb file, read in a fixed amount of memory.
 *
 * For small devices: however large the file is, and however many chunks it has, a
 * pager never holds more than `memory` bytes, and streams any chunk out. It does not
 * keep the index: it reads it once, to verify it and to note where some of its
 * entries are, and then again from the nearest of those for each chunk. Where the
 * index fits into memory, cpb_index and cpb_chunk_reader (cpb/chunked.h) read less.
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
 * Whether a chunk fits is known before its first byte is given out, as decoders
 * take their windows at once: otherwise the step is CPB_E_LIMIT, and
 * cpb_pager_memory() says how much would do. Only Brotli takes memory for its tables
 * when the stream asks for them, so that there the error may come later. `cpb split
 * --for-memory` (`for_memory` in cpb/split.h) writes files whose chunks all fit. */
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

  /* Of chunks; the index is verified when the file is opened. CPB_VERIFY_FIRST: the
   * bytes of a chunk that does not fit into `memory` are needed twice.
   * CPB_VERIFY_LATE: once, and a read to the end of the chunk ends with the check. */
  cpb_verify verify;

  /* The most bytes that it may hold, with itself and what is lent to it at once
   * (read_size). Default 64 KiB. */
  size_t memory;

  /* The largest need.length. At most a sixteenth of the memory, which is the
   * default. */
  size_t read_size;

  const cpb_limits *limits;
} cpb_pager_options;

/* Returns NULL when memory is short or `verify` is out of range. NULL as the allocator is malloc, which builds for
 * devices (cmake/device.cmake) are without: there it must be one of the program's. */
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

/* Asks for the bytes [offset, offset + length) of `chunk`, without those past its end
 * (so UINT64_MAX means the rest). A length of 0 opens the chunk. May be called at any
 * time but after an error. To go on in the chunk that was read last costs nothing;
 * any other place takes a part of the index first.
 * CPB_E_NOT_FOUND when there is no such chunk, CPB_E_USAGE before the file is
 * open. */
CPB_API cpb_code cpb_pager_read(cpb_pager *pager, uint64_t chunk, uint64_t offset, uint64_t length);

/* After CPB_STEP_DATA: the next bytes, valid until the next step. */
CPB_API const uint8_t *cpb_pager_data(const cpb_pager *pager, size_t *length);

/* From the first CPB_STEP_DATA or CPB_STEP_DONE of a read on: what the index says of
 * the chunk, and where and how it is stored. */
CPB_API const cpb_chunk_info *cpb_pager_info(const cpb_pager *pager);
CPB_API const cpb_chunk_stored *cpb_pager_stored(const cpb_pager *pager);

/* The most bytes that were held at once so far; after the CPB_E_LIMIT because of
 * `memory`, how many would have gone further. */
CPB_API uint64_t cpb_pager_memory(const cpb_pager *pager);

CPB_API const cpb_error *cpb_pager_error(const cpb_pager *pager);

/* The linear memory, in bytes, that a cpb-core.wasm needs in all to stream the records
 * of this Riegeli chunk: whole pages of 64 KiB. `window` is that of
 * cpb_record_reader_window(). Without compression it is that of the module without
 * decoders, otherwise of the one with all. Never too little; for Brotli, Snappy and
 * transposed chunks often more than is used. */
CPB_API uint64_t cpb_device_memory(const cpb_riegeli_chunk *chunk, uint64_t window);

/* The same for a program with this library in C, compiled for little memory as in cmake/device.cmake
 * and with constants in flash: RAM in all, of which a pager gets all but 6 KiB for stack and data. A
 * multiple of 1 KiB. */
CPB_API uint64_t cpb_core_memory(const cpb_riegeli_chunk *chunk, uint64_t window);

#ifdef __cplusplus
}
#endif
#endif
