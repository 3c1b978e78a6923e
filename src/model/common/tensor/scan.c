#include "model/common/tensor/scan.h"

#include "base/checked.h"
#include "base/status.h"

#define FIRST_PIECE 256

cpb_have cpb_tensor_settle(cpb_tensor_values *v, cpb_have have) {
  v->scan.window = (cpb_span){NULL, 0}; /* the host may take its bytes back */
  if (have == CPB_AT_END) {
    cpb_fail(v->error, CPB_E_DAMAGED, v->input->size, "the input ends within a TensorProto");
    return CPB_FAILED;
  }
  if (have == CPB_FAILED && v->error->code == CPB_OK) *v->error = v->input->failure;
  return have;
}

void cpb_tensor_scan_begin(cpb_tensor_values *v, uint64_t begin, uint64_t end) {
  if (v->scan.scanner.allocator) cpb_wire_free(&v->scan.scanner);
  v->scan = (cpb_tensor_scan){.base = begin};
  cpb_wire_begin(&v->scan.scanner, &v->allocator, 1, end - begin, v->error);
}

/* Asks for little after a value was skipped, and for twice as much each time that fields follow
 * each other. A small tensor may come at once. */
static cpb_have scan_more(cpb_tensor_values *v) {
  cpb_tensor_scan *s = &v->scan;
  uint64_t at = s->scanner.pos, left = s->scanner.size - at;
  size_t piece = at == s->expected ? cpb_min_size(2 * s->piece, CPB_TENSOR_OUT) : 0;
  if (piece < FIRST_PIECE) piece = FIRST_PIECE;
  cpb_have have = cpb_input_span(v->input, s->base + at, (size_t)cpb_min_u64(piece, left),
                                 at == 0 ? cpb_min_u64(left, CPB_TENSOR_OUT) : 0, &s->window);
  if (have != CPB_HAVE) return cpb_tensor_settle(v, have);
  s->piece = piece;
  s->expected = at + s->window.size;
  return CPB_HAVE;
}

cpb_have cpb_tensor_scan_next(cpb_tensor_values *v, cpb_wire_event *event) {
  cpb_tensor_scan *s = &v->scan;
  while ((*event = cpb_wire_next(&s->scanner, &s->window)) == CPB_WIRE_MORE) {
    cpb_have have = scan_more(v);
    if (have != CPB_HAVE) return have;
  }
  if (*event != CPB_WIRE_ERROR) return CPB_HAVE;
  if (v->error->offset == CPB_NO_OFFSET) v->error->offset = s->base + s->scanner.pos;
  return CPB_FAILED;
}

void cpb_tensor_scan_field(cpb_tensor_values *v) {
  uint32_t field = v->format->field;
  cpb_tensor_scan_begin(v, v->begins[field], v->ends[field]);
}
