#include "model/samediff/model.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/common/spans.h"

/* One entry of the zip is read at a time. `loading` tells which, so that a call after CPB_WAIT goes on with it, and a
 * call for another entry begins that one. If the directory of a file is damaged, and this is allowed, entries are found
 * one after the other from the beginning instead, and some may be cut off. */

#define TEXT_MAX ((uint64_t)16 << 20)
#define SHOWN 80

void cpb_sd_parts_init(cpb_sd_parts *p, const cpb_allocator *a, cpb_input *input, uint64_t max_memory, cpb_meter *meter,
                       cpb_error *error) {
  *p = (cpb_sd_parts){.allocator = *a, .max_memory = max_memory, .error = error};
  cpb_zip_init(&p->zip, a, input, max_memory, meter, error);
  cpb_zip_stream_init(&p->stream, &p->zip);
  cpb_sd_tags_init(&p->tags, a);
}

void cpb_sd_parts_free(cpb_sd_parts *p) {
  cpb_zip_stream_free(&p->stream);
  cpb_sd_tags_free(&p->tags);
  cpb_zip_free(&p->zip);
}

static void begin(cpb_sd_parts *p, const cpb_zip_entry *entry, cpb_buffer *out) {
  if (p->loading == entry) return;
  cpb_zip_stream_begin(&p->stream, entry);
  p->loading = entry;
  out->size = 0;
}

cpb_have cpb_sd_parts_load(cpb_sd_parts *p, const cpb_zip_entry *entry, cpb_buffer *out) {
  begin(p, entry, out);
  cpb_have have = cpb_zip_stream_load(&p->stream, p->max_memory, out);
  if (have != CPB_WAIT) p->loading = NULL;
  return have;
}

/* Appends the next bytes of the array's file. */
static cpb_have grow(cpb_sd_parts *p, cpb_buffer *out) {
  cpb_span piece;
  cpb_have have = cpb_zip_stream_next(&p->stream, &piece);
  if (have != CPB_HAVE) return have;
  if (piece.size > p->max_memory - cpb_min_u64(out->size, p->max_memory)) {
    cpb_fail(
        p->error, CPB_E_LIMIT, p->loading->header,
        "the table of this array follows its values, and these exceed max_memory, %llu bytes: at least %llu are needed",
        (unsigned long long)p->max_memory, (unsigned long long)out->size + piece.size);
    return CPB_FAILED;
  }
  if (cpb_buffer_append(out, piece.data, piece.size)) return CPB_HAVE;
  return cpb_fail_memory(p->error), CPB_FAILED;
}

static bool has_preview(const cpb_sd_array *array, size_t size) {
  return array->values_size > CPB_SD_PREVIEWED || size >= array->values + array->values_size;
}

/* The table of an array usually comes before its values, but may follow them. So the beginning of the file is parsed
 * again after each piece, until the table and, for small arrays, the values are there. */
cpb_have cpb_sd_parts_head(cpb_sd_parts *p, const cpb_zip_entry *entry, cpb_buffer *out, cpb_sd_array *array) {
  cpb_have have = CPB_HAVE;
  for (begin(p, entry, out); have == CPB_HAVE; have = grow(p, out)) {
    cpb_flat flat;
    cpb_flat_table root;
    uint64_t base;
    if (!cpb_zip_stream_offset(&p->stream, &base)) base = CPB_NO_OFFSET;
    cpb_flat_begin(&flat, (cpb_span){out->data, out->size}, entry->size, base, p->error);
    bool read = cpb_flat_root(&flat, &root) && cpb_sd_array_read(&flat, &root, array);
    if (read && has_preview(array, out->size)) return CPB_HAVE;
    if (!read && !flat.wait) return CPB_FAILED;
  }
  return have;
}

uint64_t cpb_sd_parts_offset(const cpb_sd_parts *p, const cpb_sd_array *array) {
  uint64_t base;
  return cpb_zip_stream_offset(&p->stream, &base) ? base + array->values : CPB_NO_OFFSET;
}

void cpb_sd_parts_stop(cpb_sd_parts *p) { p->loading = NULL; }

/* --- Opening ------------------------------------------------------------------- */

static cpb_have open_zip(cpb_sd_parts *p) {
  if (!p->walking) {
    cpb_have have = cpb_zip_open(&p->zip);
    if (have != CPB_FAILED || !p->keep_damaged || !p->zip.torn) return have;
    cpb_zip_walk_begin(&p->walk, &p->zip);
    p->walking = true;
  }
  return cpb_zip_walk_go_on(&p->walk);
}

