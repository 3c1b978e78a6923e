/* Functions of the pager for the field reader. */
#ifndef CPB_CHUNKED_READ_PAGER_H
#define CPB_CHUNKED_READ_PAGER_H

#include "cpb/pager.h"

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

#endif
