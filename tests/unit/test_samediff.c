/* The text files of a SameDiff zip, line by line; the turning of byte orders and of dimensions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/samediff/array.h"
#include "model/samediff/lines.h"
#include "unstable_sort.h"
#include "zip_builder.h"

static cpb_span span_of(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

static bool equal(cpb_span a, const char *b) {
  return a.size == strlen(b) && (a.size == 0 || memcmp(a.data, b, a.size) == 0);
}

/* --- An archive with some files in it ---------------------------------------------- */

typedef struct fixture {
  cpb_allocator allocator;
  cpb_input input;
  cpb_error error;
  cpb_zip zip;
  cpb_sd_tags tags;
  cpb_sd_lines lines;
} fixture;

static const char *const files[] = {"A/params/0.fb", "A/params/7.fb", "My Tag/params/1.fb", "A/updater/0.fb",
                                    "A/updater/1.fb"};

static void set_up(fixture *f, const char *tags) {
  static zip_builder z;
  memset(&z, 0, sizeof z);
  *f = (fixture){.allocator = cpb_allocator_or_default(NULL)};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    zip_add(&z, (zip_file){.name = files[i], .content = "x", .crc = 0x8cdc1683});
  zip_end(&z, "");
  cpb_input_init(&f->input);
  cpb_input_end(&f->input, z.out.size);
  cpb_input_supply(&f->input, 0, z.out.data, z.out.size);
  cpb_zip_init(&f->zip, &f->allocator, &f->input, 1 << 20, NULL, &f->error);
  assert_int_equal(cpb_zip_open(&f->zip), CPB_HAVE);
  cpb_sd_tags_init(&f->tags, &f->allocator);
  cpb_sd_lines_init(&f->lines, &f->allocator);
  assert_true(cpb_buffer_append(&f->tags.text, tags, strlen(tags)));
}

static void tear_down(fixture *f) {
  cpb_sd_lines_free(&f->lines);
  cpb_sd_tags_free(&f->tags);
  cpb_zip_free(&f->zip);
}

static bool is_known(const void *names, cpb_span name) {
  for (const char *const *n = names; *n; n++)
    if (equal(name, *n)) return true;
  return false;
}

/* The lines of a file of the tag A, with what the graph knows. */
static bool read_lines(fixture *f, const char *text, bool several, const char *const *known) {
  assert_true(cpb_sd_tags_read(&f->tags, &f->error));
  assert_true(cpb_buffer_append(&f->lines.text, text, strlen(text)));
  const cpb_sd_lines_in in = {.zip = &f->zip,
                              .tags = &f->tags,
                              .tag = &f->tags.list[0],
                              .file = "params.txt",
                              .folder = several ? "updater" : "params",
                              .several = several,
                              .is_known = is_known,
                              .user = known,
                              .error = &f->error};
  return cpb_sd_lines_read(&f->lines, &in);
}

/* --- tags.txt -------------------------------------------------------------------------- */

static void tags_keep_their_order_and_lose_their_case(void **state) {
  (void)state;
  fixture f;
  set_up(&f, "b\r\nA\n\nc");
  assert_true(cpb_sd_tags_read(&f.tags, &f.error));
  assert_int_equal(f.tags.count, 3);
  assert_true(equal(f.tags.list[0].name, "b") && equal(f.tags.list[1].name, "A") && equal(f.tags.list[2].name, "c"));
  assert_ptr_equal(cpb_sd_find_tag(&f.tags, span_of("a")), &f.tags.list[1]);
  assert_ptr_equal(cpb_sd_find_tag(&f.tags, span_of("C")), &f.tags.list[2]);
  assert_null(cpb_sd_find_tag(&f.tags, span_of("d")));
  tear_down(&f);
}

static void the_later_of_two_lines_with_one_tag_is_reported(void **state) {
  static const char text[] = "one\nTwo\ntwo\nthree\n";
  (void)state;
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_error error = {.code = CPB_OK};
  cpb_sd_tags tags;
  cpb_sd_tags_init(&tags, &a);
  assert_true(cpb_buffer_append(&tags.text, text, strlen(text)));
  assert_false(cpb_sd_tags_read(&tags, &error));
  assert_non_null(strstr(error.message, "line 3"));
  cpb_sd_tags_free(&tags);
}

