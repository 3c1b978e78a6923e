#include "model/common/tensor/dimensions.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "model/common/tensor/fields.h"
#include "model/common/tensor/scan.h"

static cpb_have fails(cpb_tensor_values *v, uint64_t at, const char *what) {
  cpb_fail(v->error, CPB_E_DAMAGED, at, "%s%s", v->layout->shape_name, what);
  return CPB_FAILED;
}

static cpb_have add_dimension(cpb_tensor_values *v, uint64_t at, uint64_t size) {
  if ((int64_t)size < 0) return fails(v, at, " has a negative size; expected a known shape");
  if (v->rank == CPB_TENSOR_RANK_MAX) return fails(v, at, " has more than 254 dimensions, TensorFlow's limit");
  if (!cpb_mul_u64(v->count, size, &v->count)) return fails(v, at, " has 2^64 elements or more");
  v->shape[v->rank++] = size;
  return CPB_HAVE;
}

/* --- A TensorShapeProto ------------------------------------------------------------------------ */

static cpb_have take_shape(cpb_tensor_values *v, cpb_span shape) {
  uint64_t at = v->shape_at.offset;
  cpb_cursor c = cpb_cursor_of(shape);
  if (cpb_get_number(shape, SHAPE_UNKNOWN_RANK)) return fails(v, at, ".unknown_rank is true; expected a known shape");
  while (cpb_cursor_find(&c, SHAPE_DIM, CPB_WIRE_LEN)) {
    if (add_dimension(v, at, cpb_get_number(c.bytes, DIM_SIZE)) != CPB_HAVE) return CPB_FAILED;
  }
  return c.damaged ? fails(v, at, " cannot be parsed") : CPB_HAVE;
}

static cpb_have read_message(cpb_tensor_values *v) {
  cpb_span shape;
  cpb_have have = cpb_tensor_gather(v, v->shape_at, v->layout->shape_name, &shape);
  return have == CPB_HAVE ? take_shape(v, shape) : have;
}

/* --- A list of sizes ------------------------------------------------------------------------------ */

static cpb_have take_packed(cpb_tensor_values *v, cpb_range where) {
  cpb_span packed;
  cpb_have have = cpb_tensor_gather(v, where, v->layout->shape_name, &packed);
  const uint8_t *at = packed.data, *end = at + packed.size;
  while (have == CPB_HAVE && at < end) {
    uint64_t size;
    at = cpb_varint_read(at, end, &size);
    have = at ? add_dimension(v, where.offset, size) : fails(v, where.offset, " cannot be parsed");
  }
  return have;
}

static cpb_have read_list(cpb_tensor_values *v) {
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE) {
    const cpb_wire_field *f = &v->scan.scanner.field;
    if (v->gathered.length > 0) {
      have = take_packed(v, v->gathered);
      if (have == CPB_HAVE) v->gathered.length = 0;
    } else if ((have = cpb_tensor_list_next(v, v->layout->shape)) == CPB_HAVE) {
      if (!v->listing) break;
      if (f->type == CPB_WIRE_LEN) v->gathered = (cpb_range){v->scan.base + f->value, f->size};
      else if (f->type == CPB_WIRE_VARINT) have = add_dimension(v, v->scan.base + f->begin, f->number_value);
    }
  }
  return have;
}

cpb_have cpb_tensor_read_shape(cpb_tensor_values *v) {
  if (v->rank == 0) v->count = 1;
  return v->layout->has_dims ? read_list(v) : read_message(v);
}
