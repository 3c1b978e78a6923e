/* An opened message as an engine. TensorFlow wrote the message of each case, and its splitter the chunked files: every
 * way of reading these must give that message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpb/file.h"
#include "cpb/opened.h"
#include "cpb/outline.h"

#define MODEL CPB_TEST_DATA "/cpb/saved_model_split-standard/"

/* --- A host -------------------------------------------------------------------------- */

typedef struct bytes {
  uint8_t *data;
  size_t size;
} bytes;

static bytes load(const char *path) {
  bytes b;
  cpb_file *file = cpb_file_open(NULL, path, NULL);
  b.data = cpb_file_read_all(file, 1 << 20, &b.size, NULL);
  assert_non_null(b.data);
  cpb_file_close(file);
  return b;
}

/* Lends copies of `piece` bytes (0: what is needed) until the next need, and fails the need number `fails_at`. */
typedef struct host {
  bytes file;
  size_t piece, needs, fails_at;
  uint8_t *lent;
} host;

static void lend(host *h, cpb_input *input, const cpb_need *need) {
  size_t left = h->file.size - (size_t)need->offset, wanted = h->piece ? h->piece : need->length;
  size_t length = wanted < left ? wanted : left;
  h->lent = malloc(length);
  memcpy(h->lent, h->file.data + need->offset, length);
  cpb_input_supply(input, need->offset, h->lent, length);
}

static void serve(host *h, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  assert_int_equal(need.file, 0);
  free(h->lent);
  h->lent = NULL;
  if (++h->needs == h->fails_at) cpb_input_fail(input, CPB_E_CANCELLED, "enough");
  else if (need.kind == CPB_NEED_SIZE || need.offset >= h->file.size) cpb_input_end(input, h->file.size);
  else lend(h, input, &need);
}

static cpb_step run(host *h, cpb_opened *o) {
  cpb_step step;
  while ((step = cpb_opened_step(o)) == CPB_STEP_NEED) serve(h, cpb_opened_input(o));
  return step;
}

static void free_host(host *h) {
  free(h->lent);
  free(h->file.data);
}

static cpb_opened *open_as(host *h, const cpb_opened_options *how, cpb_step expected) {
  cpb_opened *o = cpb_opened_new(NULL, how);
  if (run(h, o) != expected) fail_msg("opened otherwise: %s", cpb_opened_error(o)->message);
  return o;
}

/* --- Reading ---------------------------------------------------------------------------- */

static void expect_range(host *h, cpb_opened *o, const bytes *whole, size_t offset, size_t length) {
  size_t size, at = offset;
  size_t end = length < whole->size - offset ? offset + length : whole->size;
  cpb_step step;
  assert_int_equal(cpb_opened_read(o, offset, length), CPB_OK);
  while ((step = run(h, o)) == CPB_STEP_DATA) {
    const uint8_t *data = cpb_opened_data(o, &size);
    assert_true(size > 0 && size <= end - at);
    assert_memory_equal(data, whole->data + at, size);
    at += size;
  }
  assert_int_equal(step, CPB_STEP_DONE);
  assert_int_equal(at, end);
}

static void expect_views(host *h, cpb_opened *o, const bytes *whole, size_t length) {
  for (size_t at = 0, size; at < whole->size; at += size) {
    assert_int_equal(cpb_opened_view(o, at, length), CPB_OK);
    assert_int_equal(run(h, o), CPB_STEP_DATA);
    const uint8_t *data = cpb_opened_data(o, &size);
    assert_true(size > 0 && size <= length && size <= whole->size - at);
    assert_memory_equal(data, whole->data + at, size);
    assert_int_equal(run(h, o), CPB_STEP_DONE);
  }
  assert_int_equal(cpb_opened_view(o, whole->size, length), CPB_OK);
  assert_int_equal(run(h, o), CPB_STEP_DONE);
}