static void tags_that_are_none_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"", "\n\n", "a\nA\n", "a/b\n", "..\n", "a\nb\na", "a\\b", "\xff\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fixture f;
    set_up(&f, bad[i]);
    assert_false(cpb_sd_tags_read(&f.tags, &f.error));
    assert_int_equal(f.error.code, CPB_E_DAMAGED);
    tear_down(&f);
  }
}

/* --- Lines -------------------------------------------------------------------------------- */

typedef struct line_case {
  const char *line, *known, *name, *reference, *kind;
} line_case;

static void a_line_is_a_name_and_a_reference(void **state) {
  (void)state;
  static const line_case cases[] = {
      {"w 0", "", "w", "0", ""},
      {"w 7\r\n", "", "w", "7", ""},
      {"w a/7", "", "w", "a/7", ""},
      {"my/param/name 0", "", "my/param/name", "0", ""},
      {"w 7 MAP", "", "w", "7", "MAP"},
      {"name with space 0", "", "name with space", "0", ""},
      {"name 1 0", "", "name 1", "0", ""},
      {"w My Tag/1", "", "w", "My Tag/1", ""},
      {"w my tag/1 MAP", "", "w", "my tag/1", "MAP"},
      {"a b My Tag/1", "a b", "a b", "My Tag/1", ""},
      {"x 7 MAP 0", "x 7 MAP", "x 7 MAP", "0", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    const char *known[] = {cases[i].known, NULL};
    set_up(&f, "A\nMy Tag\n");
    if (!read_lines(&f, cases[i].line, false, known)) fail_msg("%s: %s", cases[i].line, f.error.message);
    assert_int_equal(f.lines.count, 1);
    const cpb_sd_line *line = &f.lines.list[0];
    const cpb_sd_reference *reference = &f.lines.references[line->first];
    if (!equal(line->name, cases[i].name)) fail_msg("%s", cases[i].line);
    assert_true(equal(reference->text, cases[i].reference) && equal(line->kind, cases[i].kind));
    assert_int_equal(line->count, 1);
    assert_int_equal(reference->shared, strchr(cases[i].reference, 'T') || strchr(cases[i].reference, 't'));
    tear_down(&f);
  }
}

static void lines_that_lead_nowhere_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"w",    "w ",     " 0",       "w zero",  "w -1",   "w 0 0x",
                                    "w 3",  "w B/0",  "w A/../0", "w /0",    "w A\\0", "w 99999999999999999999",
                                    "w A/", "w My/1", "w 0\nw 7", "w 0 map", "w //0",  "w \xff 0"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fixture f;
    static const char *const none[] = {NULL};
    set_up(&f, "A\nMy Tag\n");
    if (read_lines(&f, bad[i], false, none)) fail_msg("%s", bad[i]);
    assert_int_equal(f.error.code, CPB_E_DAMAGED);
    assert_non_null(strstr(f.error.message, "params.txt, line "));
    tear_down(&f);
  }
}

static void a_line_of_the_updater_has_several_references(void **state) {
  (void)state;
  static const char *const known[] = {"layer 1", "w", NULL};
  fixture f;
  set_up(&f, "A\n");
  assert_true(read_lines(&f, "layer 1 0 1\nw 1 A/0\nother 1\n", true, known));
  assert_int_equal(f.lines.count, 3);
  assert_true(equal(f.lines.list[0].name, "layer 1"));
  assert_int_equal(f.lines.list[0].count, 2);
  assert_int_equal(f.lines.list[1].first, 2);
  assert_true(equal(f.lines.references[3].entry->name, "A/updater/0.fb"));
  assert_true(equal(f.lines.list[2].name, "other"));
  tear_down(&f);
}

static void a_long_line_takes_no_long_time(void **state) {
  (void)state;
  static char line[60000];
  static const char *const none[] = {NULL};
  for (size_t i = 0; i + 1 < sizeof line; i++) line[i] = i % 2 ? ' ' : '0';
  for (int several = 0; several < 2; several++) {
    fixture f;
    set_up(&f, "A\n");
    read_lines(&f, line, several, none);
    tear_down(&f);
  }
}

/* --- Byte orders --------------------------------------------------------------------------- */

