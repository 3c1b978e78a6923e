#include "model/questions/values.h"

#include "base/limits.h"
#include "base/status.h"

/* The outline that finds a tensor keeps only names and structure, so its memory does not depend on the tensors'
 * sizes. The values are then streamed from the tensor's range in the file.
 *
 * If the caller knows the range (tensor_offset, tensor_size), only that message is read. Otherwise a name is first
 * sought in the main graph, then in all others. Two hits in other graphs are an error instead of a guess. */

#define MOST_KEPT 256 /* largest size of texts to keep, in bytes */
#define SHOWN 80
#define SHOWN_SHORT 48

void cpb_viewed_values_init(cpb_viewed_values *r, const cpb_view_kind *kind, const cpb_allocator *a, cpb_meter *meter,
                            cpb_span name, const cpb_values_options *options) {
  r->allocator = *a;
  r->meter = meter;
  r->options = options;
  r->name = name;
  r->error.offset = CPB_NO_OFFSET;
  r->view = (cpb_view){.kind = kind, .part = &r->part};
  cpb_view_graphs_init(&r->view.graphs, a);
  cpb_problems_init(&r->problems, a);
  cpb_input_init(&r->input);
  cpb_buffer_init(&r->text, a);
}

void cpb_viewed_values_free(cpb_viewed_values *r) {
  if (r->found) cpb_tensor_values_free(&r->tensor);
  cpb_view_graphs_free(&r->view.graphs);
  cpb_problems_free(&r->problems);
  cpb_part_free(&r->part);
  cpb_buffer_free(&r->text);
}

cpb_input *cpb_viewed_values_input(void *reader) {
  cpb_viewed_values *r = reader;
  return r->part.outline && !r->part.read ? cpb_outline_input(r->part.outline) : &r->input;
}

cpb_error *cpb_viewed_values_error(void *reader) { return &((cpb_viewed_values *)reader)->error; }

cpb_have cpb_viewed_values_fail_memory(cpb_viewed_values *r) {
  cpb_fail_memory(&r->error);
  return CPB_FAILED;
}

/* If a model is damaged at its very beginning, that is the error. */
cpb_have cpb_viewed_values_read(cpb_viewed_values *r, const cpb_message_type *type) {
  const cpb_outline_options how = {
      .max_value = MOST_KEPT, .max_size = r->options->max_memory, .limits = r->options->limits};
  const cpb_range tensor = {r->options->tensor_offset, r->options->tensor_size};
  if (r->part.read) return CPB_HAVE;
  if (!r->part.outline && !cpb_part_begin(&r->part, &r->allocator, type, &tensor, tensor.length > 0, &how))
    return cpb_viewed_values_fail_memory(r);
  cpb_step step = cpb_part_step(&r->part, &r->error);
  if (step != CPB_STEP_DONE) return step == CPB_STEP_NEED ? CPB_WAIT : CPB_FAILED;
  if (r->part.damage.code != CPB_OK && r->part.message.size == 0) r->error = r->part.damage;
  return r->error.code == CPB_OK ? CPB_HAVE : CPB_FAILED;
}

/* --- Which tensor ------------------------------------------------------------------------- */

static cpb_have not_found(cpb_viewed_values *r, const char *what, cpb_span name) {
  char text[SHOWN];
  cpb_quote(text, sizeof text, name.data ? name.data : (const uint8_t *)"", name.size);
  if (r->part.damage.code != CPB_OK) r->error = r->part.damage; /* it may be after that */
  else cpb_fail(&r->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no %s \"%s\"", what, text);
  return CPB_FAILED;
}

typedef struct finding {
  cpb_viewed_values *reader;
  cpb_take_tensor *take; /* NULL: only search */
} finding;

/* False if this is the tensor, or if memory is short. */
static bool is_other(void *user, const cpb_view_tensor *t) {
  const finding *f = user;
  cpb_viewed_values *r = f->reader;
  r->text.size = 0;
  if (!cpb_view_tensor_name(t, &r->text)) return cpb_fail_memory(&r->error), false;
  if (!cpb_span_equal((cpb_span){r->text.data, r->text.size}, r->name)) return true;
  if (f->take) f->take(r, t);
  return false;
}

/* Whether the graph has it; also false with the error set. */
static bool has(cpb_viewed_values *r, uint32_t graph, cpb_take_tensor *take) {
  finding f = {r, take};
  return !r->view.kind->each_tensor(&r->view, graph, is_other, &f) && r->error.code == CPB_OK;
}

static cpb_have fail_several(cpb_viewed_values *r, const uint32_t graphs[2]) {
  char name[SHOWN_SHORT], scopes[2][SHOWN_SHORT];
  cpb_quote(name, sizeof name, r->name.data, r->name.size);
  for (size_t i = 0; i < 2; i++) {
    r->text.size = 0;
    if (!cpb_view_graph_name(&r->view.graphs, graphs[i], &r->text)) return cpb_viewed_values_fail_memory(r);
    cpb_quote(scopes[i], sizeof scopes[i], r->text.data, r->text.size);
  }
  cpb_fail(&r->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET,
           "\"%s\" is in several functions or subgraphs; expected one of them as the scope, such as \"%s\" or \"%s\" "
           "(the question constants lists them)",
           name, scopes[0], scopes[1]);
  return CPB_FAILED;
}

/* For a name that is not in the main graph, and has no scope: finds the only other graph that has it. */
static cpb_have find_elsewhere(cpb_viewed_values *r, const char *what, cpb_take_tensor *take) {
  uint32_t found[2], count = 0;
  if (!cpb_meter_charge(r->meter, CPB_WORK_WALKED, r->part.message.size, CPB_NO_OFFSET, &r->error)) return CPB_FAILED;
  for (uint32_t graph = 1; graph < r->view.graphs.count && count < 2; graph++) {
    if (has(r, graph, count == 0 ? take : NULL)) found[count++] = graph;
    if (r->error.code != CPB_OK) return CPB_FAILED;
  }
  if (count == 0) return not_found(r, what, r->name);
  return count == 1 ? CPB_HAVE : fail_several(r, found);
}

cpb_have cpb_viewed_values_find(cpb_viewed_values *r, const char *what, cpb_take_tensor *take) {
  uint32_t graph = 0;
  const cpb_span scope = {(const uint8_t *)r->options->scope, r->options->scope_size};
  if (scope.data && !cpb_view_graph_find(&r->view.graphs, scope, r->meter, &graph, &r->error)) return CPB_FAILED;
  if (graph == CPB_NO_GRAPH) return not_found(r, "function or subgraph", scope);
  if (has(r, graph, take)) return CPB_HAVE;
  if (r->error.code != CPB_OK) return CPB_FAILED;
  return scope.data ? not_found(r, what, r->name) : find_elsewhere(r, what, take);
}
