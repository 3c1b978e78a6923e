/* URLs as texts, what headers say, what is kept and how much is fetched: all that needs no server. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "cpb/url.h"
#include "failing_allocator.h"
#include "host/url/address.h"
#include "host/url/remote.h"
#include "host/url/response.h"
#include "host/url/s3.h"
#include "host/url/windows.h"

/* --- URLs ----------------------------------------------------------------------------- */

static void urls_are_known_by_their_schemes(void **state) {
  (void)state;
  static const char *const are[] = {"http://h", "HTTPS://h/x", "s3://bucket/key", "http://", "hf://o/m/f", "gs://b/o"};
  static const char *const are_not[] = {"",        "x",         "/http://h", "http:/h", "http:h",
                                        "ftp://h", "file:///x", "s33://x",   "https",   "://"};
  for (size_t i = 0; i < sizeof are / sizeof *are; i++) assert_true(cpb_is_url(are[i]));
  for (size_t i = 0; i < sizeof are_not / sizeof *are_not; i++) assert_false(cpb_is_url(are_not[i]));
  assert_false(cpb_is_url(NULL));
}

static void names_show_nothing_that_is_secret(void **state) {
  (void)state;
  static const struct {
    const char *url, *name;
  } cases[] = {
      {"https://host/path", "https://host/path"},
      {"https://user:word@host:8/a/b?sig=x#y", "https://host:8/a/b"},
      {"https://u@s:e@host/", "https://host/"},
      {"https://host?sig=a/b@c", "https://host"},
      {"https://user:word@", "https://"},
      {"s3://bucket/a@b?versionId=1", "s3://bucket/a@b"},
      {"s3://bucket/a?b#c?X-Amz-Signature=x", "s3://bucket/a?b#c"},
      {"s3://bucket?X-Amz-Signature=x", "s3://bucket"},
      {"a file?x#y", "a file?x#y"},
  };
  char out[64];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_string_equal(cpb_url_name(cases[i].url, out, sizeof out), cases[i].name);
    for (size_t size = 1; size < strlen(cases[i].name); size++) {
      cpb_url_name(cases[i].url, out, size);
      assert_int_equal(strlen(out), size - 1);
      assert_memory_equal(out, cases[i].name, size - 1);
    }
  }
}

static void text_that_is_no_url_is_refused(void **state) {
  (void)state;
  cpb_address a;
  static const char *const wrong[] = {
      "http://",       "http:///x",       "http://:80/",  "http://a b/", "http://a/b c",   "http://a/\n",
      "http://a/\x7f", "s3:///key",       "s3://a b/key", "x",           "s3://a?b/c",     "s3://a#b",
      "s3://a%2fb/c",  "http://h:65536/", "http://h:x/",  "http://[::1", "http://[::1]x/", "http://::1/"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(cpb_address_parse(wrong[i], &a));
  assert_true(cpb_address_parse("s3://bucket/a key", &a));
  assert_true(cpb_address_parse("http://u:p@h:1/p?q#f", &a));
  assert_memory_equal(a.host, "h:1/p?q#f", 10);
  assert_int_equal(a.host_length, 3);
  assert_string_equal(a.path, "/p?q#f");
  assert_string_equal(a.query, "?q#f");
  assert_string_equal(a.end, "#f");
}

static void origins_are_scheme_host_and_port(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    bool same;
  } cases[] = {
      {"http://h/x", "http://h/y?z", true},   {"http://h", "HTTP://H:80/", true},
      {"https://h:443/", "https://h", true},  {"http://u:p@h/", "http://h/", true},
      {"http://h:/", "http://h/", true},      {"http://h/", "https://h/", false},
      {"http://h:8080/", "http://h/", false}, {"http://h:443/", "http://h/", false},
      {"http://h.evil/", "http://h/", false}, {"http://h@evil/", "http://h/", false},
      {"http://evil/h", "http://h/", false},  {"http://evil?@h/", "http://h/", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(cpb_address_same_origin(cases[i].a, cases[i].b), cases[i].same);
    assert_int_equal(cpb_address_same_origin(cases[i].b, cases[i].a), cases[i].same);
  }
}

static void names_beside_keep_the_query(void **state) {
  (void)state;
  static const struct {
    const char *path;
    size_t keep;
    const char *ending, *out;
  } cases[] = {
      {"http://h/m/", 11, "saved_model.pb", "http://h/m/saved_model.pb"},
      {"http://h/m/a.pb?q=/#f", 11, "b", "http://h/m/b?q=/"},
      {"folder/a?b", 7, "c", "folder/c"},
  };
  char out[64];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_path_replace(cases[i].path, cases[i].keep, cases[i].ending, out);
    assert_string_equal(out, cases[i].out);
  }
  assert_true(cpb_path_ends_with("http://h/x.cpb?a=.pb", ".cpb"));
  assert_false(cpb_path_ends_with("http://h/x.cpb?a=.pb", ".pb"));
  assert_true(cpb_path_ends_with("x.cpb?a=.pb", ".pb"));
  assert_int_equal(cpb_path_length("http://h/x#f"), 10);
  assert_int_equal(cpb_path_length("s3://h/x#f?y"), 12);
  assert_true(cpb_path_ends_with("s3://h/x#?.cpb?versionId=.pb", ".cpb"));
}