static void elements_are_turned_however_they_are_cut(void **state) {
  (void)state;
  static uint8_t in[100000], expected[sizeof in], got[sizeof in], out[CPB_SD_SWAP_OUT];
  for (unsigned size = 1; size <= 8; size *= 2) {
    for (size_t i = 0; i < sizeof in; i++) {
      in[i] = (uint8_t)(i * 31 + i / 256);
      expected[i / size * size + (size - 1 - i % size)] = in[i];
    }
    for (size_t piece = 1; piece <= sizeof in; piece = piece * 5 + 2) {
      cpb_sd_swap swap = {.size = size, .out = out};
      size_t done = 0;
      for (size_t at = 0; at < sizeof in; at += piece) {
        cpb_span span = {in + at, piece < sizeof in - at ? piece : sizeof in - at};
        while (span.size > 0) {
          cpb_span turned = cpb_sd_swap_next(&swap, &span);
          memcpy(got + done, turned.data, turned.size);
          done += turned.size;
        }
      }
      assert_int_equal(done, sizeof in);
      assert_memory_equal(got, expected, sizeof in);
    }
  }
}

/* No pointer is computed from NULL: for -fsanitize=pointer-overflow. */
static void nothing_is_turned_into_nothing(void **state) {
  (void)state;
  uint8_t out[CPB_SD_SWAP_OUT];
  for (unsigned size = 1; size <= 8; size *= 2) {
    cpb_sd_swap swap = {.size = size, .out = out};
    cpb_span nothing = {NULL, 0};
    assert_int_equal(cpb_sd_swap_next(&swap, &nothing).size, 0);
    assert_null(nothing.data);
  }
}

/* --- Dimensions ------------------------------------------------------------------------------- */

#define A 2
#define B 3
#define C 4

/* Every value says where it is in the array, and lies where the strides put it. */
static void check_rows(const cpb_sd_array *a, size_t capacity) {
  uint8_t values[A * B * C * 8] = {0}, out[sizeof values + 1];
  unsigned size = a->dtype->size, next = 0;
  cpb_sd_rows rows = {.values = {.data = values}};
  for (int64_t i = 0; i < a->shape[0]; i++)
    for (int64_t k = 0; k < a->shape[1]; k++)
      for (int64_t m = 0; m < a->shape[2]; m++)
        values[(size_t)(i * a->strides[0] + k * a->strides[1] + m * a->strides[2]) * size] = (uint8_t)++next;
  unsigned got = 0;
  for (size_t n; (n = cpb_sd_rows_next(&rows, a, out, capacity)) > 0;) {
    assert_true(n <= capacity && n % size == 0);
    for (size_t at = 0; at < n; at += size) assert_int_equal(out[at], ++got);
  }
  assert_int_equal(got, A * B * C);
}

static void permuted_elements_come_row_by_row(void **state) {
  (void)state;
  static const cpb_sd_dtype one = {.size = 1}, eight = {.size = 8};
  static const int64_t cases[][6] = {
      {A, B, C, 12, 4, 1}, {A, C, B, 12, 1, 4}, {B, A, C, 4, 12, 1}, {B, C, A, 4, 1, 12},
      {C, A, B, 1, 12, 4}, {C, B, A, 1, 4, 12}, {6, 1, 4, 4, 77, 1}, {1, 4, 6, -5, 1, 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_sd_array a = {.rank = 3, .count = A * B * C};
    memcpy(a.shape, cases[i], sizeof *a.shape * 3);
    memcpy(a.strides, cases[i] + 3, sizeof *a.strides * 3);
    for (size_t capacity = 8; capacity <= A * B * C * 8 + 1; capacity += 7) {
      a.dtype = &one;
      check_rows(&a, capacity);
      a.dtype = &eight;
      check_rows(&a, capacity);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tags_keep_their_order_and_lose_their_case),
      cmocka_unit_test(tags_that_are_none_are_refused),
      cmocka_unit_test(the_later_of_two_lines_with_one_tag_is_reported),
      cmocka_unit_test(a_line_is_a_name_and_a_reference),
      cmocka_unit_test(lines_that_lead_nowhere_are_refused),
      cmocka_unit_test(a_line_of_the_updater_has_several_references),
      cmocka_unit_test(a_long_line_takes_no_long_time),
      cmocka_unit_test(elements_are_turned_however_they_are_cut),
      cmocka_unit_test(nothing_is_turned_into_nothing),
      cmocka_unit_test(permuted_elements_come_row_by_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
