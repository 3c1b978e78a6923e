/* Functions of the pager for the field reader. */
#ifndef CPB_CHUNKED_READ_PAGER_H
#define CPB_CHUNKED_READ_PAGER_H

#include <stdbool.h>

#include "cpb/chunked.h"
#include "cpb/pager.h"
#include "cpb/split.h"

/* Call these once the file is open: the size of the index in bytes, and the offset in it of the first tag of
 * `message`. */
uint64_t cpb_pager_index_size(const cpb_pager *pager);
uint64_t cpb_pager_index_message(const cpb_pager *pager);

/* Like cpb_pager_read(), for the index. */
cpb_code cpb_pager_read_index(cpb_pager *pager, uint64_t offset, uint64_t length);

/* The bytes that it holds; and a new limit for them, instead of options.memory. */
size_t cpb_pager_held(const cpb_pager *pager);
void cpb_pager_set_memory(cpb_pager *pager, size_t memory);

/* The size of the file, or CPB_NO_OFFSET while unknown. */
uint64_t cpb_pager_file_size(const cpb_pager *pager);

/* --- device ----------------------------------------------------------------------------------- */

/* Chooses options that fit the memory of a device (cpb_device_memory in cpb/pager.h). */

/* Chooses the window, or no compression, so that a device with this much memory can read the output. Errors: LIMIT, if
 * nothing fits, or not the given options; USAGE. */
bool cpb_device_choose(uint64_t memory, cpb_layout layout, cpb_transpose transpose, uint64_t index_pages,
                       cpb_codec_options *codec, cpb_error *error);

/* --- chunk reader ----------------------------------------------------------------------------- */

/* Functions of a chunk reader for the library itself, in addition to cpb/chunked.h. */

/* The hash in the header of the Riegeli chunk; valid once cpb_chunk_reader_stored() has an answer. */
uint64_t cpb_chunk_reader_data_hash(const cpb_chunk_reader *reader);

#endif