static cpb_span span_of(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

static void names_of_files_stay_whole(void **state) {
  (void)state;
  static const struct {
    const char *path, *name, *out;
  } cases[] = {
      {"a/m", "x?y#z %", "x?y#z %"},
      {"https://h/m", "x?y=1#z %2e/k", "x%3Fy%3D1%23z%20%252e/k"},
      {"https://h/m", "x+y;z&a=b@c:d", "x%2By%3Bz%26a%3Db%40c%3Ad"},
      {"s3://b/m", "x?y#z %2e/k", "x?y#z %2e/k"},
      {"s3://b/m", "x?=", "x?="},
      {"s3://b/m", "x?y=1", NULL},
  };
  char out[64];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(cpb_path_escape(cases[i].path, span_of(cases[i].name), out), cases[i].out != NULL);
    if (cases[i].out) assert_string_equal(out, cases[i].out);
  }
  assert_false(cpb_path_escape("m", (cpb_span){(const uint8_t *)"x\0y", 3}, out));
}

/* --- Headers ---------------------------------------------------------------------------- */

static cpb_response response_of(const char *const *lines) {
  cpb_response r = {0};
  for (; *lines; lines++) cpb_response_line(&r, *lines, strlen(*lines));
  return r;
}

static void headers_are_read_in_any_case(void **state) {
  (void)state;
  cpb_response r = response_of((const char *const[]){
      "HTTP/1.1 100 Continue\r\n", "ETag: \"old\"\r\n", "HTTP/2 206 \r\n", "CONTENT-RANGE:bytes 0-9/10 \r\n",
      "Etag:\t \"a b\"\r\n", "X: y\r\n", "Last-Modified: \x01\r\n", "broken\r\n", NULL});
  assert_int_equal(r.status, 206);
  assert_string_equal(r.content_range, "bytes 0-9/10");
  assert_string_equal(r.etag, "\"a b\"");
  assert_string_equal(r.last_modified, ""); /* no text */
  char line[400] = "ETag: ";
  memset(line + 6, 'x', 300);
  cpb_response_line(&r, line, 306);
  assert_string_equal(r.etag, ""); /* longer than its room */
  for (size_t length = 0; length < 12; length++) cpb_response_line(&r, "HTTP/1.1 20", length < 11 ? length : 11);
  assert_int_equal(r.status, 20);
}

