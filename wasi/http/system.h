/* Waiting, by WASI 0.2. */
#ifndef CPB_WASI_HTTP_SYSTEM_H
#define CPB_WASI_HTTP_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "server.h"

#define SYSTEM_NANOSECONDS ((uint64_t)1000000) /* in a millisecond */

/* Whether the awaited event happens within the time. Drops `ready`. */
bool system_wait(poll_own_pollable_t ready, uint64_t milliseconds);

#endif
