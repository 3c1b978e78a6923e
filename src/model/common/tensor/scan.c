#include "model/common/tensor/values.h"

#include "base/checked.h"
#include "base/status.h"

/* A window of lent bytes ends whenever a function returns anything but CPB_HAVE, as the host may then reuse its
 * memory. cpb_tensor_settle() therefore drops the window in all these cases.
 *
 * A field's value is never read by the scan, only skipped: a tensor of gigabytes costs at most a request for each
 * of its fields. */

#define FIRST_PIECE 256
#define MOST_GATHERED ((uint64_t)64 << 10)

/* If another file fails, the error names it, so that it is not taken for the model. */
static void take_failure(cpb_tensor_values *v) {
  char name[80];
  const cpb_error *failure = &v->input->failure;
  const cpb_other_file *other = &v->input->other;
  if (v->error->code != CPB_OK) return;
  *v->error = *failure;
  if (v->input->file == 0) return;
  cpb_quote(name, sizeof name, other->name, other->length);
  v->error->offset = CPB_NO_OFFSET;
  cpb_format(v->error->message, sizeof v->error->message, "\"%s\", which has the values: %s", name, failure->message);
}

cpb_have cpb_tensor_settle(cpb_tensor_values *v, cpb_have have) {
  v->scan.window = (cpb_span){NULL, 0}; /* the host may take its bytes back */
  if (have == CPB_AT_END) {
    cpb_fail(v->error, CPB_E_DAMAGED, v->input->size, "the input ends within a TensorProto");
    have = CPB_FAILED;
  }
  if (have == CPB_FAILED) take_failure(v);
  return have;
}

static cpb_have fail_other(cpb_tensor_values *v, const char *instead) {
  char name[80];
  const cpb_other_file *other = &v->input->other;
  cpb_quote(name, sizeof name, other->name, other->length);
  if (instead[0]) cpb_fail(v->error, CPB_E_FORMAT, CPB_NO_OFFSET, "\"%s\", which has the values, is %s", name, instead);
  cpb_fail(v->error, CPB_E_DAMAGED, CPB_NO_OFFSET,
           "\"%s\", which has the values, has %llu bytes; expected at least %llu", name,
           (unsigned long long)v->input->other_size, (unsigned long long)(v->content.offset + v->content.length));
  return CPB_FAILED;
}

cpb_have cpb_tensor_span(cpb_tensor_values *v, cpb_range left, size_t most, cpb_span *bytes) {
  char instead[sizeof v->error->message] = "";
  const cpb_have have =
      v->input->file == 0
          ? cpb_input_span(v->input, left.offset, (size_t)cpb_min_u64(left.length, most), left.length, bytes)
          : cpb_foreign_span(&v->instead, v->input, left, most, bytes, instead, sizeof instead);
  if (have == CPB_HAVE) return have;
  return have == CPB_AT_END && v->input->file > 0 ? fail_other(v, instead) : cpb_tensor_settle(v, have);
}

void cpb_tensor_scan_begin(cpb_tensor_values *v, uint64_t begin, uint64_t end) {
  if (v->scan.scanner.allocator) cpb_wire_free(&v->scan.scanner);
  v->scan = (cpb_tensor_scan){.base = begin};
  cpb_wire_begin(&v->scan.scanner, &v->allocator, 1, end - begin, v->error);
}

/* Asks for little after it skipped a value, and for twice as much each time a field follows directly. A small tensor
 * may come at once. */
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

static void scan_fields(cpb_tensor_values *v, uint32_t number) {
  cpb_tensor_scan_begin(v, v->begins[number], v->ends[number]);
}

void cpb_tensor_scan_field(cpb_tensor_values *v) { scan_fields(v, v->type.field); }

cpb_have cpb_tensor_list_next(cpb_tensor_values *v, uint32_t number) {
  cpb_wire_event event = CPB_WIRE_MORE;
  /* `listing` says that a walk is under way: a call after CPB_WAIT goes on with it */
  if (!v->listing) scan_fields(v, number);
  v->listing = true;
  do {
    cpb_have have = cpb_tensor_scan_next(v, &event);
    if (have != CPB_HAVE) return have;
  } while (event != CPB_WIRE_END && (event != CPB_WIRE_FIELD || v->scan.scanner.field.number != number));
  v->listing = event != CPB_WIRE_END;
  return CPB_HAVE;
}

cpb_have cpb_tensor_gather(cpb_tensor_values *v, cpb_range where, const char *name, cpb_span *bytes) {
  size_t size = (size_t)where.length;
  *bytes = (cpb_span){v->message.data, size};
  if (where.length > MOST_GATHERED)
    return cpb_fail(v->error, CPB_E_DAMAGED, where.offset, "%s takes more than 65536 bytes", name), CPB_FAILED;
  if (!cpb_buffer_reserve(&v->message, size)) return cpb_fail_memory(v->error), CPB_FAILED;
  bytes->data = v->message.data;
  cpb_have have = cpb_input_gather(v->input, where.offset, size, v->message.data, &v->message.size);
  if (have != CPB_HAVE) return cpb_tensor_settle(v, have);
  v->message.size = 0; /* for the next one */
  return CPB_HAVE;
}
