#include "model/common/ends.h"

#include "base/limits.h"

void cpb_ends_copy(cpb_file_ends *ends, const cpb_file_ends *given) {
  cpb_options_copy(ends, sizeof *ends, given);
  if (ends->size == 0) ends->size = ends->begin_size;
  if (ends->size == ends->begin_size && ends->end_size == 0) {
    ends->end = ends->begin;
    ends->end_size = ends->begin_size;
  }
  if (ends->end_size > CPB_END_BYTES) {
    ends->end = (const uint8_t *)ends->end + (ends->end_size - CPB_END_BYTES);
    ends->end_size = CPB_END_BYTES;
  }
  if (ends->begin_size > CPB_BEGIN_BYTES) ends->begin_size = CPB_BEGIN_BYTES;
}

cpb_span cpb_ends_begin(const cpb_file_ends *ends) { return (cpb_span){ends->begin, ends->begin_size}; }

cpb_span cpb_ends_end(const cpb_file_ends *ends) { return (cpb_span){ends->end, ends->end_size}; }

bool cpb_ends_named(const cpb_file_ends *ends, const char *ending) {
  const size_t size = strlen(ending);
  if (ends->name_size < size) return false;
  for (size_t i = 0; i < size; i++) {
    const char c = ends->name[ends->name_size - size + i];
    if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != ending[i]) return false;
  }
  return true;
}
