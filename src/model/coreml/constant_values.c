/* A constant by its name, in the graph that is the scope. In a file of weights, 64 bytes in front of its values say
 * what they are and where. */
#include "model/coreml/constant_values.h"

#include "base/limits.h"
#include "base/status.h"
#include "model/common/tensor/external.h"
#include "model/common/tensor/scan.h"
#include "model/common/tensor/values.h"
#include "model/coreml/dtypes.h"
#include "model/coreml/graphs.h"
#include "model/coreml/tensor.h"
#include "model/coreml/views.h"

#define MOST_KEPT 256 /* bytes of what is of no interest here */
#define SHOWN 80

typedef struct reader {
  cpb_allocator allocator;
  cpb_meter *meter;
  const cpb_values_options *options;
  cpb_span name;
  cpb_error error;
  cpb_part part;
  cpb_coreml_graphs graphs;
  cpb_problems problems;
  cpb_input input; /* from where the constant is read */
  cpb_tensor_layout layout;
  cpb_tensor_values tensor;
  bool found, begun; /* the constant; its values, of which it is known where they lie */
  cpb_buffer text;   /* the name that is compared */
  cpb_coreml_tensor constant;
  uint8_t description[64]; /* in front of values in a file, */
  size_t has;              /* of which so much is there */
} reader;

/* --- Creation ------------------------------------------------------------------------ */

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                    const cpb_values_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  (void)kind;
  if (!r) return NULL;
  r->allocator = *a;
  r->meter = meter;
  r->options = options;
  r->name = name;
  r->error.offset = CPB_NO_OFFSET;
  cpb_coreml_graphs_init(&r->graphs, a);
  cpb_problems_init(&r->problems, a);
  cpb_input_init(&r->input);
  cpb_buffer_init(&r->text, a);
  return r;
}

static void destroy(void *state) {
  reader *r = state;
  cpb_allocator a = r->allocator;
  if (r->found) cpb_tensor_values_free(&r->tensor);
  cpb_coreml_graphs_free(&r->graphs);
  cpb_problems_free(&r->problems);
  cpb_part_free(&r->part);
  cpb_buffer_free(&r->text);
  cpb_release(&a, r);
}

static cpb_input *input(void *state) {
  reader *r = state;
  return r->part.outline && !r->part.read ? cpb_outline_input(r->part.outline) : &r->input;
}

static cpb_error *error(void *state) { return &((reader *)state)->error; }

/* --- Reading the model ----------------------------------------------------------------- */

static cpb_have fails_memory(reader *r) {
  cpb_fail_memory(&r->error);
  return CPB_FAILED;
}

/* A model that is damaged at its very begin is the error. */
static cpb_have read_model(reader *r) {
  const cpb_outline_options how = {
      .max_value = MOST_KEPT, .max_size = r->options->max_memory, .limits = r->options->limits};
  if (r->part.read) return CPB_HAVE;
  if (!r->part.outline && !cpb_part_begin(&r->part, &r->allocator, &cpb_view_coreml, NULL, 0, &how))
    return fails_memory(r);
  cpb_step step = cpb_part_step(&r->part, &r->error);
  if (step != CPB_STEP_DONE) return step == CPB_STEP_NEED ? CPB_WAIT : CPB_FAILED;
  if (r->part.damage.code != CPB_OK && r->part.message.size == 0) r->error = r->part.damage;
  if (r->error.code != CPB_OK) return CPB_FAILED;
  bool built = cpb_coreml_graphs_build(&r->graphs, &r->part, &r->problems, r->meter, &r->error);
  return built ? CPB_HAVE : CPB_FAILED;
}

/* --- Which constant ------------------------------------------------------------------------- */

static cpb_have not_found(reader *r, const char *what, cpb_span name) {
  char text[SHOWN];
  cpb_quote(text, sizeof text, name.data ? name.data : (const uint8_t *)"", name.size);
  if (r->part.damage.code != CPB_OK) r->error = r->part.damage; /* it may be behind that */
  else cpb_fail(&r->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no %s \"%s\"", what, text);
  return CPB_FAILED;
}

/* False where it is the one, or memory is short. */
static bool is_other(void *user, const cpb_coreml_constant *c) {
  reader *r = user;
  r->text.size = 0;
  if (!cpb_coreml_constant_name(c, &r->text)) return cpb_fail_memory(&r->error), false;
  if (!cpb_span_equal((cpb_span){r->text.data, r->text.size}, r->name)) return true;
  r->constant = cpb_coreml_tensor_of(&r->part, c);
  return false;
}

static cpb_have find_constant(reader *r) {
  uint32_t graph = 0;
  cpb_coreml_node node;
  const cpb_span scope = {(const uint8_t *)r->options->scope, r->options->scope_size};
  if (scope.data && !cpb_coreml_graph_find(&r->graphs, scope, r->meter, &graph, &r->error)) return CPB_FAILED;
  if (graph == CPB_NO_GRAPH) return not_found(r, "function or subgraph", scope);
  bool other = true;
  cpb_coreml_nodes nodes = cpb_coreml_nodes_of(&r->graphs.items[graph]);
  while (other && cpb_coreml_nodes_next(&nodes, &node))
    other = cpb_coreml_each_constant(&r->graphs.items[graph], &node, is_other, r);
  if (r->error.code != CPB_OK) return CPB_FAILED;
  return other ? not_found(r, "constant", r->name) : CPB_HAVE;
}

