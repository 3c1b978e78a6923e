/* The pager: any chunk of a file streams out in a bounded memory, or the answer is
 * how much memory it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "chunked/index/metadata.h"
#include "cpb/pager.h"
#include "reader_host.h"

/* --- Memory that is counted ------------------------------------------------- */

typedef struct {
  size_t now, peak;
} counter;

static void *count_allocate(void *user, size_t size) {
  counter *c = user;
  size_t *block = malloc(size + 16);
  *block = size;
  c->now += size;
  if (c->now > c->peak) c->peak = c->now;
  return block + 2;
}

static void count_release(void *user, void *block) {
  size_t *b = (size_t *)block - 2;
  ((counter *)user)->now -= *b;
  free(b);
}

static void *count_resize(void *user, void *block, size_t old_size, size_t new_size) {
  counter *c = user;
  size_t *b = (size_t *)block - 2;
  assert_int_equal(*b, old_size);
  c->now = c->now - old_size + new_size;
  if (c->now > c->peak) c->peak = c->now;
  b = realloc(b, new_size + 16);
  *b = new_size;
  return b + 2;
}

/* --- Files -------------------------------------------------------------------- */

typedef struct {
  uint64_t num_chunks, chunk_size;
  cpb_codec_options codec, index_codec;
  int shared; /* chunks share Riegeli chunks */
  int32_t join_version;
  int32_t bad_consumer; /* or 0 */
} recipe;

/* Text-like, so that it compresses a little, different in each chunk, and repeated
 * after what just fits into a window of 4 or 8 KiB. */
static uint8_t byte_of(uint64_t chunk, uint64_t at) {
  at %= chunk % 2 == 0 ? 4093 : 8191;
  uint64_t x = (chunk * 0x9e3779b97f4a7c15u) ^ (at / 3 * 0xc2b2ae3d27d4eb4fu);
  return (uint8_t)('a' + ((x >> 29) ^ (x >> 43)) % 23);
}

static void drain(cpb_record_writer *writer, cpb_buffer *file) {
  while (cpb_record_writer_step(writer) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(writer, &offset, &length);
    size_t end = (size_t)offset + length;
    if (end > file->size) {
      assert_true(cpb_buffer_reserve(file, end));
      file->size = end;
    }
    memcpy(file->data + offset, data, length);
  }
}

static uint64_t write_record(cpb_record_writer *writer, cpb_buffer *file, const void *data, size_t size) {
  assert_int_equal(cpb_record_writer_begin_record(writer, size), CPB_OK);
  drain(writer, file);
  assert_int_equal(cpb_record_writer_write(writer, data, size), CPB_OK);
  drain(writer, file);
  return cpb_record_writer_position(writer);
}

static cpb_buffer make_file(const recipe *how) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_buffer file, index;
  cpb_metadata metadata;
  cpb_error error = {0};
  cpb_buffer_init(&file, &a);
  cpb_buffer_init(&index, &a);
  cpb_metadata_init(&metadata, &a);
  metadata.splitter_version = 1;
  metadata.join_version = how->join_version;
  int32_t bad[] = {77, how->bad_consumer};
  metadata.bad_consumers = how->bad_consumer != 77 ? bad : NULL;
  metadata.num_bad_consumers = how->bad_consumer != 77 ? 2 : 0;
  const cpb_record_writer_options options = {.struct_size = sizeof options,
                                             .codec = how->codec,
                                             .record_per_chunk = !how->shared,
                                             .seekable = 1,
                                             .buffer = 1 << 16};
  cpb_record_writer *writer = cpb_record_writer_new(NULL, &options);
  uint8_t *chunk = malloc((size_t)how->chunk_size + 1);
  cpb_metadata_add_node(&metadata, CPB_NO_NODE, 0);
  for (uint64_t i = 0; i < how->num_chunks; i++) {
    for (uint64_t k = 0; k < how->chunk_size; k++) chunk[k] = byte_of(i, k);
    uint64_t position = write_record(writer, &file, chunk, (size_t)how->chunk_size);
    cpb_metadata_add_chunk(&metadata, (cpb_chunk_entry){how->chunk_size, position, CPB_CHUNK_BYTES});
  }
  free(chunk);
  assert_true(cpb_metadata_encode(&metadata, &index, &error));
  if (!how->shared) assert_int_equal(cpb_record_writer_flush(writer, &how->index_codec), CPB_OK);
  drain(writer, &file);
  write_record(writer, &file, index.data, index.size);
  cpb_record_writer_finish(writer);
  drain(writer, &file);
  cpb_record_writer_free(writer);
  metadata.bad_consumers = NULL;
  cpb_metadata_free(&metadata);
  cpb_buffer_free(&index);
  return file;
}

