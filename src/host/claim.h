/* A file that is changed where it is: nobody else may change it meanwhile. */
#ifndef CPB_HOST_CLAIM_H
#define CPB_HOST_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "cpb/base.h"

typedef struct cpb_claim {
  const char *path;
  int fd;
  uint64_t device, number, size; /* of the file */
  int64_t seconds, nanoseconds;  /* when it was changed last */
} cpb_claim;

/* Opens the file and locks it, for other programs that lock, until the descriptor is closed;
 * waits at most so many milliseconds for one that has it. CPB_E_WRITE. */
cpb_code cpb_claim_take(cpb_claim *claim, const char *path, unsigned wait, cpb_error *error);

/* Checks that the path still leads to this file, and, if nothing was written yet, that the file has not changed since
 * it was locked: not all programs use locks. CPB_E_WRITE. */
cpb_code cpb_claim_check(const cpb_claim *claim, bool written, cpb_error *error);

#endif