static void content_ranges_are_exact(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t begin, end, size; /* size 0: refused */
  } cases[] = {
      {"bytes 0-0/1", 0, 1, 1},
      {"Bytes  5-9/10", 5, 10, 10},
      {"bytes 0-9223372036854775806/9223372036854775807", 0, INT64_MAX, INT64_MAX},
      {"bytes 0-9/9", 0, 0, 0},
      {"bytes 9-5/10", 0, 0, 0},
      {"bytes 0-9/*", 0, 0, 0},
      {"bytes */10", 0, 0, 0},
      {"bytes 0-9", 0, 0, 0},
      {"bytes 0-9/10x", 0, 0, 0},
      {"bytes -9/10", 0, 0, 0},
      {"bytes 0-9223372036854775807/9223372036854775808", 0, 0, 0},
      {"bytes 0-1/99999999999999999999", 0, 0, 0},
      {"bytes=0-9/10", 0, 0, 0},
      {"items 0-9/10", 0, 0, 0},
      {"", 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_response r = {.status = 206};
    cpb_content_range range;
    cpb_error error;
    cpb_error_begin(&error, NULL);
    strcpy(r.content_range, cases[i].text);
    assert_int_equal(cpb_response_range(&r, &range, &error), cases[i].size > 0);
    assert_int_equal(error.code, cases[i].size > 0 ? CPB_OK : CPB_E_READ);
    if (cases[i].size == 0) continue;
    assert_true(range.begin == cases[i].begin && range.end == cases[i].end && range.size == cases[i].size);
  }
}

static void encodings_and_lengths(void **state) {
  (void)state;
  uint64_t length;
  cpb_response r = {.content_length = "12", .content_encoding = "Identity"};
  assert_false(cpb_response_is_encoded(&r));
  assert_true(cpb_response_length(&r, &length) && length == 12);
  strcpy(r.content_encoding, "identity, br");
  assert_true(cpb_response_is_encoded(&r));
  assert_false(cpb_response_length(&r, &length));
  strcpy(r.content_range, "bytes */77");
  assert_true(cpb_response_size_of_416(&r, &length) && length == 77);
  strcpy(r.content_range, "bytes */x");
  assert_false(cpb_response_size_of_416(&r, &length));
  assert_true(cpb_status_is_temporary(503) && cpb_status_is_temporary(429) && cpb_status_is_temporary(599));
  assert_false(cpb_status_is_temporary(501) || cpb_status_is_temporary(404) || cpb_status_is_temporary(505));
}

static void retry_after_is_seconds_or_a_date(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t now;
    uint64_t milliseconds;
  } cases[] = {
      {"7", 0, 7000},
      {"0", 0, 0},
      {"99999999999999", 0, (uint64_t)UINT32_MAX * 1000},
      {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777 - 20, 20000},
      {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777 + 20, 0},
      {"Thu, 29 Feb 2024 23:59:59 GMT", 1709251199 - 1, 1000},
      {"Fri, 01 Mar 2024 00:00:00 GMT", 1709251199, 1000},
      {"Thu, 01 Jan 1970 00:00:01 GMT", 0, 1000},
      {"Sun, 06 Nov 1994 08:49:37 CET", 0, 0},
      {"Sun, 06 Foo 1994 08:49:37 GMT", 0, 0},
      {"Sunday, 06-Nov-94 08:49:37 GMT", 0, 0},
      {"soon", 0, 0},
      {"-7", 0, 0},
      {"", 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_response r = {.status = 429};
    strcpy(r.retry_after, cases[i].text);
    assert_int_equal(cpb_response_retry_after(&r, cases[i].now), cases[i].milliseconds);
  }
}

static void conditions_are_of_the_strongest_validator(void **state) {
  (void)state;
  char out[300];
  cpb_validators v = {.known = true, .etag = "\"a\"", .last_modified = "then"};
  assert_true(cpb_validators_condition(&v, true, out, sizeof out));
  assert_string_equal(out, "If-Match: \"a\"");
  strcpy(v.etag, "W/\"a\"");
  assert_true(cpb_validators_condition(&v, true, out, sizeof out));
  assert_string_equal(out, "If-Unmodified-Since: then");
  assert_false(cpb_validators_condition(&v, false, out, sizeof out));
  *v.last_modified = 0;
  assert_false(cpb_validators_condition(&v, true, out, sizeof out));
}

