/* An index in pages is the same as one without, however it is divided; and what is wrong with its pages is an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/limits.h"
#include "chunked/index/index_state.h"
#include "chunked/index/tree_order.h"
#include "cpb/pager.h"
#include "failing_allocator.h"
#include "reader_host.h"
#include "stride.h"

/* --- Trees ------------------------------------------------------------------- */

static uint32_t state;

static uint32_t random_below(uint32_t limit) {
  state = state * 1664525 + 1013904223;
  return (state >> 8) % limit;
}

static void add_random_tag(cpb_metadata *m, uint32_t node, uint32_t value) {
  char key[12];
  snprintf(key, sizeof key, "%05u", (unsigned)value);
  switch (random_below(6)) {
    case 0: cpb_metadata_add_string_key(m, node, (cpb_span){(const uint8_t *)key, strlen(key)}); break;
    case 1: cpb_metadata_add_tag(m, node, (cpb_tag){value, 0, CPB_TAG_KEY_INT64}); break;
    case 2: cpb_metadata_add_string_key(m, node, (cpb_span){(const uint8_t *)"", 0}); break;
    default: cpb_metadata_add_tag(m, node, (cpb_tag){value, 0, CPB_TAG_INDEX});
  }
}

/* 300 chunks or more, and fewer nodes; with `sorted`, fields of the root that ascend, some with slices. */
static void random_tree(cpb_metadata *m, uint32_t seed, bool sorted) {
  state = seed;
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_metadata_init(m, &a);
  m->splitter_version = 1;
  for (uint32_t i = 300 + random_below(300); i > 0; i--)
    cpb_metadata_add_chunk(m,
                           (cpb_chunk_entry){random_below(1u << 20), (uint64_t)i << random_below(30), random_below(3)});
  cpb_metadata_add_node(m, CPB_NO_NODE, random_below(2) ? 0 : CPB_NO_CHUNK);
  uint32_t last = 0;
  for (uint32_t i = 0, count = random_below(300); i < count; i++) {
    uint32_t parent = last;
    while (parent > 0 && random_below(sorted ? 8 : 3) > 0) parent = cpb_metadata_parent(m, parent);
    if (sorted && parent > 0 && cpb_metadata_parent(m, parent) > 0) parent = 0;
    last = cpb_metadata_add_node(m, parent, random_below(5) || parent > 0 ? i : CPB_NO_CHUNK);
    if (sorted && parent > 0) continue; /* a slice */
    cpb_metadata_add_tag(m, last, (cpb_tag){sorted ? 1 + i : 1 + random_below(9), 0, CPB_TAG_FIELD});
    for (uint32_t t = random_below(3); !sorted && t > 0; t--) add_random_tag(m, last, random_below(20));
  }
}

static cpb_buffer encoded(const cpb_metadata *m) {
  cpb_error error;
  cpb_buffer out;
  cpb_buffer_init(&out, &m->allocator);
  assert_true(cpb_metadata_encode(m, &out, &error));
  return out;
}

static bool are_equal(const cpb_metadata *a, const cpb_metadata *b) {
  cpb_buffer x = encoded(a), y = encoded(b);
  bool same = x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
  cpb_buffer_free(&x);
  cpb_buffer_free(&y);
  return same;
}

/* --- Files ------------------------------------------------------------------- */

static void drain(cpb_record_writer *w, cpb_buffer *file) {
  while (cpb_record_writer_step(w) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &length);
    assert_true(offset == file->size && cpb_buffer_append(file, data, length));
  }
}

static uint64_t put(cpb_record_writer *w, cpb_buffer *file, cpb_span record) {
  assert_int_equal(cpb_record_writer_record(w, record.data, record.size), CPB_OK);
  drain(w, file);
  uint64_t position = cpb_record_writer_position(w);
  assert_int_equal(cpb_record_writer_flush(w, NULL), CPB_OK);
  drain(w, file);
  return position;
}

/* What a test changes of a record before it is written. `number` counts records; the last one is `last`. */
typedef void change(cpb_metadata *record, unsigned number, bool last);

