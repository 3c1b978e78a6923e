/* A split into several files: all chunks but the first go into other files, in the order of the plan; then the file
 * with the first chunk and the index is written. */
#ifndef CPB_CHUNKED_SPLIT_FILES_H
#define CPB_CHUNKED_SPLIT_FILES_H

#include "base/column.h"
#include "chunked/split/base.h"
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

/* --- share ------------------------------------------------------------------------------------ */

/* Finds the chunks of a plan that a base has: they are not written, and the index refers to them. Between planning and
 * writing, each chunk with a size that the base also has is read and hashed. */

typedef struct cpb_split_sharing {
  cpb_allocator allocator;
  const cpb_split_base *base; /* NULL: no base, and everything else is 0 */
  cpb_column chunks;          /* by chunk of the plan: 1 + the base's chunk, or 0 */
  cpb_column uses;            /* by file of the base, from 0 on: 1 if a shared chunk is in it */
  size_t chunk;               /* the current chunk */
  bool open;                  /* it is being hashed */
  cpb_split_bytes bytes;
  cpb_sha256 hash;
  uint64_t done, total; /* bytes to hash */
  cpb_split_shared shared;
} cpb_split_sharing;

void cpb_split_share_init(cpb_split_sharing *s, const cpb_allocator *a);
void cpb_split_share_free(cpb_split_sharing *s);

void cpb_split_share_begin(cpb_split_sharing *s, const cpb_split_base *base, const cpb_plan *plan);

/* Marks the plan's chunks. CPB_WAIT; CPB_FAILED with the plan's error set. */
cpb_have cpb_split_share_step(cpb_split_sharing *s, cpb_plan *plan, cpb_input *input, size_t read_size);

/* Whether any chunk in a file of the base is used. */
static inline bool cpb_split_share_uses(const cpb_split_sharing *s, uint32_t file) {
  return cpb_column_get(&s->uses, file) != 0;
}

/* The base's chunk for a chunk of the plan, or NULL. */
const cpb_base_chunk *cpb_split_share_chunk(const cpb_split_sharing *s, size_t chunk);

/* --- other files ------------------------------------------------------------------------------ */

/* The files that the index of a split refers to: those that the split writes, and those of a base. */

typedef struct cpb_split_other {
  const char *name; /* in `text`, or the base's */
  size_t length;
  uint64_t size;   /* of a base's */
  uint32_t source; /* its number there */
  bool is_written; /* by this split */
} cpb_split_other;

typedef struct cpb_split_others {
  cpb_allocator allocator;
  cpb_split_other *items; /* in the order of their names */
  size_t count;
  char *text;
  cpb_column written, shared; /* by number of the source: the number in the index */
} cpb_split_others;

void cpb_split_others_init(cpb_split_others *o, const cpb_allocator *a);
void cpb_split_others_free(cpb_split_others *o);

/* Call it once both are planned. USAGE: a file to be written is one of the base's; DAMAGED, MEMORY. */
bool cpb_split_others_plan(cpb_split_others *o, const cpb_split_files *files, const cpb_split_sharing *share,
                           cpb_error *error);

/* Adds the files to the index, and to its chunks where they are, once all are written. */
bool cpb_split_others_describe(const cpb_split_others *o, const cpb_plan *plan, const cpb_split_files *files,
                               const cpb_split_sharing *share, cpb_metadata *m, cpb_error *error);

#endif
