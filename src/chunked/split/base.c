#include "chunked/split/base.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/url_text.h"
#include "chunked/index/index_state.h"
#include "chunked/index/metadata.h"
#include "chunked/read/pager.h"

/* --- base names ------------------------------------------------------------------------------- */

bool cpb_base_name_check(cpb_span name, cpb_error *error) {
  if (cpb_metadata_is_file_name(name)) return true;
  return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET,
                   "the base's name is none; expected 1 to %u bytes of UTF-8 without control characters",
                   (unsigned)CPB_FILE_NAME_MAX);
}

static size_t folder_of(cpb_span name) {
  size_t length = name.size;
  while (length > 0 && name.data[length - 1] != '/') length--;
  return length;
}

/* --- Paths --------------------------------------------------------------------------- */

/* Removes the last part of the path that begins at `begin`; false if only ".." parts are left. */
static bool remove_part(cpb_buffer *out, size_t begin) {
  size_t at = out->size;
  while (at > begin && out->data[at - 1] != '/') at--;
  const size_t length = out->size - at;
  if (length == 0 || (length == 2 && memcmp(out->data + at, "..", 2) == 0)) return false;
  out->size = at > begin + 1 ? at - 1 : at;
  return true;
}

static bool add_part(cpb_buffer *out, size_t begin, cpb_span part) {
  const bool joins = out->size > begin && out->data[out->size - 1] != '/';
  return (!joins || cpb_buffer_append(out, "/", 1)) && cpb_buffer_append(out, part.data, part.size);
}

/* Appends the parts of a path to the one that begins at `begin`; ".." removes the part before it. */
static bool add_path(cpb_buffer *out, size_t begin, cpb_span path) {
  bool done = true;
  if (path.size > 0 && path.data[0] == '/' && out->size == begin) done = cpb_buffer_append(out, "/", 1);
  for (size_t at = 0; done && at < path.size;) {
    size_t end = at;
    while (end < path.size && path.data[end] != '/') end++;
    const cpb_span part = {path.data + at, end - at};
    const bool stays = part.size == 0 || (part.size == 1 && part.data[0] == '.');
    const bool goes_up = part.size == 2 && memcmp(part.data, "..", 2) == 0;
    if (!stays && !(goes_up && remove_part(out, begin))) done = add_part(out, begin, part);
    at = end + 1;
  }
  return done;
}

/* --- Either -------------------------------------------------------------------------- */

/* The buffer has room, so that `base`, which is at its beginning, does not move. */
static bool join(cpb_buffer *out, cpb_span base, cpb_span name) {
  const size_t begin = out->size, folder = folder_of(base);
  const bool is_url = cpb_url_scheme(base) > 0;
  if (cpb_url_scheme(name) > 0 || (name.data[0] == '/' && !is_url)) return cpb_buffer_append(out, name.data, name.size);
  if (!is_url) return add_path(out, begin, (cpb_span){base.data, folder}) && add_path(out, begin, name);
  if (!cpb_buffer_append(out, base.data, folder)) return false;
  if (cpb_url_has_key(base)) return cpb_buffer_append(out, name.data, name.size);
  out->size += cpb_url_escape(name, (char *)out->data + out->size);
  return true;
}

bool cpb_base_name_add(cpb_buffer *names, size_t base, cpb_span name, cpb_error *error) {
  const size_t begin = names->size;
  const bool in_key = cpb_url_has_key((cpb_span){names->data, base}) && cpb_url_scheme(name) == 0;
  if (in_key && cpb_url_key_length(name) < name.size)
    return CPB_FAILS(
        error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
        "the base refers to a file by a name in which, in an s3 URL, the ? would begin a query; expected none");
  if (!cpb_buffer_reserve(names, begin + base + 3 * name.size + 2) || !join(names, (cpb_span){names->data, base}, name))
    return cpb_fail_memory(error), false;
  const size_t length = names->size - begin;
  if (length > 0 && length <= CPB_FILE_NAME_MAX) return true;
  return CPB_FAILS(error, CPB_E_LIMIT, CPB_NO_OFFSET,
                   "the name of a file that the base refers to has %zu bytes here; expected 1 to %u", length,
                   (unsigned)CPB_FILE_NAME_MAX);
}

