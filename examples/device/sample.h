/* What the samples for Zephyr and ESP-IDF do once the system is up, in terms of both. */
#ifndef CPB_EXAMPLE_SAMPLE_H
#define CPB_EXAMPLE_SAMPLE_H

#include "device.h"

/* What is known of the model before it is read. In a product it comes from a manifest, whose signature is checked
 * before anything in it is believed; here it comes from the configuration. */
typedef struct sample_manifest {
  /* Bytes of the file; 0: all that the source has. */
  uint64_t size;

  /* The SHA-256 of the file in hexadecimal, or "": it is not verified. */
  const char *sha256;
} sample_manifest;

typedef struct sample {
  const cpb_allocator *allocator;

  /* What a reader gets of it. */
  size_t memory;

  sample_manifest manifest;

  /* What is read: the field at this path, unless that is "", and a chunk. */
  const char *field;
  uint64_t chunk;

  /* What device_reader.now counts. */
  const char *ticks;
} sample;

/* Opens the file that the configuration names: flash.c, sd.c or http.c. Returns NULL, or what went wrong. */
const char *sample_open(device_source *source);

/* Verifies the model, reads the field and the chunk, and prints what it read. `d` needs a window, and may have a clock
 * and what is done between steps. Returns 0, or 1 if something went wrong, which is printed. */
int sample_run(device_reader *d, const sample *s);

#endif
