#include "chunked/index/paged_index.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "chunked/index/metadata.h"

/* Depth of unknown groups; known fields need 1. */
enum { DEPTH = 8 };

void cpb_paged_index_init(cpb_paged_index *p, const cpb_allocator *allocator, const cpb_limits *limits,
                          cpb_error *error) {
  memset(p, 0, sizeof *p);
  p->allocator = allocator;
  p->max_chunks = limits->chunks;
  p->error = error;
  p->stride = 1;
}

void cpb_paged_index_free(cpb_paged_index *p) {
  if (p->scanner.allocator) cpb_wire_free(&p->scanner);
}

static void restart(cpb_paged_index *p, uint64_t size, uint64_t pos) {
  cpb_paged_index_free(p);
  cpb_wire_begin(&p->scanner, p->allocator, DEPTH, size, p->error);
  p->scanner.pos = pos;
  p->version_size = 0;
}

void cpb_paged_index_scan(cpb_paged_index *p, uint64_t size) {
  restart(p, size, 0);
  p->wanted = CPB_NO_CHUNK;
  p->next = 0;
}

void cpb_paged_index_find(cpb_paged_index *p, uint64_t chunk) {
  uint64_t mark = chunk / p->stride;
  restart(p, p->scanner.size, p->marks[mark]);
  p->wanted = chunk;
  p->next = mark * p->stride;
}

uint64_t cpb_paged_index_pos(const cpb_paged_index *p) { return p->scanner.pos; }

static bool is_scan(const cpb_paged_index *p) { return p->wanted == CPB_NO_CHUNK; }

static bool damaged(cpb_paged_index *p, const char *what) {
  return CPB_FAILS(p->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s at byte %llu of the chunk index", what,
                   (unsigned long long)p->scanner.field.begin);
}

/* --- Marks ---------------------------------------------------------------- */

/* Removes every other mark, to cover twice as many entries. */
static void thin_out(cpb_paged_index *p) {
  for (size_t i = 0; i < CPB_INDEX_MARKS / 2; i++) p->marks[i] = p->marks[2 * i];
  p->num_marks = CPB_INDEX_MARKS / 2;
  p->stride *= 2;
}

static void mark_entry(cpb_paged_index *p, uint64_t begin) {
  if (p->num_chunks % p->stride != 0) return;
  if (p->num_marks == CPB_INDEX_MARKS) thin_out(p);
  if (p->num_chunks % p->stride == 0) p->marks[p->num_marks++] = begin;
}

/* --- Version -------------------------------------------------------------- */

static bool accept_packed(cpb_paged_index *p, const uint8_t *at, size_t size) {
  const uint8_t *end = at + size;
  while (at < end) {
    uint64_t bad;
    at = cpb_varint_read(at, end, &bad);
    if (!at) return damaged(p, "bad_consumers ends within a varint");
    if (!cpb_metadata_accept_consumer((int32_t)bad, p->error)) return false;
  }
  return true;
}

/* If a field occurs more than once, the last one counts, so join_version is only stored here. */
static bool accept_field(cpb_paged_index *p, const cpb_wire_field *f, uint64_t *join) {
  bool is_number = f->type == CPB_WIRE_VARINT, is_packed = f->type == CPB_WIRE_LEN;
  switch (f->number) {
    case VERSION_JOIN:
      if (is_number) *join = f->number_value;
      return is_number || damaged(p, "join_version is not a varint");
    case VERSION_BAD_CONSUMERS:
      if (is_packed) return accept_packed(p, p->version + f->value, (size_t)f->size);
      return !is_number || cpb_metadata_accept_consumer((int32_t)f->number_value, p->error);
    default: return true;
  }
}

static bool accept_version(cpb_paged_index *p) {
  cpb_wire_scanner s;
  cpb_span in = {p->version, p->version_size};
  cpb_wire_event event;
  bool accepted = true;
  uint64_t join = 0;
  cpb_wire_begin(&s, p->allocator, DEPTH, in.size, p->error);
  while (accepted && (event = cpb_wire_next(&s, &in)) == CPB_WIRE_FIELD) accepted = accept_field(p, &s.field, &join);
  cpb_wire_free(&s);
  return p->error->code == CPB_OK && cpb_metadata_accept_join((int32_t)join, p->error);
}

