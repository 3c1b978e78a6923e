#include "host/url/response.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

/* --- Text ------------------------------------------------------------------------- */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Whether `text` begins with `word`, which is lower case, ignoring case. */
static bool begins(const char *text, size_t length, const char *word) {
  size_t i = 0;
  while (word[i] && i < length && lower(text[i]) == word[i]) i++;
  return !word[i];
}

/* Reads digits, up to the first other character. */
static bool read_number(const char **text, uint64_t *number) {
  const char *p = *text;
  for (*number = 0; *p >= '0' && *p <= '9'; p++)
    if (!cpb_mul_u64(*number, 10, number) || !cpb_add_u64(*number, (uint64_t)(*p - '0'), number)) return false;
  bool found = p > *text;
  *text = p;
  return found;
}

static bool skip(const char **text, char c) {
  if (**text != c) return false;
  ++*text;
  return true;
}

/* After "bytes" and spaces, or NULL. */
static const char *after_unit(const char *text) {
  if (!begins(text, strlen(text), "bytes") || !is_space(text[5])) return NULL;
  for (text += 5; is_space(*text);) text++;
  return text;
}

/* --- Lines ------------------------------------------------------------------------ */

typedef struct field {
  const char *name; /* with its colon */
  size_t offset, size;
} field;

#define FIELD(name, member) {name ":", offsetof(cpb_response, member), sizeof((cpb_response *)0)->member}
static const field fields[] = {
    FIELD("content-range", content_range),
    FIELD("content-encoding", content_encoding),
    FIELD("content-type", content_type),
    FIELD("content-length", content_length),
    FIELD("etag", etag),
    FIELD("last-modified", last_modified),
    FIELD("retry-after", retry_after),
};

static bool is_printable(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (text[i] < ' ' || text[i] > '~') return false;
  return true;
}

void cpb_response_line(cpb_response *r, const char *line, size_t length) {
  while (length > 0 && is_space(line[length - 1])) length--;
  if (begins(line, length, "http/")) {
    *r = (cpb_response){0};
    const char *p = memchr(line, ' ', length), *end = line + length;
    for (int digits = 0; p && digits < 3 && ++p < end && *p >= '0' && *p <= '9'; digits++)
      r->status = r->status * 10 + (*p - '0');
  }
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    size_t name = strlen(fields[i].name);
    char *value = (char *)r + fields[i].offset;
    if (!begins(line, length, fields[i].name)) continue;
    while (name < length && is_space(line[name])) name++;
    *value = 0;
    if (length - name >= fields[i].size || !is_printable(line + name, length - name)) continue;
    memcpy(value, line + name, length - name);
    value[length - name] = 0;
  }
}

/* --- What they mean ------------------------------------------------------------------ */

bool cpb_response_is_encoded(const cpb_response *r) {
  size_t length = strlen(r->content_encoding);
  return length > 0 && !(length == strlen("identity") && begins(r->content_encoding, length, "identity"));
}

static bool parse_range(const char *text, cpb_content_range *range) {
  const char *p = after_unit(text);
  uint64_t last;
  if (!p || !read_number(&p, &range->begin) || !skip(&p, '-') || !read_number(&p, &last) || !skip(&p, '/'))
    return false;
  if (!read_number(&p, &range->size) || *p || last >= range->size || range->size > INT64_MAX) return false;
  range->end = last + 1;
  return range->begin < range->end;
}

bool cpb_response_range(const cpb_response *r, cpb_content_range *range, cpb_error *error) {
  if (begins(r->content_type, strlen(r->content_type), "multipart/")) {
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the server answered a range with several parts; expected one");
  } else if (cpb_response_is_encoded(r)) {
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET,
             "the server answered a range with Content-Encoding: %s; expected the bytes as they are",
             r->content_encoding);
  } else if (!*r->content_range) {
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the server answered 206 without a Content-Range");
  } else if (!parse_range(r->content_range, range)) {
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET,
             "the server answered with Content-Range: %s; expected a range of a known size", r->content_range);
  } else {
    return true;
  }
  return false;
}

bool cpb_response_size_of_416(const cpb_response *r, uint64_t *size) {
  const char *p = after_unit(r->content_range);
  return p && skip(&p, '*') && skip(&p, '/') && read_number(&p, size) && !*p && *size <= INT64_MAX;
}

bool cpb_response_length(const cpb_response *r, uint64_t *length) {
  const char *p = r->content_length;
  return read_number(&p, length) && !*p && !cpb_response_is_encoded(r);
}

