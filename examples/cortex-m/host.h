/* What both programs have beneath them: their memory, and a file of the computer that runs QEMU or the debugger. */
#ifndef CPB_HOST_H
#define CPB_HOST_H

#include "board/job.h"
#include "cpb/base.h"
#include "device/device.h"

/* What is asked for at once. */
#ifndef READ_SIZE
#  define READ_SIZE 1024
#endif

/* All RAM that is neither data nor stack. */
extern const cpb_allocator host_allocator;

/* The most that a reader may be given of it: without what it does not count, itself and the headers of blocks. */
size_t host_memory(void);

/* Reads and writes the files of the job, which must outlive it. */
device_reader host_device(job *j);

/* Reports how `d` was used, prints `problem` unless it is NULL, and returns the exit status. */
int host_end(const device_reader *d, uint64_t held, const char *problem);

#endif