static void every_file_gives_the_message_in_pieces_of_any_size(void **state) {
  static const struct {
    const char *path;
    cpb_opened_form form;
    bool chunked;
  } cases[] = {{MODEL "orig.pb", CPB_OPENED_AS_IT_BEGINS, false},
               {MODEL "orig.pb", CPB_OPENED_PLAIN, false},
               {MODEL "max500_zstd.cpb", CPB_OPENED_CHUNKED, true},
               {MODEL "max500_none.cpb", CPB_OPENED_CHUNKED, true},
               {MODEL "max500_tr.cpb", CPB_OPENED_AS_IT_BEGINS, true}};
  static const size_t pieces[] = {1, 7, 100000, 0};
  (void)state;
  bytes whole = load(MODEL "orig.pb");
  for (size_t i = 0; i < 5 * 4; i++) {
    host h = {.file = load(cases[i % 5].path), .piece = pieces[i / 5]};
    const cpb_opened_options how = {.struct_size = sizeof how, .form = cases[i % 5].form, .plan_late = i % 2 > 0};
    cpb_opened *o = open_as(&h, &how, CPB_STEP_DONE);
    assert_int_equal(cpb_opened_index(o) != NULL, cases[i % 5].chunked);
    assert_int_equal(cpb_opened_plan(o), CPB_OK);
    assert_int_equal(run(&h, o), CPB_STEP_DONE);
    assert_int_equal(cpb_opened_size(o), cases[i % 5].chunked ? whole.size : CPB_NO_OFFSET);
    expect_range(&h, o, &whole, 0, SIZE_MAX);
    expect_range(&h, o, &whole, 1000, 999);
    expect_range(&h, o, &whole, whole.size, 5);
    expect_views(&h, o, &whole, 313);
    cpb_opened_free(o);
    free_host(&h);
  }
  free(whole.data);
}

static void a_message_may_begin_like_a_riegeli_file(void **state) {
  static const cpb_code codes[] = {
      [CPB_OPENED_AS_IT_BEGINS] = CPB_OK, [CPB_OPENED_CHUNKED] = CPB_E_FORMAT, [CPB_OPENED_PLAIN] = CPB_OK};
  (void)state;
  bytes whole = load(MODEL "max500_zstd.cpb");
  bytes records = load(CPB_TEST_DATA "/corrupt/base_snappy.riegeli"); /* without an index */
  assert_memory_equal(records.data, whole.data, 8);
  for (int form = CPB_OPENED_AS_IT_BEGINS; form <= CPB_OPENED_PLAIN; form++) {
    host h = {.file = records};
    const cpb_opened_options how = {.struct_size = sizeof how, .form = (cpb_opened_form)form};
    cpb_opened *o = open_as(&h, &how, codes[form] == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR);
    assert_int_equal(cpb_opened_error(o)->code, codes[form]);
    assert_int_equal(cpb_opened_read(o, 0, UINT64_MAX), codes[form]);
    if (codes[form] == CPB_OK) expect_range(&h, o, &records, 0, SIZE_MAX);
    cpb_opened_free(o);
    free(h.lent);
  }
  const cpb_opened_options no_form = {.struct_size = sizeof no_form, .form = CPB_OPENED_PLAIN + 1};
  assert_null(cpb_opened_new(NULL, &no_form));
  free(whole.data);
  free(records.data);
}

/* --- Finding -------------------------------------------------------------------------------- */

/* The field, by the engine's search or by one that it answers. */
static cpb_find *search(host *h, cpb_opened *o, const cpb_path *path, bool answered) {
  if (!answered) {
    assert_int_equal(cpb_opened_find(o, NULL, path), CPB_OK);
    return run(h, o) == CPB_STEP_DONE ? cpb_opened_take_found(o) : NULL;
  }
  cpb_find *find = cpb_find_new(NULL, NULL, path, NULL);
  cpb_step step;
  while ((step = cpb_find_step(find)) == CPB_STEP_NEED) {
    assert_int_equal(cpb_opened_answer(o, cpb_find_input(find)), CPB_OK);
    if (run(h, o) != CPB_STEP_DONE) break;
  }
  if (step == CPB_STEP_DONE) return find;
  cpb_find_free(find);
  return NULL;
}

