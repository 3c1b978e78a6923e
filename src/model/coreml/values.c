/* A constant, by its name in the graph of the scope. In a file of weights, the 64 bytes before its values describe
 * their type and place. */
#include "model/common/tensor/values.h"
#include "base/status.h"
#include "model/coreml/model.h"
#include "model/questions/values.h"

#define SHOWN 80

typedef struct reader {
  cpb_viewed_values common;
  cpb_tensor_layout layout;
  bool begun; /* the values: their place is known */
  cpb_coreml_tensor constant;
  uint8_t description[64]; /* the description in a file, before the values */
  size_t has;              /* number of its bytes read so far */
} reader;

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                    const cpb_values_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  (void)kind;
  if (r) cpb_viewed_values_init(&r->common, &cpb_coreml_view, a, meter, name, options);
  return r;
}

static void destroy(void *state) {
  reader *r = state;
  const cpb_allocator a = r->common.allocator;
  cpb_viewed_values_free(&r->common);
  cpb_release(&a, r);
}

static void take(cpb_viewed_values *common, const cpb_view_tensor *t) {
  ((reader *)common)->constant = cpb_coreml_tensor_of(&common->part, t);
}

/* --- Where its values are ---------------------------------------------------------------------- */

static cpb_have refuse(reader *r, cpb_code code, const char *what) {
  char text[SHOWN];
  cpb_quote(text, sizeof text, r->common.name.data, r->common.name.size);
  cpb_fail(&r->common.error, code, CPB_NO_OFFSET, "\"%s\" %s", text, what);
  return CPB_FAILED;
}

static cpb_have check_constant(reader *r) {
  const cpb_coreml_tensor *t = &r->constant;
  if (!t->is_tensor || (!t->is_external && t->number == 0)) return refuse(r, CPB_E_UNSUPPORTED, "is no tensor");
  if (!t->has_elements) return refuse(r, CPB_E_DAMAGED, "has no size: its shape is not known, or too large");
  if (t->wrong) return refuse(r, CPB_E_DAMAGED, t->wrong);
  if (t->type.format) return CPB_HAVE;
  cpb_fail(&r->common.error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "values of type %s%s%s are not supported", t->type.name,
           t->field ? " in " : "", t->field ? t->field : "");
  return CPB_FAILED;
}

static bool begin(reader *r) {
  const cpb_coreml_tensor *t = &r->constant;
  const cpb_range description = {t->offset, sizeof r->description};
  const cpb_tensor_known known = {.type = t->type,
                                  .shape = t->shape,
                                  .rank = t->rank,
                                  .message = cpb_part_where(&r->common.part, t->message),
                                  .content = t->is_external  ? description
                                             : t->is_content ? t->values
                                                             : (cpb_range){0, 0},
                                  .file = t->is_external ? cpb_coreml_file_of(t->location) : (cpb_span){NULL, 0}};
  r->layout = (cpb_tensor_layout){.strings = t->number,
                                  .shape_name = "the shape",
                                  .content_name = t->is_external ? "what is stored there" : t->field,
                                  .strings_name = "strings"};
  r->common.found = true;
  const uint64_t size = cpb_outline_input(r->common.part.outline)->size;
  if (size != CPB_NO_OFFSET) cpb_input_end(&r->common.input, size);
  return cpb_tensor_values_init_known(&r->common.tensor, &r->common.allocator, &r->layout, &r->common.input,
                                      &r->common.error, &known, r->common.options->exact_texts != 0);
}

/* Takes the description in a file: a mark, the type, the size and the place. */
static cpb_have take_description(reader *r) {
  enum { MARK = 0, TYPE = 4, SIZE = 8, OFFSET = 16 };
  const uint8_t *d = r->description;
  const uint32_t type = cpb_load32(d + TYPE), expected = cpb_coreml_blob_dtype(r->constant.dtype);
  if (cpb_load32(d + MARK) != 0xdeadbeef)
    return refuse(r, CPB_E_DAMAGED, "has no values at its offset in the file: expected the mark 0xDEADBEEF there");
  if (type != expected) {
    cpb_fail(&r->common.error, CPB_E_DAMAGED, CPB_NO_OFFSET,
             "mil_dtype is %u in the file of weights; expected %u, of %s", (unsigned)type, (unsigned)expected,
             r->constant.type.name);
    return CPB_FAILED;
  }
  r->common.tensor.content = (cpb_range){cpb_load64(d + OFFSET), cpb_load64(d + SIZE)};
  if (r->common.tensor.content.offset > INT64_MAX || r->common.tensor.content.length > INT64_MAX)
    return refuse(r, CPB_E_DAMAGED, "has values beyond 2^63 bytes of the file");
  return CPB_HAVE;
}

static cpb_have read_description(reader *r) {
  cpb_tensor_turn_to_external(&r->common.tensor);
  cpb_have have =
      cpb_input_gather(&r->common.input, r->constant.offset, sizeof r->description, r->description, &r->has);
  return have == CPB_HAVE ? take_description(r) : cpb_tensor_settle(&r->common.tensor, have);
}

/* --- Steps -------------------------------------------------------------------------------- */

/* The place of a program's Value may be known already. */
static cpb_have find_at(reader *r) {
  cpb_viewed_values *c = &r->common;
  if (c->options->tensor_size > INT64_MAX || c->options->tensor_offset > INT64_MAX) {
    cpb_fail(&c->error, CPB_E_USAGE, CPB_NO_OFFSET, "tensor_offset or tensor_size is 2^63 or more");
    return CPB_FAILED;
  }
  cpb_have have = cpb_viewed_values_read(c, &cpb_view_coreml_value);
  if (have == CPB_HAVE) r->constant = cpb_coreml_tensor_of_value(&c->part, c->part.message);
  return have;
}

static cpb_have find_named(reader *r) {
  cpb_viewed_values *c = &r->common;
  cpb_have have = cpb_viewed_values_read(c, &cpb_view_coreml);
  if (have != CPB_HAVE) return have;
  if (!cpb_coreml_graphs_build(&c->view, &c->problems, c->meter, &c->error)) return CPB_FAILED;
  return cpb_viewed_values_find(c, "constant", take);
}

static cpb_have find(reader *r) {
  cpb_viewed_values *c = &r->common;
  cpb_have have = c->options->tensor_size > 0 ? find_at(r) : find_named(r);
  if (have == CPB_HAVE) have = check_constant(r);
  if (have != CPB_HAVE) return have;
  if (r->constant.is_external && r->constant.offset > INT64_MAX)
    return refuse(r, CPB_E_DAMAGED, "has an offset of 2^63 or more");
  return begin(r) ? CPB_HAVE : cpb_viewed_values_fail_memory(c);
}

static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *r = state;
  cpb_have have = r->common.found ? CPB_HAVE : find(r);
  if (have == CPB_HAVE && !r->begun && r->constant.is_external) have = read_description(r);
  if (have != CPB_HAVE) return have;
  r->begun = true;
  return cpb_tensor_values_next(&r->common.tensor, info, data);
}

const cpb_values_reader cpb_coreml_values_reader = {create, destroy, next, cpb_viewed_values_input,
                                                    cpb_viewed_values_error};
