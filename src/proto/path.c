#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "cpb/message.h"

struct cpb_path {
  cpb_allocator allocator;
  cpb_path_tag *tags;
  size_t num_tags, tags_capacity;
  char *text; /* names and keys of the tags; never longer than the path */
  size_t text_size;
};

/* --- Parsing -------------------------------------------------------------- */

typedef struct {
  const char *begin, *at, *end;
  cpb_path *path;
  cpb_error *error;
} parser;

static bool wrong(parser *p, const char *expected) {
  size_t offset = (size_t)(p->at - p->begin);
  return CPB_FAILS(p->error, CPB_E_USAGE, offset, "expected %s at character %zu of the path", expected, offset + 1);
}

static bool add_tag(parser *p, cpb_path_tag tag) {
  if (!CPB_RESERVE(&p->path->allocator, &p->path->tags, &p->path->tags_capacity, p->path->num_tags + 1))
    return cpb_fail_memory(p->error), false;
  p->path->tags[p->path->num_tags++] = tag;
  return true;
}

static bool next_is(const parser *p, char c) { return p->at < p->end && *p->at == c; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool take_char(parser *p, char c, const char *expected) {
  if (!next_is(p, c)) return wrong(p, expected);
  p->at++;
  return true;
}

/* The caller has seen a digit. */
static bool take_number(parser *p, uint64_t *value) {
  *value = 0;
  for (; p->at < p->end && is_digit(*p->at); p->at++) {
    uint64_t tens;
    if (!cpb_mul_u64(*value, 10, &tens) || !cpb_add_u64(tens, (uint64_t)(*p->at - '0'), value))
      return wrong(p, "a number of at most 64 bits");
  }
  return true;
}

/* The name of a field, or of an extension, which has dots. */
static bool take_name(parser *p, bool dots) {
  const char *begin = p->at, *expected = dots ? "the full name of an extension" : "a field's name or number";
  if (p->at < p->end && is_digit(*p->at)) return wrong(p, expected);
  while (p->at < p->end && (is_word(*p->at) || (dots && *p->at == '.'))) p->at++;
  size_t length = (size_t)(p->at - begin);
  if (length == 0) return wrong(p, expected);
  char *text = p->path->text + p->path->text_size;
  memcpy(text, begin, length);
  p->path->text_size += length;
  return add_tag(p, (cpb_path_tag){CPB_PATH_NAME, 0, 0, text, length});
}

static bool take_field(parser *p) {
  if (next_is(p, '[')) {
    p->at++;
    return take_name(p, true) && take_char(p, ']', "\"]\"");
  }
  if (p->at == p->end || !is_digit(*p->at)) return take_name(p, false);
  cpb_path_tag tag = {CPB_PATH_NUMBER, 0, 0, NULL, 0};
  const char *begin = p->at;
  if (!take_number(p, &tag.value)) return false;
  if (tag.value == 0 || tag.value >= 1 << 29) {
    p->at = begin;
    return wrong(p, "a field number from 1 to 536870911");
  }
  return add_tag(p, tag);
}

static int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_escape(parser *p, char *c) {
  static const char names[] = "\"\\'ntr", values[] = "\"\\'\n\t\r";
  p->at++;
  if (next_is(p, 'x')) {
    int high = p->end - p->at >= 3 ? hex_digit(p->at[1]) : -1, low = high >= 0 ? hex_digit(p->at[2]) : -1;
    if (low < 0) return wrong(p, "two hex digits after \\x");
    *c = (char)(high << 4 | low);
    p->at += 3;
    return true;
  }
  const char *name = p->at < p->end ? memchr(names, *p->at, sizeof names - 1) : NULL;
  if (!name) return wrong(p, "one of \" \\ ' n t r xNN after a backslash");
  *c = values[name - names];
  p->at++;
  return true;
}

static bool take_key(parser *p) {
  char *begin = p->path->text + p->path->text_size, *to = begin;
  const char quote = *p->at++;
  while (p->at < p->end && *p->at != quote) {
    char c = *p->at;
    if (c != '\\') p->at++;
    else if (!take_escape(p, &c)) return false;
    *to++ = c;
  }
  p->path->text_size += (size_t)(to - begin);
  return take_char(p, quote, quote == '"' ? "the closing \" of a map key" : "the closing ' of a map key") &&
         add_tag(p, (cpb_path_tag){CPB_PATH_KEY, 0, 0, begin, (size_t)(to - begin)});
}

static bool take_word(parser *p, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return false;
  p->at += length;
  return true;
}

static bool take_selector(parser *p) {
  p->at++;
  if (next_is(p, '"') || next_is(p, '\'')) return take_key(p) && take_char(p, ']', "\"]\"");
  cpb_path_tag tag = {CPB_PATH_BOOL, 0, 0, NULL, 0};
  if (take_word(p, "true")) {
    tag.value = 1;
  } else if (!take_word(p, "false")) {
    tag.kind = CPB_PATH_INDEX;
    tag.negative = take_word(p, "-");
    if (p->at == p->end || !is_digit(*p->at))
      return wrong(p, "an index or a map key: a number, true, false or \"text\"");
    if (!take_number(p, &tag.value)) return false;
  }
  return add_tag(p, tag) && take_char(p, ']', "\"]\"");
}

static bool take_path(parser *p) {
  if (p->at == p->end) return true;
  if (!take_field(p)) return false;
  while (p->at < p->end) {
    if (*p->at == '[') {
      if (!take_selector(p)) return false;
    } else if (!take_char(p, '.', "\".\" or \"[\"") || !take_field(p)) {
      return false;
    }
  }
  return true;
}

cpb_path *cpb_path_parse(const cpb_allocator *allocator, const char *text, size_t length, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  const cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_path *path = cpb_alloc_zeroed(&a, sizeof *path);
  if (path) {
    path->allocator = a;
    path->text = cpb_alloc(&a, length);
  }
  if (!path || !path->text) cpb_fail_memory(error);
  parser p = {text, text, length > 0 ? text + length : text, path, error};
  if (error->code == CPB_OK && take_path(&p)) return path;
  cpb_path_free(path);
  return NULL;
}

void cpb_path_free(cpb_path *path) {
  if (!path) return;
  const cpb_allocator a = path->allocator;
  cpb_release(&a, path->tags);
  cpb_release(&a, path->text);
  cpb_release(&a, path);
}

size_t cpb_path_num_tags(const cpb_path *path) { return path->num_tags; }

const cpb_path_tag *cpb_path_get_tag(const cpb_path *path, size_t i) {
  return i < path->num_tags ? &path->tags[i] : NULL;
}

/* --- Formatting ----------------------------------------------------------- */

typedef struct {
  char *out;
  size_t size, length;
} writer;

static void put(writer *w, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++, w->length++)
    if (w->length + 1 < w->size) w->out[w->length] = text[i];
}