static bool begin_version(cpb_paged_index *p) {
  const cpb_wire_field *f = &p->scanner.field;
  if (f->size > CPB_INDEX_VERSION_MAX)
    return CPB_FAILS(p->error, CPB_E_LIMIT, CPB_NO_OFFSET,
                     "the version of the chunk index has %llu bytes; the limit is %d", (unsigned long long)f->size,
                     CPB_INDEX_VERSION_MAX);
  p->version_size = (size_t)f->size;
  p->version_have = 0;
  return true;
}

/* --- Fields --------------------------------------------------------------- */

static bool begin_entry(cpb_paged_index *p) {
  memset(&p->info, 0, sizeof p->info);
  if (is_scan(p)) {
    if (p->num_chunks == p->max_chunks)
      return CPB_FAILS(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the chunk index has more than %llu chunks",
                       (unsigned long long)p->max_chunks);
    mark_entry(p, p->scanner.field.begin);
    p->num_chunks++;
  }
  return cpb_wire_enter(&p->scanner);
}

static bool take_of_entry(cpb_paged_index *p) {
  const cpb_wire_field *f = &p->scanner.field;
  if (f->number > CHUNK_INFO_OFFSET && f->number != CHUNK_INFO_FILE) return true;
  if (f->type != CPB_WIRE_VARINT) return damaged(p, "a field of ChunkInfo is not a varint");
  switch (f->number) {
    case CHUNK_INFO_TYPE: p->info.type = (uint32_t)f->number_value; break;
    case CHUNK_INFO_FILE: p->info.file = (uint32_t)f->number_value; break;
    case CHUNK_INFO_SIZE: p->info.size = f->number_value; break;
    default: p->info.position = f->number_value; break;
  }
  return true;
}

/* The chunks of a paged index are in other records, which only a cpb_index reads. */
static bool is_not_paged(cpb_paged_index *p) {
  return CPB_FAILS(p->error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
                   "the chunk index is in pages, which a pager does not read");
}

static bool take_field(cpb_paged_index *p) {
  const cpb_wire_field *f = &p->scanner.field;
  if (p->scanner.depth > 0) return take_of_entry(p);
  if (f->type != CPB_WIRE_LEN) return true;
  switch (f->number) {
    case METADATA_VERSION: return !is_scan(p) || begin_version(p);
    case METADATA_CHUNKS: return begin_entry(p);
    case METADATA_MESSAGE:
      if (!p->has_message) p->message = f->begin;
      p->has_message = true;
      return true;
    case METADATA_PAGES: return is_not_paged(p);
    default: return true;
  }
}

/* --- Feeding -------------------------------------------------------------- */

/* False while part of it is missing. */
static bool gather_version(cpb_paged_index *p, cpb_span *in) {
  cpb_span part = cpb_wire_take(&p->scanner, in);
  if (part.size > 0) memcpy(p->version + p->version_have, part.data, part.size);
  p->version_have += part.size;
  return p->version_have == p->version_size;
}

static cpb_wire_event next_event(cpb_paged_index *p, cpb_span *in) {
  if (p->version_size > 0) {
    if (!gather_version(p, in)) return CPB_WIRE_MORE;
    if (!accept_version(p)) return CPB_WIRE_ERROR;
    p->version_size = 0;
  }
  return cpb_wire_next(&p->scanner, in);
}

cpb_paged cpb_paged_index_feed(cpb_paged_index *p, cpb_span in) {
  for (;;) {
    switch (next_event(p, &in)) {
      case CPB_WIRE_MORE: return CPB_PAGED_MORE;
      case CPB_WIRE_ERROR: return CPB_PAGED_FAILED;
      case CPB_WIRE_FIELD:
        if (!take_field(p)) return CPB_PAGED_FAILED;
        break;
      case CPB_WIRE_LEAVE:
        if (p->next++ == p->wanted) return CPB_PAGED_DONE;
        break;
      case CPB_WIRE_END:
        if (is_scan(p)) return CPB_PAGED_DONE;
        damaged(p, "the chunk index has changed since it was first read:");
        return CPB_PAGED_FAILED;
    }
  }
}
