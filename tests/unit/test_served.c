/* What is requested for a URL, and with which token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_read.h"
#include "base/status.h"
#include "cpb/file.h"
#include "cpb/url.h"
#include "failing_allocator.h"
#include "host/url/s3.h"
#include "host/url/served.h"

#define ADDRESSES CPB_TEST_DATA "/addresses.json"

static const char *const *variables; /* NAME, VALUE, ... */
static const char *token_path, *token;

static const char *get_variable(const char *name) {
  for (const char *const *v = variables; *v; v += 2)
    if (strcmp(*v, name) == 0) return v[1];
  return NULL;
}

static int read_text(const char *path, cpb_buffer *out) {
  if (!token_path || strcmp(path, token_path) != 0) return 2;
  return cpb_buffer_append(out, token, strlen(token)) ? 0 : 12;
}

static const cpb_environment environment = {get_variable, read_text};
static const char *const nothing[] = {NULL};
static cpb_error error;

static bool resolve(cpb_served *served, const char *url, const char *const *given) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_error_begin(&error, NULL);
  variables = given;
  return cpb_served_resolve(served, &a, url, &environment, &error);
}

/* --- The table that JavaScript has, too ------------------------------------------------------- */

static cpb_allocator a_table; /* as long as there is one */

static int open_table(void **state) {
  a_table = cpb_allocator_or_default(NULL);
  size_t size;
  cpb_error_begin(&error, NULL);
  cpb_file *file = cpb_file_open(NULL, ADDRESSES, &error);
  uint8_t *text = file ? cpb_file_read_all(file, 1 << 20, &size, &error) : NULL;
  cpb_file_close(file);
  *state = text ? cpb_json_read(&a_table, (cpb_span){text, size}, 8, &error) : NULL;
  free(text);
  return *state == NULL;
}

static int close_table(void **state) {
  yyjson_doc_free(*state);
  return 0;
}

static yyjson_val *list_of(void **state, const char *name) {
  yyjson_val *list = cpb_json_member(yyjson_doc_get_root(*state), name);
  assert_true(yyjson_arr_size(list) > 0);
  return list;
}

/* What is requested: of s3:// too, which has its own way. */
static char *requested(const char *url) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_served served;
  cpb_s3 s3 = {0};
  cpb_address address;
  assert_true(cpb_address_parse(url, &address));
  assert_true(resolve(&served, url, nothing));
  assert_null(served.token);
  if (cpb_address_has_scheme(&address, "s3")) assert_true(cpb_s3_resolve(&s3, &a, &address, &environment, &error));
  char *copy = strdup(s3.url ? s3.url : served.url ? served.url : url);
  char *fragment = strncmp(url, "http", 4) == 0 ? strchr(copy, '#') : NULL;
  if (fragment) *fragment = 0; /* is not sent */
  cpb_served_free(&served, &a);
  cpb_s3_free(&s3, &a);
  return copy;
}

static void addresses_are_those_of_files(void **state) {
  size_t i, most;
  yyjson_val *pair;
  yyjson_arr_foreach(list_of(state, "requested"), i, most, pair) {
    char *found = requested(yyjson_get_str(yyjson_arr_get(pair, 0)));
    assert_string_equal(found, yyjson_get_str(yyjson_arr_get(pair, 1)));
    free(found);
  }
}

static void names_of_no_file_are_refused(void **state) {
  size_t i, most;
  yyjson_val *pair;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  yyjson_arr_foreach(list_of(state, "refused"), i, most, pair) {
    cpb_served served;
    assert_false(resolve(&served, yyjson_get_str(yyjson_arr_get(pair, 0)), nothing));
    assert_non_null(strstr(error.message, yyjson_get_str(yyjson_arr_get(pair, 1))));
    assert_int_equal(error.code, CPB_E_USAGE);
    cpb_served_free(&served, &a);
  }
}

static void unknown_schemes_are_told(void **state) {
  size_t i, most;
  yyjson_val *url;
  yyjson_arr_foreach(list_of(state, "unknown"), i, most, url) {
    assert_false(cpb_is_url(yyjson_get_str(url)));
    assert_null(cpb_file_open(NULL, yyjson_get_str(url), &error));
    assert_int_equal(error.code, CPB_E_READ);
    assert_non_null(strstr(error.message, "expected one of http, https, s3, hf, gs and file"));
  }
}

/* --- Endpoints and tokens --------------------------------------------------------------------- */

