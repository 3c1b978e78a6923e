/* The chunks of a merge_case written as a .cpb file, in every layout. */
#ifndef MERGE_FILES_H
#define MERGE_FILES_H

#include "random_message.h"

typedef struct {
  cpb_codec codec;
  int record_per_chunk;
  uint64_t chunk_size;
} layout;

static const layout layouts[] = {
    {CPB_CODEC_NONE, 1, 0}, {CPB_CODEC_ZSTD, 1, 0},   {CPB_CODEC_BROTLI, 1, 0},
    {CPB_CODEC_NONE, 0, 0}, {CPB_CODEC_BROTLI, 0, 0}, {CPB_CODEC_ZSTD, 0, 700},
};

static inline void take_output(cpb_record_writer *w, cpb_buffer *file) {
  while (cpb_record_writer_step(w) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &length);
    assert_int_equal(offset, file->size);
    append(file, data, length);
  }
  assert_int_equal(cpb_record_writer_error(w)->code, CPB_OK);
}

static inline uint64_t write_record(cpb_record_writer *w, cpb_buffer *file, const void *data, size_t size) {
  cpb_record_writer_begin_record(w, size);
  take_output(w, file);
  cpb_record_writer_write(w, data, size);
  take_output(w, file);
  return cpb_record_writer_position(w);
}

static inline void write_file(merge_case *c, const layout *how, cpb_buffer *file) {
  cpb_record_writer_options options = {.struct_size = sizeof options,
                                       .codec = {.codec = how->codec},
                                       .record_per_chunk = how->record_per_chunk,
                                       .chunk_size = how->chunk_size};
  cpb_record_writer *w = cpb_record_writer_new(NULL, &options);
  cpb_buffer index;
  cpb_error error = {0};
  cpb_buffer_init(&index, &plain);
  cpb_buffer_init(file, &plain);
  for (size_t i = 0; i < c->num_chunks; i++) {
    cpb_chunk_entry entry = cpb_metadata_chunk(&c->index, i);
    entry.offset = write_record(w, file, c->chunks[i].data, c->chunks[i].size);
    assert_true(cpb_metadata_set_entry(&c->index, i, entry));
  }
  assert_true(cpb_metadata_encode(&c->index, &index, &error));
  write_record(w, file, index.data, index.size);
  cpb_record_writer_finish(w);
  take_output(w, file);
  cpb_record_writer_free(w);
  cpb_buffer_free(&index);
}

#endif
