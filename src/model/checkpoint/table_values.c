/* The values of a slice in a checkpoint of version 1. The slice's key has a SavedTensorSlices, whose TensorProto has
 * the values in its typed fields, but neither type nor shape. The block with it is held in memory; type and shape are
 * put in front of its bytes, which together are an input. */
#include "base/status.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/fields.h"
#include "model/common/cursor.h"
#include "model/common/tensor/values.h"
#include "model/formats/leveldb/table.h"

typedef struct reader {
  cpb_allocator allocator;
  const cpb_values_options *options;
  cpb_stored_part part;
  cpb_error *error;
  cpb_table table;
  cpb_buffer head;  /* type and shape, of a TensorProto */
  cpb_span data;    /* the rest of it, in the block */
  cpb_input memory; /* of both */
  bool found;
  cpb_tensor_values tensor;
} reader;

static void *create(const cpb_allocator *a, cpb_meter *meter, const cpb_values_options *options, cpb_stored_part part,
                    cpb_input *input, cpb_error *error) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  if (!r) return NULL;
  r->allocator = *a;
  r->options = options;
  r->part = part;
  r->error = error;
  cpb_buffer_init(&r->head, a);
  cpb_input_init(&r->memory);
  cpb_table_init(&r->table, a, meter, input, options->max_memory, error);
  return r;
}

static void destroy(void *state) {
  reader *r = state;
  cpb_allocator a = r->allocator;
  if (r->found) cpb_tensor_values_free(&r->tensor);
  cpb_table_free(&r->table);
  cpb_buffer_free(&r->head);
  cpb_release(&a, r);
}

/* --- The message --------------------------------------------------------------------------- */

static bool put_varint(cpb_buffer *out, uint64_t number) {
  uint8_t bytes[CPB_VARINT_MAX];
  return cpb_buffer_append(out, bytes, (size_t)(cpb_varint_write(bytes, number) - bytes));
}

static bool put_number(cpb_buffer *out, uint32_t field, uint64_t number) {
  return put_varint(out, field << 3 | CPB_WIRE_VARINT) && put_varint(out, number);
}

static bool put_bytes(cpb_buffer *out, uint32_t field, const cpb_buffer *bytes) {
  return put_varint(out, field << 3 | CPB_WIRE_LEN) && put_varint(out, bytes->size) &&
         (bytes->size == 0 || cpb_buffer_append(out, bytes->data, bytes->size));
}

static bool put_shape(reader *r, cpb_buffer *out) {
  cpb_buffer dimension, shape;
  cpb_buffer_init(&dimension, &r->allocator);
  cpb_buffer_init(&shape, &r->allocator);
  bool done = true;
  for (uint32_t i = 0; done && i < r->part.stored->rank; i++) {
    dimension.size = 0;
    done = put_number(&dimension, DIM_SIZE, r->part.shape[i]) && put_bytes(&shape, SHAPE_DIM, &dimension);
  }
  done = done && put_bytes(out, TENSOR_SHAPE, &shape);
  cpb_buffer_free(&dimension);
  cpb_buffer_free(&shape);
  return done;
}

static cpb_have begin_tensor(reader *r) {
  bool done = put_number(&r->head, TENSOR_DTYPE, r->part.stored->dtype) && put_shape(r, &r->head);
  r->data = cpb_get_bytes(cpb_get_bytes(r->table.data.value, SAVED_DATA), DATA_TENSOR);
  const uint64_t size = (uint64_t)r->head.size + r->data.size;
  cpb_input_end(&r->memory, size);
  r->found = done && cpb_tensor_values_init(&r->tensor, &r->allocator, r->table.meter, &cpb_tensorflow_layout,
                                            &r->memory, r->error, (cpb_range){0, size}, r->options->exact_texts != 0);
  if (r->found) return CPB_HAVE;
  return cpb_fail_memory(r->error), CPB_FAILED;
}

static cpb_have find(reader *r) {
  char shown[80];
  cpb_have have = cpb_table_seek(&r->table, r->part.key);
  if (have == CPB_HAVE) return begin_tensor(r);
  if (have != CPB_AT_END) return have;
  cpb_span name = {(const uint8_t *)r->part.stored->key, r->part.stored->key_size};
  cpb_fail(r->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "the checkpoint has no values for a slice of \"%s\"",
           cpb_quote(shown, sizeof shown, name.data, name.size));
  return CPB_FAILED;
}

/* `memory` is an input without a file: each need is met at once, with the half that has its offset. */
static void supply(reader *r) {
  cpb_need need;
  cpb_input_need(&r->memory, &need);
  if (need.offset < r->head.size) cpb_input_supply(&r->memory, 0, r->head.data, r->head.size);
  else cpb_input_supply(&r->memory, r->head.size, r->data.data, r->data.size);
}

/* Offsets of errors are not in the file. */
static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *r = state;
  cpb_have have = r->found ? CPB_HAVE : find(r);
  if (have != CPB_HAVE) return have;
  while ((have = cpb_tensor_values_next(&r->tensor, info, data)) == CPB_WAIT) supply(r);
  if (have == CPB_FAILED) r->error->offset = CPB_NO_OFFSET;
  return have;
}

const cpb_part_reader cpb_table_values = {create, destroy, next};