/* --- base ------------------------------------------------------------------------------------- */

/* A base is read in the order of its index. Only chunks that may be shared are read: those with a size that the plan
 * also has. Two chunks are the same if they have the same size and SHA-256: unlike with the hashes of Riegeli chunks,
 * nobody can create other bytes with the same SHA-256. */

/* --- Found by size and hash -------------------------------------------------------- */

typedef struct {
  const cpb_split_base *base;
  uint64_t size;
  const uint8_t *hash;
} sought;

static int compare_sizes(const void *key, uint32_t i) {
  const sought *k = key;
  const uint64_t size = k->base->sizes[i].size;
  return k->size < size ? -1 : k->size > size;
}

static int compare_chunks(const void *key, uint32_t i) {
  const sought *k = key;
  const cpb_base_chunk *chunk = &k->base->chunks[i];
  if (k->size != chunk->size) return k->size < chunk->size ? -1 : 1;
  return memcmp(k->hash, chunk->hash, sizeof chunk->hash);
}

static cpb_ordered sizes_of(const cpb_split_base *b) { return (cpb_ordered){b->sizes, sizeof *b->sizes}; }
static cpb_ordered chunks_of(const cpb_split_base *b) { return (cpb_ordered){b->chunks, sizeof *b->chunks}; }

static bool is_wanted(const cpb_split_base *b, uint64_t size) {
  const sought key = {b, size, NULL};
  return b->num_sizes > 0 && cpb_ordered_find(sizes_of(b), b->sizes_root, compare_sizes, &key) != CPB_ORDERED_NONE;
}

uint32_t cpb_base_find(const cpb_split_base *b, uint64_t size, const uint8_t hash[CPB_SHA256_SIZE]) {
  const sought key = {b, size, hash};
  return b->num_chunks == 0 ? CPB_ORDERED_NONE : cpb_ordered_find(chunks_of(b), b->chunks_root, compare_chunks, &key);
}

bool cpb_base_has_size(const cpb_split_base *b, uint64_t size) {
  static const uint8_t least[CPB_SHA256_SIZE];
  const sought key = {b, size, least};
  if (b->num_chunks == 0) return false;
  const uint32_t i = cpb_ordered_from(chunks_of(b), b->chunks_root, compare_chunks, &key);
  return i != CPB_ORDERED_NONE && b->chunks[i].size == size;
}

static bool add_size(cpb_split_base *b, uint64_t size) {
  if (is_wanted(b, size)) return true;
  if (!CPB_RESERVE(&b->outer, &b->sizes, &b->sizes_capacity, b->num_sizes + 1)) return false;
  const uint32_t i = (uint32_t)b->num_sizes++, root = i == 0 ? CPB_ORDERED_NONE : b->sizes_root;
  b->sizes[i] = (cpb_base_size){.size = size};
  b->sizes_root = cpb_ordered_add(sizes_of(b), root, i, compare_sizes, &(sought){b, size, NULL});
  return true;
}

static bool add_chunk(cpb_split_base *b, const cpb_base_chunk *chunk) {
  if (cpb_base_find(b, chunk->size, chunk->hash) != CPB_ORDERED_NONE) return true;
  if (!CPB_RESERVE_CLOSELY(&b->allocator, &b->chunks, &b->chunks_capacity, b->num_chunks + 1)) return false;
  const uint32_t i = (uint32_t)b->num_chunks++, root = i == 0 ? CPB_ORDERED_NONE : b->chunks_root;
  b->chunks[i] = *chunk;
  b->chunks_root = cpb_ordered_add(chunks_of(b), root, i, compare_chunks, &(sought){b, chunk->size, chunk->hash});
  return true;
}

/* --- Creation ---------------------------------------------------------------------- */

/* Chunk 0 is always written. */
static bool add_sizes(cpb_split_base *b, const cpb_plan *plan) {
  for (size_t i = 1; i < plan->num_chunks; i++)
    if (plan->chunks[i].size >= CPB_SHARE_LEAST && !add_size(b, plan->chunks[i].size)) return false;
  return true;
}

