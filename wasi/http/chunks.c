/* The chunks of a .cpb file: their list, and the bytes of one. */
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "job.h"

#define PAGE 100
#define PAGE_MOST 10000

/* A chunked file. */
typedef struct opened {
  cpb_allocator allocator;
  cpb_file *file;
  char *name;
  cpb_index *index;
  cpb_chunk_reader *reader; /* NULL: the request is for the list */
} opened;

static void close_chunks(void *state) {
  opened *o = state;
  cpb_allocator a = o->allocator;
  cpb_chunk_reader_free(o->reader);
  cpb_index_free(o->index);
  cpb_file_close(o->file);
  cpb_release(&a, o->name);
  cpb_release(&a, o);
}

static bool read_index(job *j, opened *o) {
  cpb_step step;
  o->index = cpb_index_new(&o->allocator, NULL);
  if (!o->index) return cpb_fail_memory(&j->error) == CPB_OK;
  while ((step = cpb_index_step(o->index)) == CPB_STEP_NEED) cpb_file_supply(o->file, cpb_index_input(o->index));
  if (step == CPB_STEP_ERROR) j->error = *cpb_index_error(o->index);
  return step == CPB_STEP_DONE;
}

static opened *open_chunks(job *j) {
  opened *o = cpb_alloc_zeroed(&j->allocator, sizeof *o);
  if (!o) return cpb_fail_memory(&j->error), NULL;
  o->allocator = j->allocator;
  o->file = job_open(j, &o->name);
  if (o->file && read_index(j, o)) return o;
  close_chunks(o);
  return NULL;
}

/* --- The list -------------------------------------------------------------------------------------- */

static void write_chunk(cpb_json_writer *w, uint64_t number, const cpb_chunk_info *chunk) {
  static const char *const types[] = {"UNSET", "MESSAGE", "BYTES"};
  cpb_json_writer_open(w, NULL, '{');
  cpb_json_writer_unsigned(w, "index", number);
  if (chunk->type < 3) cpb_json_writer_text(w, "type", types[chunk->type]);
  else cpb_json_writer_unsigned(w, "type", chunk->type);
  cpb_json_writer_exact_unsigned(w, "size", chunk->size);
  cpb_json_writer_exact_unsigned(w, "position", chunk->position);
  cpb_json_writer_close(w, '}');
}

static void write_chunks(cpb_json_writer *w, const cpb_index *index, uint64_t first, uint64_t count) {
  uint64_t total = cpb_index_num_chunks(index);
  cpb_json_writer_open(w, "chunks", '{');
  cpb_json_writer_unsigned(w, "total", total);
  cpb_json_writer_exact_unsigned(w, "first", first);
  cpb_json_writer_open(w, "items", '[');
  for (uint64_t i = first; i < total && i - first < count; i++) {
    cpb_chunk_info chunk;
    cpb_index_get_chunk(index, i, &chunk);
    write_chunk(w, i, &chunk);
  }
  cpb_json_writer_close(w, ']');
  cpb_json_writer_close(w, '}');
}

void answer_chunks(job *j) {
  uint64_t first, count;
  cpb_json_writer w;
  if (!job_number(j, "first", UINT64_MAX, 0, &first) || !job_number(j, "count", PAGE_MOST, PAGE, &count)) return;
  opened *o = open_chunks(j);
  if (!o) return;
  reply_begin(j, &w);
  write_chunks(&w, o->index, first, count);
  reply_json(j, &w);
  close_chunks(o);
}

/* --- One of them ------------------------------------------------------------------------------------- */

static bool next_of_chunk(void *state, cpb_span *piece, cpb_error *error) {
  opened *o = state;
  cpb_step step;
  *piece = (cpb_span){(const uint8_t *)"", 0};
  while ((step = cpb_chunk_reader_step(o->reader)) == CPB_STEP_NEED)
    cpb_file_supply(o->file, cpb_chunk_reader_input(o->reader));
  if (step == CPB_STEP_DATA) piece->data = cpb_chunk_reader_data(o->reader, &piece->size);
  if (step == CPB_STEP_ERROR) *error = *cpb_chunk_reader_error(o->reader);
  return step != CPB_STEP_ERROR;
}

/* The real size is that of the record, so its header is read. */
static bool find_chunk(job *j, opened *o, uint64_t chunk, uint64_t *size) {
  cpb_span nothing;
  uint64_t all = cpb_index_num_chunks(o->index);
  if (chunk >= all)
    return CPB_FAILS(&j->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET,
                     "there is no chunk %llu; there are %llu, counted from 0", (unsigned long long)chunk,
                     (unsigned long long)all);
  o->reader = cpb_chunk_reader_new(&o->allocator, o->index, NULL);
  if (!o->reader) return cpb_fail_memory(&j->error) == CPB_OK;
  cpb_chunk_reader_read(o->reader, chunk, 0, 0);
  if (!next_of_chunk(o, &nothing, &j->error)) return false;
  *size = cpb_chunk_reader_stored(o->reader)->size;
  return true;
}

void answer_chunk(job *j, uint64_t chunk) {
  uint64_t size;
  cpb_range range;
  opened *o = open_chunks(j);
  if (!o) return;
  if (!find_chunk(j, o, chunk, &size) || !reply_bytes(j, size, &range)) {
    close_chunks(o);
    return;
  }
  cpb_chunk_reader_read(o->reader, chunk, range.offset, range.length);
  j->reply->body = (serve_body){next_of_chunk, close_chunks, o};
}
