/* The SameDiff writer: [how 1][tags 1] then for each [names 1][size 1 name]..., the rest being the bytes of
 * the values. What is written can be read, and has the values that were given; so does a zip to which the
 * tags were added one by one. */
#include "cpb/samediff.h"

#include "../unit/graph_builder.h"
#include "cpb/model.h"
#include "cpb/values.h"
#include "host.h"

enum { MOST_TAGS = 3, MOST_NAMES = 4, MOST_NAME = 20 };

static const fuzz_bounds bounds = {
    .held = {1 << 20, 256}, .walked = {64 << 10, 256}, .entries = {4096, 32}, .answer = {64 << 10, 256}};

typedef struct tag {
  char name[MOST_NAME + 1];
  char parameters[MOST_NAMES][MOST_NAME + 1];
  uint64_t counts[MOST_NAMES]; /* floats */
  size_t num_parameters;
  graph_bytes graph;
} tag;

typedef struct setting {
  uint32_t how;
  tag tags[MOST_TAGS];
  size_t num_tags;
  fuzz_in values;
} setting;

static void take_name(fuzz_in *in, char *name) {
  fuzz_in text = fuzz_bytes(in, fuzz_number(in, 1) % (MOST_NAME + 1));
  if (text.size > 0) memcpy(name, text.data, text.size);
  name[text.size] = '\0';
}

static void take_tag(fuzz_in *in, tag *t) {
  const char *names[MOST_NAMES];
  take_name(in, t->name);
  t->num_parameters = fuzz_number(in, 1) % (MOST_NAMES + 1);
  for (size_t i = 0; i < t->num_parameters; i++) {
    take_name(in, t->parameters[i]);
    t->counts[i] = fuzz_number(in, 1) % 100;
    names[i] = t->parameters[i];
  }
  t->graph = *graph_of(names, t->num_parameters);
}

/* Byte `i` of the values of a parameter. */
static uint8_t value_at(const setting *s, uint64_t source, uint64_t i) {
  return s->values.size > 0 ? s->values.data[(source * 7 + i) % s->values.size] : (uint8_t)i;
}

static void lend_values(const setting *s, fuzz_loan *loan, cpb_input *input, uint64_t source) {
  cpb_need need;
  fuzz_out bytes = {NULL, 0, 0};
  fuzz_return(loan);
  cpb_input_need(input, &need);
  fuzz_check(need.kind == CPB_NEED_RANGE && need.length > 0);
  for (size_t i = 0; i < need.length; i++) {
    uint8_t byte = value_at(s, source, need.offset + i);
    fuzz_put(&bytes, &byte, 1);
  }
  loan->block = bytes.data;
  cpb_input_supply(input, need.offset, bytes.data, bytes.size);
}

/* The tag, and its parameters, which are known by numbers. */
static void give(cpb_samediff_writer *w, const setting *s, size_t i) {
  const tag *t = &s->tags[i];
  cpb_samediff_writer_tag(w, &(cpb_samediff_tag){.struct_size = sizeof(cpb_samediff_tag),
                                                 .name = t->name,
                                                 .name_size = strlen(t->name),
                                                 .graph = t->graph.data,
                                                 .graph_size = t->graph.size});
  for (size_t k = 0; k < t->num_parameters; k++) {
    cpb_samediff_part part = {.struct_size = sizeof part,
                              .name = t->parameters[k],
                              .name_size = strlen(t->parameters[k]),
                              .dtype = "FLOAT",
                              .rank = 1,
                              .shape = &t->counts[k],
                              .source = i * MOST_NAMES + k};
    cpb_samediff_writer_add(w, &part);
  }
}

