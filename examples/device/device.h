/* What a program on a device does with libcpb, whatever it reads from: examples/cortex-m, examples/zephyr and
 * examples/esp-idf have a source each, and share this. */
#ifndef CPB_EXAMPLE_DEVICE_H
#define CPB_EXAMPLE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "cpb/field_reader.h"
#include "cpb/pager.h"

/* A file in flash, on a card or on a server. */
typedef struct device_source {
  /* Reads the bytes [offset, offset + length), which lie in the file. 0, or something else when that fails. */
  int (*read)(void *state, uint64_t offset, void *out, size_t length);
  void *state;

  /* Of the file. A partition is larger than the file in it: a reader looks for the index at the file's end. */
  uint64_t size;
} device_source;

typedef struct device_reader {
  device_source source;

  /* Where the source puts what the reader is lent. Its size is the read_size of the reader's options. */
  uint8_t *window;
  size_t window_size;

  /* Takes what was read. 0, or something else when that fails. */
  int (*write)(void *state, const uint8_t *data, size_t length);
  void *state;

  /* What is done between two steps, such as feeding a watchdog and letting other threads run; may be NULL. */
  void (*between)(void);

  /* A clock, which may overflow; NULL: steps are not timed. */
  uint32_t (*now)(void);

  /* Steps so far, without the reading and writing between them, and the ticks that the longest of them took. */
  uint32_t steps, longest;
} device_reader;

/* Each returns NULL, or what went wrong, as a text that lasts as long as the reader. */

/* Writes a chunk. The pager may be new. */
const char *device_chunk(device_reader *d, cpb_pager *pager, uint64_t chunk);

/* Writes the field at `path`. The reader may be new. */
const char *device_field(device_reader *d, cpb_field_reader *reader, const char *path);

/* Gives all bytes of the file to `add`, a window at a time, each of which is a step: for a hash of the file, before
 * anything is made of it. */
const char *device_file(device_reader *d, int (*add)(void *state, const uint8_t *data, size_t length), void *state);

#endif
