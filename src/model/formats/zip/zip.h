/* Reads the central directory of a zip archive (PKWARE's APPNOTE.TXT), from the end of the file.
 * docs/samediff-format.md says what is accepted.
 *
 * The rules are stricter than those of most readers, so that every reader finds the same files
 * in an archive: one disk, no gap between directory and end record, no overlapping entries,
 * unique names, paths that stay in their folder. Once CPB_ZIP_READY, `entries` and `names` do
 * not change, and together take at most `max_memory` bytes.
 *
 * Functions return what cpb_input_span() does, but only CPB_HAVE, CPB_WAIT or CPB_FAILED; with
 * CPB_FAILED the error is set. */
#ifndef CPB_MODEL_FORMATS_ZIP_ZIP_H
#define CPB_MODEL_FORMATS_ZIP_ZIP_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/input.h"
#include "base/meter.h"

typedef enum cpb_zip_cut {
  CPB_ZIP_WHOLE,  /* all of its bytes are there */
  CPB_ZIP_CUT,    /* the file ends before the entry does */
  CPB_ZIP_UNSIZED /* the same, with unknown full sizes: `size` and `packed` are those of the available bytes */
} cpb_zip_cut;

typedef struct cpb_zip_entry {
  uint64_t header; /* offset of its local header */
  uint64_t end;    /* offset of the next entry, or of the directory */
  uint64_t ahead;  /* a host may fetch up to here with one request; at least `end` */
  uint64_t size;   /* uncompressed, in bytes */
  uint64_t packed; /* compressed */
  cpb_span name;
  uint32_t crc;
  uint16_t method, flags;
  cpb_zip_cut cut; /* CPB_ZIP_WHOLE unless the archive is partial */
} cpb_zip_entry;

typedef enum cpb_zip_state { CPB_ZIP_SIZE, CPB_ZIP_TAIL, CPB_ZIP_TAIL64, CPB_ZIP_ENTRIES, CPB_ZIP_READY } cpb_zip_state;

typedef struct cpb_zip {
  cpb_allocator allocator;
  cpb_input *input;
  cpb_error *error;
  cpb_meter *meter;    /* charged with entries, the directory's bytes, and inflated bytes; or NULL */
  uint64_t max_memory; /* for the directory */
  cpb_zip_state state;
  bool torn;         /* the directory is missing or malformed: cpb_zip_walk_begin() may find entries without it */
  bool partial;      /* cpb_zip_walk_begin() found the entries: others may be missing */
  uint64_t size;     /* of the file */
  size_t tail;       /* bytes at the end of the file that are searched for the end record */
  cpb_buffer record; /* the record that is being read */
  uint64_t directory, directory_size, count; /* count: of entries, according to the end record */
  cpb_range comment;                         /* of the archive */
  uint64_t at;                               /* offset of the next entry in the directory */
  cpb_zip_entry *entries;                    /* sorted by name, ignoring the case of ASCII letters */
  size_t num_entries, entries_capacity;
  cpb_buffer names;
} cpb_zip;

/* `input`, `meter` and `error` must outlive the zip. */
void cpb_zip_init(cpb_zip *zip, const cpb_allocator *a, cpb_input *input, uint64_t max_memory, cpb_meter *meter,
                  cpb_error *error);
void cpb_zip_free(cpb_zip *zip);

/* Reads and checks the central directory. After CPB_WAIT, call it again to continue. */
cpb_have cpb_zip_open(cpb_zip *zip);

/* For cpb_zip_walk: reads bytes of the file into `record`, which has the first of them already; `ahead` counts from
 * `offset`. */
cpb_have cpb_zip_gather(cpb_zip *zip, uint64_t offset, size_t length, uint64_t ahead);

/* For cpb_zip_walk: adds an entry, and copies its name; and ends the list. If several have one name, the last complete
 * one is kept, because a directory would have that one. */
cpb_have cpb_zip_add_entry(cpb_zip *zip, const cpb_zip_entry *entry, cpb_span name);
void cpb_zip_keep_found(cpb_zip *zip, uint64_t end);

/* The sizes in a local header, or in its Zip64 extra field if they are 0xffffffff. False if the field is malformed. */
bool cpb_zip_local_sizes(const uint8_t *header, cpb_span extra, uint64_t *size, uint64_t *packed);

/* The problem of an entry's sizes, or NULL. */
const char *cpb_zip_size_problem(const cpb_zip_entry *entry);

/* The entry of this name, ignoring the case of ASCII letters, or NULL. */
const cpb_zip_entry *cpb_zip_find(const cpb_zip *zip, cpb_span name);

/* The first entry whose name is not before this one, or num_entries. */
size_t cpb_zip_first(const cpb_zip *zip, cpb_span name);

/* The problem of an entry's name, or NULL: a clause such as "the name is empty". */
const char *cpb_zip_name_problem(cpb_span name);

/* Like strcmp(), ignoring ASCII case. */
int cpb_compare_names(cpb_span a, cpb_span b);

/* Charges the meter, if there is one. */
bool cpb_zip_charge(const cpb_zip *zip, cpb_work_kind kind, uint64_t amount, uint64_t offset);

/* Sets the error for CPB_AT_END, and copies the host's for CPB_FAILED. */
cpb_have cpb_zip_settle(cpb_have have, const cpb_input *input, cpb_error *error);

/* --- entry names ------------------------------------------------------------------------------ */

/* Recognizes models in an archive by their file names, ignoring ASCII case. */

/* Whether the last part of the name is this. */
bool cpb_is_entry_called(cpb_span name, const char *file);

/* How certain it is that the entry is a model: 2 by its name, 1 if no other entry is more certain, or 0. */
int cpb_entry_model_rank(cpb_span name);

/* --- glance ----------------------------------------------------------------------------------- */

/* Lists names in a zip archive from only its first and last bytes: enough to identify the archive. */

typedef struct cpb_zip_glance {
  bool is_whole;      /* the complete directory is there: the archive has no other names */
  cpb_span locals;    /* local headers, one after the other, with the bytes between them */
  cpb_span directory; /* entries of the directory */
} cpb_zip_glance;

/* An archive of `size` bytes that begins with `begin` and ends with `end`. */
cpb_zip_glance cpb_zip_glance_at(cpb_span begin, cpb_span end, uint64_t size);

/* The next name; false after the last one that is available. */
bool cpb_zip_glance_next(cpb_zip_glance *glance, cpb_span *name);

#endif