/* --- Reading ------------------------------------------------------------------- */

typedef struct {
  cpb_buffer file;
  host host;
  counter counter;
  cpb_allocator allocator;
  cpb_pager *pager;
} reading;

static void begin_asking(reading *r, cpb_buffer file, manner how, size_t memory, cpb_verify verify, size_t read_size) {
  memset(r, 0, sizeof *r);
  r->file = file;
  r->host = (host){.bytes = file.data, .size = file.size, .manner = how, .says_end = true, .random = 1};
  r->allocator = (cpb_allocator){&r->counter, count_allocate, count_resize, count_release};
  const cpb_pager_options options = {
      .struct_size = sizeof options, .verify = verify, .memory = memory, .read_size = read_size};
  r->pager = cpb_pager_new(&r->allocator, &options);
  assert_non_null(r->pager);
}

static void begin(reading *r, cpb_buffer file, manner how, size_t memory, cpb_verify verify) {
  begin_asking(r, file, how, memory, verify, 0);
}

static void end(reading *r) {
  cpb_pager_free(r->pager);
  assert_int_equal(r->counter.now, 0);
  free(r->host.lent);
  r->host.lent = NULL;
}

static cpb_step step(reading *r) {
  cpb_step step;
  while ((step = cpb_pager_step(r->pager)) == CPB_STEP_NEED)
    if (!answer(&r->host, cpb_pager_input(r->pager))) fail_msg("waits for ever");
  if (step == CPB_STEP_DONE) { /* what was lent may go now */
    free(r->host.lent);
    r->host.lent = NULL;
  }
  return step;
}

static void opens(reading *r) {
  if (step(r) != CPB_STEP_DONE) fail_msg("%s", cpb_pager_error(r->pager)->message);
}

/* The range must come out as it went in. */
static void reads(reading *r, uint64_t chunk, uint64_t offset, uint64_t length, uint64_t chunk_size) {
  uint64_t at = offset < chunk_size ? offset : chunk_size, stop = length < chunk_size - at ? at + length : chunk_size;
  assert_int_equal(cpb_pager_read(r->pager, chunk, offset, length), CPB_OK);
  cpb_step answer;
  while ((answer = step(r)) == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_pager_data(r->pager, &size);
    assert_true(size > 0 && size <= stop - at);
    for (size_t i = 0; i < size; i++, at++)
      if (data[i] != byte_of(chunk, at)) fail_msg("chunk %u differs at %u", (unsigned)chunk, (unsigned)at);
  }
  if (answer != CPB_STEP_DONE) fail_msg("%s", cpb_pager_error(r->pager)->message);
  assert_int_equal(at, stop);
  assert_int_equal(cpb_pager_info(r->pager)->size, chunk_size);
  assert_int_equal(cpb_pager_stored(r->pager)->size, chunk_size);
}

static const cpb_codec_options plain = {.codec = CPB_CODEC_NONE};

static void any_chunk_in_any_manner(void **state) {
  (void)state;
  const recipe recipes[] = {
      {300, 1000, plain, plain, 0, 0, 77},
      {300, 1000, plain, plain, 1, 0, 7},
      {20, 100000, {.codec = CPB_CODEC_ZSTD, .window_log = 13}, plain, 0, 0, 77},
      {300, 1000, {.codec = CPB_CODEC_ZSTD}, {.codec = CPB_CODEC_ZSTD}, 0, 0, 7},
      {40, 3000, {.codec = CPB_CODEC_ZSTD}, plain, 1, 0, 77},
      {3, 70000, plain, plain, 0, 0, 77},
      {5, 0, plain, plain, 0, 0, 77},
  };
  for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
    cpb_buffer file = make_file(&recipes[i]);
    uint64_t n = recipes[i].num_chunks, size = recipes[i].chunk_size;
    for (int m = 0; m < MANNERS; m++) {
      for (int v = CPB_VERIFY_FIRST; v <= CPB_VERIFY_NEVER; v++) {
        if (m == BYTE_BY_BYTE && size > 10000) continue;
        reading r;
        size_t memory = recipes[i].shared ? 1 << 20 : 192 << 10;
        begin(&r, file, (manner)m, memory, (cpb_verify)v);
        opens(&r);
        assert_int_equal(cpb_pager_num_chunks(r.pager), n);
        for (uint64_t k = 0; k < n; k += n / 5 + 1) reads(&r, n - 1 - k, 0, UINT64_MAX, size);
        reads(&r, 0, size / 2, 10, size);
        reads(&r, 0, size / 2 + 10, 100, size);
        reads(&r, 0, size / 2 + 3, 100, size);
        reads(&r, 0, size / 2 + 3, 0, size);
        reads(&r, 0, size + 3, 9, size);
        reads(&r, 1, 0, size, size);
        assert_int_equal(cpb_pager_read(r.pager, n, 0, 1), CPB_E_NOT_FOUND);
        assert_true(r.counter.peak <= cpb_pager_memory(r.pager));
        assert_true(cpb_pager_memory(r.pager) <= memory);
        end(&r);
      }
    }
    cpb_buffer_free(&file);
  }
}

