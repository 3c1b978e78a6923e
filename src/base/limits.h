/* Options and limits of the caller, with defaults filled in. */
#ifndef CPB_BASE_LIMITS_H
#define CPB_BASE_LIMITS_H

#include "cpb/base.h"

/* `limits`, or NULL, with a default for every zero. */
cpb_limits cpb_limits_or_default(const cpb_limits *limits);

/* An option `max_memory` in bytes; the default for 0 is 256 MiB, or 64 MiB where size_t
 * has 32 bits. */
uint64_t cpb_max_memory_or_default(uint64_t given);

/* Copies a caller's options struct (or NULL) into `options`, our own of `size` bytes. The caller's may be shorter, if
 * it was compiled against an older header; its first member is its size. Missing members become 0. */
void cpb_options_copy(void *options, size_t size, const void *given);

#endif