static void put_text(writer *w, const char *text) { put(w, text, strlen(text)); }

static void put_number(writer *w, const cpb_path_tag *tag) {
  char text[24];
  if (tag->negative) put_text(w, "-");
  put(w, text, cpb_format(text, sizeof text, "%llu", (unsigned long long)tag->value));
}

static void put_key(writer *w, const cpb_path_tag *tag) {
  put_text(w, "\"");
  for (size_t i = 0; i < tag->length; i++) {
    unsigned char c = (unsigned char)tag->text[i];
    char escaped[5];
    if (c == '"' || c == '\\') {
      put_text(w, "\\");
    } else if (c < 0x20 || c >= 0x7f) {
      put(w, escaped, cpb_format(escaped, sizeof escaped, "\\x%02x", (unsigned)c));
      continue;
    }
    put(w, &tag->text[i], 1);
  }
  put_text(w, "\"");
}

static void put_field(writer *w, const cpb_path_tag *tag) {
  bool extension = tag->kind == CPB_PATH_NAME && memchr(tag->text, '.', tag->length) != NULL;
  if (extension) put_text(w, "[");
  if (tag->kind == CPB_PATH_NAME) put(w, tag->text, tag->length);
  else put_number(w, tag);
  if (extension) put_text(w, "]");
}

static void put_selector(writer *w, const cpb_path_tag *tag) {
  put_text(w, "[");
  if (tag->kind == CPB_PATH_KEY) put_key(w, tag);
  else if (tag->kind == CPB_PATH_BOOL) put_text(w, tag->value ? "true" : "false");
  else put_number(w, tag);
  put_text(w, "]");
}

size_t cpb_path_format(const cpb_path_tag *tags, size_t count, char *out, size_t size) {
  writer w = {out, size, 0};
  for (size_t i = 0; i < count; i++) {
    if (tags[i].kind == CPB_PATH_NAME || tags[i].kind == CPB_PATH_NUMBER) {
      if (i > 0) put_text(&w, ".");
      put_field(&w, &tags[i]);
    } else {
      put_selector(&w, &tags[i]);
    }
  }
  if (size > 0) out[w.length < size ? w.length : size - 1] = '\0';
  return w.length;
}
