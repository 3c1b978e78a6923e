#include "host/url/s3.h"

#include <string.h>

#include "base/status.h"

/* The hash of an empty body, which all our requests have. */
#define CONTENT_HASH "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* Whether a text may be in a header or a host: no space, no control character. */
static bool is_word(const char *text) {
  for (; *text; text++)
    if (*text <= ' ' || *text > '~') return false;
  return true;
}

static bool append(cpb_buffer *out, const char *text, size_t length) { return cpb_buffer_append(out, text, length); }
static bool append_text(cpb_buffer *out, const char *text) { return append(out, text, strlen(text)); }

/* Joins the texts up to a NULL; NULL if memory is short. */
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

/* Appends a key as a path, escaped in the form that the signature uses: all but these characters. */
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

/* For Amazon's own service, the bucket is part of the host, unless its dots would not match the certificate. */
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

/* --- Settings ----------------------------------------------------------------------------- */

/* The variables that correspond to settings; and the purpose of each setting. */
static const char *const names[CPB_SETTINGS][2] = {
    [CPB_SETTING_ID] = {"AWS_ACCESS_KEY_ID"},
    [CPB_SETTING_SECRET] = {"AWS_SECRET_ACCESS_KEY"},
    [CPB_SETTING_TOKEN] = {"AWS_SESSION_TOKEN"},
    [CPB_SETTING_REGION] = {"AWS_REGION", "AWS_DEFAULT_REGION"},
    [CPB_SETTING_ENDPOINT] = {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"},
};

typedef struct settings {
  const char *texts[CPB_SETTINGS];
  cpb_profile profile;
} settings;

/* Keys come either all from the environment or all from the profile. */
static void choose(settings *s, const cpb_environment *e) {
  for (int i = 0; i < CPB_SETTING_ELSEWHERE; i++) {
    for (int k = 0; k < 2 && !s->texts[i]; k++) {
      const char *value = names[i][k] ? e->variable(names[i][k]) : NULL;
      if (value && *value) s->texts[i] = value;
    }
  }
  bool has_keys = s->texts[CPB_SETTING_ID] && s->texts[CPB_SETTING_SECRET];
  for (int i = 0; i < CPB_SETTING_ELSEWHERE; i++) {
    const char *own = s->profile.settings[i].text;
    if (i <= CPB_SETTING_TOKEN ? !has_keys : !s->texts[i]) s->texts[i] = own;
  }
}

/* The profile's setting with this text, or NULL if it is from a variable. */
static const cpb_setting *setting_of(const settings *s, cpb_setting_name i) {
  const cpb_setting *own = &s->profile.settings[i];
  return own->text && s->texts[i] == own->text ? own : NULL;
}

static void refuse(const settings *s, cpb_setting_name i, const char *why, cpb_error *error) {
  const cpb_setting *own = setting_of(s, i);
  if (own) cpb_setting_fail(own, CPB_E_USAGE, why, error);
  else cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "%s %s", names[i][i == CPB_SETTING_ENDPOINT], why);
}

static bool check(const settings *s, cpb_error *error) {
  const char *region = s->texts[CPB_SETTING_REGION], *endpoint = s->texts[CPB_SETTING_ENDPOINT];
  const cpb_setting *id = setting_of(s, CPB_SETTING_ID), *secret = setting_of(s, CPB_SETTING_SECRET);
  const cpb_setting *elsewhere = &s->profile.settings[CPB_SETTING_ELSEWHERE];
  cpb_address at;
  for (int i = CPB_SETTING_ID; i <= CPB_SETTING_TOKEN; i++)
    if (s->texts[i] && !is_word(s->texts[i]))
      refuse(s, (cpb_setting_name)i, "has a space or a control character", error);
  if (region && (!is_word(region) || strpbrk(region, ":/@?#")))
    refuse(s, CPB_SETTING_REGION, "is no region; expected a name such as us-east-1", error);
  if (endpoint && (!cpb_address_parse(endpoint, &at) || cpb_address_has_scheme(&at, "s3") || at.query[0]))
    refuse(s, CPB_SETTING_ENDPOINT, "is no http or https URL", error);
  if (id && !secret) cpb_setting_fail(id, CPB_E_USAGE, "is alone; expected aws_secret_access_key, too", error);
  if (secret && !id) cpb_setting_fail(secret, CPB_E_USAGE, "is alone; expected aws_access_key_id, too", error);
  bool has_own_keys = s->texts[CPB_SETTING_ID] && !id;
  if (elsewhere->text && s->profile.is_named && !has_own_keys)
    cpb_setting_fail(
        elsewhere, CPB_E_UNSUPPORTED,
        "is not followed; expected aws_access_key_id, or the variables of 'aws configure export-credentials'", error);
  return error->code == CPB_OK;
}

static bool set_keys(cpb_s3 *s3, const cpb_allocator *a, const settings *s, const char *region) {
  const char *id = s->texts[CPB_SETTING_ID], *secret = s->texts[CPB_SETTING_SECRET];
  const char *token = s->texts[CPB_SETTING_TOKEN];
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

bool cpb_s3_resolve(cpb_s3 *s3, const cpb_allocator *a, const cpb_address *address, const cpb_environment *environment,
                    cpb_error *error) {
  settings s = {0};
  *s3 = (cpb_s3){0};
  if (cpb_profile_load(&s.profile, a, environment, error)) {
    choose(&s, environment);
    const char *region = s.texts[CPB_SETTING_REGION] ? s.texts[CPB_SETTING_REGION] : "us-east-1";
    if (check(&s, error) &&
        (!make_url(s3, a, address, s.texts[CPB_SETTING_ENDPOINT], region) || !set_keys(s3, a, &s, region)))
      cpb_fail_memory(error);
  }
  cpb_profile_free(&s.profile, a);
  return error->code == CPB_OK;
}

void cpb_s3_free(cpb_s3 *s3, const cpb_allocator *a) {
  cpb_release(a, s3->url);
  cpb_release(a, s3->keys);
  cpb_release(a, s3->token);
  cpb_release(a, s3->signature);
}
