/* ask FILE QUESTION NAME SCOPE FIRST COUNT: the answer about a SameDiff model,
 * and a NUL; with VALUES in the environment then the values of the parameter of that name,
 * MEMORY the most bytes to be held for them.
 * An empty NAME or SCOPE stands for none. Code 2: the error is on standard error. With
 * PIECE, the input comes in pieces of so many bytes. Else the host is one whose
 * requests are dear: it asks for all that is ahead, keeps what it got, and tells on
 * standard error how many requests of how many bytes it made. */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpb/values.h"

typedef struct kept {
  uint8_t *data;
  uint64_t offset;
  size_t size;
} kept;

typedef struct source {
  FILE *file;
  uint64_t size, bytes;
  size_t piece;
  kept kept[64]; /* a request each */
  unsigned requests;
} source;

static source open_source(const char *path) {
  source s = {.file = fopen(path, "rb"), .piece = SIZE_MAX};
  if (!s.file || fseeko(s.file, 0, SEEK_END) != 0) exit(1);
  s.size = (uint64_t)ftello(s.file);
  if (getenv("PIECE")) s.piece = strtoul(getenv("PIECE"), NULL, 10);
  return s;
}

static void close_source(source *s) {
  for (size_t i = 0; i < 64; i++) free(s->kept[i].data);
  fclose(s->file);
}

/* A copy of just these bytes, so that a look beyond them is noticed. */
static const kept *request(source *s, uint64_t offset, size_t size) {
  kept *k = &s->kept[s->requests++ % 64];
  free(k->data);
  *k = (kept){malloc(size + 1), offset, size};
  if (fseeko(s->file, (off_t)offset, SEEK_SET) != 0 || fread(k->data, 1, size, s->file) != size) exit(1);
  s->bytes += size;
  return k;
}

static const kept *find_kept(const source *s, uint64_t offset) {
  for (size_t i = 0; i < 64 && s->piece == SIZE_MAX; i++) {
    const kept *k = &s->kept[i];
    if (offset >= k->offset && offset - k->offset < k->size) return k;
  }
  return NULL;
}

/* Along with the size comes the tail, as from a server that is asked for the last bytes. */
static void answer_size(source *s, cpb_input *input, size_t tail) {
  if (tail > s->size) tail = (size_t)s->size;
  const kept *k = tail > 0 && !find_kept(s, s->size - 1) ? request(s, s->size - tail, tail) : NULL;
  cpb_input_end(input, s->size);
  if (k) cpb_input_supply(input, k->offset, k->data, k->size);
}

static void answer(source *s, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_SIZE) {
    answer_size(s, input, need.length);
    return;
  }
  if (need.offset >= s->size || need.length > s->size - need.offset || need.ahead > s->size - need.offset) abort();
  const kept *k = find_kept(s, need.offset);
  if (!k) k = request(s, need.offset, need.ahead < s->piece ? (size_t)need.ahead : s->piece);
  cpb_input_supply(input, k->offset, k->data, k->size);
}

static int failed(const cpb_error *error) {
  fprintf(stderr, "%s at %" PRId64 ": %s\n", cpb_code_name(error->code), (int64_t)error->offset, error->message);
  return 2;
}

static int print_values(source *s, cpb_model_kind kind, const char *name, const char *tag) {
  cpb_values_options how = {.struct_size = sizeof how};
  if (tag[0]) how.scope = tag, how.scope_size = strlen(tag);
  if (getenv("MEMORY")) how.max_memory = strtoull(getenv("MEMORY"), NULL, 10);
  cpb_values *values = cpb_values_new(NULL, kind, name, strlen(name), &how);
  cpb_step step;
  int status = 0;
  while ((step = cpb_values_step(values)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_values_data(values, &size);
    if (step == CPB_STEP_NEED) answer(s, cpb_values_input(values));
    else fwrite(data, 1, size, stdout);
  }
  if (step == CPB_STEP_ERROR) status = failed(cpb_values_error(values));
  cpb_values_free(values);
  return status;
}

static cpb_question_kind question_of(const char *name) {
  for (int i = 1; cpb_question_name((cpb_question_kind)i); i++)
    if (strcmp(cpb_question_name((cpb_question_kind)i), name) == 0) return (cpb_question_kind)i;
  exit(1);
}

static int print_answer(source *s, cpb_model_kind kind, char **a) {
  cpb_question question = {.struct_size = sizeof question, .kind = question_of(a[0])};
  if (a[1][0]) question.name = a[1], question.name_size = strlen(a[1]);
  if (a[2][0]) question.scope = a[2], question.scope_size = strlen(a[2]);
  question.first = strtoull(a[3], NULL, 10);
  question.count = strtoull(a[4], NULL, 10);
  cpb_model *model = cpb_model_new(NULL, kind, NULL);
  cpb_step step;
  int status = 0;
  cpb_model_ask(model, &question);
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED) answer(s, cpb_model_input(model));
  if (step == CPB_STEP_DONE) {
    size_t size;
    const char *text = cpb_model_answer(model, &size);
    fwrite(text, 1, size, stdout);
    putchar('\0');
  } else {
    status = failed(cpb_model_error(model));
  }
  cpb_model_free(model);
  return status;
}

int main(int count, char **arguments) {
  if (count < 7) return 1;
  source s = open_source(arguments[1]);
  size_t length = strlen(arguments[1]);
  int zip = length > 4 && strcmp(arguments[1] + length - 4, ".zip") == 0;
  cpb_model_kind kind = zip ? CPB_MODEL_SAMEDIFF_ZIP : CPB_MODEL_SAMEDIFF_GRAPH;
  int status = print_answer(&s, kind, arguments + 2);
  const char *values = getenv("VALUES");
  if (values && status == 0) status = print_values(&s, kind, values, arguments[4]);
  fprintf(stderr, "%u %" PRIu64 "\n", s.requests, s.bytes);
  close_source(&s);
  return status;
}
