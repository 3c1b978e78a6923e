#include "cli/npy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ALIGNMENT 64
#define BEFORE_DICT 10 /* magic, version, length */

/* --- Writing ---------------------------------------------------------------------- */

typedef struct text {
  char *out;
  size_t size; /* of NPY_HEAD_MAX; more when there was no room */
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text *t, const char *format, ...) {
  size_t left = t->size < NPY_HEAD_MAX ? NPY_HEAD_MAX - t->size : 0;
  va_list values;
  va_start(values, format);
  int n = vsnprintf(left > 0 ? t->out + t->size : NULL, left, format, values);
  va_end(values);
  t->size += n > 0 ? (size_t)n : 0;
}

size_t npy_head(char *out, const char *dtype, bool fortran_order, const uint64_t *shape, size_t rank) {
  text t = {out, BEFORE_DICT};
  put(&t, "{'descr': '%s', 'fortran_order': %s, 'shape': (", dtype, fortran_order ? "True" : "False");
  for (size_t i = 0; i < rank; i++) put(&t, i > 0 ? ", %llu" : "%llu", (unsigned long long)shape[i]);
  put(&t, rank == 1 ? ",), }" : "), }");
  size_t padding = ALIGNMENT - 1 - t.size % ALIGNMENT;
  if (t.size + padding + 1 >= NPY_HEAD_MAX) return 0;
  memset(out + t.size, ' ', padding);
  size_t size = t.size + padding + 1, dict = size - BEFORE_DICT;
  out[size - 1] = '\n';
  memcpy(out, "\x93NUMPY\x01\x00", 8);
  out[8] = (char)(dict & 0xff);
  out[9] = (char)(dict >> 8);
  return size;
}

/* --- Reading ---------------------------------------------------------------------- */

#define MAGIC "\x93NUMPY"
#define MAGIC_SIZE 6

/* A Python dict of three members, as NumPy writes it. */
typedef struct dict {
  const char *at, *end;
} dict;

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/* Goes past `c`, if that is next. */
static bool take(dict *d, char c) {
  while (d->at < d->end && is_space(*d->at)) d->at++;
  if (d->at == d->end || *d->at != c) return false;
  d->at++;
  return true;
}

static bool take_word(dict *d, const char *word) {
  size_t size = strlen(word);
  take(d, ' ');
  if ((size_t)(d->end - d->at) < size || memcmp(d->at, word, size) != 0) return false;
  d->at += size;
  return true;
}

/* In quotes of either kind; no name or type has an escape in it. */
static bool take_text(dict *d, char *out, size_t size) {
  char quote = take(d, '\'') ? '\'' : '"';
  if (quote == '"' && !take(d, '"')) return false;
  const char *close = memchr(d->at, quote, (size_t)(d->end - d->at));
  if (!close || (size_t)(close - d->at) >= size) return false;
  memcpy(out, d->at, (size_t)(close - d->at));
  out[close - d->at] = 0;
  d->at = close + 1;
  return true;
}

static bool take_number(dict *d, uint64_t *number) {
  const char *begin;
  take(d, ' ');
  *number = 0;
  for (begin = d->at; d->at < d->end && *d->at >= '0' && *d->at <= '9'; d->at++) {
    if (*number > (UINT64_MAX - 9) / 10) return false;
    *number = *number * 10 + (uint64_t)(*d->at - '0');
  }
  return d->at > begin;
}

static bool take_shape(dict *d, npy_info *info) {
  if (!take(d, '(')) return false;
  for (info->rank = 0; !take(d, ')'); info->rank++) {
    if (info->rank == NPY_RANK_MAX || !take_number(d, &info->shape[info->rank])) return false;
    if (!take(d, ',') && !(d->at < d->end && *d->at == ')')) return false;
  }
  return true;
}

static bool take_bool(dict *d, bool *value) {
  *value = take_word(d, "True");
  return *value || take_word(d, "False");
}

enum { HAS_DTYPE = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

static const char *take_member(dict *d, npy_info *info, unsigned *has) {
  char key[16];
  if (!take_text(d, key, sizeof key) || !take(d, ':')) return "the header cannot be parsed";
  if (strcmp(key, "descr") == 0) {
    *has |= HAS_DTYPE;
    return take_text(d, info->dtype, sizeof info->dtype)
               ? NULL
               : "descr is not a plain numeric type; expected one such as <f4";
  }
  if (strcmp(key, "fortran_order") == 0) {
    *has |= HAS_ORDER;
    return take_bool(d, &info->fortran_order) ? NULL : "the header cannot be parsed";
  }
  *has |= HAS_SHAPE;
  return strcmp(key, "shape") == 0 && take_shape(d, info)
             ? NULL
             : "the header has no valid shape; expected at most 32 dimensions";
}

static const char *read_dict(dict *d, npy_info *info) {
  unsigned has = 0;
  if (!take(d, '{')) return "the header cannot be parsed";
  while (!take(d, '}')) {
    const char *problem = take_member(d, info, &has);
    if (problem) return problem;
    if (!take(d, ',') && !(d->at < d->end && *d->at == '}')) return "the header cannot be parsed";
  }
  return has == HAS_ALL ? NULL : "the header cannot be parsed";
}

const char *npy_read(const uint8_t *data, size_t size, npy_info *info) {
  *info = (npy_info){.begin = 0};
  if (size < MAGIC_SIZE + 6 || memcmp(data, MAGIC, MAGIC_SIZE) != 0) return "not a .npy file";
  unsigned version = data[6], length_size = version == 1 ? 2 : 4;
  if (version < 1 || version > 3) return "unknown version of .npy; expected 1, 2 or 3";
  uint64_t length = 0;
  for (unsigned i = 0; i < length_size; i++) length |= (uint64_t)data[8 + i] << 8 * i;
  info->begin = 8 + length_size + length;
  if (info->begin > size) return "the header is too long or truncated";
  const char *begin = (const char *)data + 8 + length_size;
  return read_dict(&(dict){begin, begin + length}, info);
}
