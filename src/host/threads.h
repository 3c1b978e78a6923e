/* Functions for hosts with threads: threads_posix.c, pool.c and its users; threads_none.c replaces them all. */
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

/* Merges the planned message, in parts that end at `ends`, with `count` threads. False: something failed, and a single
 * thread must repeat it, so that the error is always the same; the bytes before `*written` are final. True: it is
 * complete, or the transfer's error tells why it cannot continue. */
bool cpb_merge_by_threads(cpb_transfer *t, cpb_merge *merge, const uint64_t *ends, size_t num_parts, unsigned count,
                          uint64_t *written);

/* Reads the parts between `cuts`, the last of which is UINT64_MAX, with `count` threads, and reports every record.
 * False: nothing was reported, because the file has errors, or memory is short: a single thread must find the
 * reason. */
bool cpb_check_by_threads(cpb_checking *c, const uint64_t *cuts, size_t num_parts, unsigned count);

/* --- Threads that encode the parts of a file ------------------------------------------- */

typedef struct cpb_encoders cpb_encoders;

/* `packer` was cut into `num_parts`. NULL if memory or threads are short, or the input cannot be shared; the packer
 * then continues alone. */
cpb_encoders *cpb_encoders_new(cpb_transfer *t, const cpb_packer *packer, size_t num_parts, unsigned count);

/* Ends all threads. */
void cpb_encoders_free(cpb_encoders *e);

typedef enum cpb_taken {
  CPB_TAKEN,
  CPB_TAKEN_LATER, /* it is not ready after up to a tenth of a second */
  CPB_TAKEN_NEVER  /* something failed: the packer must repeat it alone */
} cpb_taken;

/* Takes the next part, in order; without bytes if the packer must encode it. */
cpb_taken cpb_encoders_wait(cpb_encoders *e, cpb_span *part);

/* Gives back the last part, which has been written. */
void cpb_encoders_give_back(cpb_encoders *e);

#endif