bool cpb_status_is_temporary(int status) {
  return status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

/* --- Refusals ------------------------------------------------------------------------ */

cpb_code cpb_status_code(int status) {
  if (status == 404 || status == 410) return CPB_E_NOT_FOUND;
  if (status == 401 || status == 403 || status == 407) return CPB_E_DENIED;
  return cpb_status_is_temporary(status) ? CPB_E_UNAVAILABLE : CPB_E_READ;
}

const char *cpb_status_meaning(int status, const char *said) {
  if (strstr(said, "xpired")) return ": the signature or token has expired; ask for a new one";
  if (status == 401) return ": it wants to know who asks";
  if (status == 403) return ": access is denied";
  if (status == 404) return ": there is no such file";
  return status == 429 ? ": too many requests" : "";
}

void cpb_response_explain(const char *said, char *out, size_t size) {
  const char *message = strstr(said, "<Message>");
  size_t at = 0;
  if (message) said = message + strlen("<Message>");
  for (bool tag = false; *said && at + 1 < size; said++) {
    if (*said == '<' && message) break;
    if (*said == '<' || *said == '>') tag = *said == '<';
    bool space = tag || *said <= ' ' || *said == '>' || *said > '~';
    if (!space || (at > 0 && out[at - 1] != ' ')) out[at++] = space ? ' ' : *said;
  }
  while (at > 0 && out[at - 1] == ' ') at--;
  out[at] = 0;
}

/* --- Dates ---------------------------------------------------------------------------- */

static bool read_two(const char **text, int64_t *number) {
  const char *p = *text;
  if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9') return false;
  *number = (p[0] - '0') * 10 + (p[1] - '0');
  *text += 2;
  return true;
}

bool cpb_response_date(const char *text, int64_t *seconds) {
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  int64_t day, century, year, hour, minute, second, month = 0;
  const char *p = strlen(text) == 29 ? text + 5 : "";
  if (!read_two(&p, &day) || !skip(&p, ' ')) return false;
  while (month < 12 && memcmp(p, months + 3 * month, 3) != 0) month++;
  if (month == 12) return false;
  p += 3;
  if (!skip(&p, ' ') || !read_two(&p, &century) || !read_two(&p, &year) || !skip(&p, ' ')) return false;
  if (!read_two(&p, &hour) || !skip(&p, ':') || !read_two(&p, &minute) || !skip(&p, ':') || !read_two(&p, &second))
    return false;
  /* Days in the Gregorian calendar; years begin in March here. */
  year += century * 100 - (month < 2);
  month = (month + 10) % 12;
  int64_t days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719468;
  *seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
  return strcmp(p, " GMT") == 0;
}

uint64_t cpb_response_retry_after(const cpb_response *r, int64_t now) {
  const char *p = r->retry_after;
  uint64_t seconds;
  int64_t until;
  if (read_number(&p, &seconds) && !*p) return seconds < UINT32_MAX ? seconds * 1000 : (uint64_t)UINT32_MAX * 1000;
  if (!cpb_response_date(r->retry_after, &until) || until <= now) return 0;
  return (uint64_t)(until - now) * 1000;
}

/* --- Validators ------------------------------------------------------------------------ */

static bool is_weak(const char *etag) { return etag[0] == 'W' && etag[1] == '/'; }

static const char *opaque(const char *etag) { return is_weak(etag) ? etag + 2 : etag; }

static bool changed(cpb_error *error, const char *what, const char *was, const char *is) {
  char old[72], new[72];
  return CPB_FAILS(error, CPB_E_READ, CPB_NO_OFFSET, "the file changed while it was read: its %s was %s, now %s", what,
                   cpb_quote(old, sizeof old, was, strlen(was)), cpb_quote(new, sizeof new, is, strlen(is)));
}

static bool same_size(const cpb_validators *known, uint64_t size, cpb_error *error) {
  if (known->size == size) return true;
  return CPB_FAILS(error, CPB_E_READ, CPB_NO_OFFSET, "the file changed while it was read: its size was %llu, now %llu",
                   (unsigned long long)known->size, (unsigned long long)size);
}

static bool same_state(const cpb_validators *known, const cpb_response *r, cpb_error *error) {
  if (*known->etag && *r->etag) {
    if (strcmp(opaque(known->etag), opaque(r->etag)) != 0) return changed(error, "ETag", known->etag, r->etag);
    if (!is_weak(known->etag) && !is_weak(r->etag)) return true;
  }
  bool dated = *known->last_modified && *r->last_modified;
  if (!dated || strcmp(known->last_modified, r->last_modified) == 0) return true;
  return changed(error, "Last-Modified", known->last_modified, r->last_modified);
}

bool cpb_validators_agree(cpb_validators *known, const cpb_response *r, uint64_t size, cpb_error *error) {
  if (!known->known) *known = (cpb_validators){.known = true, .size = size};
  if (!same_size(known, size, error) || !same_state(known, r, error)) return false;
  if (!*known->etag) memcpy(known->etag, r->etag, sizeof known->etag);
  if (!*known->last_modified) memcpy(known->last_modified, r->last_modified, sizeof known->last_modified);
  return true;
}

bool cpb_validators_condition(const cpb_validators *known, bool by_date, char *out, size_t size) {
  if (*known->etag && !is_weak(known->etag)) cpb_format(out, size, "If-Match: %s", known->etag);
  else if (by_date && *known->last_modified) cpb_format(out, size, "If-Unmodified-Since: %s", known->last_modified);
  else return false;
  return true;
}
