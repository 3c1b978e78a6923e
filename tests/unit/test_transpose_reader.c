/* Files with transposed chunks, through the record reader: large values come in spans of their own,
 * wherever block headers fall, and memory is kept from chunk to chunk. The chunks are made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "failing_allocator.h"
#include "reader_cases.h"
#include "riegeli/codec/compressor.h"
#include "stride.h"

/* --- Chunks made by hand ---------------------------------------------------- */

static cpb_allocator heap;

static void add(cpb_buffer *to, const void *data, size_t size) { assert_true(cpb_buffer_append(to, data, size)); }

static void add_varint(cpb_buffer *to, uint64_t value) {
  uint8_t bytes[CPB_VARINT_MAX];
  add(to, bytes, (size_t)(cpb_varint_write(bytes, value) - bytes));
}

/* A Snappy block of literals. */
static void add_literals(cpb_buffer *to, const cpb_buffer *content) {
  add_varint(to, content->size);
  add_varint(to, content->size);
  for (size_t at = 0; at < content->size; at += 65536) {
    const size_t size = cpb_min_size(content->size - at, 65536);
    const uint8_t tag[] = {61 << 2, (uint8_t)(size - 1), (uint8_t)((size - 1) >> 8)};
    add(to, tag, sizeof tag);
    add(to, content->data + at, size);
  }
}

static void add_compressed(cpb_buffer *to, uint8_t codec, const cpb_buffer *content) {
  if (codec == CPB_RIEGELI_NONE) {
    add(to, content->data, content->size);
  } else if (codec == CPB_RIEGELI_SNAPPY) {
    add_literals(to, content);
  } else {
    const cpb_codec_options options = {codec == CPB_RIEGELI_ZSTD ? CPB_CODEC_ZSTD : CPB_CODEC_BROTLI, 1, 0};
    cpb_codec_error error;
    cpb_compressor *c = cpb_compressor_new(NULL, &options, &error);
    assert_true(cpb_compressor_begin(c, content->size, &error) &&
                cpb_compressor_write(c, (cpb_span){content->data, content->size}, to, &error) &&
                cpb_compressor_finish(c, to, &error));
    cpb_compressor_free(c);
  }
}

static uint32_t random_state;

static void add_noise(cpb_buffer *to, size_t size) {
  uint8_t *noise = malloc(size + 1);
  for (size_t i = 0; i < size; i++) {
    random_state = random_state * 1664525 + 1013904223;
    noise[i] = (uint8_t)(random_state >> 24);
  }
  add(to, noise, size);
  free(noise);
}

static void note_record(built_file *f, size_t index, const cpb_buffer *record) {
  f->records = realloc(f->records, (f->num_records + 1) * sizeof *f->records);
  f->records[f->num_records++] = (built_record){f->size, index, f->contents_size, record->size};
  f->contents = realloc(f->contents, f->contents_size + record->size + 1);
  if (record->size > 0) memcpy(f->contents + f->contents_size, record->data, record->size);
  f->contents_size += record->size;
}

enum { MOST_RECORDS = 8 };

typedef struct draft {
  uint8_t codec;
  cpb_buffer buffers[2], data; /* each value in front of those before it */
  size_t count, decoded_size;
} draft;

static draft draft_of(uint8_t codec) {
  draft d = {.codec = codec};
  heap = cpb_system_allocator();
  for (size_t i = 0; i < 2; i++) cpb_buffer_init(&d.buffers[i], &heap);
  cpb_buffer_init(&d.data, &heap);
  return d;
}

static void draft_free(draft *d) {
  for (size_t i = 0; i < 2; i++) cpb_buffer_free(&d->buffers[i]);
  cpb_buffer_free(&d->data);
}

static void prepend(cpb_buffer *to, const cpb_buffer *value) {
  cpb_buffer before = *to;
  cpb_buffer_init(to, &heap);
  add(to, value->data, value->size);
  add(to, before.data, before.size);
  cpb_buffer_free(&before);
}