static void every_entry_of_a_long_index(void **state) {
  (void)state;
  const recipe how = {5000, 3, plain, plain, 0, 0, 77};
  cpb_buffer file = make_file(&how);
  reading r;
  begin(&r, file, AS_ASKED, 32 << 10, CPB_VERIFY_FIRST);
  opens(&r);
  for (uint64_t k = 0; k < how.num_chunks; k++) reads(&r, k, 0, UINT64_MAX, 3);
  assert_true(r.counter.peak < 32 << 10);
  /* An entry is found without going through all of the index. */
  assert_true(r.host.asked / how.num_chunks < 10000);
  end(&r);
  cpb_buffer_free(&file);
}

/* A range is not read from the chunk's beginning again when it follows the last. */
static void goes_on_where_it_was(void **state) {
  (void)state;
  const recipe how = {2, 1 << 20, {.codec = CPB_CODEC_ZSTD, .window_log = 12}, plain, 0, 0, 77};
  cpb_buffer file = make_file(&how);
  reading r;
  begin(&r, file, AS_ASKED, 256 << 10, CPB_VERIFY_LATE);
  opens(&r);
  for (uint64_t at = 0; at < how.chunk_size; at += 1000) reads(&r, 1, at, 1000, how.chunk_size);
  assert_true(r.host.requests < how.chunk_size / 1000 * 2);
  end(&r);
  cpb_buffer_free(&file);
}

static void says_how_much_memory_it_takes(void **state) {
  (void)state;
  const recipe recipes[] = {
      {8, 400000, plain, plain, 0, 0, 77},
      {8, 400000, {.codec = CPB_CODEC_ZSTD, .window_log = 12}, plain, 0, 0, 77},
      {8, 400000, {.codec = CPB_CODEC_ZSTD, .window_log = 18}, plain, 0, 0, 77},
      {8, 4000, {.codec = CPB_CODEC_ZSTD}, {.codec = CPB_CODEC_ZSTD}, 1, 0, 77},
  };
  uint64_t least[4];
  for (size_t i = 0; i < 4; i++) {
    cpb_buffer file = make_file(&recipes[i]);
    size_t memory = 1;
    for (int tries = 0;; tries++) {
      reading r;
      begin(&r, file, AS_ASKED, memory, CPB_VERIFY_FIRST);
      cpb_step answer = step(&r);
      if (answer == CPB_STEP_DONE) {
        assert_int_equal(cpb_pager_read(r.pager, 3, 0, UINT64_MAX), CPB_OK);
        answer = step(&r);
      }
      const cpb_error *error = cpb_pager_error(r.pager);
      assert_true(r.counter.peak <= (memory > 8192 ? memory : 8192)); /* the pager itself */
      if (answer == CPB_STEP_ERROR) {
        assert_int_equal(error->code, CPB_E_LIMIT);
        assert_non_null(strstr(error->message, "bytes of memory"));
        assert_true(cpb_pager_memory(r.pager) > memory && tries < 12);
        memory = (size_t)cpb_pager_memory(r.pager);
      }
      bool done = answer == CPB_STEP_DATA;
      if (done) reads(&r, 3, 0, UINT64_MAX, recipes[i].chunk_size);
      end(&r);
      if (done) break;
    }
    least[i] = memory;
    cpb_buffer_free(&file);
  }
  assert_true(least[0] < 10000);
  assert_true(least[1] > 8192 && least[2] > least[1] + 256 * 1024 && least[2] < 1 << 20);
}

/* Whether the first bytes of chunk 3 come with this memory; if not, how much would do. */
static bool has_enough(cpb_buffer file, size_t memory, size_t read_size, cpb_verify verify, uint64_t *would_do) {
  reading r;
  begin_asking(&r, file, AS_ASKED, memory, verify, read_size);
  cpb_step answer = step(&r);
  if (answer == CPB_STEP_DONE && cpb_pager_read(r.pager, 3, 0, UINT64_MAX) == CPB_OK) answer = step(&r);
  *would_do = cpb_pager_memory(r.pager);
  end(&r);
  return answer == CPB_STEP_DATA;
}

/* However little is asked for at once: the memory that CPB_E_LIMIT names last, for the window after
 * the decoder itself, is enough, and 3 % less is not. */
