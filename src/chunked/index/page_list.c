#include "chunked/index/metadata.h"

#include <string.h>

#include "base/checked.h"
#include "proto/wire.h"

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
  void *items = p->items;
  if (p->num_tags > UINT32_MAX) return false;
  if (!cpb_reserve(&p->allocator, &items, &p->capacity, p->count + 1, sizeof *p->items)) return false;
  p->items = items;
  p->items[p->count] = *page;
  p->items[p->count].first_tag = (uint32_t)p->num_tags;
  p->items[p->count++].num_tags = 0;
  return true;
}

bool cpb_page_list_add_tag(cpb_page_list *p, cpb_tag tag, const uint8_t *text) {
  void *tags = p->tags;
  if (!cpb_reserve(&p->allocator, &tags, &p->tags_capacity, p->num_tags + 1, sizeof *p->tags)) return false;
  p->tags = tags;
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
  while (!wrong && cpb_wire_next(&s, &in) == CPB_WIRE_FIELD) {
    if (s.field.type == CPB_WIRE_VARINT) wrong = take_number(page, &s.field);
    else if (s.field.type == CPB_WIRE_LEN && s.field.number == PAGE_PATH)
      wrong = take_tag(p, (cpb_span){data + s.field.value, (size_t)s.field.size}, memory);
  }
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
