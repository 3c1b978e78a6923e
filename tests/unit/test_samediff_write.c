/* SameDiff zips written from parts: read back after every write, with every piece of
 * input, and with every allocation failing. tests/model/test_samediff_write.py has what
 * is written read by others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cpb/samediff.h"
#include "cpb/values.h"
#include "failing_allocator.h"
#include "graph_builder.h"
#include "model/samediff/model.h"

#define WEIGHTS 5000 /* floats */

/* --- The host ------------------------------------------------------------------------ */

typedef struct file {
  uint8_t *data;
  size_t size;
} file;

typedef struct write {
  uint64_t offset;
  size_t size;
  uint8_t *data;
  int needs_sync;
} write;

typedef struct host {
  file base;
  write *writes;
  size_t count;
  size_t piece;     /* bytes of input at a time; 0: all */
  uint64_t fail_at; /* of the values: reading fails there; ends there with `ends` */
  int ends;
  cpb_error error;
} host;

static uint8_t value_at(uint64_t source, uint64_t i) { return (uint8_t)(i * 7 + source); }

static void answer_values(const host *h, cpb_input *input, uint64_t source) {
  static uint8_t bytes[1 << 18];
  cpb_need need;
  cpb_input_need(input, &need);
  size_t length = h->piece > 0 && need.length > h->piece ? h->piece : need.length;
  assert_true(length <= sizeof bytes);
  if (h->fail_at > 0 && need.offset >= h->fail_at) {
    if (h->ends) cpb_input_end(input, need.offset);
    else cpb_input_fail(input, CPB_E_READ, "the disk is gone");
    return;
  }
  for (size_t i = 0; i < length; i++) bytes[i] = value_at(source, need.offset + i);
  cpb_input_supply(input, need.offset, bytes, length);
}

static void answer_file(const file *f, size_t piece, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, f->size);
  if (need.kind != CPB_NEED_RANGE) return;
  assert_true(need.offset < f->size);
  size_t length = (size_t)(f->size - need.offset);
  cpb_input_supply(input, need.offset, f->data + need.offset, piece > 0 && length > piece ? piece : length);
}

static void keep(host *h, const cpb_samediff_writer *w) {
  write kept = {.needs_sync = cpb_samediff_writer_needs_sync(w)};
  const uint8_t *data = cpb_samediff_writer_output(w, &kept.offset, &kept.size);
  assert_true(kept.size > 0);
  kept.data = malloc(kept.size);
  memcpy(kept.data, data, kept.size);
  h->writes = realloc(h->writes, (h->count + 1) * sizeof kept);
  h->writes[h->count++] = kept;
}

static void run(host *h, cpb_samediff_writer *w) {
  cpb_step step;
  while ((step = cpb_samediff_writer_step(w)) == CPB_STEP_NEED || step == CPB_STEP_OUTPUT) {
    uint64_t source = cpb_samediff_writer_source(w);
    if (step == CPB_STEP_OUTPUT) keep(h, w);
    else if (source == CPB_SAMEDIFF_BASE) answer_file(&h->base, h->piece, cpb_samediff_writer_input(w));
    else answer_values(h, cpb_samediff_writer_input(w), source);
  }
  h->error = *cpb_samediff_writer_error(w);
  assert_int_equal(step == CPB_STEP_ERROR, h->error.code != CPB_OK);
  assert_int_equal(cpb_samediff_writer_step(w), step);
}

/* The base and the first `count` writes. */
static file file_after(const host *h, size_t count) {
  file f = {NULL, h->base.size};
  for (size_t i = 0; i < count; i++) {
    size_t end = (size_t)h->writes[i].offset + h->writes[i].size;
    if (end > f.size) f.size = end;
  }
  f.data = calloc(f.size + 1, 1);
  if (h->base.size > 0) memcpy(f.data, h->base.data, h->base.size);
  for (size_t i = 0; i < count; i++) memcpy(f.data + h->writes[i].offset, h->writes[i].data, h->writes[i].size);
  return f;
}

static void forget(host *h) {
  for (size_t i = 0; i < h->count; i++) free(h->writes[i].data);
  free(h->writes);
  h->writes = NULL;
  h->count = 0;
}

/* --- Parts ----------------------------------------------------------------------------- */

static const char *const variables[] = {"w", "b"};

static void put_tag(cpb_samediff_writer *w, const char *name) {
  static const char training[] = "{\"updater\": null}";
  const graph_bytes *g = graph_of(variables, 2);
  cpb_samediff_writer_tag(w, &(cpb_samediff_tag){.struct_size = sizeof(cpb_samediff_tag),
                                                 .name = name,
                                                 .name_size = strlen(name),
                                                 .graph = g->data,
                                                 .graph_size = g->size,
                                                 .training = training,
                                                 .training_size = sizeof training - 1});
}