static bool change_record(cpb_buffer *record, change *by, unsigned number, bool last) {
  cpb_metadata m;
  cpb_error error = {.code = CPB_OK};
  const cpb_limits limits = cpb_limits_or_default(NULL);
  cpb_metadata_init(&m, &record->allocator);
  assert_true(cpb_metadata_decode(&m, false, (cpb_span){record->data, record->size}, &limits, &error));
  const bool has_tree = cpb_metadata_node(&m, 0).has_message;
  by(&m, number, last);
  if (!has_tree) m.num_nodes = 0;
  record->size = 0;
  assert_true(cpb_metadata_encode(&m, record, &error));
  cpb_metadata_free(&m);
  return true;
}

static uint32_t most_levels; /* of the files that were written */

static cpb_buffer file_with(const cpb_metadata *m, uint64_t page_size, change *by) {
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_error error = {.code = CPB_OK};
  cpb_buffer file, record;
  cpb_page_writer pages;
  bool last = false;
  cpb_buffer_init(&file, &a);
  cpb_buffer_init(&record, &a);
  const cpb_record_writer_options none = {.struct_size = sizeof none, .codec = {.codec = CPB_CODEC_NONE}};
  cpb_record_writer *w = cpb_record_writer_new(NULL, &none);
  drain(w, &file);
  assert_true(cpb_page_writer_begin(&pages, m, page_size, false));
  for (unsigned i = 0; !last; i++) {
    assert_true(cpb_page_writer_next(&pages, &record, &last, &error));
    if (by) change_record(&record, by, i, last);
    uint64_t position = put(w, &file, (cpb_span){record.data, record.size});
    if (!last) cpb_page_writer_placed(&pages, position);
  }
  cpb_record_writer_finish(w);
  drain(w, &file);
  cpb_record_writer_free(w);
  if (pages.level > most_levels) most_levels = pages.level;
  cpb_page_writer_free(&pages);
  cpb_buffer_free(&record);
  return file;
}

static cpb_index *open_file(const cpb_buffer *file, const cpb_allocator *a, const cpb_limits *limits, manner how,
                            cpb_error *error) {
  host h = {.bytes = file->data, .size = file->size, .manner = how, .says_end = true};
  cpb_index *index = cpb_index_new(a, limits);
  *error = (cpb_error){.code = CPB_E_MEMORY};
  if (!index) return NULL;
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) answer(&h, cpb_index_input(index));
  *error = *cpb_index_error(index);
  free(h.lent);
  assert_true((step == CPB_STEP_DONE) == (error->code == CPB_OK));
  if (step == CPB_STEP_DONE) return index;
  cpb_index_free(index);
  return NULL;
}

/* --- Equal ------------------------------------------------------------------- */

static void a_paged_index_equals_one_without_pages(void **unused) {
  (void)unused;
  static const uint64_t sizes[] = {2, 40, 300, 5000, CPB_PAGES_SIZE};
  for (uint32_t seed = 0; seed < 200; seed += sanitized_stride(3)) {
    cpb_metadata m;
    cpb_error error;
    random_tree(&m, seed, true);
    cpb_buffer file = file_with(&m, sizes[seed % 5], NULL);
    cpb_index *index = open_file(&file, NULL, NULL, (manner)(seed % MANNERS), &error);
    assert_string_equal(error.message, "");
    assert_int_equal(index->metadata.join_version, 1);
    m.join_version = 1;
    assert_true(are_equal(&m, &index->metadata));
    cpb_index_free(index);
    cpb_buffer_free(&file);
    cpb_metadata_free(&m);
  }
  assert_true(most_levels > 3);
}