/* Writes tags [first, end) to `out`, which has those before them. */
static cpb_code write_tags(const setting *s, size_t first, size_t end, fuzz_out *out) {
  cpb_work work = {0};
  const cpb_limits limits = fuzz_counted(&work);
  const cpb_samediff_options options = {.struct_size = sizeof options,
                                        .append = first > 0,
                                        .in_order = (s->how & 1) && !(first > 0 && (s->how & 4)),
                                        .in_place = first > 0 && (s->how & 4),
                                        .deflate = s->how >> 1 & 1,
                                        .limits = &limits};
  cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, &options);
  fuzz_loan loan = {NULL};
  fuzz_out base = {NULL, 0, 0};
  cpb_step step;
  fuzz_put(&base, out->data, out->size);
  for (size_t i = first; i < end; i++) give(w, s, i);
  while ((step = cpb_samediff_writer_step(w)) > CPB_STEP_DONE) {
    uint64_t source = cpb_samediff_writer_source(w), offset;
    size_t length;
    if (step == CPB_STEP_OUTPUT) {
      const uint8_t *data = cpb_samediff_writer_output(w, &offset, &length);
      fuzz_check(length > 0 && offset >= base.size);
      /* With in_place the copy of the directory comes first, past where the entries will be. */
      while (out->size < offset) fuzz_put(out, "", 1);
      fuzz_put_at(out, offset, data, length);
    } else if (source == CPB_SAMEDIFF_BASE) {
      fuzz_lend(&loan, cpb_samediff_writer_input(w), fuzz_view(&base), SIZE_MAX);
    } else {
      lend_values(s, &loan, cpb_samediff_writer_input(w), source);
    }
  }
  cpb_code code = cpb_samediff_writer_error(w)->code;
  fuzz_check(code == CPB_OK || cpb_samediff_writer_error(w)->message[0] != '\0');
  fuzz_check(code != CPB_E_MEMORY && code != CPB_E_READ);
  cpb_samediff_writer_free(w);
  fuzz_return(&loan);
  fuzz_free(&base);
  fuzz_bounded(&work, &bounds, out->size);
  return code;
}

static void read_values(const setting *s, size_t i, size_t k, fuzz_in zip) {
  const tag *t = &s->tags[i];
  const cpb_values_options how = {
      .struct_size = sizeof how, .scope = t->name, .scope_size = strlen(t->name), .limits = &fuzz_limits};
  cpb_values *v = cpb_values_new(NULL, CPB_MODEL_SAMEDIFF_ZIP, t->parameters[k], strlen(t->parameters[k]), &how);
  fuzz_loan loan = {NULL};
  uint64_t at = 0;
  cpb_step step;
  while ((step = cpb_values_step(v)) > CPB_STEP_DONE) {
    size_t length = 0;
    if (step == CPB_STEP_NEED) fuzz_lend(&loan, cpb_values_input(v), zip, SIZE_MAX);
    if (step != CPB_STEP_DATA) continue;
    const uint8_t *data = cpb_values_data(v, &length);
    for (size_t b = 0; b < length; b++, at++) fuzz_check(data[b] == value_at(s, i * MOST_NAMES + k, at));
  }
  fuzz_check(step == CPB_STEP_DONE && at == 4 * t->counts[k]);
  cpb_values_free(v);
  fuzz_return(&loan);
}

static void read_back(const setting *s, fuzz_in zip) {
  cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAMEDIFF_ZIP, NULL);
  fuzz_loan loan = {NULL};
  for (size_t i = 0; i < s->num_tags; i++) {
    const cpb_question question = {.struct_size = sizeof question,
                                   .kind = CPB_ASK_TAG,
                                   .name = s->tags[i].name,
                                   .name_size = strlen(s->tags[i].name)};
    cpb_step step;
    cpb_model_ask(model, &question);
    while ((step = cpb_model_step(model)) == CPB_STEP_NEED) fuzz_lend(&loan, cpb_model_input(model), zip, SIZE_MAX);
    fuzz_check(step == CPB_STEP_DONE);
    for (size_t k = 0; k < s->tags[i].num_parameters; k++) read_values(s, i, k, zip);
  }
  cpb_model_free(model);
  fuzz_return(&loan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static setting s;
  fuzz_in in = {data, size};
  s.how = fuzz_number(&in, 1);
  s.num_tags = 1 + fuzz_number(&in, 1) % MOST_TAGS;
  for (size_t i = 0; i < s.num_tags; i++) take_tag(&in, &s.tags[i]);
  s.values = in;
  fuzz_out at_once = {NULL, 0, 0}, one_by_one = {NULL, 0, 0};
  cpb_code code = write_tags(&s, 0, s.num_tags, &at_once), added = CPB_OK;
  if (code == CPB_OK) read_back(&s, fuzz_view(&at_once));
  for (size_t i = 0; i < s.num_tags && added == CPB_OK; i++) added = write_tags(&s, i, i + 1, &one_by_one);
  fuzz_check((added == CPB_OK) == (code == CPB_OK));
  if (added == CPB_OK) read_back(&s, fuzz_view(&one_by_one));
  fuzz_free(&at_once);
  fuzz_free(&one_by_one);
  return 0;
}