/* --- S3 ----------------------------------------------------------------------------------- */

static const char *const *variables; /* NAME, VALUE, ... */

static const char *get_variable(const char *name) {
  for (const char *const *v = variables; *v; v += 2)
    if (strcmp(*v, name) == 0) return v[1];
  return NULL;
}

static const char *credentials, *config; /* what is in these files; NULL: they are not there */
static cpb_error resolve_error;

static int read_text(const char *path, cpb_buffer *out) {
  const char *text = NULL;
  if (strcmp(path, "/home/.aws/credentials") == 0) text = credentials;
  if (strcmp(path, "/home/.aws/config") == 0) text = config;
  if (!text) return strcmp(path, "/forbidden") == 0 ? EACCES : ENOENT;
  return cpb_buffer_append(out, text, strlen(text)) ? 0 : ENOMEM;
}

static const cpb_environment environment = {get_variable, read_text};

static bool resolve(cpb_s3 *s3, const cpb_allocator *a, const char *url, const char *const *given) {
  cpb_address address;
  cpb_error_begin(&resolve_error, NULL);
  variables = given;
  assert_true(cpb_address_parse(url, &address));
  return cpb_s3_resolve(s3, a, &address, &environment, &resolve_error);
}

static void s3_is_a_url_of_amazon_or_of_the_endpoint(void **state) {
  (void)state;
  static const struct {
    const char *url, *variables[5], *wanted;
  } cases[] = {
      {"s3://bucket/a/b.cpb", {NULL}, "https://bucket.s3.us-east-1.amazonaws.com/a/b.cpb"},
      {"s3://my.bucket/x", {"AWS_DEFAULT_REGION", "eu-west-1", NULL}, "https://s3.eu-west-1.amazonaws.com/my.bucket/x"},
      {"s3://bucket/x", {"AWS_DEFAULT_REGION", "a", "AWS_REGION", "b", NULL}, "https://bucket.s3.b.amazonaws.com/x"},
      {"s3://bucket/a b+c%#\xc3\xb6", {NULL}, "https://bucket.s3.us-east-1.amazonaws.com/a%20b%2Bc%25%23%C3%B6"},
      {"s3://bucket/a?acl", {NULL}, "https://bucket.s3.us-east-1.amazonaws.com/a%3Facl"},
      {"s3://bucket/\xc3\xb6?versionId=1", {NULL}, "https://bucket.s3.us-east-1.amazonaws.com/%C3%B6?versionId=1"},
      {"s3://bucket/x", {"AWS_ENDPOINT_URL", "http://h:1//", NULL}, "http://h:1/bucket/x"},
      {"s3://bucket/x",
       {"AWS_ENDPOINT_URL", "http://no", "AWS_ENDPOINT_URL_S3", "http://h", NULL},
       "http://h/bucket/x"},
  };
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_s3 s3;
    assert_true(resolve(&s3, &a, cases[i].url, cases[i].variables));
    assert_string_equal(s3.url, cases[i].wanted);
    assert_null(s3.keys);
    cpb_s3_free(&s3, &a);
  }
}

static const char *const all_keys[] = {
    "AWS_ACCESS_KEY_ID", "id", "AWS_SECRET_ACCESS_KEY", "secret", "AWS_SESSION_TOKEN", "token", NULL};

static void s3_keys_are_those_of_the_environment(void **state) {
  (void)state;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_s3 s3;
  assert_true(resolve(&s3, &a, "s3://b/k", all_keys));
  assert_string_equal(s3.keys, "id:secret");
  assert_string_equal(s3.signature, "aws:amz:us-east-1:s3");
  assert_string_equal(s3.headers[1], "x-amz-security-token: token");
  assert_null(s3.headers[2]);
  cpb_s3_free(&s3, &a);
  for (size_t i = 1; i < 6; i += 2) {
    const char *wrong[7];
    memcpy(wrong, all_keys, sizeof wrong);
    wrong[i] = "a\r\nX: y";
    assert_false(resolve(&s3, &a, "s3://b/k", wrong));
    cpb_s3_free(&s3, &a);
  }
}

