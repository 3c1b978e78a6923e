#include "cli/threads.h"

#include <limits.h>

#include "base/checked.h"
#include "cli/os/os.h"

/* The default number of threads, each for at least so many bytes. */
#define THREADS_DEFAULT 4u
#define THREAD_WORTH ((uint64_t)4 << 20)

uint64_t cli_size_of_chunks(const cpb_index *index) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < cpb_index_num_chunks(index); i++) {
    cpb_chunk_info chunk;
    bool fits = cpb_index_get_chunk(index, i, &chunk) == CPB_OK && cpb_add_u64(sum, chunk.size, &sum);
    if (!fits) return UINT64_MAX;
  }
  return sum;
}

/* For a URL, each thread waits for its own request, and not for a processor. */
unsigned cli_threads(const cli *c, const char *path, uint64_t size) {
  uint64_t asked = c->settings.threads, most = cpb_is_url(path) ? THREADS_DEFAULT : os_processors();
  if (asked > 0) return (unsigned)cpb_min_u64(asked, UINT_MAX);
  return (unsigned)cpb_min_u64(cpb_min_u64(most, THREADS_DEFAULT), size / THREAD_WORTH);
}