/* The header has the nodes given, and one bucket with both buffers. */
static void finish_draft(draft *d, const void *nodes, size_t nodes_size) {
  cpb_buffer header, bucket, steps;
  cpb_buffer_init(&header, &heap);
  cpb_buffer_init(&bucket, &heap);
  cpb_buffer_init(&steps, &heap);
  draft stored = draft_of(d->codec);
  for (size_t i = 0; i < 2; i++) add(&bucket, d->buffers[i].data, d->buffers[i].size);
  for (size_t i = 1; i < d->count; i++) add(&steps, "", 1);
  add_compressed(&stored.buffers[0], d->codec, &bucket);
  add(&header, "\1\2", 2);
  add_varint(&header, stored.buffers[0].size);
  for (size_t i = 0; i < 2; i++) add_varint(&header, d->buffers[i].size);
  add(&header, nodes, nodes_size);
  add_compressed(&stored.buffers[1], d->codec, &header);
  add(&d->data, &d->codec, 1);
  add_varint(&d->data, stored.buffers[1].size);
  add(&d->data, stored.buffers[1].data, stored.buffers[1].size);
  add(&d->data, stored.buffers[0].data, stored.buffers[0].size);
  add_compressed(&d->data, d->codec, &steps);
  draft_free(&stored);
  cpb_buffer_free(&header);
  cpb_buffer_free(&bucket);
  cpb_buffer_free(&steps);
}

/* Messages: field 2, a string of the size given; field 3, a varint of 3 bytes. */
static draft messages(built_file *f, uint8_t codec, const size_t *sizes, size_t count) {
  static const char nodes[] =
      "\3" /* the start of a record, then field 2, then field 3: */
      "\3\x12\x18"
      "\2\3\4"
      "\2" /* 3 bytes */
      "\1\0" /* their buffers */ "\2" /* the first */;
  draft d = draft_of(codec);
  for (size_t i = 0; i < count; i++) {
    cpb_buffer string, number, record;
    cpb_buffer_init(&string, &heap);
    cpb_buffer_init(&number, &heap);
    cpb_buffer_init(&record, &heap);
    add_varint(&string, sizes[i]);
    add_noise(&string, sizes[i]);
    add_noise(&number, 3);
    for (size_t k = 0; k < 3; k++) number.data[k] &= 0x7f;
    prepend(&d.buffers[0], &number);
    prepend(&d.buffers[1], &string);
    number.data[0] |= 0x80;
    number.data[1] |= 0x80;
    add(&record, "\x12", 1);
    add(&record, string.data, string.size);
    add(&record, "\x18", 1);
    add(&record, number.data, 3);
    note_record(f, i, &record);
    d.decoded_size += record.size;
    cpb_buffer_free(&string);
    cpb_buffer_free(&number);
    cpb_buffer_free(&record);
  }
  d.count = count;
  finish_draft(&d, nodes, sizeof nodes - 1);
  return d;
}

/* Records that are no messages. */
static draft no_messages(built_file *f, uint8_t codec, const size_t *sizes, size_t count) {
  draft d = draft_of(codec);
  for (size_t i = 0; i < count; i++) {
    cpb_buffer size, record;
    cpb_buffer_init(&size, &heap);
    cpb_buffer_init(&record, &heap);
    add_varint(&size, sizes[i]);
    add_noise(&record, sizes[i]);
    prepend(&d.buffers[0], &record);
    prepend(&d.buffers[1], &size);
    note_record(f, i, &record);
    d.decoded_size += record.size;
    cpb_buffer_free(&size);
    cpb_buffer_free(&record);
  }
  d.count = count;
  finish_draft(&d, "\1\1\0\0\0", 5); /* one node, which is next to itself */
  return d;
}

static void put_draft(built_file *f, draft d) {
  put_chunk(f, CPB_CHUNK_TRANSPOSED, d.data.data, d.data.size, d.count, d.decoded_size);
  draft_free(&d);
}

static const uint8_t codecs[] = {CPB_RIEGELI_NONE, CPB_RIEGELI_SNAPPY, CPB_RIEGELI_ZSTD, CPB_RIEGELI_BROTLI};
enum { CODECS = sizeof codecs };

static const size_t large[] = {5, 200000, 0, 16383, 16384, 300, 70000, 1}, small[] = {3, 0, 127, 128, 9, 20, 1, 60};

/* Chunks with large and small values in turn, of messages and others. */
static built_file mixed_file(uint8_t codec, size_t rounds) {
  built_file f = {0};
  random_state = 1;
  put_signature(&f);
  for (size_t i = 0; i < rounds; i++) {
    put_draft(&f, messages(&f, codec, large, MOST_RECORDS));
    put_draft(&f, messages(&f, codec, small, MOST_RECORDS));
    put_draft(&f, no_messages(&f, codec, large, MOST_RECORDS));
    put_draft(&f, no_messages(&f, codec, small, MOST_RECORDS));
  }
  return f;
}

/* --- Tests ------------------------------------------------------------------ */

static void assert_all(const built_file *f, const outcome *o) {
  assert_string_equal(o->error.message, "");
  assert_int_equal(o->last, CPB_STEP_DONE);
  assert_false(o->cut);
  assert_same_records(o, f, f->num_records);
}

