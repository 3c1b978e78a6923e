#include "model/common/tensor/values.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

#define LENGTH_SIZE 8
/* NumPy's |S pads each string to the longest. Strings are padded up to LEAST_PADDED bytes in all, or up to MOST_PADDING
 * times their own bytes: one long string among many short ones must not make an array that is a million times the
 * tensor. */
#define MOST_PADDING 16
#define LEAST_PADDED ((uint64_t)1 << 20)

enum { NEXT, LENGTH, BYTES, PADDING };

/* --- Measuring ----------------------------------------------------------------------- */

/* Strings are walked twice. The width of NumPy's |S and the total size come from the longest string, and the host
 * wants both before the first byte. Whether a string ends in NUL shows only in its last byte, which is a small read
 * of its own. */

static cpb_have look_at_end(cpb_tensor_values *v) {
  cpb_span byte;
  cpb_tensor_texts *t = &v->texts;
  if (!t->at_nul) return CPB_HAVE;
  cpb_have have = cpb_input_span(v->input, t->last.offset + t->last.length - 1, 1, 0, &byte);
  if (have != CPB_HAVE) return cpb_tensor_settle(v, have);
  t->nul_at_end = t->nul_at_end || byte.data[0] == 0;
  t->at_nul = false;
  return CPB_HAVE;
}

static bool is_text(const cpb_tensor_values *v) {
  const cpb_wire_field *f = &v->scan.scanner.field;
  return f->number == v->layout->strings && f->type == CPB_WIRE_LEN;
}

static void note_text(cpb_tensor_values *v) {
  cpb_tensor_texts *t = &v->texts;
  const cpb_wire_field *f = &v->scan.scanner.field;
  t->last = (cpb_range){v->scan.base + f->value, f->size};
  t->at_nul = f->size > 0;
  t->bytes += f->size; /* less than the input has */
  t->longest = cpb_max_u64(t->longest, f->size);
  t->count++;
}

static cpb_have too_many(cpb_tensor_values *v) {
  cpb_fail(v->error, CPB_E_DAMAGED, v->tensor.offset, "%s has %llu strings; the shape has %llu elements",
           v->layout->strings_name, (unsigned long long)v->texts.count, (unsigned long long)v->count);
  return CPB_FAILED;
}

bool cpb_tensor_pads_texts(uint64_t count, uint64_t longest, uint64_t bytes) {
  uint64_t padded;
  return cpb_mul_u64(count, longest, &padded) && longest <= INT32_MAX &&
         (padded <= LEAST_PADDED || padded / MOST_PADDING <= bytes);
}

/* Decides whether strings are padded or preceded by their lengths, and the total size. Strings that end in NUL are not
 * padded, because NumPy could not find their ends. */
static cpb_have choose_width(cpb_tensor_values *v) {
  cpb_tensor_texts *t = &v->texts;
  uint64_t repeated, lengths;
  if (t->count > v->count || (!v->layout->repeats_last && t->count < v->count)) return too_many(v);
  bool fits = cpb_mul_u64(v->count - t->count, t->last.length, &repeated) &&
              cpb_add_u64(repeated, t->bytes, &repeated) && cpb_mul_u64(v->count, LENGTH_SIZE, &lengths) &&
              cpb_add_u64(lengths, repeated, &v->size);
  if (!fits) return too_many(v);
  t->longest = cpb_max_u64(t->longest, 1); /* like NumPy, whose strings take at least one byte */
  t->fixed = !t->nul_at_end && !v->exact_texts && cpb_tensor_pads_texts(v->count, t->longest, repeated);
  if (!t->fixed) return CPB_HAVE;
  v->size = v->count * t->longest;
  cpb_format(v->numpy, sizeof v->numpy, "|S%llu", (unsigned long long)t->longest);
  return CPB_HAVE;
}

cpb_have cpb_tensor_measure_texts(cpb_tensor_values *v) {
  cpb_wire_event event;
  cpb_have have;
  do {
    have = look_at_end(v);
    if (have == CPB_HAVE) have = cpb_tensor_scan_next(v, &event);
    if (have != CPB_HAVE) return have;
    if (event == CPB_WIRE_FIELD && is_text(v)) note_text(v);
  } while (event != CPB_WIRE_END);
  cpb_tensor_scan_field(v);
  return choose_width(v);
}

/* --- Giving out ------------------------------------------------------------------------ */

/* A string is given out in up to three pieces: its length, its bytes, its padding. `stage` says which comes next; a
 * piece that does not apply is empty, and the loop goes on. */

/* Before the first string that is repeated. Their bytes are part of `size`, so the product fits. */
static cpb_have charge_repeated(cpb_tensor_values *v) {
  const cpb_tensor_texts *t = &v->texts;
  return cpb_tensor_charge_repeated(v, (v->count - t->count) * (t->fixed ? t->longest : LENGTH_SIZE + t->last.length));
}

/* Sets [at, end) to the next string; after the last, to the last one, which is repeated. */
static cpb_have find_text(cpb_tensor_values *v) {
  cpb_tensor_texts *t = &v->texts;
  cpb_range text = t->last;
  if (t->given == t->count && charge_repeated(v) != CPB_HAVE) return CPB_FAILED;
  while (t->given < t->count) {
    cpb_wire_event event;
    cpb_have have = cpb_tensor_scan_next(v, &event);
    if (have != CPB_HAVE) return have;
    const cpb_wire_field *f = &v->scan.scanner.field;
    text = (cpb_range){v->scan.base + f->value, f->size};
    if (event == CPB_WIRE_END) return too_many(v);
    if (event == CPB_WIRE_FIELD && is_text(v)) break;
  }
  v->at = text.offset;
  v->end = text.offset + text.length;
  t->at = text.length;
  t->given++;
  return CPB_HAVE;
}

static cpb_span length_of(cpb_tensor_values *v) {
  cpb_store64(v->out, v->texts.at);
  return (cpb_span){v->out, v->texts.fixed ? 0 : LENGTH_SIZE};
}

static cpb_have read_text(cpb_tensor_values *v, cpb_span *data) {
  uint64_t left = v->end - v->at;
  cpb_have have = cpb_input_span(v->input, v->at, (size_t)cpb_min_u64(left, CPB_TENSOR_OUT), left, data);
  if (have != CPB_HAVE) return cpb_tensor_settle(v, have);
  v->at += data->size;
  return CPB_HAVE;
}

static cpb_span pad(cpb_tensor_values *v) {
  cpb_tensor_texts *t = &v->texts;
  size_t size = (size_t)cpb_min_u64(t->longest - t->at, CPB_TENSOR_OUT);
  memset(v->out, 0, size);
  t->at += size;
  return (cpb_span){v->out, size};
}

cpb_have cpb_tensor_next_text(cpb_tensor_values *v, cpb_span *data) {
  cpb_tensor_texts *t = &v->texts;
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE && data->size == 0) {
    switch (t->stage) {
      case NEXT:
        if (t->given == v->count) return CPB_HAVE;
        have = find_text(v);
        break;
      case LENGTH: *data = length_of(v); break;
      case BYTES:
        if (v->at < v->end && (have = read_text(v, data)) != CPB_HAVE) return have;
        if (v->at < v->end) return CPB_HAVE;
        break;
      default:
        if (t->fixed && t->at < t->longest) {
          *data = pad(v);
          return CPB_HAVE;
        }
        break;
    }
    if (have == CPB_HAVE) t->stage = (t->stage + 1) % 4;
  }
  return have;
}
