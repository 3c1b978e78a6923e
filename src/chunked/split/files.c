#include "chunked/split/files.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

/* ".00001-of-00004.cpb" */
enum { NAME_END = 19 };

static bool fail_memory(cpb_error *error) { return cpb_fail_memory(error) == CPB_OK; }

/* --- Options ------------------------------------------------------------------------- */

static bool is_name(const char *name) {
  const size_t size = name ? strlen(name) : 0;
  if (size > CPB_FILE_NAME_MAX - NAME_END || !cpb_metadata_is_file_name((cpb_span){(const uint8_t *)name, size}))
    return false;
  return !strpbrk(name, "/\\");
}

bool cpb_split_files_check(const cpb_split_options *o, cpb_error *error) {
  const char *wrong = NULL;
  if (!cpb_split_files_wanted(o)) return true;
  if (o->files > 0 && o->file_size > 0) wrong = "files and file_size are set; expected one of them";
  else if (o->files > CPB_SPLIT_FILES_MAX) wrong = "files is out of range; expected at most 99999";
  else if (o->for_memory > 0) wrong = "files are set, and for_memory; a device reads one file";
  else if (!is_name(o->file_name))
    wrong = "file_name is no name; expected UTF-8 without slashes and control characters";
  if (wrong) cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "%s", wrong);
  return !wrong;
}

void cpb_split_files_init(cpb_split_files *f, const cpb_allocator *a, const cpb_split_options *o) {
  memset(f, 0, sizeof *f);
  f->allocator = *a;
  f->prefix = o->file_name;
}

void cpb_split_files_free(cpb_split_files *f) {
  cpb_column *const all[] = {&f->ends, &f->sizes, &f->firsts, &f->riegeli_begins, &f->riegeli_hashes};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) cpb_column_free(all[i], &f->allocator);
}

/* --- Which chunks ---------------------------------------------------------------------- */

static bool close_file(cpb_split_files *f, size_t end, cpb_error *error) {
  if (f->count == CPB_SPLIT_FILES_MAX)
    return CPB_FAILS(error, CPB_E_LIMIT, CPB_NO_OFFSET, "more than %u files are needed; expected a larger file_size",
                     (unsigned)CPB_SPLIT_FILES_MAX);
  return cpb_column_set(&f->ends, &f->allocator, f->count++, end) || fail_memory(error);
}

/* Whether a chunk begins another file, if this one has `have` bytes and all so far have `before`. */
static bool is_full(const cpb_split_files *f, const cpb_split_options *o, uint64_t share, uint64_t have,
                    uint64_t before, uint64_t size) {
  if (have == 0) return false;
  if (o->file_size > 0) return have >= o->file_size || size > o->file_size - have;
  return f->count + 1 < o->files && before / (f->count + 1) >= share;
}

/* The total size of the chunks that go into other files: without the first chunk and chunks of a base. */
static uint64_t total_of(const cpb_plan *plan, size_t *last) {
  uint64_t total = 0;
  *last = 0;
  for (size_t i = 1; i < plan->num_chunks; i++) {
    if (plan->chunks[i].elsewhere) continue;
    total += plan->chunks[i].size;
    *last = i;
  }
  return total;
}

bool cpb_split_files_plan(cpb_split_files *f, const cpb_plan *plan, const cpb_split_options *o, cpb_error *error) {
  uint64_t before = 0, have = 0;
  size_t last;
  const uint64_t total = total_of(plan, &last);
  f->planned = true;
  if (!cpb_split_files_wanted(o) || last == 0) return true;
  const uint64_t share = o->files > 0 ? cpb_max_u64(total / o->files, 1) : 0;
  for (size_t i = 1; i <= last; i++) {
    const uint64_t size = plan->chunks[i].size;
    if (plan->chunks[i].elsewhere) continue;
    if (is_full(f, o, share, have, before, size)) {
      if (!close_file(f, i, error)) return false;
      have = 0;
    }
    have += size;
    before += size;
  }
  f->at = 1;
  return close_file(f, plan->num_chunks, error);
}

/* --- While they are written ---------------------------------------------------------------- */

bool cpb_split_files_note(cpb_split_files *f, const cpb_record_writer *writer, bool has_output, cpb_error *error) {
  uint64_t begin, hash, offset;
  size_t length;
  if (f->at == 0) return true;
  if (has_output) {
    cpb_record_writer_output(writer, &offset, &length);
    f->end = cpb_max_u64(f->end, offset + length);
  }
  cpb_record_writer_last_chunk(writer, &begin, &hash);
  const size_t first = (size_t)cpb_column_get(&f->firsts, f->at - 1);
  const bool same = f->num_riegeli > first && cpb_column_get(&f->riegeli_begins, f->num_riegeli - 1) == begin;
  const size_t i = same ? f->num_riegeli - 1 : f->num_riegeli;
  const bool noted = cpb_column_set(&f->riegeli_begins, &f->allocator, i, begin) &&
                     cpb_column_set(&f->riegeli_hashes, &f->allocator, i, hash);
  if (noted && !same) f->num_riegeli++;
  return noted || fail_memory(error);
}

bool cpb_split_files_next(cpb_split_files *f, cpb_error *error) {
  if (!cpb_column_set(&f->sizes, &f->allocator, f->at - 1, f->end)) return fail_memory(error);
  f->end = 0;
  f->at = f->at < f->count ? f->at + 1 : 0;
  return f->at == 0 || cpb_column_set(&f->firsts, &f->allocator, f->at - 1, f->num_riegeli) || fail_memory(error);
}

/* --- The index --------------------------------------------------------------------------------- */

size_t cpb_split_files_name_room(const cpb_split_files *f) { return strlen(f->prefix) + NAME_END + 1; }

size_t cpb_split_files_name(const cpb_split_files *f, uint32_t file, char *out, size_t size) {
  return cpb_format(out, size, "%s.%05u-of-%05u.cpb", f->prefix, (unsigned)file, (unsigned)f->count);
}

/* Both lists are in the order of the file. */
static bool refer(const cpb_split_files *f, const cpb_plan *plan, uint32_t file, uint32_t number, cpb_metadata *m) {
  const size_t end = (size_t)cpb_column_get(&f->ends, file - 1);
  size_t i = file > 1 ? (size_t)cpb_column_get(&f->ends, file - 2) : 1;
  size_t k = (size_t)cpb_column_get(&f->firsts, file - 1);
  const size_t last = file < f->count ? (size_t)cpb_column_get(&f->firsts, file) : f->num_riegeli;
  for (bool added = true; i < end; i++) {
    const uint64_t position = cpb_metadata_chunk(m, i).offset;
    if (plan->chunks[i].elsewhere) continue;
    while (k + 1 < last && cpb_column_get(&f->riegeli_begins, k + 1) <= position) k++;
    added = cpb_metadata_set_reference(m, i, (cpb_chunk_reference){number, cpb_column_get(&f->riegeli_hashes, k)});
    if (!added) return false;
  }
  return true;
}

bool cpb_split_files_refer(const cpb_split_files *f, const cpb_plan *plan, const cpb_column *numbers, cpb_metadata *m) {
  for (uint32_t file = 1; file <= f->count; file++)
    if (!refer(f, plan, file, (uint32_t)cpb_column_get(numbers, file), m)) return false;
  return true;
}
