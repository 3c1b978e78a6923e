/* How many threads a command uses. */
#ifndef CPB_CLI_THREADS_H
#define CPB_CLI_THREADS_H

#include "cli/cli.h"

/* For the file or URL `path`: the number in --threads; else one for each processor, up to 4, if there are enough bytes
 * (`size`) for them. */
unsigned cli_threads(const cli *c, const char *path, uint64_t size);

/* About the size of all chunks; a chunk of unknown size does not count. */
uint64_t cli_size_of_chunks(const cpb_index *index);

#endif
