/* A split into several files: all chunks but the first go into other files, in the order of the plan; then the file
 * with the first chunk and the index is written. */
#ifndef CPB_CHUNKED_SPLIT_FILES_H
#define CPB_CHUNKED_SPLIT_FILES_H

#include "chunked/split/plan.h"
#include "cpb/split.h"

enum { CPB_SPLIT_FILES_MAX = 99999 };

typedef struct cpb_split_files {
  cpb_allocator allocator;
  const char *prefix; /* of names */
  bool planned;
  uint32_t count;                            /* number of other files; 0: a single file */
  uint32_t at;                               /* the file being written; 0: the one with the index */
  uint64_t end;                              /* bytes of it written so far */
  cpb_column ends, sizes;                    /* by file, from 0 on: the chunk after its last one; its size */
  cpb_column firsts;                         /* by file: its first Riegeli chunk */
  cpb_column riegeli_begins, riegeli_hashes; /* by Riegeli chunk, of all these files in sequence */
  size_t num_riegeli;
} cpb_split_files;

/* Whether the options ask for several files; and whether the options are compatible, else USAGE. */
static inline bool cpb_split_files_wanted(const cpb_split_options *o) { return o->files > 0 || o->file_size > 0; }
bool cpb_split_files_check(const cpb_split_options *o, cpb_error *error);

void cpb_split_files_init(cpb_split_files *f, const cpb_allocator *a, const cpb_split_options *o);
void cpb_split_files_free(cpb_split_files *f);

/* Distributes the chunks among the files. LIMIT, MEMORY. */
bool cpb_split_files_plan(cpb_split_files *f, const cpb_plan *plan, const cpb_split_options *o, cpb_error *error);

/* The chunk after the last one of the current file; counts only chunks that are written. */
static inline size_t cpb_split_files_end(const cpb_split_files *f) {
  return f->at > 0 ? (size_t)cpb_column_get(&f->ends, f->at - 1) : 1;
}

/* Call it after each step of the writer. */
bool cpb_split_files_note(cpb_split_files *f, const cpb_record_writer *writer, bool has_output, cpb_error *error);

/* Goes to the next file after one is complete. */
bool cpb_split_files_next(cpb_split_files *f, cpb_error *error);

/* Writes the name of a file, from 1 on, and a NUL, into that much room; returns its length. */
size_t cpb_split_files_name_room(const cpb_split_files *f);
size_t cpb_split_files_name(const cpb_split_files *f, uint32_t file, char *out, size_t size);

/* Sets the places of the files' chunks in the index. `numbers` maps the files' own numbers to those in the index. False
 * if memory is short. */
bool cpb_split_files_refer(const cpb_split_files *f, const cpb_plan *plan, const cpb_column *numbers, cpb_metadata *m);

#endif