static bool is_graph(const cpb_zip_entry *e, cpb_span *tag) {
  cpb_span file = cpb_span_of("/graph.fb");
  if (e->name.size <= file.size) return false;
  *tag = (cpb_span){e->name.data, e->name.size - file.size};
  return cpb_compare_names((cpb_span){tag->data + tag->size, file.size}, file) == 0 &&
         !memchr(tag->data, '/', tag->size);
}

static int by_header(const void *a, const void *b) {
  const cpb_zip_entry *x = *(const cpb_zip_entry *const *)a, *y = *(const cpb_zip_entry *const *)b;
  return (x->header > y->header) - (x->header < y->header);
}

/* For a damaged file without tags.txt: lists the folders that have a graph, in the way tags.txt would. */
static cpb_have list_folders(cpb_sd_parts *p) {
  cpb_span tag;
  size_t count = 0;
  const cpb_zip_entry **graphs = cpb_alloc(&p->allocator, cpb_max_size(p->zip.num_entries, 1) * sizeof *graphs);
  bool good = graphs != NULL;
  for (size_t i = 0; good && i < p->zip.num_entries; i++)
    if (is_graph(&p->zip.entries[i], &tag)) graphs[count++] = &p->zip.entries[i];
  if (count > 1) qsort(graphs, count, sizeof *graphs, by_header);
  for (size_t i = 0; good && i < count; i++) {
    good = is_graph(graphs[i], &tag) && cpb_buffer_append(&p->tags.text, tag.data, tag.size) &&
           cpb_buffer_append(&p->tags.text, "\n", 1);
  }
  cpb_release(&p->allocator, graphs);
  if (!good) cpb_fail_memory(p->error);
  else if (count == 0) *p->error = p->walk.why; /* there is nothing to report */
  return good && count > 0 ? CPB_HAVE : CPB_FAILED;
}

static cpb_have load_tags(cpb_sd_parts *p) {
  const cpb_zip_entry *entry = cpb_zip_find(&p->zip, cpb_span_of("tags.txt"));
  p->told = entry && entry->cut == CPB_ZIP_WHOLE;
  if (!p->told && p->zip.partial) return list_folders(p);
  if (!entry) {
    cpb_fail(p->error, CPB_E_FORMAT, p->zip.directory, "not a SameDiff file: the zip archive has no tags.txt");
    return CPB_FAILED;
  }
  if (entry->size > TEXT_MAX) {
    cpb_fail(p->error, CPB_E_LIMIT, entry->header, "tags.txt has %llu bytes; the limit is %llu",
             (unsigned long long)entry->size, (unsigned long long)TEXT_MAX);
    return CPB_FAILED;
  }
  return cpb_sd_parts_load(p, entry, &p->tags.text);
}

static bool choose_standard(cpb_sd_parts *p) {
  p->standard = p->tags.count - 1;
  for (size_t i = p->tags.count; p->zip.partial && i-- > 0;) {
    const cpb_zip_entry *graph = cpb_sd_parts_find(p, &p->tags.list[i], "graph.fb");
    if (p->error->code != CPB_OK) return false;
    if (!graph || graph->cut != CPB_ZIP_WHOLE) continue;
    p->standard = i;
    break;
  }
  return true;
}

cpb_have cpb_sd_parts_open(cpb_sd_parts *p) {
  if (p->ready) return CPB_HAVE;
  cpb_have have = open_zip(p);
  if (have == CPB_HAVE) have = load_tags(p);
  if (have == CPB_HAVE && !cpb_sd_tags_read(&p->tags, p->error)) have = CPB_FAILED;
  if (have == CPB_HAVE && !choose_standard(p)) have = CPB_FAILED;
  p->ready = have == CPB_HAVE;
  return have;
}

const cpb_sd_tag *cpb_sd_parts_tag(cpb_sd_parts *p, const char *name, size_t size) {
  char shown[SHOWN];
  if (!name) return &p->tags.list[p->standard];
  const cpb_sd_tag *tag = cpb_sd_find_tag(&p->tags, (cpb_span){(const uint8_t *)name, size});
  if (!tag)
    cpb_fail(p->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "the file has no tag %s",
             cpb_quote(shown, sizeof shown, name, size));
  return tag;
}

const cpb_zip_entry *cpb_sd_parts_find(cpb_sd_parts *p, const cpb_sd_tag *tag, const char *file) {
  cpb_buffer path;
  cpb_buffer_init(&path, &p->allocator);
  bool memory = cpb_buffer_append(&path, tag->name.data, tag->name.size) && cpb_buffer_append(&path, "/", 1) &&
                cpb_buffer_append(&path, file, strlen(file));
  const cpb_zip_entry *entry = memory ? cpb_zip_find(&p->zip, (cpb_span){path.data, path.size}) : NULL;
  if (!memory) cpb_fail_memory(p->error);
  cpb_buffer_free(&path);
  return entry;
}