static void tokens_are_for_their_service(void **state) {
  (void)state;
  static const struct {
    const char *url, *variables[5], *requested, *header;
  } cases[] = {
      {"hf://o/m/f", {"HF_TOKEN", "t", NULL}, "https://huggingface.co/o/m/resolve/main/f", "t"},
      {"hf://o/m/f", {"HF_ENDPOINT", "http://h:1/", "HF_TOKEN", "t", NULL}, "http://h:1/o/m/resolve/main/f", "t"},
      {"http://h:1/o/m/blob/x/f", {"HF_ENDPOINT", "http://h:1", "HF_TOKEN", "t"}, "http://h:1/o/m/resolve/x/f", "t"},
      {"https://huggingface.co/o/m/resolve/x/f", {"HF_TOKEN", "t", NULL}, NULL, "t"},
      {"https://huggingface.co/o/m", {"HF_TOKEN", "t", NULL}, NULL, NULL},
      {"https://huggingface.co/o/m/blob/x/f",
       {"HF_ENDPOINT", "http://h", "HF_TOKEN", "t", NULL},
       "https://huggingface.co/o/m/resolve/x/f",
       NULL},
      {"http://huggingface.co/o/m/resolve/x/f", {"HF_TOKEN", "t", NULL}, NULL, NULL},
      {"https://evil/o/m/resolve/x/f", {"HF_TOKEN", "t", NULL}, NULL, NULL},
      {"https://huggingface.co@evil/o/m/resolve/x/f", {"HF_TOKEN", "t", NULL}, NULL, NULL},
      {"gs://b/o", {"HF_TOKEN", "t", NULL}, "https://storage.googleapis.com/b/o", NULL},
      {"gs://b/o", {"STORAGE_EMULATOR_HOST", "h:1", NULL}, "http://h:1/b/o", NULL},
      {"gs://b/o", {"CLOUDSDK_AUTH_ACCESS_TOKEN", "g", NULL}, "https://storage.googleapis.com/b/o", "g"},
      {"gs://b/o",
       {"GOOGLE_OAUTH_ACCESS_TOKEN", "a", "CLOUDSDK_AUTH_ACCESS_TOKEN", "b"},
       "https://storage.googleapis.com/b/o",
       "a"},
      {"https://github.com/o/r/blob/x/f", {"HF_TOKEN", "t", NULL}, "https://github.com/o/r/raw/x/f", NULL},
  };
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *given[5] = {NULL};
    cpb_served served;
    memcpy(given, cases[i].variables, 4 * sizeof *given);
    assert_true(resolve(&served, cases[i].url, given));
    assert_int_equal(served.url == NULL, cases[i].requested == NULL);
    if (served.url) assert_string_equal(served.url, cases[i].requested);
    assert_int_equal(served.token == NULL, cases[i].header == NULL);
    if (served.token) assert_string_equal(served.token + strlen("Authorization: Bearer "), cases[i].header);
    cpb_served_free(&served, &a);
  }
}

static void tokens_are_read_of_the_usual_file(void **state) {
  (void)state;
  static const struct {
    const char *variables[3], *path, *text, *header;
  } cases[] = {
      {{"HOME", "/home", NULL}, "/home/.cache/huggingface/token", "abc\n", "abc"},
      {{"XDG_CACHE_HOME", "/x", NULL}, "/x/huggingface/token", " abc \r\nmore", "abc"},
      {{"HF_HOME", "/h", NULL}, "/h/token", "abc", "abc"},
      {{"HF_TOKEN_PATH", "/t", NULL}, "/t", "abc", "abc"},
      {{"HOME", "/home", NULL}, NULL, NULL, NULL},
      {{"HOME", "/home", NULL}, "/home/.cache/huggingface/token", "\n", NULL},
      {{NULL}, NULL, NULL, NULL},
  };
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_served served;
    token_path = cases[i].path;
    token = cases[i].text;
    assert_true(resolve(&served, "hf://o/m/f", cases[i].variables));
    assert_int_equal(served.token == NULL, cases[i].header == NULL);
    if (served.token) assert_string_equal(served.token + strlen("Authorization: Bearer "), cases[i].header);
    cpb_served_free(&served, &a);
  }
  token_path = NULL;
}

static void settings_that_are_wrong_are_told(void **state) {
  (void)state;
  static const struct {
    const char *url, *variables[3], *wanted;
  } cases[] = {
      {"hf://o/m/f", {"HF_TOKEN", "a\r\nX: y", NULL}, "HF_TOKEN has a space or a control character in it"},
      {"hf://o/m/f", {"HF_ENDPOINT", "ftp://x", NULL}, "HF_ENDPOINT is no http or https URL"},
      {"gs://b/f", {"STORAGE_EMULATOR_HOST", "http://", NULL}, "STORAGE_EMULATOR_HOST is no http or https URL"},
  };
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_served served;
    assert_false(resolve(&served, cases[i].url, cases[i].variables));
    assert_non_null(strstr(error.message, cases[i].wanted));
    cpb_served_free(&served, &a);
  }
}

static void resolve_without_memory(const char *url) {
  bool done = false;
  for (size_t fail_at = 1; !done; fail_at++) {
    failing_allocator f = {.fail_at = fail_at};
    const cpb_allocator a = failing_allocator_of(&f);
    cpb_served served;
    cpb_error_begin(&error, NULL);
    done = cpb_served_resolve(&served, &a, url, &environment, &error);
    assert_true(done || error.code == CPB_E_MEMORY);
    cpb_served_free(&served, &a);
    assert_int_equal(f.blocks, 0);
  }
}

/* With names of each length, so that each part of the URL is once the one that needs more memory. */
static void memory_may_be_short(void **state) {
  (void)state;
  static const char *const urls[] = {"hf://o/%.*s@%%2F/f?q", "hf://o/%.*s/f", "gs://b/%.*s",
                                     "https://github.com/o/%.*s/blob/x/f", "https://h/o/%.*s/-/blob/x/f"};
  char name[80], home[100], path[140], url[140];
  memset(name, 'n', sizeof name);
  token = "abc";
  for (int length = 1; length < (int)sizeof name; length++) {
    const char *given[] = {"HOME", home, "STORAGE_EMULATOR_HOST", name + 1, NULL};
    snprintf(home, sizeof home, "/%.*s", length, name);
    snprintf(path, sizeof path, "%s/.cache/huggingface/token", home);
    name[length] = 0;
    token_path = path;
    variables = given;
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
      snprintf(url, sizeof url, urls[i], length, name);
      resolve_without_memory(url);
    }
    name[length] = 'n';
  }
  token_path = NULL;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(addresses_are_those_of_files),
      cmocka_unit_test(names_of_no_file_are_refused),
      cmocka_unit_test(unknown_schemes_are_told),
      cmocka_unit_test(tokens_are_for_their_service),
      cmocka_unit_test(tokens_are_read_of_the_usual_file),
      cmocka_unit_test(settings_that_are_wrong_are_told),
      cmocka_unit_test(memory_may_be_short),
  };
  return cmocka_run_group_tests(tests, open_table, close_table);
}
