#include "host/url/s3.h"

#include <string.h>

#include "base/status.h"

/* Of an empty body, as all of our requests have. */
#define CONTENT_HASH "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const char *variable(cpb_get_variable get, const char *name, const char *otherwise, const char *last) {
  const char *value = get(name);
  if ((!value || !*value) && otherwise) value = get(otherwise);
  return value && *value ? value : last;
}

/* What may stand in a header or a host: no space, no control character. */
static bool is_word(const char *text) {
  for (; *text; text++) {
    if (*text <= ' ' || *text > '~') return false;
  }
  return true;
}

static bool append(cpb_buffer *out, const char *text, size_t length) { return cpb_buffer_append(out, text, length); }
static bool append_text(cpb_buffer *out, const char *text) { return append(out, text, strlen(text)); }

/* The texts up to a NULL, as one; NULL when memory is short. */
static char *join(const cpb_allocator *a, const char *const *texts) {
  size_t size = 1;
  for (const char *const *text = texts; *text; text++) size += strlen(*text);
  char *joined = cpb_alloc(a, size);
  if (!joined) return NULL;
  *joined = 0;
  for (; *texts; texts++) strcat(joined, *texts);
  return joined;
}

/* --- The URL ------------------------------------------------------------------------------ */

static bool is_digit_or_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* A key as a path. It is escaped as the signature's own form has it: all but these characters. */
static bool append_key(cpb_buffer *out, const char *key, size_t length) {
  static const char hex[] = "0123456789ABCDEF";
  bool done = true;
  for (size_t i = 0; done && i < length; i++) {
    unsigned char c = (unsigned char)key[i];
    char escaped[] = {'%', hex[c >> 4], hex[c & 15]};
    bool plain = is_digit_or_letter((char)c) || strchr("-._~/", c);
    done = plain ? append(out, key + i, 1) : append(out, escaped, 3);
  }
  return done;
}

/* Amazon's own: the bucket is part of the host, unless its dots would not be covered by the certificate. */
static bool append_amazon(cpb_buffer *out, const cpb_address *address, const char *region) {
  bool dotted = memchr(address->host, '.', address->host_length) != NULL;
  bool done = append_text(out, "https://");
  if (!dotted) done = done && append(out, address->host, address->host_length) && append_text(out, ".");
  done = done && append_text(out, "s3.") && append_text(out, region) && append_text(out, ".amazonaws.com");
  if (dotted) done = done && append_text(out, "/") && append(out, address->host, address->host_length);
  return done;
}

static bool append_endpoint(cpb_buffer *out, const cpb_address *address, const char *endpoint) {
  size_t length = strlen(endpoint);
  while (length > 0 && endpoint[length - 1] == '/') length--;
  return append(out, endpoint, length) && append_text(out, "/") && append(out, address->host, address->host_length);
}

static bool make_url(cpb_s3 *s3, const cpb_allocator *a, const cpb_address *address, const char *endpoint,
                     const char *region) {
  cpb_buffer out;
  cpb_buffer_init(&out, a);
  bool done = endpoint ? append_endpoint(&out, address, endpoint) : append_amazon(&out, address, region);
  done = done && append_key(&out, address->path, (size_t)(address->query - address->path)) &&
         append(&out, address->query, (size_t)(address->end - address->query)) && append(&out, "", 1);
  if (done) s3->url = (char *)out.data;
  else cpb_buffer_free(&out);
  return done;
}

/* --- Keys --------------------------------------------------------------------------------- */

static bool set_keys(cpb_s3 *s3, const cpb_allocator *a, cpb_get_variable get, const char *region) {
  const char *id = variable(get, "AWS_ACCESS_KEY_ID", NULL, NULL);
  const char *secret = variable(get, "AWS_SECRET_ACCESS_KEY", NULL, NULL);
  const char *token = variable(get, "AWS_SESSION_TOKEN", NULL, NULL);
  s3->signature = join(a, (const char *const[]){"aws:amz:", region, ":s3", NULL});
  if (!s3->signature) return false;
  if (!id || !secret) return true;
  s3->keys = join(a, (const char *const[]){id, ":", secret, NULL});
  s3->headers[0] = CONTENT_HASH;
  if (!s3->keys || !token) return s3->keys != NULL;
  s3->token = join(a, (const char *const[]){"x-amz-security-token: ", token, NULL});
  s3->headers[1] = s3->token;
  return s3->token != NULL;
}

bool cpb_s3_resolve(cpb_s3 *s3, const cpb_allocator *a, const cpb_address *address, cpb_get_variable get,
                    cpb_error *error) {
  static const char *const names[] = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"};
  const char *region = variable(get, "AWS_REGION", "AWS_DEFAULT_REGION", "us-east-1");
  const char *endpoint = variable(get, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", NULL);
  cpb_address at;
  *s3 = (cpb_s3){0};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = get(names[i]);
    if (value && !is_word(value))
      cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "%s has a space or a control character", names[i]);
  }
  if (!is_word(region) || strpbrk(region, ":/@?#"))
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "AWS_REGION is no region; expected a name such as us-east-1");
  if (endpoint && (!cpb_address_parse(endpoint, &at) || cpb_address_has_scheme(&at, "s3") || at.query[0]))
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "AWS_ENDPOINT_URL is no http or https URL");
  if (error->code != CPB_OK) return false;
  if (!make_url(s3, a, address, endpoint, region) || !set_keys(s3, a, get, region)) cpb_fail_memory(error);
  return error->code == CPB_OK;
}

void cpb_s3_free(cpb_s3 *s3, const cpb_allocator *a) {
  cpb_release(a, s3->url);
  cpb_release(a, s3->keys);
  cpb_release(a, s3->token);
  cpb_release(a, s3->signature);
}