static void s3_settings_are_those_of_the_files(void **state) {
  (void)state;
  static const struct {
    const char *credentials, *config, *variables[9], *url, *keys, *token;
  } cases[] = {
      {"[default]\naws_access_key_id = i\r\naws_secret_access_key=s+/=\n",
       NULL,
       {NULL},
       "https://b.s3.us-east-1.amazonaws.com/k",
       "i:s+/=",
       NULL},
      {"# c\n[other]\naws_access_key_id=x\n[ default ]\naws_access_key_id=i\naws_secret_access_key=s\n"
       "aws_session_token=t",
       "[default]\nregion = eu-west-1\naws_access_key_id = no\n",
       {NULL},
       "https://b.s3.eu-west-1.amazonaws.com/k",
       "i:s",
       "t"},
      {NULL,
       "[profile default]\naws_access_key_id=i\naws_secret_access_key=s\nendpoint_url=http://h:1/\n",
       {NULL},
       "http://h:1/b/k",
       "i:s",
       NULL},
      {"[p q]\naws_access_key_id=i\naws_secret_access_key=s\n[p]\naws_access_key_id=no\n",
       "[p q]\nregion=no\n[profile \"p q\"]\nregion=r\ns3 =\n  endpoint_url = http://nested\n; c\n",
       {"AWS_PROFILE", "p q", NULL},
       "https://b.s3.r.amazonaws.com/k",
       "i:s",
       NULL},
      {"[default]\naws_access_key_id=i\naws_secret_access_key=s\naws_session_token=t\n",
       "[default]\nregion=r\nendpoint_url=http://no\n",
       {"AWS_ACCESS_KEY_ID", "e", "AWS_SECRET_ACCESS_KEY", "f", "AWS_ENDPOINT_URL", "http://h", NULL},
       "http://h/b/k",
       "e:f",
       NULL},
      {"[default]\nrole_arn = arn\n", NULL, {NULL}, "https://b.s3.us-east-1.amazonaws.com/k", NULL, NULL},
      {"", "", {NULL}, "https://b.s3.us-east-1.amazonaws.com/k", NULL, NULL},
  };
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *given[11] = {"HOME", "/home"};
    cpb_s3 s3;
    memcpy(given + 2, cases[i].variables, sizeof cases[i].variables);
    credentials = cases[i].credentials;
    config = cases[i].config;
    if (!resolve(&s3, &a, "s3://b/k", given)) fail_msg("%zu: %s", i, resolve_error.message);
    assert_string_equal(s3.url, cases[i].url);
    if (cases[i].keys) assert_string_equal(s3.keys, cases[i].keys);
    else assert_null(s3.keys);
    if (cases[i].token) assert_string_equal(s3.headers[1] + strlen("x-amz-security-token: "), cases[i].token);
    else assert_null(s3.headers[1]);
    cpb_s3_free(&s3, &a);
  }
  credentials = config = NULL;
}

