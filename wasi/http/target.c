/* The target of a request: the query's parameters, and the headers that narrow it. */
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "base/url_text.h"
#include "job.h"

/* --- Parameters --------------------------------------------------------------------------------------- */

static bool copy(job *j, const char *name, const char *p, const char *end, char *out, size_t size, size_t *length) {
  for (*length = 0; p < end;) {
    int c = *p == '+' ? (p++, ' ') : cpb_url_unescape(&p, end);
    if (c <= 0)
      return CPB_FAILS(&j->error, CPB_E_USAGE, CPB_NO_OFFSET,
                       "the parameter %s has a %% that no two hexadecimal digits follow, "
                       "or a NUL",
                       name);
    if (*length + 1 == size)
      return CPB_FAILS(&j->error, CPB_E_USAGE, CPB_NO_OFFSET, "the parameter %s is longer than %zu bytes", name,
                       size - 1);
    out[(*length)++] = (char)c;
  }
  out[*length] = 0;
  return true;
}

bool job_parameter(job *j, const char *name, char *out, size_t size, size_t *length) {
  size_t name_length = strlen(name);
  for (const char *p = j->query; *p;) {
    const char *end = p + strcspn(p, "&");
    if ((size_t)(end - p) > name_length && !memcmp(p, name, name_length) && p[name_length] == '=')
      return copy(j, name, p + name_length + 1, end, out, size, length);
    p = *end ? end + 1 : end;
  }
  return false;
}

bool serve_read_number(const char **text, uint64_t *number) {
  const char *p = *text;
  for (*number = 0; *p >= '0' && *p <= '9'; p++)
    if (!cpb_mul_u64(*number, 10, number) || !cpb_add_u64(*number, (uint64_t)(*p - '0'), number)) *number = UINT64_MAX;
  bool found = p > *text;
  *text = p;
  return found;
}

bool job_number(job *j, const char *name, uint64_t most, uint64_t otherwise, uint64_t *number) {
  char text[32];
  const char *p = text;
  size_t length;
  *number = otherwise;
  if (!job_parameter(j, name, text, sizeof text, &length)) return j->error.code == CPB_OK;
  if (serve_read_number(&p, number) && !*p && *number <= most) return true;
  return CPB_FAILS(&j->error, CPB_E_USAGE, CPB_NO_OFFSET, "the parameter %s is no number from 0 to %llu", name,
                   (unsigned long long)most);
}

/* --- Headers ------------------------------------------------------------------------------------------- */

static const char *opaque(const char *etag) { return etag[0] == 'W' && etag[1] == '/' ? etag + 2 : etag; }

/* Whether a tag is in a list of tags. Weak ones count like strong ones, or, with `strong`, not at all. */
static bool is_among(const char *list, const char *etag, bool strong) {
  const char *wanted = strong ? etag : opaque(etag);
  for (const char *p = list; *p;) {
    p += strspn(p, " \t,");
    if (*p == '*') return true;
    const char *tag = opaque(p);
    size_t length = *tag == '"' ? strcspn(tag + 1, "\"") + 2 : 0;
    bool may_be = length > 0 && !(strong && tag != p);
    if (may_be && strlen(wanted) == length && !memcmp(tag, wanted, length)) return true;
    p = tag + (length > 0 ? strnlen(tag, length) : strcspn(tag, ","));
  }
  return false;
}

bool serve_is_known(const serve_request *request, const char *etag) {
  return request->if_none_match && *etag && is_among(request->if_none_match, etag, false);
}

bool serve_is_unwanted(const serve_request *request, const char *etag) {
  return request->if_match && !is_among(request->if_match, etag, true);
}

/* "bytes=1-2", "bytes=1-" or "bytes=-2"; several ranges, or invalid ones, count as if the header were missing. */
static bool parse_range(const char *text, uint64_t size, cpb_range *range) {
  uint64_t first, last;
  if (strncmp(text, "bytes=", 6) != 0) return false;
  text += 6;
  if (*text == '-') {
    text++;
    if (!serve_read_number(&text, &last) || *text) return false;
    last = cpb_min_u64(last, size);
    *range = (cpb_range){size - last, last};
    return true;
  }
  if (!serve_read_number(&text, &first) || *text++ != '-') return false;
  if (!*text) last = UINT64_MAX;
  else if (!serve_read_number(&text, &last) || *text || last < first) return false;
  *range = (cpb_range){first, 0};
  if (first < size) range->length = cpb_min_u64(last, size - 1) - first + 1;
  return true;
}

serve_range_kind serve_range(const serve_request *request, const char *etag, uint64_t size, cpb_range *range) {
  const char *of = request->if_range;
  bool same = !of || (*of == '"' && strcmp(of, etag) == 0);
  cpb_range part;
  *range = (cpb_range){0, size};
  if (!request->range || !same || !parse_range(request->range, size, &part)) return RANGE_ALL;
  *range = part;
  return part.length > 0 ? RANGE_PART : RANGE_NONE;
}