static bool add_name(cpb_split_base *b, uint32_t file) {
  return cpb_column_set(&b->names_ends, &b->allocator, file, b->names.size);
}

/* The name of the base comes first. */
static bool set_name(cpb_split_base *b, const char *name) {
  return cpb_buffer_append(&b->names, name, name ? strlen(name) : 0) && add_name(b, 0);
}

static void check(cpb_split_base *b, const cpb_plan *plan) {
  if (plan) cpb_base_name_check((cpb_span){b->names.data, b->names.size}, &b->error);
  else cpb_fail(&b->error, CPB_E_USAGE, CPB_NO_OFFSET, "the split has no plan; expected cpb_split_plan() to be done");
}

cpb_split_base *cpb_base_new(const cpb_allocator *allocator, const cpb_plan *plan,
                             const cpb_split_base_options *given) {
  const cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_split_base_options options;
  cpb_options_copy(&options, sizeof options, given);
  cpb_split_base *b = cpb_alloc_zeroed(&a, sizeof *b);
  if (!b) return NULL;
  b->outer = a;
  b->limits = cpb_limits_or_default(options.limits);
  b->read_size = options.read_size;
  cpb_meter_init(&b->meter, &a, options.limits, NULL);
  b->allocator = cpb_meter_allocator(&b->meter);
  cpb_buffer_init(&b->names, &b->allocator);
  b->index = cpb_index_new(&a, options.limits);
  if (b->index && set_name(b, options.name)) {
    check(b, plan);
    if (b->error.code != CPB_OK || add_sizes(b, plan)) return b;
  }
  cpb_split_base_free(b);
  return NULL;
}

void cpb_split_base_free(cpb_split_base *b) {
  if (!b) return;
  const cpb_allocator a = b->outer;
  cpb_chunk_reader_free(b->reader);
  cpb_index_free(b->index);
  cpb_release(&b->allocator, b->chunks);
  cpb_buffer_free(&b->names);
  cpb_column_free(&b->names_ends, &b->allocator);
  cpb_meter_free(&b->meter);
  cpb_release(&a, b->sizes);
  cpb_release(&a, b);
}

cpb_input *cpb_split_base_input(cpb_split_base *b) {
  return b->reader ? cpb_chunk_reader_input(b->reader) : cpb_index_input(b->index);
}

const cpb_error *cpb_split_base_error(const cpb_split_base *b) { return &b->error; }

void cpb_split_base_progress(const cpb_split_base *b, uint64_t *done, uint64_t *total) {
  *done = cpb_min_u64(b->done, b->total);
  *total = b->total;
}

/* --- Steps ------------------------------------------------------------------------- */

#define GO_ON CPB_STEP_DATA

static cpb_step fail(cpb_split_base *b, const cpb_error *error) {
  b->error = *error;
  return CPB_STEP_ERROR;
}

static cpb_step fail_memory(cpb_split_base *b) {
  cpb_fail_memory(&b->error);
  cpb_meter_explain(&b->meter, &b->error);
  return CPB_STEP_ERROR;
}

static uint64_t size_of(const cpb_split_base *b, uint64_t chunk) {
  return cpb_metadata_chunk(&b->index->metadata, (size_t)chunk).size;
}

static cpb_step add_names(cpb_split_base *b) {
  const size_t base = b->names.size;
  for (uint32_t file = 1; file <= cpb_index_num_files(b->index); file++) {
    const cpb_other_file other = cpb_metadata_file(&b->index->metadata, file);
    if (!cpb_base_name_add(&b->names, base, (cpb_span){(const uint8_t *)other.name, other.length}, &b->error))
      return b->error.code == CPB_E_MEMORY ? fail_memory(b) : CPB_STEP_ERROR;
    if (!add_name(b, file)) return fail_memory(b);
  }
  return GO_ON;
}

