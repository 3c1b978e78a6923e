#include "riegeli/chunk_writer.h"

#include "base/checked.h"
#include "riegeli/highwayhash.h"

#define END_UNKNOWN UINT64_MAX

static const uint8_t zeros[4096];

void cpb_chunk_writer_init(cpb_chunk_writer *w, uint64_t pos) {
  memset(w, 0, sizeof *w);
  w->pos = pos;
}

static void put(cpb_chunk_writer *w, cpb_section_kind kind, const uint8_t *data, uint64_t size) {
  if (cpb_chunk_writer_idle(w)) w->section = w->num_sections = 0;
  w->sections[w->num_sections++] = (cpb_section){kind, data, size};
}

/* --- Handing out ---------------------------------------------------------- */

static bool give(cpb_chunk_writer *w, const uint8_t *data, size_t size, cpb_output_bytes *out) {
  *out = (cpb_output_bytes){w->pos, data, size};
  w->pos += size;
  return true;
}

static bool give_block_header(cpb_chunk_writer *w, cpb_output_bytes *out) {
  const cpb_block_header header = {w->pos - w->begin, w->end - w->pos};
  if (w->end == END_UNKNOWN) memset(w->block_header, 0, sizeof w->block_header);
  else cpb_block_header_encode(&header, w->block_header);
  return give(w, w->block_header, sizeof w->block_header, out);
}

/* Outputs a piece of the section, which is not at a block boundary, up to the next one at most. False if nothing is
 * left to output. */
static bool give_section(cpb_chunk_writer *w, cpb_section *s, cpb_output_bytes *out) {
  uint64_t count = w->bare ? s->size : cpb_min_u64(s->size, cpb_block_remaining(w->pos));
  const uint8_t *data = s->data;
  if (s->kind == CPB_SECTION_ZEROS) {
    count = cpb_min_u64(count, sizeof zeros);
    data = zeros;
  }
  s->size -= count;
  if (s->kind == CPB_SECTION_WALK) {
    w->pos += count;
    return false;
  }
  if (s->kind == CPB_SECTION_BYTES) s->data += count;
  return give(w, data, (size_t)count, out);
}

bool cpb_chunk_writer_next(cpb_chunk_writer *w, cpb_output_bytes *out) {
  while (!cpb_chunk_writer_idle(w)) {
    cpb_section *s = &w->sections[w->section];
    if (s->kind == CPB_SECTION_JUMP) {
      w->pos = s->size;
      w->section++;
    } else if (s->size == 0) {
      w->section++;
    } else if (!w->bare && cpb_block_remaining(w->pos) == 0) {
      return give_block_header(w, out);
    } else if (give_section(w, s, out)) {
      return true;
    }
  }
  return false;
}

/* --- Chunks --------------------------------------------------------------- */

static void put_span(cpb_chunk_writer *w, cpb_span span) { put(w, CPB_SECTION_BYTES, span.data, span.size); }

static bool set_chunk(cpb_chunk_writer *w, const cpb_chunk_header *header) {
  cpb_chunk_header_encode(header, w->chunk_header);
  return cpb_chunk_end(w->begin, header->data_size, header->num_records, &w->end);
}

static void put_padding(cpb_chunk_writer *w, uint64_t data_size) {
  uint64_t size = cpb_distance_without_overhead(w->begin, w->end);
  put(w, CPB_SECTION_ZEROS, NULL, size - CPB_CHUNK_HEADER_SIZE - data_size);
}

bool cpb_chunk_writer_chunk(cpb_chunk_writer *w, const cpb_chunk_header *header, cpb_span head, cpb_span body) {
  w->begin = w->pos;
  if (!set_chunk(w, header)) return false;
  put(w, CPB_SECTION_BYTES, w->chunk_header, CPB_CHUNK_HEADER_SIZE);
  put_span(w, head);
  put_span(w, body);
  if (!w->bare) put_padding(w, header->data_size);
  return true;
}

bool cpb_chunk_writer_open(cpb_chunk_writer *w, uint64_t data_size) {
  w->begin = w->pos;
  w->end = END_UNKNOWN;
  put(w, CPB_SECTION_ZEROS, NULL, CPB_CHUNK_HEADER_SIZE);
  return data_size == UINT64_MAX || cpb_chunk_end(w->begin, data_size, 0, &w->end);
}

void cpb_chunk_writer_data(cpb_chunk_writer *w, cpb_span data) { put_span(w, data); }

bool cpb_chunk_writer_close(cpb_chunk_writer *w, const cpb_chunk_header *header) {
  const bool sized = w->end != END_UNKNOWN;
  if (!set_chunk(w, header)) return false;
  put_padding(w, header->data_size);
  put(w, CPB_SECTION_JUMP, NULL, w->begin);
  put(w, CPB_SECTION_BYTES, w->chunk_header, CPB_CHUNK_HEADER_SIZE);
  if (!sized) {
    uint64_t size = cpb_distance_without_overhead(w->begin, w->end);
    put(w, CPB_SECTION_WALK, NULL, size - CPB_CHUNK_HEADER_SIZE);
  }
  put(w, CPB_SECTION_JUMP, NULL, w->end);
  return true;
}

/* --- Padding -------------------------------------------------------------- */

static bool chunk_fits(uint64_t begin, uint64_t end) {
  return cpb_is_chunk_boundary(end) && cpb_distance_without_overhead(begin, end) >= CPB_CHUNK_HEADER_SIZE;
}

/* The first multiple of `padding` at which a padding chunk that begins at `pos` can end. */
static bool padded_end(uint64_t pos, uint64_t padding, uint64_t *end) {
  if (!cpb_add_u64(pos, padding - pos % padding, end)) return false;
  while (!chunk_fits(pos, *end))
    if (!cpb_add_u64(*end, padding, end)) return false;
  return true;
}

static uint64_t hash_of_zeros(uint64_t size) {
  cpb_hash hash;
  cpb_hash_init(&hash);
  for (uint64_t count; size > 0; size -= count) {
    count = cpb_min_u64(size, sizeof zeros);
    cpb_hash_update(&hash, zeros, (size_t)count);
  }
  return cpb_hash_finish(&hash);
}

bool cpb_chunk_writer_pad(cpb_chunk_writer *w, uint64_t padding) {
  if (padding <= 1 || w->pos % padding == 0) return true;
  uint64_t end;
  if (!padded_end(w->pos, padding, &end)) return false;
  const uint64_t size = cpb_distance_without_overhead(w->pos, end) - CPB_CHUNK_HEADER_SIZE;
  const cpb_chunk_header header = {.data_size = size, .data_hash = hash_of_zeros(size), .type = CPB_CHUNK_PADDING};
  w->begin = w->pos;
  if (!set_chunk(w, &header)) return false;
  put(w, CPB_SECTION_BYTES, w->chunk_header, CPB_CHUNK_HEADER_SIZE);
  put(w, CPB_SECTION_ZEROS, NULL, size);
  return true;
}

void cpb_chunk_writer_align(cpb_chunk_writer *w) {
  if (cpb_is_chunk_boundary(w->pos)) return;
  put(w, CPB_SECTION_ZEROS, NULL, cpb_block_remaining(w->pos));
}
