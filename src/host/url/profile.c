#include "host/url/profile.h"

#include <errno.h>
#include <string.h>

#include "base/status.h"

/* Which file, by its number in cpb_profile. */
enum { CREDENTIALS, CONFIG };

static const struct {
  const char *text;
  cpb_setting_name name;
} known[] = {
    {"aws_access_key_id", CPB_SETTING_ID},         {"aws_secret_access_key", CPB_SETTING_SECRET},
    {"aws_session_token", CPB_SETTING_TOKEN},      {"region", CPB_SETTING_REGION},
    {"endpoint_url", CPB_SETTING_ENDPOINT},        {"role_arn", CPB_SETTING_ELSEWHERE},
    {"credential_process", CPB_SETTING_ELSEWHERE}, {"sso_session", CPB_SETTING_ELSEWHERE},
    {"sso_start_url", CPB_SETTING_ELSEWHERE},      {"web_identity_token_file", CPB_SETTING_ELSEWHERE},
};

/* A part of a line. */
typedef struct span {
  const char *begin, *end;
} span;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static span trimmed(span s) {
  while (s.begin < s.end && is_space(*s.begin)) s.begin++;
  while (s.begin < s.end && is_space(s.end[-1])) s.end--;
  return s;
}

static bool is(span s, const char *text) {
  size_t length = strlen(text);
  return (size_t)(s.end - s.begin) == length && memcmp(s.begin, text, length) == 0;
}

static char *copy(const cpb_allocator *a, span s) {
  size_t length = (size_t)(s.end - s.begin);
  char *text = cpb_alloc(a, length + 1);
  if (!text) return NULL;
  memcpy(text, s.begin, length);
  text[length] = 0;
  return text;
}

/* --- Where the files are ----------------------------------------------------------------- */

static const char *variable(const cpb_environment *e, const char *name) {
  const char *value = e->variable(name);
  return value && *value ? value : NULL;
}

/* The path, or NULL without an error if it is not set; `is_given`: it comes from the variable. */
static char *path_of(const cpb_environment *e, const cpb_allocator *a, const char *name, const char *below_home,
                     bool *is_given, cpb_error *error) {
  const char *given = variable(e, name), *home = variable(e, "HOME");
  *is_given = given != NULL;
  if (!given && !home) return NULL;
  const char *parts[] = {given ? given : home, given ? "" : below_home};
  size_t first = strlen(parts[0]), second = strlen(parts[1]);
  char *path = cpb_alloc(a, first + second + 1);
  if (!path) return cpb_fail_memory(error), NULL;
  memcpy(path, parts[0], first);
  memcpy(path + first, parts[1], second + 1);
  return path;
}

/* --- What they say ------------------------------------------------------------------------- */

typedef struct reading {
  cpb_profile *profile;
  const cpb_allocator *allocator;
  int file;
  const char *path, *wanted; /* `wanted`: the profile's name */
  size_t line;
  bool is_here, was_found, has_key; /* `has_key`: a line of this section before, which may go on */
  cpb_setting settings[CPB_SETTINGS];
} reading;

static void fail_at(const char *path, size_t line, cpb_code code, const char *expected, cpb_error *error) {
  char text[120];
  cpb_fail(error, code, CPB_NO_OFFSET, "%s, line %zu: %s", cpb_quote(text, sizeof text, path, strlen(path)), line,
           expected);
}

void cpb_setting_fail(const cpb_setting *s, cpb_code code, const char *expected, cpb_error *error) {
  char text[160];
  cpb_format(text, sizeof text, "%s %s", s->name, expected);
  fail_at(s->path, s->line, code, text, error);
}

/* "[NAME]", which in `config` is "[profile NAME]" but for the default one. */
static bool begin_section(reading *r, span line, cpb_error *error) {
  if (line.end[-1] != ']') {
    fail_at(r->path, r->line, CPB_E_USAGE, "a section without its end; expected [NAME]", error);
    return false;
  }
  span name = trimmed((span){line.begin + 1, line.end - 1});
  span first = name;
  static const char word[] = "profile";
  bool has_word =
      r->file == CONFIG && first.end - first.begin > 7 && memcmp(first.begin, word, 7) == 0 && is_space(first.begin[7]);
  if (has_word) name = trimmed((span){name.begin + 7, name.end});
  if (name.end - name.begin >= 2 && *name.begin == '"' && name.end[-1] == '"')
    name = (span){name.begin + 1, name.end - 1};
  r->is_here = is(name, r->wanted) && (r->file == CREDENTIALS || has_word || is(name, "default"));
  r->was_found = r->was_found || r->is_here;
  r->has_key = false;
  return true;
}

