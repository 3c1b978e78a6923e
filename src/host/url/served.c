#include "host/url/served.h"

#include <string.h>

#include "base/status.h"
#include "base/url_text.h"

/* web/src/source/addresses.js has the same table; tests/data/addresses.json is held against both. */
static const struct service {
  const char *scheme;   /* NULL: no scheme of its own */
  const char *endpoint; /* NULL: any host */
  const char *variable; /* environment variable with another endpoint; or NULL */
  const char *page;     /* NULL: no page shows a file. The path of such a page has these parts ... */
  const char *depths;   /* ... after so many others; several numbers are tried in this order */
  const char *file;     /* and the file's own path has these instead */
  const char *tokens[2];
  bool has_token_file;
} services[] = {
    {"hf", "https://huggingface.co", "HF_ENDPOINT", "blob", "231", "resolve", {"HF_TOKEN", NULL}, true},
    {"gs",
     "https://storage.googleapis.com",
     "STORAGE_EMULATOR_HOST",
     NULL,
     NULL,
     NULL,
     {"GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"},
     false},
    {NULL, "https://github.com", NULL, "blob", "2", "raw", {NULL, NULL}, false},
    {NULL, NULL, NULL, "-/blob", "23456789", "-/raw", {NULL, NULL}, false}, /* GitLab */
};

enum { SERVICES = sizeof services / sizeof *services };

static const char *variable(const cpb_environment *e, const char *name) {
  const char *value = name ? e->variable(name) : NULL;
  return value && *value ? value : NULL;
}

static bool append(cpb_buffer *out, const char *text) { return cpb_buffer_append(out, text, strlen(text)); }

static bool end_text(cpb_buffer *out) { return cpb_buffer_append(out, "", 1); }

/* --- Tokens ------------------------------------------------------------------------------- */

/* The length of a line without surrounding space. */
static size_t trim(const char **line, size_t length) {
  while (length > 0 && strchr(" \t\r\n", **line)) ++*line, length--;
  size_t end = 0;
  while (end < length && (*line)[end] != '\n') end++;
  while (end > 0 && strchr(" \t\r", (*line)[end - 1])) end--;
  return end;
}

static bool is_word(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (text[i] <= ' ' || text[i] > '~') return false;
  return true;
}

static bool set_token(cpb_served *served, const cpb_allocator *a, const char *from, const char *text, size_t length,
                      cpb_error *error) {
  static const char name[] = "Authorization: Bearer ";
  if (length == 0) return true;
  if (!is_word(text, length))
    return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET, "%s has a space or a control character in it; expected a token",
                     from);
  served->token = cpb_alloc(a, sizeof name + length);
  if (!served->token) return cpb_fail_memory(error) == CPB_OK;
  memcpy(served->token, name, sizeof name - 1);
  memcpy(served->token + sizeof name - 1, text, length);
  served->token[sizeof name - 1 + length] = 0;
  return true;
}

/* Where Hugging Face's own programs keep their token: a path, or nothing. */
static bool append_token_path(cpb_buffer *out, const cpb_environment *e) {
  static const char *const places[][2] = {{"HF_TOKEN_PATH", ""},
                                          {"HF_HOME", "/token"},
                                          {"XDG_CACHE_HOME", "/huggingface/token"},
                                          {"HOME", "/.cache/huggingface/token"}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *value = variable(e, places[i][0]);
    if (value) return append(out, value) && append(out, places[i][1]) && end_text(out);
  }
  return true;
}

static bool read_token(cpb_served *served, const cpb_allocator *a, const cpb_environment *e, cpb_error *error) {
  cpb_buffer path, text;
  cpb_buffer_init(&path, a);
  cpb_buffer_init(&text, a);
  bool done = append_token_path(&path, e) || cpb_fail_memory(error) == CPB_OK;
  if (done && path.size > 0 && e->read((const char *)path.data, &text) == 0 && text.size > 0) {
    const char *line = (const char *)text.data;
    size_t length = trim(&line, text.size);
    done = set_token(served, a, "the file with the token for hf://", line, length, error);
  }
  cpb_buffer_free(&path);
  cpb_buffer_free(&text);
  return done;
}

