/* A zip archive read by ranges: its directory. docs/samediff-format.md says what is accepted.
 *
 * Functions return what cpb_input_span() does, but CPB_HAVE or CPB_WAIT or
 * CPB_FAILED only, and with CPB_FAILED the error is set. */
#ifndef CPB_MODEL_FORMATS_ZIP_ZIP_H
#define CPB_MODEL_FORMATS_ZIP_ZIP_H

#include "base/alloc.h"
#include "base/input.h"

typedef struct cpb_zip_entry {
  uint64_t header; /* where its local header lies */
  uint64_t end;    /* where the next one begins, or the directory */
  uint64_t ahead;  /* the same, or further: of small ones that a host may fetch with it */
  uint64_t size, packed;
  cpb_span name;
  uint32_t crc;
  uint16_t method, flags;
} cpb_zip_entry;

typedef enum cpb_zip_state { CPB_ZIP_SIZE, CPB_ZIP_TAIL, CPB_ZIP_TAIL64, CPB_ZIP_ENTRIES, CPB_ZIP_READY } cpb_zip_state;

typedef struct cpb_zip {
  cpb_allocator allocator;
  cpb_input *input;
  cpb_error *error;
  uint64_t max_memory; /* for the directory */
  cpb_zip_state state;
  uint64_t size;     /* of the file */
  size_t tail;       /* bytes looked at for the end record */
  cpb_buffer record; /* what is being gathered */
  uint64_t directory, directory_size, count;
  cpb_range comment;      /* of the archive */
  uint64_t at;            /* of the directory: read up to here */
  cpb_zip_entry *entries; /* by name, without regard to the case of ASCII letters */
  size_t num_entries, entries_capacity;
  cpb_buffer names;
} cpb_zip;

/* `input` and `error` are the owner's. */
void cpb_zip_init(cpb_zip *zip, const cpb_allocator *a, cpb_input *input, uint64_t max_memory, cpb_error *error);
void cpb_zip_free(cpb_zip *zip);

/* Reads the directory and checks it; goes on where it was. */
cpb_have cpb_zip_open(cpb_zip *zip);

/* Without regard to the case of ASCII letters; NULL when there is none. */
const cpb_zip_entry *cpb_zip_find(const cpb_zip *zip, cpb_span name);

/* The first entry whose name is not before this one; num_entries for none. */
size_t cpb_zip_first(const cpb_zip *zip, cpb_span name);

/* What is wrong with an entry's name, or NULL. */
const char *cpb_zip_name_problem(cpb_span name);

/* <0, 0, >0; the case of ASCII letters does not count. */
int cpb_compare_names(cpb_span a, cpb_span b);

/* Turns CPB_AT_END, and a host's failure, into the error. */
cpb_have cpb_zip_settle(cpb_have have, const cpb_input *input, cpb_error *error);

#endif
