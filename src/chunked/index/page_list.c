#include <string.h>

#include "base/checked.h"
#include "chunked/index/metadata.h"
#include "chunked/index/tree_order.h"
#include "proto/wire.h"

/* --- page list -------------------------------------------------------------------------------- */

void cpb_page_list_init(cpb_page_list *p, const cpb_allocator *a) {
  memset(p, 0, sizeof *p);
  p->allocator = *a;
  cpb_buffer_init(&p->text, a);
}

void cpb_page_list_free(cpb_page_list *p) {
  const cpb_allocator a = p->allocator;
  cpb_release(&a, p->items);
  cpb_release(&a, p->tags);
  cpb_buffer_free(&p->text);
  cpb_page_list_init(p, &a);
}

bool cpb_page_list_add(cpb_page_list *p, const cpb_index_page *page) {
  if (p->num_tags > UINT32_MAX) return false;
  if (!CPB_RESERVE(&p->allocator, &p->items, &p->capacity, p->count + 1)) return false;
  p->items[p->count] = *page;
  p->items[p->count].first_tag = (uint32_t)p->num_tags;
  p->items[p->count++].num_tags = 0;
  return true;
}

bool cpb_page_list_add_tag(cpb_page_list *p, cpb_tag tag, const uint8_t *text) {
  if (!CPB_RESERVE(&p->allocator, &p->tags, &p->tags_capacity, p->num_tags + 1)) return false;
  if (tag.kind == CPB_TAG_KEY_STRING) {
    const uint64_t at = p->text.size;
    if (tag.length > 0 && !cpb_buffer_append(&p->text, text + tag.value, tag.length)) return false;
    tag.value = at;
  }
  p->tags[p->num_tags++] = tag;
  p->items[p->count - 1].num_tags++;
  return true;
}

/* --- As a message ------------------------------------------------------------ */

enum {
  PAGE_KIND = 1,
  PAGE_LEVEL,
  PAGE_POSITION,
  PAGE_BYTES,
  PAGE_FIRST,
  PAGE_COUNT,
  PAGE_ORDERED,
  PAGE_PATH,
  PAGE_APART
};

static bool put_number(cpb_buffer *out, uint32_t number, uint64_t value) {
  uint8_t bytes[2 * CPB_VARINT_MAX];
  if (value == 0) return true;
  uint8_t *at = cpb_varint_write(cpb_wire_put_tag(bytes, number, CPB_WIRE_VARINT), value);
  return cpb_buffer_append(out, bytes, (size_t)(at - bytes));
}

static bool put_fields(const cpb_page_list *p, const cpb_index_page *page, cpb_buffer *out) {
  const uint64_t values[] = {page->kind,  page->level, page->position, page->size,
                             page->first, page->count, page->ordered};
  bool done = true;
  for (uint32_t i = 0; done && i < PAGE_ORDERED; i++) done = put_number(out, PAGE_KIND + i, values[i]);
  done = done && put_number(out, PAGE_APART, page->apart);
  for (uint32_t i = 0; done && i < page->num_tags; i++)
    done = cpb_tag_append(out, PAGE_PATH, &p->tags[page->first_tag + i], p->text.data);
  return done;
}

bool cpb_page_list_put(const cpb_page_list *p, size_t i, cpb_buffer *out) {
  cpb_buffer one;
  cpb_buffer_init(&one, &out->allocator);
  uint8_t head[CPB_WIRE_HEADER_MAX];
  bool done = put_fields(p, &p->items[i], &one);
  const uint8_t *end = cpb_wire_put_len(head, METADATA_PAGES, one.size);
  done = done && cpb_buffer_append(out, head, (size_t)(end - head)) && cpb_buffer_append(out, one.data, one.size);
  cpb_buffer_free(&one);
  return done;
}

