/* What a field reader needs of the pager it reads with. */
#ifndef CPB_CHUNKED_READ_PAGER_H
#define CPB_CHUNKED_READ_PAGER_H

#include "cpb/pager.h"

/* Once the file is open: bytes of the index, and where in it the first tag of `message` is. */
uint64_t cpb_pager_index_size(const cpb_pager *pager);
uint64_t cpb_pager_index_message(const cpb_pager *pager);

/* As cpb_pager_read(), of the index. */
cpb_code cpb_pager_read_index(cpb_pager *pager, uint64_t offset, uint64_t length);

/* What it holds, and what it may hold from now on, instead of options.memory. */
size_t cpb_pager_held(const cpb_pager *pager);
void cpb_pager_set_memory(cpb_pager *pager, size_t memory);

/* The size of the file, or CPB_NO_OFFSET while it is not known. */
uint64_t cpb_pager_file_size(const cpb_pager *pager);

#endif