/* Siblings that were not are in order then; to write it once more changes nothing. */
static void nodes_in_any_order_become_sorted(void **unused) {
  (void)unused;
  for (uint32_t seed = 0; seed < 200; seed += sanitized_stride(3)) {
    cpb_metadata m;
    cpb_error error;
    random_tree(&m, seed, false);
    cpb_buffer file = file_with(&m, seed % 2 ? 30 : 1000, NULL);
    cpb_index *index = open_file(&file, NULL, NULL, AS_ASKED, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(index->metadata.num_nodes, m.num_nodes);
    assert_int_equal(index->metadata.num_chunks, m.num_chunks);
    cpb_buffer again = file_with(&index->metadata, 100, NULL);
    cpb_index *second = open_file(&again, NULL, NULL, AS_ASKED, &error);
    assert_true(are_equal(&second->metadata, &index->metadata));
    cpb_index_free(second);
    cpb_index_free(index);
    cpb_buffer_free(&again);
    cpb_buffer_free(&file);
    cpb_metadata_free(&m);
  }
}

static void the_bytes_are_those_of_the_index_without_pages(void **unused) {
  (void)unused;
  cpb_metadata m;
  cpb_error error;
  random_tree(&m, 7, false);
  cpb_page_writer w;
  cpb_buffer record, expected = encoded(&m);
  bool last = false;
  cpb_buffer_init(&record, &m.allocator);
  assert_true(cpb_page_writer_begin(&w, &m, 0, false) && cpb_page_writer_next(&w, &record, &last, &error) && last);
  assert_int_equal(record.size, expected.size);
  assert_memory_equal(record.data, expected.data, record.size);
  cpb_page_writer_free(&w);
  cpb_buffer_free(&record);
  cpb_buffer_free(&expected);
  cpb_metadata_free(&m);
}

/* --- Wrong ------------------------------------------------------------------- */

static unsigned target; /* the page of the last record's list that is changed, or the record */

static cpb_index_page *listed(cpb_metadata *m, bool last) {
  return last && target < m->pages.count ? &m->pages.items[target] : NULL;
}

#define CHANGE(NAME, WHAT)                                        \
  static void NAME(cpb_metadata *m, unsigned number, bool last) { \
    cpb_index_page *page = listed(m, last);                       \
    (void)number;                                                 \
    if (page) WHAT;                                               \
  }

CHANGE(moves_it, page->position += 1)
CHANGE(moves_it_far, page->position += 1u << 20)
CHANGE(makes_it_longer, page->size += 1)
CHANGE(counts_more, page->count += 1)
CHANGE(counts_less, page->count -= 1)
CHANGE(counts_very_many, page->count = UINT64_MAX - page->first)
CHANGE(begins_later, page->first += 1)
CHANGE(is_of_the_other_kind, page->kind = 3 - page->kind)
CHANGE(is_of_another_level, page->level += 1)
CHANGE(leads_to_itself, page->position = 1u << 24)
CHANGE(is_not_ordered, page->ordered = false)
CHANGE(has_another_path, if (page->num_tags > 0) m->pages.tags[page->first_tag].value++)
CHANGE(comes_twice, if (target > 0) *page = page[-1])

static void has_another_chunk(cpb_metadata *m, unsigned number, bool last) {
  (void)last;
  if (number == target) cpb_metadata_add_chunk(m, (cpb_chunk_entry){1, 64, 1});
}

static void has_another_node(cpb_metadata *m, unsigned number, bool last) {
  if (number == target && !last && cpb_metadata_node(m, 0).has_message) cpb_metadata_add_node(m, 0, 1);
}

static void has_chunks_on_its_way(cpb_metadata *m, unsigned number, bool last) {
  if (number == target && !last && number > 0 && cpb_metadata_node(m, 0).has_message) cpb_metadata_set_chunk(m, 0, 3);
}

static void has_pages(cpb_metadata *m, unsigned number, bool last) {
  const cpb_index_page page = {.kind = 1, .position = 64, .size = 9, .count = 1};
  if (number == target && !last && m->pages.count == 0) cpb_page_list_add(&m->pages, &page);
}

/* Every change gives an error or, where it changed nothing, the same index. */
static void wrong_pages_are_errors(void **unused) {
  (void)unused;
  static const struct {
    change *by;
    bool always;
  } changes[] = {{moves_it, true},
                 {moves_it_far, true},
                 {makes_it_longer, true},
                 {counts_more, true},
                 {counts_less, true},
                 {counts_very_many, true},
                 {begins_later, true},
                 {leads_to_itself, true},
                 {is_of_the_other_kind, true},
                 {is_of_another_level, true},
                 {is_not_ordered, false},
                 {has_another_path, false},
                 {comes_twice, false},
                 {has_another_chunk, false},
                 {has_another_node, false},
                 {has_chunks_on_its_way, false},
                 {has_pages, false}};
  for (uint32_t seed = 0; seed < 8; seed += sanitized_stride(3)) {
    cpb_metadata m;
    random_tree(&m, 40 + seed, true);
    m.join_version = 1;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
      for (target = 0; target < 6; target++) {
        cpb_error error;
        cpb_buffer plain = file_with(&m, seed % 2 ? 60 : 400, NULL);
        cpb_buffer file = file_with(&m, seed % 2 ? 60 : 400, changes[i].by);
        const bool changed = plain.size != file.size || memcmp(plain.data, file.data, file.size) != 0;
        cpb_index *index = open_file(&file, NULL, NULL, ALL_AT_ONCE, &error);
        if (index) {
          assert_false(changed && changes[i].always);
          if (!changed || changes[i].by != is_not_ordered) assert_true(are_equal(&m, &index->metadata));
        } else {
          assert_true(changed);
          assert_true(error.code == CPB_E_DAMAGED || error.code == CPB_E_FORMAT || error.code == CPB_E_LIMIT);
        }
        cpb_index_free(index);
        cpb_buffer_free(&plain);
        cpb_buffer_free(&file);
      }
    }
    cpb_metadata_free(&m);
  }
}