static bool take_setting(reading *r, span line, const char *equals, cpb_error *error) {
  span key = trimmed((span){line.begin, equals}), value = trimmed((span){equals + 1, line.end});
  r->has_key = true;
  for (size_t i = 0; r->is_here && i < sizeof known / sizeof *known; i++) {
    if (!is(key, known[i].text) || value.begin == value.end) continue;
    cpb_setting *s = &r->settings[known[i].name];
    cpb_release(r->allocator, s->text);
    *s = (cpb_setting){copy(r->allocator, value), known[i].text, r->path, r->line};
    if (!s->text) cpb_fail_memory(error);
    return s->text != NULL;
  }
  return true;
}

static bool take_line(reading *r, span line, cpb_error *error) {
  span text = trimmed(line);
  bool goes_on = r->has_key && line.begin < line.end && is_space(*line.begin);
  if (text.begin == text.end || *text.begin == '#' || *text.begin == ';' || goes_on) return true;
  if (*text.begin == '[') return begin_section(r, text, error);
  const char *equals = memchr(text.begin, '=', (size_t)(text.end - text.begin));
  if (equals && equals > text.begin) return take_setting(r, text, equals, error);
  fail_at(r->path, r->line, CPB_E_USAGE, "not understood; expected NAME = VALUE, [SECTION] or a comment", error);
  return false;
}

static bool take_lines(reading *r, const char *text, size_t size, cpb_error *error) {
  const char *end = text + size;
  while (text < end) {
    const char *next = memchr(text, '\n', (size_t)(end - text));
    r->line++;
    if (!take_line(r, (span){text, next ? next : end}, error)) return false;
    text = next ? next + 1 : end;
  }
  return true;
}

/* Those that the profile lacks; keys only together, as they belong together. */
static void keep(reading *r) {
  cpb_setting *had = r->profile->settings;
  bool has_keys = had[CPB_SETTING_ID].text || had[CPB_SETTING_SECRET].text;
  for (int i = 0; i < CPB_SETTINGS; i++) {
    bool taken = had[i].text || (has_keys && i <= CPB_SETTING_TOKEN);
    if (taken) cpb_release(r->allocator, r->settings[i].text);
    else had[i] = r->settings[i];
  }
}

/* One file; `found`: whether it has the profile. */
static bool load(cpb_profile *p, const cpb_allocator *a, const cpb_environment *e, int file, const char *name,
                 bool *found, cpb_error *error) {
  static const char *const names[] = {"AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"};
  static const char *const homes[] = {"/.aws/credentials", "/.aws/config"};
  bool is_given;
  char *path = p->paths[file] = path_of(e, a, names[file], homes[file], &is_given, error);
  if (!path) return error->code == CPB_OK;
  cpb_buffer text;
  cpb_buffer_init(&text, a);
  int failed = e->read(path, &text);
  if (failed == ENOMEM) cpb_fail_memory(error);
  else if (failed && (is_given || (failed != ENOENT && failed != ENOTDIR)))
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "%s%s%s: %s", is_given ? names[file] : "", is_given ? ": " : "", path,
             failed == EFBIG ? "more than 1 MiB; expected a file of settings" : strerror(failed));
  reading r = {.profile = p, .allocator = a, .file = file, .path = path, .wanted = name};
  bool done = error->code == CPB_OK && (text.size == 0 || take_lines(&r, (const char *)text.data, text.size, error));
  keep(&r);
  *found = *found || r.was_found;
  cpb_buffer_free(&text);
  return done;
}

bool cpb_profile_load(cpb_profile *p, const cpb_allocator *a, const cpb_environment *e, cpb_error *error) {
  const char *name = variable(e, "AWS_PROFILE");
  bool found = false;
  *p = (cpb_profile){.is_named = name != NULL};
  if (!name) name = "default";
  bool done = load(p, a, e, CREDENTIALS, name, &found, error) && load(p, a, e, CONFIG, name, &found, error);
  if (!done || found || !p->is_named) return done;
  char text[80];
  return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET, "AWS_PROFILE is %s, which neither %s nor %s has",
                   cpb_quote(text, sizeof text, name, strlen(name)),
                   p->paths[CREDENTIALS] ? p->paths[CREDENTIALS] : "a file",
                   p->paths[CONFIG] ? p->paths[CONFIG] : "another");
}

void cpb_profile_free(cpb_profile *p, const cpb_allocator *a) {
  for (int i = 0; i < CPB_SETTINGS; i++) cpb_release(a, p->settings[i].text);
  for (int i = 0; i < 2; i++) cpb_release(a, p->paths[i]);
}