static void records_are_the_same_however_they_are_read(void **state) {
  (void)state;
  for (size_t c = 0; c < CODECS; c++) {
    built_file f = mixed_file(codecs[c], 1);
    for (int m = 0; m < MANNERS; m++) {
      for (int verify = CPB_VERIFY_FIRST; verify <= CPB_VERIFY_NEVER; verify++) {
        for (size_t batch = 0; batch <= 8; batch += 4 * sanitized_stride(2)) {
          outcome o = {0};
          if (m == BYTE_BY_BYTE && batch > 0) continue;
          read_in_batches(&f, (manner)m, (cpb_record_reader_options){.verify = (cpb_verify)verify}, batch, &o);
          assert_all(&f, &o);
          outcome_free(&o);
        }
      }
    }
    built_free(&f);
  }
}

/* The boundary of a block moves through the whole chunk. */
static void a_block_header_may_stand_anywhere_in_a_chunk(void **state) {
  (void)state;
  for (size_t c = 0; c < CODECS; c++) {
    for (int kind = 0; kind < 2; kind++) {
      for (size_t before = 1, size = 2; before < size; before += sanitized_stride(7)) {
        built_file f = {0};
        const size_t filler = 65536 - 64 - 40 - 5 - 40 - before; /* of a chunk with its size in 5 bytes */
        random_state = (uint32_t)before;
        put_signature(&f);
        put_records(&f, &filler, 1);
        draft d =
            kind == 0 ? messages(&f, codecs[c], small, MOST_RECORDS) : no_messages(&f, codecs[c], small, MOST_RECORDS);
        size = d.data.size;
        put_draft(&f, d);
        assert_true(f.size > 65536);
        outcome o = {0};
        read_in_batches(&f, ALL_AT_ONCE, (cpb_record_reader_options){0}, before % 2 * 8, &o);
        assert_all(&f, &o);
        outcome_free(&o);
        built_free(&f);
      }
    }
  }
}

/* What was lent, if it is not compressed, is where the large values are. */
static void large_values_are_not_copied(void **state) {
  (void)state;
  built_file f = mixed_file(CPB_RIEGELI_NONE, 1);
  host h = host_of(&f, ALL_AT_ONCE);
  cpb_record_reader *r = reader((cpb_record_reader_options){0});
  size_t in_place = 0, size;
  for (cpb_step step; (step = cpb_record_reader_step(r)) != CPB_STEP_DONE;) {
    assert_int_not_equal(step, CPB_STEP_ERROR);
    if (step == CPB_STEP_NEED) assert_true(answer(&h, cpb_record_reader_input(r)));
    if (step != CPB_STEP_DATA) continue;
    const uint8_t *data = cpb_record_reader_data(r, &size);
    if (data >= h.lent && data < h.lent + h.size) in_place += size;
  }
  assert_true(in_place > f.contents_size - 4 * 16384 - 3000); /* but for the ends of values in their blocks */
  cpb_record_reader_free(r);
  free(h.lent);
  built_free(&f);
}

static void every_record_can_be_sought_and_skipped_in(void **state) {
  (void)state;
  for (size_t c = 0; c < CODECS; c++) {
    built_file f = mixed_file(codecs[c], 1);
    host h = host_of(&f, ALL_AT_ONCE);
    cpb_record_reader *r = reader((cpb_record_reader_options){0});
    for (size_t n = 0; n < 5 * f.num_records; n += sanitized_stride(4)) {
      const size_t i = n * 7 % f.num_records;
      const built_record *record = &f.records[i];
      const size_t skipped = n % 3 == 0 ? 0 : record->size / (n % 5 + 1);
      size_t at = skipped, size;
      cpb_record_reader_seek(r, record->chunk_begin + record->index);
      cpb_step step;
      while ((step = cpb_record_reader_step(r)) == CPB_STEP_NEED) assert_true(answer(&h, cpb_record_reader_input(r)));
      assert_int_equal(step, CPB_STEP_RECORD);
      assert_int_equal(cpb_record_reader_record(r)->index, record->index);
      cpb_record_reader_skip(r, skipped);
      for (; at < record->size; at += size) {
        assert_int_equal(cpb_record_reader_step(r), CPB_STEP_DATA);
        const uint8_t *data = cpb_record_reader_data(r, &size);
        assert_memory_equal(data, f.contents + record->offset + at, size);
      }
      assert_int_equal(at, record->size);
    }
    cpb_record_reader_free(r);
    free(h.lent);
    built_free(&f);
  }
}

