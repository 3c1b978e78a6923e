#include "model/operators/operators.h"

#include "model/common/spans.h"

/* --- Words ------------------------------------------------------------------------------ */

/* Any number is acceptable for a malformed or too large one. */
static uint64_t number_of(cpb_span text) {
  uint64_t number = 0;
  for (size_t i = 0; i < text.size; i++) number = number * 10 + text.data[i] - '0';
  return number;
}

/* --- Lines -------------------------------------------------------------------------------- */

/* The line that contains the byte `at`, without its newline. */
static cpb_span line_at(cpb_span table, size_t at) {
  size_t begin = at;
  while (begin > 0 && table.data[begin - 1] != '\n') begin--;
  cpb_span rest = cpb_span_from(table, begin);
  return cpb_span_take(&rest, '\n');
}

bool cpb_operator_find(cpb_span table, cpb_span name, cpb_span domain, cpb_operator *found) {
  size_t low = 0, high = table.size;
  while (low < high) {
    const cpb_span line = line_at(table, low + (high - low) / 2);
    const size_t begin = (size_t)(line.data - table.data);
    cpb_span rest = line;
    const int by_name = cpb_span_compare(name, cpb_span_take(&rest, '\t'));
    const cpb_span its_domain = cpb_span_take(&rest, '\t');
    const int order = by_name != 0 ? by_name : cpb_span_compare(domain, its_domain);
    if (order == 0) {
      found->versions = cpb_span_take(&rest, '\t');
      found->sentence = cpb_span_take(&rest, '\t');
      return true;
    }
    if (order < 0) high = begin;
    else low = begin + line.size + 1;
  }
  return false;
}

/* --- Versions -------------------------------------------------------------------------------- */

/* A version lists its inputs only if they changed; the others have those of the version before. */

cpb_span cpb_operator_inputs(const cpb_operator *found, uint64_t version, uint64_t *since) {
  cpb_span rest = found->versions, inputs = {NULL, 0};
  *since = 0;
  while (rest.size > 0) {
    cpb_span word = cpb_span_take(&rest, ' ');
    const size_t size = word.size;
    const cpb_span number = cpb_span_take(&word, ':');
    if (number_of(number) > version) break;
    *since = number_of(number);
    if (number.size < size) inputs = word;
  }
  return inputs;
}

/* --- Inputs ------------------------------------------------------------------------------------ */

bool cpb_operator_next_input(cpb_span *inputs, cpb_operator_input *input) {
  if (inputs->size == 0) return false;
  cpb_span word = cpb_span_take(inputs, ',');
  const size_t size = word.size;
  input->name = cpb_span_take(&word, '*');
  input->attribute = word;
  input->count = word.size > 0 ? 0 : size > input->name.size ? UINT64_MAX : 1;
  return true;
}