static bool find_token(cpb_served *served, const cpb_allocator *a, const struct service *s, const cpb_environment *e,
                       cpb_error *error) {
  for (size_t i = 0; i < 2; i++) {
    const char *value = variable(e, s->tokens[i]);
    if (value) return set_token(served, a, s->tokens[i], value, strlen(value), error);
  }
  return !s->has_token_file || read_token(served, a, e, error);
}

/* --- Schemes ------------------------------------------------------------------------------ */

/* The origin without a slash at its end, and with a scheme added if it has none. */
static bool append_endpoint(cpb_buffer *out, const struct service *s, const cpb_environment *e) {
  const char *given = variable(e, s->variable), *text = given ? given : s->endpoint;
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == '/') length--;
  return (strstr(text, "://") || append(out, "http://")) && cpb_buffer_append(out, text, length);
}

static bool is_endpoint(const cpb_buffer *endpoint) {
  cpb_address a;
  return cpb_address_parse((const char *)endpoint->data, &a) && cpb_address_is_http(&a) && !*a.query;
}

static bool append_escaped(cpb_buffer *out, const char *text, size_t length) {
  bool done = cpb_buffer_reserve(out, out->size + 3 * length);
  if (done) out->size += cpb_url_escape((cpb_span){(const uint8_t *)text, length}, (char *)out->data + out->size);
  return done;
}

/* The length of a text before its first slash. */
static size_t part_length(const char *text, const char *end) {
  const char *slash = memchr(text, '/', (size_t)(end - text));
  return (size_t)((slash ? slash : end) - text);
}

/* The same for a text in which % already begins an escape. */
static bool append_escaped_once(cpb_buffer *out, const char *text, size_t length) {
  const char *end = text + length, *percent;
  while ((percent = memchr(text, '%', (size_t)(end - text)))) {
    if (!append_escaped(out, text, (size_t)(percent - text)) || !append(out, "%")) return false;
    text = percent + 1;
  }
  return append_escaped(out, text, (size_t)(end - text));
}

/* "/MODEL@REVISION/FILE" after the owner: "/MODEL/resolve/REVISION/FILE". A revision may have %2F in it. */
static bool append_revision(cpb_buffer *out, const char *path, const char *end, bool *complete) {
  size_t name = part_length(path + 1, end), file = 1 + name;
  const char *at = memchr(path, '@', file);
  *complete = name > 0 && at != path + 1 && path + file + 1 < end && (!at || at + 1 < path + file);
  if (!*complete) return true;
  bool done = append_escaped(out, path, at ? (size_t)(at - path) : file) && append(out, "/resolve/");
  done = done && (at ? append_escaped_once(out, at + 1, (size_t)(path + file - at - 1)) : append(out, "main"));
  return done && append_escaped(out, path + file, (size_t)(end - path) - file);
}

/* "hf://OWNER/MODEL..." or "hf://datasets/OWNER/NAME..."; otherwise "BUCKET/OBJECT". */
static bool append_path(cpb_buffer *out, const struct service *s, const cpb_address *a, bool *complete) {
  const char *path = a->path;
  bool done = append(out, "/") && append_escaped(out, a->host, a->host_length);
  *complete = path + 1 < a->query;
  if (!s->page || !*complete) return done && append_escaped(out, path, (size_t)(a->query - path));
  bool is_other = (a->host_length == 8 && memcmp(a->host, "datasets", 8) == 0) ||
                  (a->host_length == 6 && memcmp(a->host, "spaces", 6) == 0);
  size_t owner = is_other ? 1 + part_length(path + 1, a->query) : 0;
  if (path + owner >= a->query) *complete = false;
  else done = done && append_escaped(out, path, owner) && append_revision(out, path + owner, a->query, complete);
  return done;
}

static bool resolve_scheme(cpb_buffer *out, const struct service *s, const cpb_address *a, cpb_error *error) {
  bool complete, done = append_path(out, s, a, &complete);
  done = done && cpb_buffer_append(out, a->query, strlen(a->query)) && end_text(out);
  if (!done) return cpb_fail_memory(error) == CPB_OK;
  if (!complete)
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "this names no file; expected %s",
             s->page ? "hf://OWNER/MODEL/FILE, or hf://OWNER/MODEL@REVISION/FILE" : "gs://BUCKET/OBJECT");
  return complete;
}

