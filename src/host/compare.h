/* A merged message compared with a file. */
#ifndef CPB_HOST_COMPARE_H
#define CPB_HOST_COMPARE_H

#include <stdbool.h>

#include "cpb/file.h"

/* The message's bytes from `offset` on, against the file's. Once they differ, or the file cannot be
 * read, it does nothing. */
void cpb_compare_bytes(cpb_comparison *c, cpb_file *against, uint64_t offset, const uint8_t *data, size_t size);

/* The file may continue after the message of c->size bytes. */
void cpb_compare_ends(cpb_comparison *c, cpb_file *against);

#endif
