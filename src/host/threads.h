/* What the hosts have where there are threads: threads_posix.c, pool.c and what
 * uses it, or threads_none.c in their place. */
#ifndef CPB_HOST_THREADS_H
#define CPB_HOST_THREADS_H

#include <sys/types.h>

#include "base/bytes.h"
#include "host/check_state.h"
#include "host/packer.h"
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

/* Reads what lies between `cuts`, the last of which is UINT64_MAX, by `count` threads, and gives
 * every record out. False: nothing was given out, as not all is as it should be, or memory is
 * short: it is for one thread to say why. */
bool cpb_check_by_threads(cpb_checking *c, const uint64_t *cuts, size_t num_parts, unsigned count);

/* --- Threads that encode the parts of a file ------------------------------------------- */

typedef struct cpb_encoders cpb_encoders;

/* `packer` was cut into `num_parts`. NULL: when memory or threads are short, or the input cannot be
 * shared; the packer then goes on alone. */
cpb_encoders *cpb_encoders_new(cpb_transfer *t, const cpb_packer *packer, size_t num_parts, unsigned count);

/* All threads end. */
void cpb_encoders_free(cpb_encoders *e);

typedef enum cpb_taken {
  CPB_TAKEN,
  CPB_TAKEN_LATER, /* it is not ready; a tenth of a second has passed, or less */
  CPB_TAKEN_NEVER  /* something went wrong: the packer has to find out what, alone */
} cpb_taken;

/* The next part, in order: no bytes if the packer has to encode it. */
cpb_taken cpb_encoders_wait(cpb_encoders *e, cpb_span *part);

/* The part that was taken is written. */
void cpb_encoders_give_back(cpb_encoders *e);

#endif
