/* File descriptors: whole ranges of them, and regular files. */
#ifndef CPB_HOST_DESCRIPTOR_H
#define CPB_HOST_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpb/base.h"

/* A descriptor with its position, so that sequential reading or writing needs no seek: this supports pipes, and hosts
 * without pread. A shared one is never moved, nor is one that reads by offsets: after fork, processes have one position
 * for both of theirs. */
typedef struct cpb_descriptor {
  int fd;
  uint64_t at;
  bool shared;          /* with other threads */
  bool reads_by_offset; /* by pread */
} cpb_descriptor;

/* Whether the host has pread for it. */
bool cpb_descriptor_reads_by_offset(int fd);

/* Both return false with errno set. A read is shorter than requested only at the end of the file. */
bool cpb_descriptor_read(cpb_descriptor *d, uint64_t offset, void *out, size_t length, size_t *got);
bool cpb_descriptor_write(cpb_descriptor *d, uint64_t offset, const void *data, size_t length);

/* Whether it is a device without a size, such as /dev/zero, though some of these claim to be empty. */
bool cpb_descriptor_is_device(int fd);

/* The size, or false when the descriptor cannot seek. */
bool cpb_descriptor_size(cpb_descriptor *d, uint64_t *size);

/* `error` with the text of errno. */
cpb_code cpb_fail_errno(cpb_error *error, cpb_code code);

/* --- Files that the caller did not name -------------------------------------------------- */

/* A malicious model may come with a pipe in place of a file, which could block for ever, or a device. */

/* Opens a regular file to read. -1 with the error set for anything else, without waiting. `flags` are more ones for
 * open(): O_NOFOLLOW or 0. */
int cpb_regular_open(const char *path, int flags, cpb_error *error);

/* The same, from a folder's descriptor on. (Not under WASI.) */
int cpb_regular_open_at(int folder, const char *path, int flags, cpb_error *error);

#endif