/* --- Where its values are ---------------------------------------------------------------------- */

static cpb_have refuse(reader *r, cpb_code code, const char *what) {
  char text[SHOWN];
  cpb_quote(text, sizeof text, r->name.data, r->name.size);
  cpb_fail(&r->error, code, CPB_NO_OFFSET, "\"%s\" %s", text, what);
  return CPB_FAILED;
}

static cpb_have check_constant(reader *r) {
  const cpb_coreml_tensor *t = &r->constant;
  if (!t->is_tensor || (!t->is_external && t->number == 0)) return refuse(r, CPB_E_UNSUPPORTED, "is no tensor");
  if (!t->has_elements) return refuse(r, CPB_E_DAMAGED, "has no size: its shape is not known, or too large");
  if (t->wrong) return refuse(r, CPB_E_DAMAGED, t->wrong);
  if (t->type.format) return CPB_HAVE;
  cpb_fail(&r->error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "values of type %s%s%s are not supported", t->type.name,
           t->field ? " in " : "", t->field ? t->field : "");
  return CPB_FAILED;
}

static bool begin(reader *r) {
  const cpb_coreml_tensor *t = &r->constant;
  const cpb_range description = {t->offset, sizeof r->description};
  const cpb_tensor_known known = {.type = t->type,
                                  .shape = t->shape,
                                  .rank = t->rank,
                                  .message = cpb_part_where(&r->part, t->message),
                                  .content = t->is_external  ? description
                                             : t->is_content ? t->values
                                                             : (cpb_range){0, 0},
                                  .file = t->is_external ? cpb_coreml_file_of(t->location) : (cpb_span){NULL, 0}};
  r->layout = (cpb_tensor_layout){.strings = t->number,
                                  .shape_name = "the shape",
                                  .content_name = t->is_external ? "what is stored there" : t->field,
                                  .strings_name = "strings"};
  r->found = true;
  cpb_input_end(&r->input, cpb_outline_input(r->part.outline)->size);
  return cpb_tensor_values_init_known(&r->tensor, &r->allocator, &r->layout, &r->input, &r->error, &known,
                                      r->options->exact_texts != 0);
}

/* The description in a file: a mark, the type, how many bytes and where. */
static cpb_have take_description(reader *r) {
  enum { MARK = 0, TYPE = 4, SIZE = 8, OFFSET = 16 };
  const uint8_t *d = r->description;
  const uint32_t type = cpb_load32(d + TYPE), expected = cpb_coreml_blob_dtype(r->constant.dtype);
  if (cpb_load32(d + MARK) != 0xdeadbeef)
    return refuse(r, CPB_E_DAMAGED, "has no values at its offset in the file: expected the mark 0xDEADBEEF there");
  if (type != expected) {
    cpb_fail(&r->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "mil_dtype is %u in the file of weights; expected %u, of %s",
             (unsigned)type, (unsigned)expected, r->constant.type.name);
    return CPB_FAILED;
  }
  r->tensor.content = (cpb_range){cpb_load64(d + OFFSET), cpb_load64(d + SIZE)};
  if (r->tensor.content.offset > INT64_MAX || r->tensor.content.length > INT64_MAX)
    return refuse(r, CPB_E_DAMAGED, "has values beyond 2^63 bytes of the file");
  return CPB_HAVE;
}

static cpb_have read_description(reader *r) {
  cpb_tensor_turn_to_external(&r->tensor);
  cpb_have have = cpb_input_gather(&r->input, r->constant.offset, sizeof r->description, r->description, &r->has);
  return have == CPB_HAVE ? take_description(r) : cpb_tensor_settle(&r->tensor, have);
}

/* --- Steps -------------------------------------------------------------------------------- */

static cpb_have find(reader *r) {
  cpb_have have = read_model(r);
  if (have == CPB_HAVE) have = find_constant(r);
  if (have == CPB_HAVE) have = check_constant(r);
  if (have != CPB_HAVE) return have;
  if (r->constant.is_external && r->constant.offset > INT64_MAX)
    return refuse(r, CPB_E_DAMAGED, "has an offset of 2^63 or more");
  return begin(r) ? CPB_HAVE : fails_memory(r);
}

static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *r = state;
  cpb_have have = r->found ? CPB_HAVE : find(r);
  if (have == CPB_HAVE && !r->begun && r->constant.is_external) have = read_description(r);
  if (have != CPB_HAVE) return have;
  r->begun = true;
  return cpb_tensor_values_next(&r->tensor, info, data);
}

const cpb_values_reader cpb_coreml_values_reader = {create, destroy, next, input, error};