static void put_array(cpb_samediff_writer *w, cpb_samediff_what what, const char *name, uint64_t count,
                      uint64_t source) {
  cpb_samediff_writer_add(w, &(cpb_samediff_part){.struct_size = sizeof(cpb_samediff_part),
                                                  .what = what,
                                                  .name = name,
                                                  .name_size = strlen(name),
                                                  .dtype = "FLOAT",
                                                  .rank = 1,
                                                  .shape = &count,
                                                  .source = source});
}

static void put_shared(cpb_samediff_writer *w, const char *name, const char *tag) {
  cpb_samediff_writer_add(w, &(cpb_samediff_part){.struct_size = sizeof(cpb_samediff_part),
                                                  .name = name,
                                                  .name_size = strlen(name),
                                                  .tag = tag,
                                                  .tag_size = strlen(tag)});
}

/* A tag with its own `w`, and `b` of its own or of another's. */
static void put_parts(cpb_samediff_writer *w, const char *tag, const char *shared) {
  put_tag(w, tag);
  put_array(w, CPB_SAMEDIFF_PARAMETER, "w", WEIGHTS, 1);
  if (shared) put_shared(w, "b", shared);
  else put_array(w, CPB_SAMEDIFF_PARAMETER, "b", 3, 2);
  put_array(w, CPB_SAMEDIFF_STATE, "w", WEIGHTS, 3);
}

static file make_base(const cpb_samediff_options *options) {
  host h = {0};
  cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, options);
  put_parts(w, "A", NULL);
  run(&h, w);
  assert_int_equal(h.error.code, CPB_OK);
  cpb_samediff_writer_free(w);
  file f = file_after(&h, h.count);
  forget(&h);
  return f;
}

/* --- Reading back ------------------------------------------------------------------------- */

/* The values of `name` are those of the source. */
static void has_values(const file *f, const char *tag, const char *name, uint32_t state, uint64_t source,
                       uint64_t count) {
  cpb_values_options how = {.struct_size = sizeof how, .scope = tag, .scope_size = strlen(tag), .state = state};
  cpb_values *values = cpb_values_new(NULL, CPB_MODEL_SAMEDIFF_ZIP, name, strlen(name), &how);
  cpb_step step;
  uint64_t at = 0;
  while ((step = cpb_values_step(values)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    size_t size;
    if (step == CPB_STEP_NEED) {
      answer_file(f, 0, cpb_values_input(values));
      continue;
    }
    const uint8_t *data = cpb_values_data(values, &size);
    for (size_t i = 0; i < size; i++) assert_int_equal(data[i], value_at(source, at + i));
    at += size;
  }
  if (step == CPB_STEP_ERROR) fail_msg("%s %s: %s", tag, name, cpb_values_error(values)->message);
  assert_int_equal(at, 4 * count);
  cpb_values_free(values);
}

static void has_tag(const file *f, const char *tag) {
  has_values(f, tag, "w", 0, 1, WEIGHTS);
  has_values(f, tag, "b", 0, 2, 3);
  has_values(f, tag, "w", 1, 3, WEIGHTS);
}

/* The number of tags; every directory, and what is in it, is sound. */
static size_t count_tags(const file *f) {
  cpb_sd_model model;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  const cpb_model_options options = {.struct_size = sizeof options, .max_memory = 1 << 20};
  cpb_have have;
  cpb_sd_model_init(&model, &a, NULL, true, &options);
  while ((have = cpb_sd_model_open(&model, NULL, 0)) == CPB_WAIT) answer_file(f, 0, &model.input);
  if (have != CPB_HAVE) fail_msg("%s", model.error.message);
  size_t count = model.parts.tags.count;
  cpb_sd_model_free(&model);
  return count;
}

/* --- Tests ---------------------------------------------------------------------------------- */

static const cpb_samediff_options ways[] = {{.struct_size = sizeof ways[0]},
                                            {.struct_size = sizeof ways[0], .in_order = 1},
                                            {.struct_size = sizeof ways[0], .deflate = 1},
                                            {.struct_size = sizeof ways[0], .deflate = 1, .in_order = 1}};
#define NUM_WAYS (sizeof ways / sizeof *ways)

static void a_zip_has_what_was_put_in(void **state) {
  (void)state;
  for (size_t i = 0; i < NUM_WAYS; i++) {
    file f = make_base(&ways[i]);
    assert_int_equal(count_tags(&f), 1);
    has_tag(&f, "A");
    free(f.data);
  }
}

static void bytes_come_in_order_where_the_host_cannot_go_back(void **state) {
  (void)state;
  for (size_t i = 1; i < NUM_WAYS; i += 2) {
    host h = {0};
    cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, &ways[i]);
    put_parts(w, "A", NULL);
    run(&h, w);
    uint64_t at = 0;
    for (size_t n = 0; n < h.count; at += h.writes[n++].size) assert_int_equal(h.writes[n].offset, at);
    cpb_samediff_writer_free(w);
    forget(&h);
  }
}

