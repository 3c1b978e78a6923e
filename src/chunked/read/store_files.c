#include "base/checked.h"
#include "base/status.h"
#include "chunked/read/chunk_store.h"
#include "riegeli/records/reader.h"

/* --- kept ------------------------------------------------------------------------------------- */

typedef struct {
  const cpb_kept_chunk *items;
  uint64_t chunk;
} sought;

static cpb_ordered nodes_of(const cpb_kept_chunks *kept) { return (cpb_ordered){kept->items, sizeof *kept->items}; }

static int compare(const void *key, uint32_t i) {
  const sought *k = key;
  return k->chunk < k->items[i].chunk ? -1 : k->chunk > k->items[i].chunk;
}

void cpb_kept_free(cpb_kept_chunks *kept, const cpb_allocator *a) {
  for (size_t i = 0; i < kept->count; i++) cpb_buffer_free(&kept->items[i].bytes);
  cpb_release(a, kept->items);
  kept->items = NULL;
}

cpb_kept_chunk *cpb_kept_find(const cpb_kept_chunks *kept, uint64_t chunk) {
  if (kept->count == 0) return NULL;
  uint32_t i = cpb_ordered_find(nodes_of(kept), kept->root, compare, &(sought){kept->items, chunk});
  return i == CPB_ORDERED_NONE ? NULL : &kept->items[i];
}

cpb_kept_chunk *cpb_kept_add(cpb_kept_chunks *kept, const cpb_allocator *a, uint64_t chunk) {
  if (!CPB_RESERVE(a, &kept->items, &kept->capacity, kept->count + 1)) return NULL;
  uint32_t i = (uint32_t)kept->count++, root = i == 0 ? CPB_ORDERED_NONE : kept->root;
  kept->items[i] = (cpb_kept_chunk){.chunk = chunk};
  cpb_buffer_init(&kept->items[i].bytes, a);
  kept->root = cpb_ordered_add(nodes_of(kept), root, i, compare, &(sought){kept->items, chunk});
  return &kept->items[i];
}

/* --- store files ------------------------------------------------------------------------------ */

enum { NAME_SHOWN = 96 };

void cpb_store_files_free(cpb_store_files *f) {
  cpb_release(&f->allocator, f->sized);
  f->sized = NULL;
}

/* An error in another file names that file: offsets refer to it. */
cpb_have cpb_store_fail_in(cpb_store_files *f, uint32_t file, const cpb_error *error) {
  const cpb_error inner = *error;
  *f->error = inner;
  if (file == 0 || inner.code == CPB_E_MEMORY || inner.code == CPB_E_CANCELLED) return CPB_FAILED;
  const cpb_other_file other = cpb_metadata_file(&f->index->metadata, file);
  char name[NAME_SHOWN + 1], where[40] = "";
  if (inner.offset != CPB_NO_OFFSET) cpb_format(where, sizeof where, ", byte %llu", (unsigned long long)inner.offset);
  f->error->code = CPB_OK;
  cpb_fail(f->error, inner.code, CPB_NO_OFFSET, "file \"%s\"%s: %s",
           cpb_quote(name, sizeof name, other.name, other.length), where, inner.message);
  return CPB_FAILED;
}

static uint64_t size_of_file(const cpb_store_files *f, uint32_t file) {
  if (file == 0) return f->input->size;
  return f->sized && f->sized[file] ? cpb_metadata_file(&f->index->metadata, file).size : CPB_NO_OFFSET;
}

void cpb_store_turn_input(cpb_store_files *f, uint32_t file) {
  if (file == f->input->file) return;
  cpb_other_file other = {NULL, 0, 0};
  if (file > 0) other = cpb_metadata_file(&f->index->metadata, file);
  cpb_input_turn(f->input, file, &other, size_of_file(f, file));
}

/* Call it before anything of the file is read. */
cpb_have cpb_store_check_file(cpb_store_files *f, uint32_t file) {
  uint64_t size, wanted;
  if (file == 0 || (f->sized && f->sized[file])) return CPB_HAVE;
  if (!f->sized) f->sized = cpb_alloc_zeroed(&f->allocator, f->index->metadata.num_files + 1);
  if (!f->sized) return cpb_fail_memory(f->error), CPB_FAILED;
  cpb_store_turn_input(f, file);
  cpb_have have = cpb_input_size(f->input, 0, &size);
  if (have == CPB_FAILED) return cpb_store_fail_in(f, file, &f->input->failure);
  if (have != CPB_HAVE) return have;
  wanted = cpb_metadata_file(&f->index->metadata, file).size;
  f->sized[file] = size == wanted;
  if (size == wanted) cpb_meter_add(f->meter, size);
  if (size == wanted) return CPB_HAVE;
  cpb_fail(f->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "it has %llu bytes; expected %llu: not the file that was written",
           (unsigned long long)size, (unsigned long long)wanted);
  return cpb_store_fail_in(f, file, f->error);
}

/* The header of the Riegeli chunk was read. */
cpb_have cpb_store_check_hash(cpb_store_files *f, uint32_t file, uint64_t chunk, const cpb_record_reader *reader) {
  if (file == 0) return CPB_HAVE;
  uint64_t wanted = cpb_metadata_reference(&f->index->metadata, (size_t)chunk).data_hash;
  uint64_t hash = reader->source.header.data_hash;
  if (hash == wanted) return CPB_HAVE;
  cpb_fail(f->error, CPB_E_DAMAGED, cpb_record_reader_chunk(reader)->begin,
           "chunk %llu: the data hash is %016llx; expected %016llx: not the file that was written",
           (unsigned long long)chunk, (unsigned long long)hash, (unsigned long long)wanted);
  return cpb_store_fail_in(f, file, f->error);
}

/* The size of another file counts until the input switches to the next one. */
uint64_t cpb_store_known_size(const cpb_store_files *f, uint32_t file) {
  bool is_other = file > 0 && file == f->input->file;
  return is_other ? f->input->other_size : size_of_file(f, file);
}
