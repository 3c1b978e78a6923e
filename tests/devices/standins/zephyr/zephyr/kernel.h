#ifndef STANDIN_ZEPHYR_KERNEL_H
#define STANDIN_ZEPHYR_KERNEL_H

#include <stdio.h>
#include <time.h>

#include "standin.h"

#define ARG_UNUSED(x) (void)(x)
#define printk printf

static inline void k_yield(void) {}
static inline uint32_t k_cycle_get_32(void) { return (uint32_t)clock(); }

#endif
