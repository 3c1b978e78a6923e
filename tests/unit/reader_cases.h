/* What the two tests of the record reader share. Include after cmocka.h. */
#ifndef READER_CASES_H
#define READER_CASES_H

#include "reader_host.h"
#include "riegeli_builder.h"

static inline built_file small_file(void) {
  built_file f = {0};
  const size_t sizes[] = {5, 0, 30, 1};
  put_signature(&f);
  for (int i = 0; i < 3; i++) put_records(&f, sizes, 4);
  return f;
}

static inline host host_of(const built_file *f, manner m) {
  return (host){.bytes = f->bytes, .size = f->size, .manner = m, .says_end = true, .random = 1};
}

static inline cpb_record_reader *reader(cpb_record_reader_options options) {
  options.struct_size = sizeof options;
  cpb_record_reader *r = cpb_record_reader_new(NULL, &options);
  assert_non_null(r);
  return r;
}

static inline void assert_same_records(const outcome *o, const built_file *f, size_t count) {
  size_t size = 0;
  assert_int_equal(o->num_records, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(o->records[i].chunk_begin, f->records[i].chunk_begin);
    assert_int_equal(o->records[i].index, f->records[i].index);
    assert_int_equal(o->records[i].position, f->records[i].chunk_begin + f->records[i].index);
    assert_int_equal(o->records[i].size, f->records[i].size);
    size += f->records[i].size;
  }
  assert_int_equal(o->size, size);
  if (size > 0) assert_memory_equal(o->contents, f->contents, size);
}

static inline void read_in_batches(const built_file *f, manner m, cpb_record_reader_options options, size_t batch,
                                   outcome *o) {
  host h = host_of(f, m);
  h.batch = batch;
  cpb_record_reader *r = reader(options);
  run(&h, r, SIZE_MAX, o);
  cpb_record_reader_free(r);
  free(h.lent);
}

static inline void read_file(const built_file *f, manner m, cpb_record_reader_options options, outcome *o) {
  read_in_batches(f, m, options, 0, o);
}

#endif