static void the_memory_it_names_is_enough_and_no_more(void **state) {
  (void)state;
  const recipe how = {8, 400000, {.codec = CPB_CODEC_ZSTD, .window_log = 13}, plain, 0, 0, 77};
  cpb_buffer file = make_file(&how);
  const size_t read_sizes[] = {0, 256, 1024, 65536};
  for (size_t i = 0; i < 8; i++) {
    cpb_verify verify = i < 4 ? CPB_VERIFY_FIRST : CPB_VERIFY_LATE;
    uint64_t said = 64 << 10, again = said;
    size_t read_size = read_sizes[i % 4];
    for (int named = 0; !has_enough(file, (size_t)again, read_size, verify, &said); named++) {
      assert_true(said > again && named < 6);
      again = said;
    }
    said = again;
    assert_false(has_enough(file, (size_t)(said - said / 33), read_size, verify, &again));
  }
  cpb_buffer_free(&file);
}

/* --- What it refuses --------------------------------------------------------------- */

static cpb_error refuses(cpb_buffer file) {
  reading r;
  begin(&r, file, AS_ASKED, 256 << 10, CPB_VERIFY_FIRST);
  cpb_step answer = step(&r);
  for (uint64_t k = 0; answer == CPB_STEP_DONE && k < cpb_pager_num_chunks(r.pager); k++) {
    cpb_pager_read(r.pager, k, 0, UINT64_MAX);
    while ((answer = step(&r)) == CPB_STEP_DATA) continue;
  }
  cpb_error error = *cpb_pager_error(r.pager);
  if (answer == CPB_STEP_ERROR) {
    assert_int_equal(cpb_pager_step(r.pager), CPB_STEP_ERROR);
    assert_int_equal(cpb_pager_read(r.pager, 0, 0, 1), error.code);
  }
  end(&r);
  return error;
}

static void versions_count_as_for_the_index(void **state) {
  (void)state;
  recipe how = {3, 10, plain, plain, 0, CPB_JOIN_VERSION + 1, 77};
  cpb_buffer file = make_file(&how);
  assert_int_equal(refuses(file).code, CPB_E_UNSUPPORTED);
  cpb_buffer_free(&file);
  how.join_version = 0;
  how.bad_consumer = CPB_JOIN_VERSION; /* which is ours */
  file = make_file(&how);
  assert_int_equal(refuses(file).code, CPB_E_UNSUPPORTED);
  cpb_buffer_free(&file);
}

static void another_riegeli_file_is_none(void **state) {
  (void)state;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  static const char *const records[] = {"no message", "", "\x12\x02\x08\x05", "\x08\x01\x1a",
                                        "\x12\x03\x0a\x01\x41\x1a"};
  for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
    cpb_buffer file;
    cpb_buffer_init(&file, &a);
    cpb_record_writer *writer = cpb_record_writer_new(NULL, NULL);
    write_record(writer, &file, records[i], strlen(records[i]));
    cpb_record_writer_finish(writer);
    drain(writer, &file);
    cpb_record_writer_free(writer);
    assert_int_equal(refuses(file).code, CPB_E_FORMAT);
    cpb_buffer_free(&file);
  }
}

/* Whatever is damaged, the answer is an error with its place, or what was written. */
static void damage_is_an_error(void **state) {
  (void)state;
  const recipe recipes[] = {{6, 300, plain, plain, 0, 0, 77}, {6, 300, {.codec = CPB_CODEC_ZSTD}, plain, 0, 0, 77}};
  for (size_t i = 0; i < 2; i++) {
    cpb_buffer file = make_file(&recipes[i]);
    for (size_t at = 0; at < file.size; at++) {
      file.data[at] ^= 0x55;
      cpb_error error = refuses(file);
      if (error.code == CPB_E_MEMORY || error.code == CPB_E_LIMIT) fail_msg("byte %u: %s", (unsigned)at, error.message);
      file.data[at] ^= 0x55;
    }
    for (size_t size = file.size; size-- > 0;) {
      cpb_buffer cut = file;
      cut.size = size;
      assert_int_not_equal(refuses(cut).code, CPB_OK);
    }
    cpb_buffer_free(&file);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_chunk_in_any_manner),
      cmocka_unit_test(every_entry_of_a_long_index),
      cmocka_unit_test(goes_on_where_it_was),
      cmocka_unit_test(says_how_much_memory_it_takes),
      cmocka_unit_test(the_memory_it_names_is_enough_and_no_more),
      cmocka_unit_test(versions_count_as_for_the_index),
      cmocka_unit_test(another_riegeli_file_is_none),
      cmocka_unit_test(damage_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