static const char *take_number(cpb_index_page *page, const cpb_wire_field *f) {
  const uint64_t value = f->number_value;
  switch (f->number) {
    case PAGE_KIND: page->kind = (uint32_t)value; return value <= UINT32_MAX ? NULL : "kind is too large";
    case PAGE_LEVEL: page->level = (uint32_t)value; return value <= CPB_PAGE_LEVELS ? NULL : "level is larger than 8";
    case PAGE_POSITION: page->position = value; break;
    case PAGE_BYTES: page->size = value; break;
    case PAGE_FIRST: page->first = value; break;
    case PAGE_COUNT: page->count = value; break;
    case PAGE_ORDERED: page->ordered = value != 0; break;
    case PAGE_APART: page->apart = value != 0; break;
    default: break;
  }
  return NULL;
}

static const char *take_tag(cpb_page_list *p, cpb_span in, bool *memory) {
  cpb_tag tag;
  cpb_span key;
  const char *message, *wrong = cpb_tag_read(in, &tag, &key, &message);
  if (wrong) return wrong;
  *memory = !cpb_page_list_add_tag(p, tag, key.data);
  return *memory ? "out of memory" : NULL;
}

/* Tags are added to the page that is under way, the last one. */
static const char *take_fields(cpb_page_list *p, cpb_span in, bool *memory) {
  cpb_index_page *page = &p->items[p->count - 1];
  const uint8_t *data = in.data;
  cpb_wire_scanner s;
  cpb_error error = {.code = CPB_OK};
  const char *wrong = NULL;
  cpb_wire_begin(&s, &p->allocator, 4, in.size, &error);
  while (!wrong && cpb_wire_next(&s, &in) == CPB_WIRE_FIELD)
    if (s.field.type == CPB_WIRE_VARINT) wrong = take_number(page, &s.field);
    else if (s.field.type == CPB_WIRE_LEN && s.field.number == PAGE_PATH)
      wrong = take_tag(p, (cpb_span){data + s.field.value, (size_t)s.field.size}, memory);
  cpb_wire_free(&s);
  if (error.code == CPB_E_MEMORY) *memory = true;
  return wrong || error.code == CPB_OK ? wrong : "it is no message";
}

const char *cpb_page_list_read(cpb_page_list *p, cpb_span in, bool *memory) {
  const cpb_index_page none = {.kind = 0};
  *memory = !cpb_page_list_add(p, &none);
  const char *wrong = *memory ? "out of memory" : take_fields(p, in, memory);
  if (wrong) return wrong;
  const cpb_index_page *page = &p->items[p->count - 1];
  if (page->kind != CPB_PAGE_CHUNKS && page->kind != CPB_PAGE_NODES) return "kind is neither CHUNKS nor NODES";
  uint64_t end;
  if (page->count == 0 || !cpb_add_u64(page->first, page->count, &end)) return "count is 0, or too large";
  if (page->size == 0) return "size is 0";
  return NULL;
}

/* --- positions -------------------------------------------------------------------------------- */

static uint64_t at(const cpb_positions *p, size_t i) {
  return p->sorted ? p->sorted[i] : cpb_column_get(&p->metadata->chunks.offset, i);
}

/* --- Making --------------------------------------------------------------- */

static bool ascends(const cpb_metadata *m) {
  uint64_t last = 0;
  for (size_t i = 0; i < m->num_chunks; i++) {
    uint64_t position = cpb_column_get(&m->chunks.offset, i);
    if (i > 0 && position <= last) return false;
    last = position;
  }
  return true;
}

/* Moves items[i] down a heap with the largest at items[0]. */
static void sift(uint64_t *items, size_t i, size_t count) {
  uint64_t item = items[i];
  for (size_t child; i < count / 2; i = child) {
    child = 2 * i + 1;
    if (child + 1 < count && items[child] < items[child + 1]) child++;
    if (items[child] <= item) break;
    items[i] = items[child];
  }
  items[i] = item;
}

static void sort(uint64_t *items, size_t count) {
  for (size_t i = count / 2; i > 0; i--) sift(items, i - 1, count);
  for (size_t end = count; end > 1; end--) {
    uint64_t largest = items[0];
    items[0] = items[end - 1];
    items[end - 1] = largest;
    sift(items, 0, end - 1);
  }
}

static size_t keep_each_once(uint64_t *items, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (kept == 0 || items[kept - 1] != items[i]) items[kept++] = items[i];
  return kept;
}