/* --- Pages ---------------------------------------------------------------------------------- */

/* Where the parts `page` begin in the path, after `depth` others; NULL if they are missing or last. */
static const char *find_page(const cpb_address *a, const char *page, int depth) {
  const char *at = a->path;
  size_t length = strlen(page);
  for (; depth > 0 && at < a->query; depth--) {
    if (part_length(at + 1, a->query) == 0) return NULL;
    at += 1 + part_length(at + 1, a->query);
  }
  bool found = (size_t)(a->query - at) > length + 2 && memcmp(at + 1, page, length) == 0 && at[1 + length] == '/';
  return found ? at + 1 : NULL;
}

/* Whether this is a page that shows a file of the service; `out` then gets the file's URL. `*is_file`: the URL is the
 * file's own. */
static bool resolve_page(cpb_buffer *out, const struct service *s, const cpb_address *a, bool *is_file,
                         cpb_error *error) {
  const char *page = NULL;
  *is_file = false;
  for (const char *depth = s->depths; !page && *depth; depth++) {
    page = find_page(a, s->page, *depth - '0');
    *is_file = *is_file || find_page(a, s->file, *depth - '0');
  }
  if (!page) return false;
  bool done = cpb_buffer_append(out, a->scheme, (size_t)(page - a->scheme)) && append(out, s->file) &&
              append(out, page + strlen(s->page)) && end_text(out);
  if (!done) cpb_fail_memory(error);
  return done;
}

/* --- Any of them ------------------------------------------------------------------------------ */

typedef enum match { NONE, MATCH, MATCH_AT_HOME } match; /* `MATCH_AT_HOME`: a token may be sent */

/* Sets `out` to the URL to request, if that differs. */
static match resolve_by(cpb_buffer *out, const struct service *s, const char *url, const cpb_environment *e,
                        cpb_error *error) {
  cpb_address a;
  cpb_buffer endpoint;
  bool is_file = false, done = false;
  if (!cpb_address_parse(url, &a)) return NONE;
  const bool by_scheme = s->scheme && cpb_address_has_scheme(&a, s->scheme);
  if (!by_scheme && (!s->page || !cpb_address_is_http(&a))) return NONE;
  cpb_buffer_init(&endpoint, &out->allocator);
  if (s->endpoint && !(append_endpoint(&endpoint, s, e) && end_text(&endpoint))) {
    cpb_buffer_free(&endpoint);
    cpb_fail_memory(error);
    return NONE;
  }
  if (s->endpoint && !is_endpoint(&endpoint)) {
    if (by_scheme) cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "%s is no http or https URL", s->variable);
  } else if (by_scheme) {
    done = cpb_buffer_append(out, endpoint.data, endpoint.size - 1) && resolve_scheme(out, s, &a, error);
  }
  bool at_home = by_scheme || (endpoint.size > 0 && cpb_address_same_origin((const char *)endpoint.data, url));
  bool is_here = at_home || !s->endpoint || cpb_address_same_origin(s->endpoint, url);
  if (!by_scheme && is_here && error->code == CPB_OK) done = resolve_page(out, s, &a, &is_file, error) || is_file;
  cpb_buffer_free(&endpoint);
  return !done ? NONE : at_home ? MATCH_AT_HOME : MATCH;
}

bool cpb_served_resolve(cpb_served *served, const cpb_allocator *a, const char *url, const cpb_environment *environment,
                        cpb_error *error) {
  cpb_buffer out;
  match found = NONE;
  *served = (cpb_served){0};
  cpb_buffer_init(&out, a);
  for (size_t i = 0; i < SERVICES && found == NONE && error->code == CPB_OK; i++) {
    found = resolve_by(&out, &services[i], url, environment, error);
    if (found == MATCH_AT_HOME) find_token(served, a, &services[i], environment, error);
  }
  if (error->code == CPB_OK && found != NONE && out.size > 0) served->url = (char *)out.data;
  else cpb_buffer_free(&out);
  return error->code == CPB_OK;
}

void cpb_served_free(cpb_served *served, const cpb_allocator *a) {
  cpb_release(a, served->url);
  cpb_release(a, served->token);
}