static cpb_step open_chunks(cpb_split_base *b) {
  const cpb_chunk_reader_options options = {
      .struct_size = sizeof options, .verify = CPB_VERIFY_LATE, .read_size = b->read_size, .limits = &b->limits};
  for (uint64_t i = 0; i < cpb_index_num_chunks(b->index); i++)
    if (is_wanted(b, size_of(b, i)) && !cpb_add_u64(b->total, size_of(b, i), &b->total)) b->total = UINT64_MAX;
  b->reader = cpb_chunk_reader_new(&b->outer, b->index, &options);
  b->state = CPB_BASE_NEXT;
  return b->reader ? GO_ON : fail_memory(b);
}

static cpb_step read_index(cpb_split_base *b) {
  cpb_step step = cpb_index_step(b->index);
  if (step == CPB_STEP_ERROR) return fail(b, cpb_index_error(b->index));
  if (step != CPB_STEP_DONE) return step;
  cpb_meter_grow(&b->meter, b->index->none.size);
  step = add_names(b);
  return step == GO_ON ? open_chunks(b) : step;
}

static cpb_step next_chunk(cpb_split_base *b) {
  const uint64_t num_chunks = cpb_index_num_chunks(b->index);
  while (b->chunk < num_chunks && !is_wanted(b, size_of(b, b->chunk))) b->chunk++;
  b->state = b->chunk < num_chunks ? CPB_BASE_READ : CPB_BASE_DONE;
  if (b->state == CPB_BASE_DONE) return CPB_STEP_DONE;
  cpb_sha256_begin(&b->hash);
  cpb_chunk_reader_read(b->reader, b->chunk, 0, UINT64_MAX); /* the step returns its errors */
  return GO_ON;
}

/* All of the chunk was read, and the hash of its Riegeli chunk is correct. */
static cpb_step end_chunk(cpb_split_base *b) {
  const cpb_chunk_stored *stored = cpb_chunk_reader_stored(b->reader);
  cpb_base_chunk chunk = {.file = cpb_metadata_reference(&b->index->metadata, (size_t)b->chunk).file,
                          .size = stored->size,
                          .position = stored->riegeli.begin + stored->index,
                          .data_hash = cpb_chunk_reader_data_hash(b->reader)};
  cpb_sha256_end(&b->hash, chunk.hash);
  b->chunk++;
  b->state = CPB_BASE_NEXT;
  return add_chunk(b, &chunk) ? GO_ON : fail_memory(b);
}

static cpb_step read_chunk(cpb_split_base *b) {
  size_t length;
  cpb_step step = cpb_chunk_reader_step(b->reader);
  if (step == CPB_STEP_ERROR) return fail(b, cpb_chunk_reader_error(b->reader));
  if (step == CPB_STEP_DONE) return end_chunk(b);
  if (step != CPB_STEP_DATA) return step;
  const uint8_t *data = cpb_chunk_reader_data(b->reader, &length);
  cpb_sha256_add(&b->hash, data, length);
  b->done += length;
  return GO_ON;
}

cpb_step cpb_split_base_step(cpb_split_base *b) {
  cpb_step step = GO_ON;
  if (b->error.code != CPB_OK) return CPB_STEP_ERROR;
  while (step == GO_ON) {
    switch (b->state) {
      case CPB_BASE_INDEX: step = read_index(b); break;
      case CPB_BASE_NEXT: step = next_chunk(b); break;
      case CPB_BASE_READ: step = read_chunk(b); break;
      case CPB_BASE_DONE: return CPB_STEP_DONE;
    }
  }
  return step;
}

/* --- Files ------------------------------------------------------------------------- */

cpb_other_file cpb_base_file(const cpb_split_base *b, uint32_t file) {
  const size_t begin = file > 0 ? (size_t)cpb_column_get(&b->names_ends, file - 1) : 0;
  const size_t end = (size_t)cpb_column_get(&b->names_ends, file);
  return (cpb_other_file){(const char *)b->names.data + begin, end - begin,
                          file > 0 ? cpb_metadata_file(&b->index->metadata, file).size : b->index->none.size};
}

cpb_code cpb_split_base_get_file(const cpb_split_base *b, uint32_t file, cpb_other_file *out) {
  if (b->state == CPB_BASE_INDEX || file > cpb_index_num_files(b->index)) return CPB_E_NOT_FOUND;
  *out = cpb_base_file(b, file);
  return CPB_OK;
}