static void more_than_the_limit_is_an_error(void **unused) {
  (void)unused;
  cpb_metadata m;
  cpb_error error;
  random_tree(&m, 3, true);
  cpb_buffer file = file_with(&m, 100, NULL);
  const cpb_limits few = {.struct_size = sizeof few, .chunks = 50},
                   little = {.struct_size = sizeof little, .index = 900};
  assert_true(m.num_chunks > 50 || m.num_nodes > 50);
  assert_null(open_file(&file, NULL, &few, ALL_AT_ONCE, &error));
  assert_int_equal(error.code, CPB_E_LIMIT);
  assert_null(open_file(&file, NULL, &little, ALL_AT_ONCE, &error));
  assert_int_equal(error.code, CPB_E_LIMIT);
  cpb_buffer_free(&file);
  cpb_metadata_free(&m);
}

static void lack_of_memory_is_an_error(void **unused) {
  (void)unused;
  cpb_metadata m;
  cpb_error error;
  random_tree(&m, 11, true);
  cpb_buffer file = file_with(&m, 60, NULL);
  for (size_t n = 1;; n += sanitized_stride(5)) {
    failing_allocator f = {.fail_at = n};
    const cpb_allocator a = failing_allocator_of(&f);
    cpb_index *index = open_file(&file, &a, NULL, ALL_AT_ONCE, &error);
    const bool done = index != NULL;
    if (!done) assert_int_equal(error.code, CPB_E_MEMORY);
    cpb_index_free(index);
    assert_int_equal(f.blocks, 0);
    if (done) break;
  }
  cpb_buffer_free(&file);
  cpb_metadata_free(&m);
}

/* --- Who does not read pages -------------------------------------------------- */

static void a_pager_refuses_pages(void **unused) {
  (void)unused;
  cpb_metadata m;
  random_tree(&m, 5, true);
  cpb_buffer file = file_with(&m, 60, NULL);
  host h = {.bytes = file.data, .size = file.size, .says_end = true};
  cpb_pager *pager = cpb_pager_new(NULL, NULL);
  cpb_step step;
  while ((step = cpb_pager_step(pager)) == CPB_STEP_NEED) answer(&h, cpb_pager_input(pager));
  assert_int_equal(step, CPB_STEP_ERROR);
  assert_int_equal(cpb_pager_error(pager)->code, CPB_E_UNSUPPORTED);
  cpb_pager_free(pager);
  free(h.lent);
  cpb_buffer_free(&file);
  cpb_metadata_free(&m);
}

static void an_index_from_memory_has_no_pages(void **unused) {
  (void)unused;
  static const char root[] = "\x0a\x02\x10\x01\x1a\x02\x08\x00\x92\x3f\x08\x08\x01\x18\x40\x20\x05\x30\x01";
  cpb_error error;
  assert_null(cpb_index_from_metadata(NULL, NULL, root, sizeof root - 1, &error));
  assert_int_equal(error.code, CPB_E_UNSUPPORTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_paged_index_equals_one_without_pages),
      cmocka_unit_test(nodes_in_any_order_become_sorted),
      cmocka_unit_test(the_bytes_are_those_of_the_index_without_pages),
      cmocka_unit_test(wrong_pages_are_errors),
      cmocka_unit_test(more_than_the_limit_is_an_error),
      cmocka_unit_test(lack_of_memory_is_an_error),
      cmocka_unit_test(a_pager_refuses_pages),
      cmocka_unit_test(an_index_from_memory_has_no_pages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
