/* Limits with their defaults filled in. */
#ifndef CPB_BASE_LIMITS_H
#define CPB_BASE_LIMITS_H

#include "cpb/base.h"

/* `limits` (or NULL) with every zero replaced by its default. */
cpb_limits cpb_limits_or_default(const cpb_limits *limits);

/* What an option `max_memory` allows: 256 MiB unless it is set, 64 MiB where
 * size_t has 32 bits. */
uint64_t cpb_max_memory_or_default(uint64_t given);

/* Copies the caller's option struct, which may be older and so shorter than
 * ours (its first field is its size), into `options`; what it lacks is zero. */
void cpb_options_copy(void *options, size_t size, const void *given);

#endif
