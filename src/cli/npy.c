#include "cli/npy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ALIGNMENT 64
#define BEFORE_DICT 10 /* magic, version, length */

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