/* A chunk whose data is wrong, though its hash is right, and good ones around it. */
static void after_a_damaged_chunk_the_next_is_good(void **state) {
  (void)state;
  static const size_t sizes[] = {7, 90000, 3};
  for (size_t c = 0; c < CODECS; c++) {
    for (size_t at = 0; at < 90; at += 3 * sanitized_stride(3)) {
      built_file f = {0}, aside = {0};
      random_state = 1;
      put_signature(&f);
      put_draft(&f, messages(&f, codecs[c], sizes, 3));
      draft bad = messages(&aside, codecs[c], sizes, 3);
      if (at < 60) bad.data.data[at] ^= 0x55;
      else bad.data.size -= at; /* cut short */
      put_draft(&f, bad);
      put_draft(&f, messages(&f, codecs[c], sizes, 3));
      outcome o = {0};
      read_file(&f, ALL_AT_ONCE, (cpb_record_reader_options){.recover = 1}, &o);
      assert_int_equal(o.last, CPB_STEP_DONE);
      if (o.num_skipped > 0) assert_same_records(&o, &f, f.num_records);
      else assert_int_equal(o.num_records, 9); /* other values */
      assert_true(o.num_skipped > 0 || at < 60);
      outcome_free(&o);
      built_free(&aside);
      built_free(&f);
    }
  }
}

static size_t read_counted(const built_file *f, size_t fail_at, bool for_ever, size_t memory, outcome *o) {
  failing_allocator counter = {.fail_at = fail_at, .for_ever = for_ever};
  const cpb_allocator a = failing_allocator_of(&counter);
  const cpb_record_reader_options options = {.struct_size = sizeof options, .memory = memory};
  host h = host_of(f, ALL_AT_ONCE);
  cpb_record_reader *r = cpb_record_reader_new(&a, &options);
  if (r) run(&h, r, SIZE_MAX, o);
  else o->error.code = CPB_E_MEMORY;
  cpb_record_reader_free(r);
  free(h.lent);
  assert_int_equal(counter.blocks, 0);
  return counter.calls;
}

static void later_chunks_take_no_memory(void **state) {
  (void)state;
  for (size_t c = 0; c < CODECS; c++) {
    size_t calls[2];
    for (size_t i = 0; i < 2; i++) {
      built_file f = mixed_file(codecs[c], 1 + 4 * i);
      outcome o = {0};
      calls[i] = read_counted(&f, 0, false, 0, &o);
      assert_all(&f, &o);
      outcome_free(&o);
      built_free(&f);
    }
    assert_int_equal(calls[0], calls[1]);
  }
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (size_t c = 0; c < CODECS; c++) {
    built_file f = mixed_file(codecs[c], 1);
    for (size_t memory = 0; memory <= 1u << 25; memory += 1u << 25) {
      for (size_t n = 1, calls = n; n <= calls; n += sanitized_stride(5)) {
        for (int for_ever = 0; for_ever < 2; for_ever++) {
          outcome o = {0};
          calls = read_counted(&f, n, for_ever, memory, &o);
          if (o.error.code == CPB_OK) assert_all(&f, &o);
          else assert_int_equal(o.error.code, CPB_E_MEMORY);
          outcome_free(&o);
        }
      }
    }
    built_free(&f);
  }
}

/* With bounded memory a chunk is refused or read, and what it says of the memory needed holds. */
static void bounded_memory_suffices_or_is_refused(void **state) {
  (void)state;
  for (size_t c = 0; c < CODECS; c++) {
    built_file f = mixed_file(codecs[c], 2);
    bool done = false;
    for (size_t memory = 1u << 16; !done; memory += memory / 2) {
      const cpb_record_reader_options options = {.struct_size = sizeof options, .memory = memory};
      host h = host_of(&f, ALL_AT_ONCE);
      outcome o = {0};
      cpb_record_reader *r = cpb_record_reader_new(NULL, &options);
      run(&h, r, SIZE_MAX, &o);
      done = o.last == CPB_STEP_DONE;
      if (done) {
        assert_all(&f, &o);
        assert_true(cpb_record_reader_memory(r) <= memory);
      } else {
        assert_int_equal(o.error.code, CPB_E_LIMIT);
      }
      assert_true(memory < 1u << 26);
      cpb_record_reader_free(r);
      free(h.lent);
      outcome_free(&o);
    }
    built_free(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_are_the_same_however_they_are_read),
      cmocka_unit_test(a_block_header_may_stand_anywhere_in_a_chunk),
      cmocka_unit_test(large_values_are_not_copied),
      cmocka_unit_test(every_record_can_be_sought_and_skipped_in),
      cmocka_unit_test(after_a_damaged_chunk_the_next_is_good),
      cmocka_unit_test(later_chunks_take_no_memory),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(bounded_memory_suffices_or_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