static void a_field_is_found_by_the_engine_and_by_one_that_it_answers(void **state) {
  static const char *const files[] = {MODEL "orig.pb", MODEL "max500_zstd.cpb", MODEL "max500_tr.cpb"};
  (void)state;
  bytes whole = load(MODEL "orig.pb");
  bytes wanted = {NULL, 0};
  cpb_path *path = cpb_path_parse(NULL, "2[0].2.1[2].5", 13, NULL), *none = cpb_path_parse(NULL, "2[9]", 4, NULL);
  for (int i = 0; i < 3 * 4; i++) {
    host h = {.file = load(files[i % 3]), .piece = 11};
    const cpb_opened_options how = {.struct_size = sizeof how, .plan_late = i / 6};
    cpb_opened *o = open_as(&h, &how, CPB_STEP_DONE);
    cpb_find *find = search(&h, o, path, i / 3 % 2 > 0);
    if (!find) fail_msg("%s", cpb_opened_error(o)->message);
    assert_null(cpb_opened_take_found(o));
    cpb_range range = cpb_find_get_range(find, 0);
    if (!wanted.data)
      wanted = (bytes){whole.data + range.offset, (size_t)range.length}; /* the plain message is first */
    assert_int_equal(range.length, wanted.size);
    assert_int_equal(cpb_opened_view(o, range.offset, range.length), CPB_OK);
    assert_int_equal(run(&h, o), CPB_STEP_DATA);
    size_t size;
    const uint8_t *data = cpb_opened_data(o, &size);
    assert_memory_equal(data, wanted.data, size);
    cpb_find_free(find);
    assert_null(search(&h, o, none, false));
    assert_int_equal(cpb_opened_error(o)->code, CPB_E_NOT_FOUND);
    cpb_opened_free(o);
    free_host(&h);
  }
  cpb_path_free(path);
  cpb_path_free(none);
  free(whole.data);
}

/* --- Damage ------------------------------------------------------------------------------------- */

/* Bytes of the message that are read as they should be. The others fail, and do not harm later reads. */
static uint64_t count_read(host *h, cpb_opened *o, const bytes *whole) {
  uint64_t same = 0;
  for (size_t at = 0; at < whole->size; at++) {
    size_t length;
    assert_int_equal(cpb_opened_view(o, at, 1), CPB_OK);
    if (run(h, o) == CPB_STEP_DATA) assert_true(*cpb_opened_data(o, &length) == whole->data[at] && length == 1);
    else assert_int_equal(cpb_opened_error(o)->code, CPB_E_DAMAGED);
    same += cpb_opened_error(o)->code == CPB_OK;
  }
  return same;
}

/* The lost bytes of an outline of the message. */
static uint64_t lost_in_outline(host *h, cpb_opened *o, const cpb_message_type *type) {
  const cpb_range all = {0, cpb_opened_size(o)};
  cpb_step step;
  const cpb_outline_options how = {.struct_size = sizeof how, .max_value = 1000, .keep_damaged = 1};
  cpb_outline *outline = cpb_outline_new(NULL, type, &all, 1, &how);
  cpb_outline_keep_lost(outline);
  while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED) {
    cpb_opened_answer(o, cpb_outline_input(outline));
    run(h, o);
  }
  assert_int_equal(step, CPB_STEP_ERROR); /* which comes at the end */
  uint64_t lost = cpb_outline_lost(outline);
  cpb_outline_free(outline);
  return lost;
}

/* Each chunk in a Riegeli chunk of its own. */
static bytes load_repacked(const char *path) {
  char name[] = "/tmp/cpb-opened-XXXXXX";
  const cpb_file_options replace = {.struct_size = sizeof replace, .replace = 1};
  close(mkstemp(name));
  assert_int_equal(cpb_file_repack(path, name, NULL, &replace, NULL), CPB_OK);
  bytes b = load(name);
  unlink(name);
  return b;
}

