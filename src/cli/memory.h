/* An allocator that counts, for --memory-limit. Threads may use it at the same time. */
#ifndef CPB_CLI_MEMORY_H
#define CPB_CLI_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpb/base.h"

typedef struct cli_memory {
  uint64_t limit; /* UINT64_MAX for none */
  atomic_size_t used;
  atomic_bool refused; /* an allocation would have passed the limit */
} cli_memory;

cpb_allocator cli_memory_allocator(cli_memory *memory);

#endif
