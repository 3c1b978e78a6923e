/* What the hosts have where there are threads: threads_posix.c, merge_threads.c and
 * turns.c, or threads_none.c in their place. */
#ifndef CPB_HOST_THREADS_H
#define CPB_HOST_THREADS_H

#include <sys/types.h>

#include "host/transfer_state.h"

/* pread and pwrite, which small systems lack. */
ssize_t cpb_shared_read(int fd, void *out, size_t length, uint64_t offset);
ssize_t cpb_shared_write(int fd, const void *data, size_t length, uint64_t offset);

/* The planned message, cut into parts that end at `ends`, by `count` threads. False: when
 * something went wrong that is for one thread to come upon, alone, so that it is always the
 * same error; the bytes before `*written` are then put out for good. True: it is done, or
 * the transfer's error says why it cannot go on. */
bool cpb_merge_by_threads(cpb_transfer *t, cpb_merge *merge, const uint64_t *ends, size_t num_parts, unsigned count,
                          uint64_t *written);

#endif