static void pieces_of_input_do_not_matter(void **state) {
  (void)state;
  file base = make_base(NULL), whole = {NULL, 0};
  for (size_t piece = 0; piece < 40000; piece = piece * 5 + 1) {
    const cpb_samediff_options options = {.struct_size = sizeof options, .append = 1};
    host h = {.base = base, .piece = piece};
    cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, &options);
    put_parts(w, "B", "A");
    run(&h, w);
    file f = file_after(&h, h.count);
    if (!whole.data) whole = f;
    assert_int_equal(f.size, whole.size);
    assert_memory_equal(f.data, whole.data, f.size);
    if (f.data != whole.data) free(f.data);
    cpb_samediff_writer_free(w);
    forget(&h);
  }
  assert_int_equal(count_tags(&whole), 2);
  has_tag(&whole, "A");
  has_tag(&whole, "b");
  free(whole.data);
  free(base.data);
}

/* Before the last write there are the old tags, then the new ones too. */
static void a_file_written_in_place_can_be_read_after_every_write(void **state) {
  (void)state;
  for (int deflate = 0; deflate < 2; deflate++) {
    file base = make_base(&ways[2]);
    const cpb_samediff_options options = {
        .struct_size = sizeof options, .append = 1, .in_place = 1, .deflate = deflate};
    host h = {.base = base};
    cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, &options);
    put_parts(w, "B", "A");
    put_parts(w, "C", "B");
    run(&h, w);
    assert_int_equal(h.error.code, CPB_OK);
    assert_true(h.count > 10);
    for (size_t n = 0; n <= h.count; n++) {
      file f = file_after(&h, n);
      assert_memory_equal(f.data, base.data, base.size);
      assert_int_equal(count_tags(&f), n < h.count ? 1 : 3);
      has_tag(&f, "A");
      if (n == h.count) has_tag(&f, "B");
      if (n == h.count) has_tag(&f, "C");
      free(f.data);
      if (n > 0) assert_int_equal(h.writes[n - 1].needs_sync, n == 2 || n == h.count);
    }
    cpb_samediff_writer_free(w);
    forget(&h);
    free(base.data);
  }
}

/* Tag after tag: the old directory's copy is always covered, so nothing grows but by what is new. */
static void a_file_is_added_to_again_and_again(void **state) {
  (void)state;
  file f = make_base(NULL);
  for (int i = 0; i < 26; i++) {
    char name[] = {'t', (char)('A' + i), 0};
    const cpb_samediff_options options = {.struct_size = sizeof options, .append = 1, .in_place = 1};
    host h = {.base = f};
    cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, &options);
    put_tag(w, name);
    put_shared(w, "w", "A");
    put_shared(w, "b", i > 0 ? (const char[]){'t', (char)('A' + i - 1), 0} : "A");
    run(&h, w);
    if (h.error.code != CPB_OK) fail_msg("%s", h.error.message);
    file next = file_after(&h, h.count);
    assert_true(next.size - f.size < 2000 + 400 * (size_t)i);
    free(f.data);
    f = next;
    has_values(&f, name, "b", 0, 2, 3);
    cpb_samediff_writer_free(w);
    forget(&h);
  }
  assert_int_equal(count_tags(&f), 27);
  free(f.data);
}

static void a_source_that_fails_or_ends_early_is_an_error(void **state) {
  (void)state;
  for (int ends = 0; ends < 2; ends++) {
    host h = {.fail_at = 1000, .ends = ends, .piece = 500};
    cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, NULL);
    put_parts(w, "A", NULL);
    run(&h, w);
    assert_int_equal(h.error.code, ends ? CPB_E_TRUNCATED : CPB_E_READ);
    assert_int_equal(cpb_samediff_writer_source(w), 1);
    cpb_samediff_writer_free(w);
    forget(&h);
  }
}

static void entries_that_come_too_late_or_for_no_tag_are_errors(void **state) {
  (void)state;
  host h = {0};
  cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, NULL);
  run(&h, w);
  assert_int_equal(h.error.code, CPB_E_USAGE);
  cpb_samediff_writer_free(w);
  w = cpb_samediff_writer_new(NULL, NULL);
  put_array(w, CPB_SAMEDIFF_PARAMETER, "w", 1, 0);
  assert_int_equal(cpb_samediff_writer_error(w)->code, CPB_E_USAGE);
  cpb_samediff_writer_free(w);
  w = cpb_samediff_writer_new(NULL, NULL);
  put_parts(w, "A", NULL);
  run(&h, w);
  put_tag(w, "B");
  assert_int_equal(cpb_samediff_writer_error(w)->code, CPB_E_USAGE);
  cpb_samediff_writer_free(w);
  forget(&h);
}

