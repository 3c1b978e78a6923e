#include "model/foreign/instead.h"

#include "base/checked.h"
#include "cpb/model.h"
#include "model/common/ends.h"
#include "model/foreign/foreign.h"

enum { LARGEST = 65536 }; /* pointers and pages of servers are small, files with values are not */

/* Whether a file of `size` bytes that begins with these is a known substitute for files: "a Git LFS pointer ...; fetch
 * ...", written to `out`, which has `room`; "" if it is not. */
static bool describe_instead(cpb_span begin, uint64_t size, char *out, size_t room) {
  const cpb_file_ends given = {
      .struct_size = sizeof given, .begin = begin.data, .begin_size = begin.size, .size = size};
  cpb_file_ends ends;
  cpb_ends_copy(&ends, &given);
  const cpb_foreign_kind kind = cpb_foreign_look(&ends).kind;
  out[0] = 0;
  if (kind < CPB_FOREIGN_ZEROS || kind > CPB_FOREIGN_SERVER_JSON) return false;
  return cpb_foreign_describe(&ends, out, room) != NULL;
}

cpb_have cpb_foreign_find_instead(cpb_foreign_instead *f, cpb_input *input, char *out, size_t room) {
  const uint64_t size = cpb_input_known_size(input);
  out[0] = 0;
  if (size > LARGEST) return CPB_HAVE;
  const cpb_have have = cpb_input_gather(input, 0, cpb_min_size(sizeof f->begin, (size_t)size), f->begin, &f->size);
  if (have != CPB_HAVE) return have;
  describe_instead((cpb_span){f->begin, f->size}, size, out, room);
  return CPB_HAVE;
}