static uint32_t file_of(const cpb_positions *p, size_t i) { return cpb_metadata_reference(p->metadata, i).file; }

/* Sorts the positions by file: counts them, puts them into place, and sorts them there. Duplicates within a file leave
 * its last places with UINT64_MAX. */
static bool sort_by_file(cpb_positions *p) {
  size_t bytes, count = p->count, num_files = (size_t)p->metadata->highest_file + 1;
  if (!cpb_mul_size(num_files + 1, sizeof *p->files, &bytes)) return false;
  p->files = cpb_alloc_zeroed(&p->allocator, bytes);
  if (!p->files) return false;
  for (size_t i = 0; i < count; i++) p->files[file_of(p, i) + 1]++;
  for (size_t f = 0; f < num_files; f++) p->files[f + 1] += p->files[f];
  for (size_t i = 0; i < count; i++)
    p->sorted[p->files[file_of(p, i)]++] = cpb_column_get(&p->metadata->chunks.offset, i);
  for (size_t f = 0, begin = 0; f < num_files; begin = p->files[f++]) {
    sort(p->sorted + begin, p->files[f] - begin);
    size_t kept = keep_each_once(p->sorted + begin, p->files[f] - begin);
    memset(p->sorted + begin + kept, 0xff, (p->files[f] - begin - kept) * sizeof *p->sorted);
  }
  p->count = p->files[0];
  return true;
}

bool cpb_positions_init(cpb_positions *p, const cpb_allocator *a, const cpb_metadata *metadata) {
  *p = (cpb_positions){.allocator = *a, .metadata = metadata, .count = metadata->num_chunks};
  bool is_one = metadata->highest_file == 0;
  size_t bytes;
  if (is_one && ascends(metadata)) return true;
  if (!cpb_mul_size(p->count, sizeof *p->sorted, &bytes)) return false;
  p->sorted = cpb_alloc(a, bytes);
  if (!p->sorted) return false;
  if (!is_one) return sort_by_file(p);
  for (size_t i = 0; i < p->count; i++) p->sorted[i] = cpb_column_get(&metadata->chunks.offset, i);
  sort(p->sorted, p->count);
  p->count = keep_each_once(p->sorted, p->count);
  return true;
}

void cpb_positions_free(cpb_positions *p) {
  cpb_release(&p->allocator, p->sorted);
  cpb_release(&p->allocator, p->files);
  p->sorted = NULL;
  p->files = NULL;
}

/* --- Asking --------------------------------------------------------------- */

/* How many positions are less than `position`. */
static size_t rank(const cpb_positions *p, uint64_t position) {
  size_t low = 0, high = p->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (at(p, middle) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Positions are distinct, so two in one run are as far apart as their ranks. */
static bool in_one_run(const cpb_positions *p, size_t a, size_t b) { return at(p, b) - at(p, a) == b - a; }

/* Most runs contain one position. */
static size_t run_begin(const cpb_positions *p, size_t i) {
  size_t low = 0, high = i;
  if (i > 0 && !in_one_run(p, i - 1, i)) return i;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (in_one_run(p, middle, i)) high = middle;
    else low = middle + 1;
  }
  return low;
}

static size_t run_end(const cpb_positions *p, size_t i) {
  size_t low = i, high = p->count;
  if (high - low > 1 && !in_one_run(p, i, i + 1)) return i + 1;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (in_one_run(p, i, middle)) low = middle;
    else high = middle;
  }
  return high;
}

static void around(const cpb_positions *p, uint64_t position, uint64_t *begin, uint64_t *end) {
  size_t i = rank(p, position);
  *begin = position;
  *end = CPB_NO_OFFSET;
  if (i == p->count) return;
  size_t next = run_end(p, i);
  *begin = at(p, run_begin(p, i));
  if (next < p->count) *end = at(p, next);
}

void cpb_positions_around(const cpb_positions *p, uint32_t file, uint64_t position, uint64_t *begin, uint64_t *end) {
  cpb_positions one = *p;
  if (p->files) {
    size_t first = file > 0 ? p->files[file - 1] : 0;
    one.sorted = p->sorted + first;
    one.count = p->files[file] - first;
  }
  around(&one, position, begin, end);
}
