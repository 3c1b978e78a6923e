#include "model/questions/values.h"
#include "base/status.h"
#include "model/onnx/fields.h"
#include "model/onnx/model.h"

/* An initializer by its name, or a tensor among a node's attributes: of a Constant by the name of its output, of any
 * node by NODE:ATTRIBUTE. */

typedef struct reader {
  cpb_viewed_values common;
  cpb_onnx_functions functions;
  cpb_range where; /* the tensor */
  cpb_span sparse; /* or its SparseTensorProto; else NULL data */
  cpb_onnx_sparse dense;
  cpb_onnx_tensor attribute; /* or the one in an attribute, */
  bool is_attribute;         /* if this is true */
} reader;

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                    const cpb_values_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  (void)kind;
  if (!r) return NULL;
  cpb_viewed_values_init(&r->common, &cpb_onnx_view, a, meter, name, options);
  r->functions.allocator = *a;
  cpb_onnx_sparse_init(&r->dense, a);
  return r;
}

static void destroy(void *state) {
  reader *r = state;
  const cpb_allocator a = r->common.allocator;
  cpb_onnx_functions_free(&r->functions);
  cpb_onnx_sparse_free(&r->dense);
  cpb_viewed_values_free(&r->common);
  cpb_release(&a, r);
}

static void take(cpb_viewed_values *common, const cpb_view_tensor *t) {
  reader *r = (reader *)common;
  r->where = cpb_part_where(&common->part, t->message);
  if (cpb_onnx_is_sparse(t)) r->sparse = t->message;
  r->is_attribute = cpb_onnx_is_attribute(t);
  if (r->is_attribute) r->attribute = cpb_onnx_stored(&common->part, t);
}

static bool begin_attribute(const reader *r, cpb_viewed_values *c) {
  const cpb_onnx_tensor *t = &r->attribute;
  const cpb_tensor_known known = {.type = t->type, .shape = &t->elements, .rank = t->rank, .message = t->tensor};
  return cpb_tensor_values_init_known(&c->tensor, &c->allocator,
                                      t->rank == 0 ? &cpb_onnx_layout_of_one : &cpb_onnx_layout_of_list, &c->input,
                                      &c->error, &known, c->options->exact_texts != 0);
}

static cpb_have begin(reader *r) {
  cpb_viewed_values *c = &r->common;
  c->found = true;
  if (r->sparse.data) return cpb_onnx_sparse_begin(&r->dense, c, r->sparse);
  bool begun = r->is_attribute ? begin_attribute(r, c)
                               : cpb_tensor_values_init(&c->tensor, &c->allocator, &cpb_onnx_layout, &c->input,
                                                        &c->error, r->where, c->options->exact_texts != 0);
  return begun ? CPB_HAVE : cpb_viewed_values_fail_memory(c);
}

static cpb_have find(reader *r) {
  cpb_viewed_values *c = &r->common;
  r->where = (cpb_range){c->options->tensor_offset, c->options->tensor_size};
  if (r->where.length > INT64_MAX || r->where.offset > INT64_MAX) {
    cpb_fail(&c->error, CPB_E_USAGE, CPB_NO_OFFSET, "tensor_offset or tensor_size is 2^63 or more");
    return CPB_FAILED;
  }
  if (r->where.length > 0) return begin(r);
  cpb_have have = cpb_viewed_values_read(c, &cpb_view_onnx_tensors);
  if (have != CPB_HAVE) return have;
  if (!cpb_onnx_graphs_build(&c->view.graphs, &r->functions, &c->part, &c->problems, c->meter, &c->error))
    return CPB_FAILED;
  have = cpb_viewed_values_find(c, "initializer or constant", take);
  if (have != CPB_HAVE) return have;
  cpb_input_end(&c->input, cpb_outline_input(c->part.outline)->size);
  return begin(r);
}

static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *r = state;
  cpb_have have = r->common.found ? CPB_HAVE : find(r);
  if (have != CPB_HAVE) return have;
  if (r->sparse.data) return cpb_onnx_sparse_next(&r->dense, info, data);
  return cpb_tensor_values_next(&r->common.tensor, info, data);
}

const cpb_values_reader cpb_onnx_values = {create, destroy, next, cpb_viewed_values_input, cpb_viewed_values_error};
