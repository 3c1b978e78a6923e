/* How many threads a command uses. */
#ifndef CPB_CLI_THREADS_H
#define CPB_CLI_THREADS_H

#include "cli/cli.h"

/* For the file or URL `path`: as many as --threads says; else one for each processor, up to 4, if
 * there are `size` bytes that are worth it. */
unsigned cli_threads(const cli *c, const char *path, uint64_t size);

/* About the size of all chunks: one whose size is not said counts nothing. */
uint64_t cli_size_of_chunks(const cpb_index *index);

#endif