static void damage_takes_its_chunk_and_no_more(void **state) {
  (void)state;
  bytes whole = load(MODEL "orig.pb");
  cpb_schema *schema = cpb_schema_new_builtin(NULL, NULL);
  const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.SavedModel");
  host h = {.file = load_repacked(MODEL "max500_none.cpb")};
  cpb_opened *intact = open_as(&h, NULL, CPB_STEP_DONE);
  const uint64_t num_chunks = cpb_index_num_chunks(cpb_opened_index(intact));
  uint64_t leaves = 0;
  assert_true(num_chunks > 2);
  for (uint64_t i = 0; i < num_chunks; i++) {
    cpb_chunk_info chunk;
    cpb_index_get_chunk(cpb_opened_index(intact), i, &chunk);
    h.file.data[chunk.position + 45] ^= 1;
    const cpb_opened_options keep = {.struct_size = sizeof keep, .keep_damaged = 1, .plan_late = 1};
    cpb_opened *o = open_as(&h, &keep, CPB_STEP_DONE);
    if (cpb_opened_damage(o)) {
      assert_non_null(strstr(cpb_opened_damage(o), "of the file"));
    } else {
      leaves++;
      assert_int_equal(count_read(&h, o, &whole), whole.size - chunk.size);
      assert_int_equal(lost_in_outline(&h, o, type), chunk.size);
    }
    cpb_opened_free(o);
    h.file.data[chunk.position + 45] ^= 1;
  }
  assert_true(leaves > 0);
  cpb_opened_free(intact);
  cpb_schema_free(schema);
  free_host(&h);
  free(whole.data);
}

/* --- A host that fails ----------------------------------------------------------------------------- */

static void a_failed_opening_is_final_and_any_other_failure_is_not(void **state) {
  (void)state;
  bytes whole = load(MODEL "orig.pb");
  cpb_path *path = cpb_path_parse(NULL, "2[0].2.1[2].5", 13, NULL);
  for (size_t i = 0; i < 4; i++) {
    host h = {.file = load(i % 2 ? MODEL "max500_zstd.cpb" : MODEL "orig.pb"), .piece = 200};
    const cpb_opened_options how = {.struct_size = sizeof how, .plan_late = i > 1};
    size_t all = SIZE_MAX;
    for (size_t fails_at = 1; fails_at <= all; fails_at++) {
      h.needs = 0;
      h.fails_at = fails_at;
      cpb_opened *o = cpb_opened_new(NULL, &how);
      assert_int_equal(cpb_opened_plan(o), CPB_E_USAGE);
      bool opened = run(&h, o) == CPB_STEP_DONE;
      if (!opened) {
        assert_int_equal(cpb_opened_error(o)->code, CPB_E_CANCELLED);
        assert_int_equal(cpb_opened_read(o, 0, 1), CPB_E_CANCELLED);
        assert_int_equal(run(&h, o), CPB_STEP_ERROR);
      } else {
        cpb_find *find = search(&h, o, path, fails_at % 2 > 0);
        bool failed = h.needs >= fails_at;
        assert_int_equal(find == NULL, failed);
        all = failed ? SIZE_MAX : h.needs;
        cpb_find_free(find);
        h.fails_at = 0;
        find = search(&h, o, path, false);
        assert_non_null(find);
        cpb_find_free(find);
        if (!how.plan_late) expect_range(&h, o, &whole, 0, SIZE_MAX);
      }
      cpb_opened_free(o);
    }
    free_host(&h);
  }
  cpb_path_free(path);
  free(whole.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_file_gives_the_message_in_pieces_of_any_size),
      cmocka_unit_test(a_message_may_begin_like_a_riegeli_file),
      cmocka_unit_test(a_field_is_found_by_the_engine_and_by_one_that_it_answers),
      cmocka_unit_test(damage_takes_its_chunk_and_no_more),
      cmocka_unit_test(a_failed_opening_is_final_and_any_other_failure_is_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