static void s3_files_that_are_wrong_are_told(void **state) {
  (void)state;
  static const struct {
    const char *credentials, *config, *variables[5], *message;
  } cases[] = {
      {"[default]\n\nSECRET\n",
       NULL,
       {NULL},
       "/home/.aws/credentials, line 3: not understood; expected NAME = VALUE, [SECTION] or a comment"},
      {NULL, "[default\n", {NULL}, "/home/.aws/config, line 1: a section without its end; expected [NAME]"},
      {" x = y\n= z\n", NULL, {NULL}, "credentials, line 2: "},
      {"[default]\naws_access_key_id = i",
       NULL,
       {NULL},
       "credentials, line 2: aws_access_key_id is alone; expected aws_secret_access_key, too"},
      {"[default]\naws_secret_access_key = SECRET",
       NULL,
       {NULL},
       "credentials, line 2: aws_secret_access_key is alone; expected aws_access_key_id, too"},
      {"[default]\naws_access_key_id=i\naws_secret_access_key = SE CRET",
       NULL,
       {NULL},
       "credentials, line 3: aws_secret_access_key has a space or a control character"},
      {NULL, "[default]\nregion = SECRET/\n", {NULL}, "config, line 2: region is no region; expected a name such as"},
      {NULL, "[default]\nendpoint_url = SECRET\n", {NULL}, "config, line 2: endpoint_url is no http or https URL"},
      {NULL,
       "[profile p]\nrole_arn = SECRET\n",
       {"AWS_PROFILE", "p", NULL},
       "config, line 2: role_arn is not followed; expected"},
      {"[q]",
       "[p]\n",
       {"AWS_PROFILE", "p", NULL},
       "AWS_PROFILE is p, which neither /home/.aws/credentials nor /home/.aws/config has"},
      {NULL, NULL, {"AWS_CONFIG_FILE", "/none", NULL}, "AWS_CONFIG_FILE: /none: No such file or directory"},
      {NULL,
       NULL,
       {"AWS_SHARED_CREDENTIALS_FILE", "/forbidden", NULL},
       "AWS_SHARED_CREDENTIALS_FILE: /forbidden: Permission"},
  };
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *given[7] = {"HOME", "/home"};
    cpb_s3 s3;
    memcpy(given + 2, cases[i].variables, sizeof cases[i].variables);
    credentials = cases[i].credentials;
    config = cases[i].config;
    assert_false(resolve(&s3, &a, "s3://b/k", given));
    if (!strstr(resolve_error.message, cases[i].message)) fail_msg("%zu: %s", i, resolve_error.message);
    assert_null(strstr(resolve_error.message, "SECRET"));
    cpb_s3_free(&s3, &a);
  }
  credentials = config = NULL;
}

static void s3_without_memory(void **state) {
  (void)state;
  static const char *const home[] = {"HOME", "/home", NULL};
  credentials = "[default]\naws_access_key_id=i\naws_secret_access_key=s\naws_session_token=t\n";
  config = "[default]\nregion=r\naws_access_key_id=i\n";
  for (size_t fail_at = 1;; fail_at++) {
    failing_allocator f = {.fail_at = fail_at};
    const cpb_allocator a = failing_allocator_of(&f);
    cpb_s3 s3;
    bool done = resolve(&s3, &a, "s3://b/k", home);
    cpb_s3_free(&s3, &a);
    assert_int_equal(f.blocks, 0);
    if (done) break;
    assert_int_equal(resolve_error.code, CPB_E_MEMORY);
  }
  credentials = config = NULL;
}

/* --- What is kept ------------------------------------------------------------------------- */

static void put(cpb_windows *w, uint64_t offset, size_t length) {
  uint8_t *data = calloc(1, length);
  assert_true(cpb_buffer_append(&cpb_windows_add(w, offset)->bytes, data, length));
  free(data);
}

