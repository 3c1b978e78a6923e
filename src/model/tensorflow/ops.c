#include "model/tensorflow/ops.h"

#include <string.h>

#include "model/common/spans.h"

/* Lines in the order of names. */
static const char lines[] =
#include "model/tensorflow/ops.inc"
    ;

/* The line around the byte `at`. */
static cpb_span line_at(size_t at) {
  size_t begin = at, end = at;
  while (begin > 0 && lines[begin - 1] != '\n') begin--;
  while (lines[end] != '\n') end++;
  return (cpb_span){(const uint8_t *)lines + begin, end - begin};
}

static size_t name_of(cpb_span line) {
  const uint8_t *space = memchr(line.data, ' ', line.size);
  return space ? (size_t)(space - line.data) : line.size;
}

bool cpb_tensorflow_op_outputs(cpb_span name, cpb_span *outputs) {
  size_t low = 0, high = sizeof lines - 1;
  while (low < high) {
    const cpb_span line = line_at(low + (high - low) / 2);
    const size_t size = name_of(line), begin = (size_t)(line.data - (const uint8_t *)lines);
    const int order = cpb_span_compare(name, (cpb_span){line.data, size});
    *outputs = cpb_span_from(line, size + (size < line.size));
    if (order == 0) return true;
    if (order < 0) high = begin;
    else low = begin + line.size + 1;
  }
  return false;
}

bool cpb_is_tensorflow_op(cpb_span name) {
  cpb_span outputs;
  return cpb_tensorflow_op_outputs(name, &outputs);
}
