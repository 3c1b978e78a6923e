#include "model/common/tensor/layout.h"

#include "model/common/tensor/fields.h"

static bool describe(uint64_t dtype, cpb_tensor_type *type) {
  const cpb_tensor_format *format = cpb_tensor_format_of(dtype);
  *type = (cpb_tensor_type){.format = format};
  cpb_dtype_name(dtype, type->name, sizeof type->name);
  if (!format) return false;
  type->field = format->field;
  type->wire = cpb_tensor_field_type(format->field);
  return true;
}

const cpb_tensor_layout cpb_tensorflow_layout = {.dtype = TENSOR_DTYPE,
                                                 .shape = TENSOR_SHAPE,
                                                 .content = TENSOR_CONTENT,
                                                 .strings = TENSOR_STRINGS,
                                                 .shape_name = "tensor_shape",
                                                 .content_name = "tensor_content",
                                                 .strings_name = "string_val",
                                                 .repeats_last = true,
                                                 .describe = describe};