static void requests_grow_while_reading_goes_on(void **state) {
  (void)state;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_windows w;
  size_t length, wanted = CPB_WINDOW_LEAST;
  uint64_t at = 1000;
  cpb_windows_init(&w, &a);
  for (int i = 0; i < 10; i++) {
    length = cpb_windows_plan(&w, at, 1, UINT64_MAX);
    assert_int_equal(length, wanted);
    put(&w, at, length);
    at += length;
    wanted = wanted < CPB_WINDOW_MOST ? 2 * wanted : CPB_WINDOW_MOST;
  }
  assert_int_equal(cpb_windows_plan(&w, at + 1, 1, UINT64_MAX), CPB_WINDOW_LEAST); /* elsewhere */
  assert_int_equal(cpb_windows_plan(&w, at + 9, 1 << 20, UINT64_MAX), 1 << 20);    /* as much as is wanted */
  assert_int_equal(cpb_windows_plan(&w, at + 9, UINT64_MAX, UINT64_MAX), CPB_WINDOW_MOST);
  assert_int_equal(cpb_windows_plan(&w, 100, 1 << 20, 150), 50); /* up to the end */
  assert_int_equal(cpb_windows_plan(&w, 100, 1, 50), 0);
  cpb_windows_clear(&w);
  put(&w, 5000, 10);
  assert_int_equal(cpb_windows_plan(&w, 100, 1, UINT64_MAX), 4900); /* up to what is kept */
  assert_non_null(cpb_windows_find(&w, 5009, &length));
  assert_int_equal(length, 1);
  assert_null(cpb_windows_find(&w, 5010, &length));
  w.least = 1024;
  assert_int_equal(cpb_windows_plan(&w, 100, 1, UINT64_MAX), 1024); /* as little as the host wants */
  cpb_windows_free(&w);
}

static void little_is_kept(void **state) {
  (void)state;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_windows w;
  size_t length;
  cpb_windows_init(&w, &a);
  for (uint64_t i = 0; i < 3 * CPB_WINDOWS; i++) {
    put(&w, i * 10, 10);
    assert_true(i < 1 || cpb_windows_find(&w, 5, &length)); /* what is used stays */
  }
  assert_null(cpb_windows_find(&w, 15, &length));
  assert_non_null(cpb_windows_find(&w, (3 * CPB_WINDOWS - 1) * 10, &length));
  for (uint64_t i = 0; i < 5; i++) put(&w, i << 32, CPB_WINDOW_MOST);
  size_t sum = 0;
  for (size_t i = 0; i < CPB_WINDOWS; i++) sum += w.kept[i].bytes.capacity;
  assert_true(sum <= 2 * CPB_WINDOW_MOST);
  cpb_windows_free(&w);
}

/* --- Opening -------------------------------------------------------------------------------- */

static void a_url_is_opened_without_memory(void **state) {
  (void)state;
  for (size_t fail_at = 1;; fail_at++) {
    failing_allocator f = {.fail_at = fail_at};
    const cpb_allocator a = failing_allocator_of(&f);
    cpb_error error;
    cpb_file *file = cpb_url_open(&a, "https://127.0.0.1:1/x", NULL, &error);
    cpb_code code = error.code;
    cpb_file_close(file);
    assert_int_equal(f.blocks, 0);
    if (file || code == CPB_E_UNSUPPORTED) break; /* this build has no URLs */
    assert_int_equal(code, CPB_E_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(urls_are_known_by_their_schemes),
      cmocka_unit_test(names_show_nothing_that_is_secret),
      cmocka_unit_test(text_that_is_no_url_is_refused),
      cmocka_unit_test(origins_are_scheme_host_and_port),
      cmocka_unit_test(names_beside_keep_the_query),
      cmocka_unit_test(names_of_files_stay_whole),
      cmocka_unit_test(headers_are_read_in_any_case),
      cmocka_unit_test(content_ranges_are_exact),
      cmocka_unit_test(encodings_and_lengths),
      cmocka_unit_test(retry_after_is_seconds_or_a_date),
      cmocka_unit_test(conditions_are_of_the_strongest_validator),
      cmocka_unit_test(s3_is_a_url_of_amazon_or_of_the_endpoint),
      cmocka_unit_test(s3_keys_are_those_of_the_environment),
      cmocka_unit_test(s3_settings_are_those_of_the_files),
      cmocka_unit_test(s3_files_that_are_wrong_are_told),
      cmocka_unit_test(s3_without_memory),
      cmocka_unit_test(requests_grow_while_reading_goes_on),
      cmocka_unit_test(little_is_kept),
      cmocka_unit_test(a_url_is_opened_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