static void an_array_beyond_what_flatbuffers_hold_is_refused(void **state) {
  (void)state;
  cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, NULL);
  put_tag(w, "A");
  put_array(w, CPB_SAMEDIFF_PARAMETER, "w", (uint64_t)1 << 29, 0);
  assert_int_equal(cpb_samediff_writer_error(w)->code, CPB_E_USAGE);
  assert_non_null(strstr(cpb_samediff_writer_error(w)->message, "2 GiB"));
  cpb_samediff_writer_free(w);
}

/* A hostile base: an error, and nothing is put out. */
static void a_base_that_is_cut_off_is_an_error(void **state) {
  (void)state;
  file base = make_base(&ways[2]);
  for (size_t size = 0; size < base.size; size += size < base.size - 700 ? 997 : 1) {
    const cpb_samediff_options options = {.struct_size = sizeof options, .append = 1};
    host h = {.base = {base.data, size}};
    cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, &options);
    put_parts(w, "B", "A");
    run(&h, w);
    assert_true(h.error.code != CPB_OK && h.count == 0);
    cpb_samediff_writer_free(w);
    forget(&h);
  }
  free(base.data);
}

/* The second time the host gives the directory other sizes: names of 0xffff bytes. */
static void a_directory_that_changes_between_two_reads_is_an_error(void **state) {
  (void)state;
  host h = {.base = make_base(NULL)};
  const cpb_samediff_options how = {.struct_size = sizeof how, .append = 1};
  cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, &how);
  put_parts(w, "B", NULL);
  file changed = {malloc(h.base.size), h.base.size};
  memcpy(changed.data, h.base.data, changed.size);
  for (size_t i = 0; i + 46 <= changed.size; i++)
    if (memcmp(changed.data + i, "PK\1\2", 4) == 0) memset(changed.data + i + 28, 0xff, 6);
  cpb_step step;
  uint64_t directory = cpb_load32(h.base.data + h.base.size - 6);
  int reads = 0; /* of its begin */
  while ((step = cpb_samediff_writer_step(w)) == CPB_STEP_NEED) {
    cpb_need need;
    cpb_input_need(cpb_samediff_writer_input(w), &need);
    reads += need.kind == CPB_NEED_RANGE && need.offset == directory;
    answer_file(reads > 1 ? &changed : &h.base, 100, cpb_samediff_writer_input(w));
  }
  assert_int_equal(step, CPB_STEP_ERROR);
  assert_int_equal(cpb_samediff_writer_error(w)->code, CPB_E_DAMAGED);
  assert_string_equal(cpb_samediff_writer_error(w)->message,
                      "zip: the central directory has changed since it was first read");
  cpb_samediff_writer_free(w);
  free(changed.data);
  free(h.base.data);
}

static void try_with(const file *base, failing_allocator *f, const cpb_samediff_options *options, cpb_code *code) {
  const cpb_allocator a = failing_allocator_of(f);
  host h = {.base = *base};
  cpb_samediff_writer *w = cpb_samediff_writer_new(&a, options);
  *code = CPB_E_MEMORY;
  if (w) {
    put_parts(w, "B", "A");
    run(&h, w);
    *code = h.error.code;
  }
  cpb_samediff_writer_free(w);
  forget(&h);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  file base = make_base(NULL);
  for (int deflate = 0; deflate < 2; deflate++) {
    for (int for_ever = 0; for_ever < 2; for_ever++) {
      const cpb_samediff_options options = {
          .struct_size = sizeof options, .append = 1, .in_place = 1, .deflate = deflate};
      for (size_t n = 1;; n++) {
        failing_allocator f = {.fail_at = n, .for_ever = for_ever};
        cpb_code code;
        try_with(&base, &f, &options, &code);
        if (f.blocks != 0) fail_msg("%zu blocks are left when allocation %zu fails", f.blocks, n);
        if (f.calls < n) break;
        assert_int_equal(code, CPB_E_MEMORY);
      }
    }
  }
  free(base.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_zip_has_what_was_put_in),
      cmocka_unit_test(bytes_come_in_order_where_the_host_cannot_go_back),
      cmocka_unit_test(pieces_of_input_do_not_matter),
      cmocka_unit_test(a_file_written_in_place_can_be_read_after_every_write),
      cmocka_unit_test(a_file_is_added_to_again_and_again),
      cmocka_unit_test(a_source_that_fails_or_ends_early_is_an_error),
      cmocka_unit_test(entries_that_come_too_late_or_for_no_tag_are_errors),
      cmocka_unit_test(an_array_beyond_what_flatbuffers_hold_is_refused),
      cmocka_unit_test(a_base_that_is_cut_off_is_an_error),
      cmocka_unit_test(a_directory_that_changes_between_two_reads_is_an_error),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
