/* What differs between two models: [how 1][size of a 2][a][b]. Nothing differs between a model and itself,
 * a differs from b as b does from a, and pieces make no difference. */
#include "cpb/diff.h"

#include "base/alloc.h"
#include "base/json_read.h"
#include "host.h"

static const cpb_model_kind kinds[] = {CPB_MODEL_SAVED_MODEL, CPB_MODEL_GRAPH_DEF, CPB_MODEL_KERAS_METADATA,
                                       CPB_MODEL_SAMEDIFF_GRAPH};

/* Of all questions about both models. */
static const fuzz_bounds bounds = {
    .held = {4 << 20, 512}, .walked = {64 << 10, 2048}, .entries = {4096, 64}, .answer = {64 << 10, 1024}};

typedef struct difference {
  cpb_code code;
  int equal;
  bool damaged;
  fuzz_out json;
} difference;

static void check_json(fuzz_in json) {
  cpb_error error = {.code = CPB_OK};
  cpb_allocator a = cpb_allocator_or_default(NULL);
  yyjson_doc *doc = cpb_json_read(&a, (cpb_span){json.data, json.size}, 1000, &error);
  fuzz_check(doc != NULL);
  yyjson_doc_free(doc);
}

static difference run(cpb_model_kind kind, fuzz_in a, fuzz_in b, int skip_values, size_t piece) {
  cpb_work work = {0};
  const cpb_limits limits = fuzz_counted(&work);
  const cpb_model_options how = {.struct_size = sizeof how, .max_value = 200, .max_memory = 4 << 20, .limits = &limits};
  const cpb_diff_options options = {.struct_size = sizeof options, .max_differences = 20, .skip_values = skip_values};
  const fuzz_in sides[] = {a, b};
  fuzz_loan loans[] = {{NULL}, {NULL}};
  cpb_model *models[] = {cpb_model_new(NULL, kind, &how), cpb_model_new(NULL, kind, &how)};
  cpb_diff *diff = cpb_diff_new(NULL, models[0], models[1], &options);
  difference d = {.json = {NULL, 0, 0}};
  cpb_step step;
  while ((step = cpb_diff_step(diff)) == CPB_STEP_NEED) {
    int side = cpb_diff_side(diff);
    fuzz_lend(&loans[side], cpb_diff_input(diff), sides[side], piece);
  }
  d.code = cpb_diff_error(diff)->code;
  fuzz_check((step == CPB_STEP_DONE) == (d.code == CPB_OK));
  if (d.code != CPB_OK) fuzz_check(d.code != CPB_E_MEMORY && cpb_diff_error(diff)->message[0] != '\0');
  size_t size;
  const char *json = cpb_diff_result(diff, &size);
  if (d.code == CPB_OK) fuzz_put(&d.json, json, size);
  d.equal = cpb_diff_equal(diff);
  d.damaged = cpb_diff_incomplete(diff) != 0;
  fuzz_check(!d.equal || !d.damaged);
  cpb_diff_free(diff);
  cpb_model_free(models[0]);
  cpb_model_free(models[1]);
  fuzz_return(&loans[0]);
  fuzz_return(&loans[1]);
  fuzz_bounded(&work, &bounds, a.size + b.size);
  return d;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint32_t how = fuzz_number(&in, 1);
  fuzz_in a = fuzz_bytes(&in, fuzz_number(&in, 2));
  cpb_model_kind kind = kinds[how & 3];
  int skip_values = how >> 2 & 1;
  difference self = run(kind, a, a, skip_values, SIZE_MAX), ab = run(kind, a, in, skip_values, SIZE_MAX);
  difference ba = run(kind, in, a, skip_values, SIZE_MAX), pieces = run(kind, a, in, skip_values, 61);
  if (self.code == CPB_OK) {
    fuzz_check(self.equal || self.damaged);
    check_json(fuzz_view(&self.json));
  }
  fuzz_check(ab.code == pieces.code && fuzz_same(fuzz_view(&ab.json), fuzz_view(&pieces.json)));
  fuzz_check((ab.code == CPB_OK) == (ba.code == CPB_OK));
  if (ab.code == CPB_OK) {
    fuzz_check(ab.equal == ba.equal && ab.json.size > 0);
    check_json(fuzz_view(&ab.json));
  }
  fuzz_free(&self.json);
  fuzz_free(&ab.json);
  fuzz_free(&ba.json);
  fuzz_free(&pieces.json);
  return 0;
}
