#include "model/common/tensor/shapes.h"

#include "base/checked.h"
#include "model/common/cursor.h"
#include "model/common/tensor/fields.h"

cpb_span cpb_get_shape(cpb_span message, uint32_t number) {
  cpb_span shape = cpb_get_bytes(message, number);
  return shape.data ? shape : (cpb_span){message.data, 0};
}

bool cpb_shape_elements(cpb_span shape, uint64_t *elements) {
  *elements = 1;
  if (!shape.data || cpb_get_number(shape, SHAPE_UNKNOWN_RANK)) return false;
  cpb_cursor c = cpb_cursor_of(shape);
  while (cpb_cursor_find(&c, SHAPE_DIM, CPB_WIRE_LEN)) {
    uint64_t size = cpb_get_number(c.bytes, DIM_SIZE);
    if ((int64_t)size < 0 || !cpb_mul_u64(*elements, size, elements)) return false;
  }
  return true;
}

void cpb_write_shape(cpb_json_writer *a, const char *key, cpb_span shape) {
  if (!shape.data || cpb_get_number(shape, SHAPE_UNKNOWN_RANK)) {
    cpb_json_writer_null(a, key);
    return;
  }
  cpb_json_writer_open(a, key, '[');
  cpb_cursor c = cpb_cursor_of(shape);
  while (cpb_cursor_find(&c, SHAPE_DIM, CPB_WIRE_LEN)) {
    int64_t size = (int64_t)cpb_get_number(c.bytes, DIM_SIZE);
    if (size < 0) cpb_json_writer_null(a, NULL);
    else cpb_json_writer_signed(a, NULL, size);
  }
  cpb_json_writer_close(a, ']');
}
